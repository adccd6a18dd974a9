"""Panels of experts: people who rate as everybody does, and are never among the raters."""

import re
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from survey.consent import give_consent
from survey.models import (
    Identity,
    Invitation,
    Participant,
    Presentation,
    Rating,
    Slot,
    Study,
    Withdrawal,
)
from survey.participants import Arrival
from survey.slots import capacity, is_full, slot_counts
from survey.tidy import (
    counted_sources,
    not_counted_among,
    panel_ratings,
    panels_of,
    participant_rows,
    rating_rows,
)
from survey.withdrawal import token_of, withdraw
from tests.factories import add_participant, newcomer
from tests.prolific import prolific_id
from tests.survey import small_study
from tests.survey.visiting import LAST_PAGE, LINK, begin, take

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def invite(study: Study, panel: str = "clinicians") -> str:
    """The personal link of one more expert."""
    return f"/s/small/?invite={Invitation.objects.create(study=study, panel=panel).token}"


def finish(client: Client, value: int = 2) -> str:
    """Take all pages, rating every response with `value`; what the last page says."""
    take(client, range(1, LAST_PAGE), value)
    page = f"/s/small/page/{LAST_PAGE}/"
    return client.post(page, {"age": "41"}, follow=True).content.decode()


def complete(study: Study, *, panel: str = "clinicians", value: int = 2) -> Participant:
    """An expert who has completed the survey."""
    client = Client()
    expert = begin(client, invite(study, panel))
    finish(client, value)
    expert.refresh_from_db()
    assert expert.status == "completed"
    return expert


def offer(study: Study, **settings: Any) -> None:
    Study.objects.filter(pk=study.pk).update(settings=study.settings | settings)


# ── Coming in ────────────────────────────────────────────────────────────────────────────────


def test_link_of_a_panel_makes_an_expert(study: Study, client: Client) -> None:
    expert = begin(client, invite(study))
    assert (expert.source, expert.panel, expert.way_in) == ("panel", "clinicians", "invitation")
    assert Identity.objects.get(participant=expert).kind == "invitation"
    study.refresh_from_db()
    assert study.frozen_at is not None  # they are real people


@pytest.mark.parametrize("ways_in", [["prolific"], ["link"], ["prolific", "link"]])
def test_experts_come_in_whatever_the_ways_in_of_raters_are(
    study: Study, client: Client, ways_in: list[str]
) -> None:
    offer(study, ways_in=ways_in)
    assert begin(client, invite(study)).panel == "clinicians"


@pytest.mark.parametrize(
    ("state", "new", "begun"),
    [("draft", False, True), ("open", True, True), ("paused", False, True)],
)
def test_states_admit_experts_as_they_admit_raters(
    study: Study, client: Client, state: str, new: bool, begun: bool
) -> None:
    begin(client, invite(study))
    Study.objects.filter(pk=study.pk).update(state=state)
    assert (client.get("/s/small/page/1/").status_code == 200) is begun
    assert (Client().get(invite(study)).status_code == 302) is new
    assert Participant.objects.count() == 1 + new


@pytest.mark.parametrize("ways_in", [["link"], ["prolific", "link", "invitation"]])
def test_half_a_link_makes_nobody_a_rater(study: Study, client: Client, ways_in: list[str]) -> None:
    offer(study, ways_in=ways_in)
    reply = client.get(invite(study)[:-3])
    assert reply.status_code == 400
    assert b"This invitation is not valid" in reply.content
    assert not Participant.objects.exists()


def test_invitation_of_a_rater_is_no_way_into_a_panel(study: Study, client: Client) -> None:
    rater = begin(client, invite(study, panel=""))
    assert (rater.source, rater.panel) == ("link", "")


def test_somebody_from_prolific_is_no_expert_whatever_their_link_says(
    study: Study, client: Client
) -> None:
    invite(study)
    rater = begin(client, f"{LINK}&panel=clinicians")
    assert (rater.source, rater.panel) == ("prolific", "")


def test_expert_is_nobody_from_prolific_whatever_their_link_says(
    study: Study, client: Client
) -> None:
    expert = begin(
        client,
        f"{invite(study)}&PROLIFIC_PID={prolific_id('abc123')}&SESSION_ID={prolific_id('se1')}",
    )
    identity = Identity.objects.get(participant=expert)
    assert (expert.source, identity.kind) == ("panel", "invitation")
    assert not expert.submissions.exists()


@pytest.mark.parametrize(
    ("source", "panel"), [("panel", ""), ("link", "clinicians"), ("simulated", "clinicians")]
)
def test_experts_alone_have_a_panel(study: Study, source: str, panel: str) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Participant.objects.create(study=study, source=source, panel=panel)


def test_invitation_of_an_older_version_leads_into_the_one_that_is_offered(
    study: Study, client: Client
) -> None:
    link = invite(study)
    Participant.objects.create(study=study, source="link")
    newer = small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"))
    assert newer.version == 2
    expert = begin(client, link)
    assert (expert.study, expert.panel) == (newer, "clinicians")


# ── On the way ───────────────────────────────────────────────────────────────────────────────


def test_expert_goes_on_where_they_were_on_another_device(study: Study, client: Client) -> None:
    link = invite(study)
    begin(client, link)
    take(client, range(1, 4))
    assert Client().get(link).headers["Location"] == "/s/small/page/4/"
    html = client.get("/s/small/page/1/").content.decode()
    personal = re.search(r'href="http://testserver(/s/small/\?resume=[^"]+)"', html)
    assert personal
    assert Client().get(personal[1]).headers["Location"] == "/s/small/page/4/"
    assert Participant.objects.count() == 1


def test_expert_without_their_cookie_is_told_to_open_their_link(study: Study) -> None:
    offer(study, ways_in=["prolific"])
    told = "If you were sent a personal link, open it again"
    assert told not in Client().get("/s/small/page/3/").content.decode()
    invite(study)
    assert told in Client().get("/s/small/page/3/").content.decode()


def test_completed_expert_is_thanked_without_a_word_of_prolific(
    study: Study, client: Client
) -> None:
    begin(client, invite(study))
    said = [client.get("/s/small/stop/").content.decode(), finish(client)]
    assert "Thank you." in said[1]
    for html in said:
        assert "Prolific" not in html and "DONE1" not in html
        assert "Test run" not in html


def test_expert_is_asked_for_consent_and_may_decline(study: Study, client: Client) -> None:
    client.get(invite(study))
    html = client.post("/s/small/consent/", {"decline": "1"}, follow=True).content.decode()
    assert Participant.objects.get().status == "declined"
    assert "Prolific" not in html and "NOPE1" not in html


# ── Places ───────────────────────────────────────────────────────────────────────────────────


def start(study: Study, source: str, panel: str = "") -> Participant:
    person = newcomer(Arrival(study=study, source=source, panel=panel, at=NOW))
    give_consent(participant=person, at=NOW)
    person.refresh_from_db()
    return person


@pytest.mark.parametrize("limit", [{"maximum": 1}, {"ratings_per_block": 1}])
def test_experts_take_places_of_their_own_and_as_many_as_come(
    study: Study, limit: dict[str, int]
) -> None:
    study.settings["places"] |= limit
    study.save()
    assert start(study, "link").slot == 0
    assert [start(study, "panel", name).slot for name in ("clinicians", "peers", "peers")] == (
        [0, 1, 2]
    )
    assert is_full(study, source="link", at=NOW)
    assert not is_full(study, source="panel", at=NOW)
    assert (capacity(study), capacity(study, "panel")) == (1, None)
    real, panel = (slot_counts(study, pool=pool, at=NOW) for pool in ("real", "panel"))
    assert (real.maximum, real.taken, real.free) == (1, 1, 0)
    assert (panel.maximum, panel.taken, panel.free) == (None, 3, None)


def test_slots_of_experts_are_those_of_the_balanced_design(db: None) -> None:
    order = "order: {responses: balanced, blocks: balanced}\n"
    study = small_study.load(yaml=f"{small_study.YAML}{order}")
    rater, expert = start(study, "link"), start(study, "panel", "clinicians")

    def shown(person: Participant) -> list[tuple[int, Any]]:
        rows = Presentation.objects.filter(participant=person).order_by("position")
        return [(row.block_id, row.response_order) for row in rows]

    assert shown(rater) == shown(expert)
    assert shown(expert) != shown(start(study, "panel", "clinicians"))


# ── Never among the raters ───────────────────────────────────────────────────────────────────


def test_experts_count_only_when_asked_for_by_name(study: Study) -> None:
    expert = complete(study)
    add_participant(study, pseudonym="anna")
    for include, people in (([], {"anna"}), (["panel"], {"anna", expert.pseudonym})):
        sources = counted_sources(include)
        assert not_counted_among(sources) == include
        assert {row[0] for row in participant_rows(study, sources)} == people
        assert {row[0] for row in rating_rows(study, sources)} == people


# ── What they rated ──────────────────────────────────────────────────────────────────────────


def test_ratings_of_a_panel_are_those_of_every_presentation_in_order(study: Study) -> None:
    first, second = complete(study, value=1), complete(study, value=3)
    add_participant(study, pseudonym="anna", rate=lambda key: 2)
    complete(study, panel="peers")
    shown = Rating.objects.filter(presentation__participant=first).values_list(
        "response_id", flat=True
    )
    values = {first.pk: 1, second.pk: 3}
    rows = [
        (response, "warmth", person, value)
        for response in shown
        for person, value in values.items()
    ]
    assert len(rows) == 2 * 12
    assert len({row[0] for row in rows}) == 10  # the reference stands in two sets of each scenario
    assert panel_ratings(study, "clinicians") == sorted(rows)


def test_experts_who_have_not_completed_give_no_ratings_yet(study: Study, client: Client) -> None:
    begin(client, invite(study))
    take(client, range(1, LAST_PAGE))
    assert panel_ratings(study, "clinicians") == []
    client.post(f"/s/small/page/{LAST_PAGE}/", {"age": "41"})
    assert len(panel_ratings(study, "clinicians")) == 12


def test_expert_who_failed_the_checks_has_completed_all_the_same(
    study: Study, client: Client
) -> None:
    study.settings["prolific"] |= {"failed_attention_code": "FAIL1", "failed_attention_from": 1}
    offer(study)
    expert = begin(client, invite(study))
    finish(client, value=3)
    expert.refresh_from_db()
    assert (expert.status, expert.ending) == ("completed", "failed_attention")
    assert len(panel_ratings(study, "clinicians")) == 12


def test_ranks_choices_and_words_of_a_panel_are_no_ratings(db: None, client: Client) -> None:
    study = small_study.load()
    expert = complete(study)
    presentation = Presentation.objects.filter(participant=expert).first()
    assert presentation is not None and presentation.response_order
    Rating.objects.create(
        presentation=presentation,
        response_id=presentation.response_order[0],
        task="ranking",
        value=1,
    )
    assert {row[1] for row in panel_ratings(study, "clinicians")} == {"warmth"}


def test_panels_are_those_invited_and_those_that_came(study: Study) -> None:
    assert panels_of(study) == []
    add_participant(study, pseudonym="anna")
    invite(study, "peers")
    invite(study, "peers")
    invite(study, "")
    complete(study)
    assert panels_of(study) == ["clinicians", "peers"]
    newer = small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"))
    assert panels_of(newer) == ["clinicians", "peers"]
    assert panel_ratings(newer, "clinicians") == []


# ── Withdrawing ──────────────────────────────────────────────────────────────────────────────


def test_withdrawal_deletes_what_an_expert_rated_and_frees_their_place(
    study: Study, client: Client
) -> None:
    stays = complete(study)
    link = invite(study)
    goes = begin(client, link)
    finish(client)
    address = f"/s/small/withdraw/{token_of(goes)}/"
    html = client.post(address, {"delete": "yes"}, follow=True).content.decode()
    assert "Your data are deleted" in html and "Prolific" not in html
    assert {row[2] for row in panel_ratings(study, "clinicians")} == {stays.pk}
    assert Slot.objects.get(pool="panel", number=goes.slot or 0).participant is None
    assert slot_counts(study, pool="panel", at=NOW).withdrawn == 1
    assert slot_counts(study, pool="real", at=NOW).withdrawn == 0
    assert Withdrawal.objects.get().source == "panel"
    assert b"Your data are deleted" in Client().get(link).content


def test_place_that_an_expert_left_goes_to_the_next_one(study: Study) -> None:
    people = [start(study, "panel", "clinicians") for _ in range(3)]
    withdraw(participant=people[1], at=NOW)
    assert start(study, "panel", "peers").slot == 1
