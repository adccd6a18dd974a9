"""A simulated crowd comes as people do: one after another, and several are under way at once."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from pytest_django.live_server_helper import LiveServer

from survey.models import Identity, Participant, Slot, Study
from survey.simulated.crowd import look_up, read_content, walk_all
from survey.simulated.plan import RaterPlan, plan_raters
from survey.simulated.profile import Behaviour, SimulationProfile

pytestmark = pytest.mark.embedded  # what the simulator does over HTTP

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
Send = Callable[..., None]


def plans_of(study: Study, people: int, seed: int = 1, **shares: float) -> list[RaterPlan]:
    minutes = {"careful": [4.0, 8.0]}
    profile = SimulationProfile.model_validate({"behaviours": shares, "minutes": minutes})
    content = read_content(study)
    return plan_raters(profile=profile, content=content, participants=people, seed=seed)


@pytest.fixture
def send(live_server: LiveServer) -> Send:
    def sending(
        study: Study, plans: list[RaterPlan], *, now: datetime = NOW, workers: int = 4
    ) -> None:
        rota = look_up(study, plans, now)
        content = read_content(study)
        list(walk_all(rota, server=live_server.url, content=content, workers=workers))

    return sending


def stale_after(study: Study, minutes: int) -> None:
    places = {**study.settings["places"], "stale_minutes": minutes}
    study.settings = {**study.settings, "places": places}
    study.save()


def slots() -> dict[str, int | None]:
    people = Identity.objects.values_list("key", "participant__slot")
    return dict(people)


def test_raters_are_under_way_together_and_have_places_in_the_order_of_their_clocks(
    study: Study, send: Send
) -> None:
    send(study, plans_of(study, 6))
    people = list(study.participants.filter(status="completed").order_by("started_at"))
    assert [person.slot for person in people] == list(range(6))
    assert Slot.objects.filter(participant__status="completed").count() == 6
    arrivals = sorted(person.arrived_at for person in people)
    ends = sorted(person.finished_at for person in people if person.finished_at is not None)
    at_once = [sum(came < end for came in arrivals) - gone for gone, end in enumerate(ends)]
    assert max(at_once) > 2


def test_place_of_who_left_goes_to_the_first_who_comes_after_the_silence(
    study: Study, send: Send
) -> None:
    stale_after(study, 10)
    send(study, plans_of(study, 12, early_exit=0.25))
    left = study.participants.filter(status="in_progress")
    completed = study.participants.filter(status="completed")
    assert (left.count(), completed.count()) == (3, 9)
    assert len(set(completed.values_list("slot", flat=True))) == 9
    lost = left.filter(held_slot=None)
    assert lost.exists()
    assert Slot.objects.count() == 12 - lost.count()
    for person in lost:
        holders = study.participants.filter(slot=person.slot, started_at__gt=person.started_at)
        heir = holders.order_by("started_at").first()
        assert heir is not None and heir.started_at is not None
        assert heir.started_at - person.last_seen_at > timedelta(minutes=10)


def come(plan: RaterPlan, minute: float, **slow: float) -> RaterPlan:
    """Somebody careful who comes at a minute and looks at every page for one, or for as long as
    `slow` says.
    """
    seconds = {page: 60 * slow.get(page.replace(" ", "_"), 1) for page in plan.seconds}
    return replace(plan, after=timedelta(minutes=minute), seconds=seconds)


def leaving(plan: RaterPlan) -> RaterPlan:
    """The same person, who closes the browser after the first block."""
    return replace(plan, behaviour=Behaviour.EARLY_EXIT, blocks=1)


def one_place(study: Study) -> None:
    stale_after(study, 10)
    study.settings = {**study.settings, "places": {**study.settings["places"], "maximum": 1}}
    study.save()


def test_only_place_goes_to_whom_agrees_first_not_to_whom_comes_first(
    study: Study, send: Send
) -> None:
    one_place(study)
    slow, quick = plans_of(study, 2)
    plans = [come(slow, 0, consent=9), come(quick, 2)]
    send(study, plans)
    assert slots() == {slow.person: None, quick.person: 0}


def silent_heir_and_late(study: Study) -> list[RaterPlan]:
    """Of three who want the only place, the first loses it to the second while silent, and ends
    while the second is still at it, slow but never silent. The third comes when both are at it.
    """
    one_place(study)
    silent, heir, late = plans_of(study, 3)
    return [
        come(silent, 0, block_2=40, block_3=6, block_4=6),
        come(heir, 24.5, block_1=9, block_2=9, block_3=9, block_4=9),
        come(late, 46.5),
    ]


def holders() -> list[str]:
    people = Slot.objects.order_by("number").values_list("participant__identity__key", flat=True)
    return list(people)


@pytest.mark.parametrize("workers", [1, 4])
def test_who_comes_while_another_is_silent_keeps_the_place_though_the_other_ends_first(
    study: Study, send: Send, workers: int
) -> None:
    silent, heir, late = plans = silent_heir_and_late(study)
    send(study, plans, workers=workers)
    ended = study.participants.filter(status="completed").order_by("finished_at")
    assert list(ended.values_list("identity__key", flat=True)) == [silent.person, heir.person]
    assert holders() == [heir.person]
    assert late.person not in slots()  # all places were taken when they came


def test_who_was_silent_has_the_place_back_that_is_free_when_they_end(
    study: Study, send: Send
) -> None:
    silent, heir, _late = silent_heir_and_late(study)
    send(study, [silent, leaving(heir)], workers=1)
    assert slots() == {silent.person: 0, heir.person: 0}
    assert holders() == [silent.person]


def test_interruption_changes_nobodys_place(
    study: Study, send: Send, live_server: LiveServer
) -> None:
    silent, heir, late = plans = silent_heir_and_late(study)
    rota = look_up(study, plans, NOW)
    walks = walk_all(rota, server=live_server.url, content=read_content(study), workers=1)
    assert next(walks).plan == late
    walks.close()
    send(study, [silent, heir], workers=1)
    assert holders() == [heir.person]


@pytest.mark.parametrize("workers", [1, 6])
def test_number_of_workers_changes_nobodys_place(study: Study, send: Send, workers: int) -> None:
    """Two agree while the third reads, until the place of somebody who left is theirs to take."""
    stale_after(study, 10)
    left, slow, quick, next_one = plans_of(study, 4)
    plans = [
        leaving(come(left, 0)),
        come(slow, 6, consent=9),
        come(quick, 7),
        come(next_one, 8),
    ]
    send(study, plans, workers=workers)
    assert slots() == {left.person: 0, slow.person: 0, quick.person: 1, next_one.person: 2}
    assert holders() == [slow.person, quick.person, next_one.person]


def test_second_crowd_follows_the_first_and_takes_over_from_nobody_who_stayed(
    study: Study, send: Send
) -> None:
    stale_after(study, 10)
    send(study, plans_of(study, 6, early_exit=1 / 3))
    last = max(person.last_seen_at for person in study.participants.all())
    left = set(study.participants.filter(status="in_progress").values_list("slot", flat=True))
    first = set(study.participants.values_list("pk", flat=True))
    send(study, plans_of(study, 6, seed=2), now=NOW + timedelta(minutes=1))
    second = study.participants.exclude(pk__in=first)
    assert min(person.arrived_at for person in second) > last
    assert left < set(second.values_list("slot", flat=True))
    completed = study.participants.filter(status="completed")
    assert sorted(person.slot or 0 for person in completed) == list(range(10))


def test_crowd_is_over_hours_ago_though_another_was_there_until_then(study: Study) -> None:
    Participant.objects.create(
        study=study, source="simulated", last_seen_at=NOW - timedelta(hours=3)
    )
    for people in (3, 1600):
        plans = plans_of(study, people)
        starts = {plan.number: start.at for plan, start in look_up(study, plans, NOW).waiting}
        ends = [starts[plan.number] + timedelta(minutes=plan.minutes) for plan in plans]
        assert max(ends) == NOW - timedelta(hours=3)


def test_interrupted_crowd_goes_on_by_the_same_clock(study: Study, send: Send) -> None:
    plans = plans_of(study, 4)
    planned = {plan.number: start.at for plan, start in look_up(study, plans, NOW).waiting}
    send(study, plans[:1])
    rota = look_up(study, plans, NOW + timedelta(hours=5))
    assert rota.already == plans[:1]
    assert {plan.number: start.at for plan, start in rota.waiting} == {
        number: at for number, at in planned.items() if number > 1
    }
