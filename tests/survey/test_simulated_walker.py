"""Simulated raters over real HTTP, checked against what the database holds afterwards."""

from datetime import UTC, datetime, timedelta

import pytest
from pytest_django.live_server_helper import LiveServer

from survey.definition.settings import Settings as StudySettings
from survey.loading import load_study
from survey.models import AttentionCheck, DemographicAnswer, Participant, Rating, Study
from survey.simulated.content import RatingKey
from survey.simulated.crowd import look_up, read_content, walk_all
from survey.simulated.plan import RaterPlan, plan_raters
from survey.simulated.profile import Behaviour, SimulationProfile
from survey.simulated.walker import NotLetIn, SentRating, Walk, WalkEnding, WalkError
from tests.survey import small_study

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]  # what the simulator does over HTTP

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def plans_of(study: Study, participants: int, **shares: float) -> list[RaterPlan]:
    profile = SimulationProfile.model_validate({"behaviours": shares})
    return plan_raters(
        profile=profile, content=read_content(study), participants=participants, seed=1
    )


def send(study: Study, plans: list[RaterPlan], server: str, now: datetime = NOW) -> list[Walk]:
    rota = look_up(study, plans, now)
    return list(walk_all(rota, server=server, content=read_content(study), workers=2))


def stored(walk: Walk) -> dict[SentRating, int]:
    rows = Rating.objects.filter(presentation__participant=participant_of(walk.plan))
    return {
        SentRating(
            row.presentation.block.scenario.name,
            row.presentation.block.set_name,
            row.response.public_id,
            row.task,
            row.dimension,
        ): row.value
        for row in rows.select_related("presentation__block__scenario", "response")
    }


def participant_of(plan: RaterPlan) -> Participant:
    return Participant.objects.get(identity__key=plan.person, identity__kind="simulated")


def test_careful_rater_completes_and_every_rating_is_stored_as_planned_and_sent(
    live_server: LiveServer, study: Study
) -> None:
    [walk] = send(study, plans_of(study, 1), live_server.url)
    assert (walk.ending, walk.code) == (WalkEnding.COMPLETED, "DONE1")
    assert len(walk.sent) == 12
    assert stored(walk) == walk.sent
    for row in Rating.objects.select_related("presentation__block__scenario", "response__system"):
        block, system = row.presentation.block, row.response.system
        cell = RatingKey(
            block.scenario.name, block.set_name, system.model, system.condition, row.dimension
        )
        assert row.value == walk.plan.ratings[cell]


def test_times_are_those_of_the_plan(live_server: LiveServer, study: Study) -> None:
    [walk] = send(study, plans_of(study, 1), live_server.url)
    person, plan = participant_of(walk.plan), walk.plan
    seconds = plan.seconds
    arrived = NOW - timedelta(days=2)
    assert (person.source, person.status) == ("simulated", "completed")
    assert person.order_seed == plan.order_seed
    assert person.arrived_at == arrived
    assert person.started_at == arrived + timedelta(seconds=seconds["consent"])
    assert person.finished_at is not None
    took = person.finished_at - arrived
    assert took.total_seconds() == pytest.approx(plan.minutes * 60, abs=1e-3)
    assert person.finished_at < NOW
    for shown in person.presentations.all():
        assert shown.answered_at is not None and shown.shown_at is not None
        looked = (shown.answered_at - shown.shown_at).total_seconds()
        assert looked == pytest.approx(seconds[f"block {shown.position}"], abs=1e-3)


def test_demographics_are_stored_as_planned(live_server: LiveServer, study: Study) -> None:
    [walk] = send(study, plans_of(study, 1), live_server.url)
    kept = {a.name: a.value for a in DemographicAnswer.objects.all()}
    planned = walk.plan.demographics
    assert kept == {
        "age": int(planned["age"][0]),
        "sex": planned["sex"][0],
        "race": planned["race"],
        "state": planned["state"][0],
    }


def test_attention_failer_fails_and_the_careful_pass(live_server: LiveServer, study: Study) -> None:
    send(study, plans_of(study, 2, attention_failer=0.5), live_server.url)
    passed = AttentionCheck.objects.order_by("passed").values_list("passed", flat=True)
    assert list(passed) == [False, True]


def test_early_leaver_answers_the_planned_blocks_and_stays_in_progress(
    live_server: LiveServer, study: Study
) -> None:
    [walk] = send(study, plans_of(study, 1, early_exit=1), live_server.url)
    person = participant_of(walk.plan)
    assert (walk.ending, person.status) == (WalkEnding.LEFT, "in_progress")
    assert len(walk.sent) == 3 * walk.plan.blocks
    assert stored(walk) == walk.sent
    assert person.last_seen_at < NOW - timedelta(hours=2)


def test_decliner_declines_and_sends_nothing(live_server: LiveServer, study: Study) -> None:
    [walk] = send(study, plans_of(study, 1, decliner=1), live_server.url)
    assert (walk.ending, walk.sent) == (WalkEnding.DECLINED, {})
    assert participant_of(walk.plan).status == "declined"


def test_same_seed_again_doubles_nobody(live_server: LiveServer, study: Study) -> None:
    plans = plans_of(study, 3, early_exit=0.33, decliner=0.33)
    first = send(study, plans, live_server.url)
    again = look_up(study, plans, NOW)
    assert (len(first), again.waiting, again.already) == (3, [], plans)


def test_half_finished_rater_resumes_with_the_same_answers_and_times(
    live_server: LiveServer, study: Study
) -> None:
    """As if the run had been stopped after two blocks, and started again an hour later."""
    [plan] = plans_of(study, 1)
    halted = RaterPlan(**{**vars(plan), "blocks": 2, "behaviour": Behaviour.EARLY_EXIT})
    send(study, [halted], live_server.url)
    [walk] = send(study, [plan], live_server.url, now=NOW + timedelta(hours=1))
    person = participant_of(plan)
    assert (walk.ending, Rating.objects.count()) == (WalkEnding.COMPLETED, 12)
    assert sorted(stored(walk).values()) == sorted(plan.ratings.values())
    assert person.finished_at is not None
    took = (person.finished_at - person.arrived_at).total_seconds()
    assert took == pytest.approx(plan.minutes * 60, abs=1e-3)


OTHER_YAML = """\
slug: other
title: Two systems, three questions, no reference
estimated_minutes: 5
texts: {information: Read this., instructions: Rate., thanks: Thank you.}
consent: {statement: I agree.}
tasks:
  - kind: likert
    scale:
      - {value: 0, label: "no"}
      - {value: 10, label: "yes"}
    dimensions:
      - {name: cognitive, question: Does it understand?}
      - {name: emotional_warmth, question: Is it warm?}
      - {name: behavioural, question: Does it help?}
conditions: [base, tuned]
"""
OTHER_CSV = """\
scenario,prompt,model,condition,response
D1,I failed.,Ant,base,I am sorry.
D1,I failed.,Ant,tuned,I am sorry.
D2,I miss her.,Ant,base,I am sorry.
D2,I miss her.,Ant,tuned,I am sorry.
D3,I won.,Ant,base,Well done.
D3,I won.,Ant,tuned,"Well *done*, <b>you</b>!"
"""


def test_study_of_quite_another_shape_is_walked_too(live_server: LiveServer, db: None) -> None:
    """No sets, no check, no questions, no code; the same texts from both systems, twice."""
    study = load_study(
        definition=small_study.definition(OTHER_YAML),
        settings=StudySettings.model_validate({"ways_in": ["link"]}),
        rows=small_study.rows(OTHER_CSV, yaml=OTHER_YAML),
    ).study
    [walk] = send(study, plans_of(study, 1), live_server.url)
    assert (walk.ending, walk.code, len(walk.sent)) == (WalkEnding.COMPLETED, "", 18)
    assert stored(walk) == walk.sent
    assert set(walk.sent.values()) == {0, 10}


def test_paused_study_lets_nobody_in(live_server: LiveServer, study: Study) -> None:
    Study.objects.update(state="paused")
    with pytest.raises(NotLetIn, match="paused"):
        send(study, plans_of(study, 1), live_server.url)
    assert not Participant.objects.exists()


def test_server_that_is_not_there_is_named(study: Study) -> None:
    with pytest.raises(WalkError, match=r"no answer from http://127\.0\.0\.1:9"):
        send(study, plans_of(study, 1), "http://127.0.0.1:9")


def test_who_finds_every_place_taken_ends_with_that_code(live_server: LiveServer, db: None) -> None:
    study = small_study.load()
    settings = {
        **study.settings,
        "places": {**study.settings["places"], "maximum": 1},
        "prolific": {
            **study.settings["prolific"],
            "full_code": "FULL1",
            "parameters": {"participant": "who", "study": "where", "session": "when"},
        },
    }
    Study.objects.update(settings=settings)
    study.refresh_from_db()
    profile = SimulationProfile.model_validate({})
    content = read_content(study)
    first, second = plan_raters(profile=profile, content=content, participants=2, seed=1)
    for plan, ending in ((first, WalkEnding.COMPLETED), (second, WalkEnding.FULL)):
        [walk] = send(study, [plan], live_server.url)
        assert walk.ending is ending
        assert walk.code == {WalkEnding.COMPLETED: "DONE1", WalkEnding.FULL: "FULL1"}[ending]
    assert participant_of(first).submissions.get().session_id == f"of-{first.person}"


def test_failed_attention_is_an_ending_of_its_own_where_it_has_a_code(
    live_server: LiveServer, study: Study
) -> None:
    prolific = {
        **study.settings["prolific"],
        "failed_attention_code": "FAIL1",
        "failed_attention_from": 1,
    }
    Study.objects.update(settings={**study.settings, "prolific": prolific})
    study.refresh_from_db()
    [walk] = send(study, plans_of(study, 1, attention_failer=1), live_server.url)
    assert (walk.ending, walk.code) == (WalkEnding.FAILED_ATTENTION, "FAIL1")
    assert participant_of(walk.plan).status == "completed"
