"""The database as tidy tables: what is read, from whom, and when its hash changes."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from analysis.frames import Snapshot, read_snapshot
from analysis.source_frames import read_judges
from survey.models import BlockResponse, Participant, Presentation, Rating, Response, Study
from survey.tidy import (
    DEMOGRAPHIC_COLUMNS,
    counted_sources,
    rank_rows,
    rating_rows,
    reading,
)
from tests.factories import DEMOGRAPHICS, START, add_gold, add_participant, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study()


def snapshot(study: Study, *include: str) -> Snapshot:
    seen_since = timezone.now() - timedelta(minutes=120)
    with reading():
        return read_snapshot(study, counted_sources(include), seen_since=seen_since)


def people(study: Study, *include: str) -> list[dict[Any, Any]]:
    frame = snapshot(study, *include).data.participants
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def test_usual_questions_have_columns_where_they_are_asked_or_an_import_answers_them() -> None:
    study = make_study(demographics=[])
    add_participant(study, pseudonym="anna")
    usual = set(DEMOGRAPHIC_COLUMNS)
    assert usual.isdisjoint(people(study)[0])
    add_participant(study, pseudonym="bert", demographics={"gender": "Woman"})
    assert usual & set(people(study)[0]) == {"gender"}
    asking = make_study(slug="asking", demographics=DEMOGRAPHICS)
    add_participant(asking, pseudonym="anna")
    assert usual & set(people(asking)[0]) == {"age", "sex", "race", "state", "region"}


def test_participant_is_a_row_in_the_contracts_columns(study: Study) -> None:
    answers = {"age": 30, "sex": "Female", "race": ["Asian"], "state": "Ohio"}
    add_participant(study, pseudonym="anna", minutes=20, demographics=answers)

    assert people(study) == [
        {
            "participant": "anna",
            "source": "link",
            "status": "completed",
            "started_at": "2026-03-01T09:00:00Z",
            "finished_at": "2026-03-01T09:20:00Z",
            "duration_seconds": 1200.0,
            "attention_checks_failed": 0,
            "age": 30,
            "sex": "Female",
            "race": "Asian",
            "state": "Ohio",
            "region": "Midwest",
            "way_in": None,
            "ending": None,
            "language": None,
            "device": None,
            "viewport_width": None,
            "viewport_height": None,
            "clock_stepped": False,
            "excluded_by_decision": "",
            "active": False,
        }
    ]


@pytest.mark.parametrize(
    ("chosen", "text"),
    [(["Black"], "Black"), (["Asian", "White"], "Two or more"), ([], None)],
)
def test_several_races_are_called_what_the_study_calls_them(
    study: Study, chosen: list[str], text: str | None
) -> None:
    add_participant(study, pseudonym="anna", demographics={"race": chosen})

    assert people(study)[0]["race"] == text


def test_several_choices_without_a_common_name_are_all_named() -> None:
    question = {
        "name": "languages",
        "kind": "multiple",
        "question": "Which?",
        "options": ["A", "B"],
    }
    study = make_study(demographics=[question])
    add_participant(study, pseudonym="anna", demographics={"languages": ["A", "B"]})

    assert people(study)[0]["languages"] == "A; B"


def test_who_has_not_consented_is_not_there(study: Study) -> None:
    Participant.objects.create(study=study, pseudonym="at the door", source="link")

    assert people(study) == []


@pytest.mark.parametrize("source", ["simulated", "preview"])
def test_test_people_are_there_only_when_asked_for_by_name(study: Study, source: str) -> None:
    add_participant(study, pseudonym="anna")
    add_participant(study, pseudonym="robot", source=source)

    assert [row["participant"] for row in people(study)] == ["anna"]
    assert [row["participant"] for row in people(study, source)] == ["anna", "robot"]
    assert set(snapshot(study).data.ratings["participant"]) == {"anna"}


def test_unknown_source_is_refused() -> None:
    with pytest.raises(ValueError, match="'robots' is not a source"):
        counted_sources(["robots"])


def test_duration_of_who_left_is_to_their_last_answer(study: Study) -> None:
    add_participant(study, pseudonym="left", status="in_progress", minutes=30)
    Presentation.objects.filter(position=4).update(answered_at=None, submitted_at=None)

    assert people(study)[0]["duration_seconds"] == 30 * 60 - 10


def test_given_duration_and_failed_checks_hold(study: Study) -> None:
    person = add_participant(study, pseudonym="anna", checks_passed=None)
    assert people(study)[0]["attention_checks_failed"] is None

    person.imported_duration_seconds = 42.5
    person.imported_checks_failed = 2
    person.save()
    assert people(study)[0]["duration_seconds"] == 42.5
    assert people(study)[0]["attention_checks_failed"] == 2


@pytest.mark.parametrize(
    ("changes", "active"),
    [
        ({}, True),
        ({"last_seen_at": START}, False),
        ({"source": "import"}, False),
        ({"status": "completed", "finished_at": START}, False),
    ],
)
def test_active_is_in_progress_and_seen_lately(
    study: Study, changes: dict[str, Any], active: bool
) -> None:
    person = add_participant(study, pseudonym="anna", status="in_progress")
    Participant.objects.filter(pk=person.pk).update(**{"last_seen_at": timezone.now()} | changes)

    assert people(study)[0]["active"] is active


def test_rating_is_a_row_with_how_it_was_shown(study: Study) -> None:
    add_participant(study, pseudonym="anna", rate=lambda key: 4 if key[2] == "Bee" else 2)
    Rating.objects.filter(response__system__condition="tuned").update(revisions=1)

    rows = list(rating_rows(study, counted_sources()))

    assert len(rows) == 12
    assert rows[:6] == [
        ("anna", "S1", "1", "Ant", "plain", "warmth", 2, 4, 3, 10.0, 0, 1),
        ("anna", "S1", "1", "Ant", "tuned", "warmth", 2, 4, 2, 10.0, 1, 1),
        ("anna", "S1", "1", "Oracle", "reference", "warmth", 2, 4, 1, 10.0, 0, 1),
        ("anna", "S1", "2", "Bee", "plain", "warmth", 4, 3, 3, 10.0, 0, 1),
        ("anna", "S1", "2", "Bee", "tuned", "warmth", 4, 3, 2, 10.0, 1, 1),
        ("anna", "S1", "2", "Oracle", "reference", "warmth", 2, 3, 1, 10.0, 0, 1),
    ]


def test_texts_of_a_rating_are_in_memory_once_for_all_raters(study: Study) -> None:
    for name in ("anna", "bert"):
        add_participant(study, pseudonym=name)
    rows = list(rating_rows(study, counted_sources()))
    anna, bert = ([row[1:6] for row in rows if row[0] == name] for name in ("anna", "bert"))
    assert anna == bert
    texts = zip(chain.from_iterable(anna), chain.from_iterable(bert), strict=True)
    assert all(of_anna is of_bert for of_anna, of_bert in texts)


def test_ranks_are_apart_from_ratings(study: Study) -> None:
    add_participant(study, pseudonym="anna", rate=lambda key: None)
    add_participant(study, pseudonym="bert")
    presentation = Presentation.objects.get(participant__pseudonym="anna", position=4)
    first, second, third = presentation.block.responses.order_by("blockresponse__position")
    for response, task, value in [
        (first, "ranking", 2),
        (second, "ranking", 1),
        (second, "best_worst", 1),
        (third, "best_worst", -1),
    ]:
        Rating.objects.create(presentation=presentation, response=response, task=task, value=value)

    assert list(rank_rows(study, counted_sources())) == [
        ("anna", "S1", "1", "Ant", "plain", "", 2, None, 4, 3, None, 0, 1),
        ("anna", "S1", "1", "Ant", "tuned", "", 1, "best", 4, 2, None, 0, 1),
        ("anna", "S1", "1", "Oracle", "reference", "", None, "worst", 4, 1, None, 0, 1),
    ]
    assert {row[0] for row in rating_rows(study, counted_sources())} == {"bert"}


def test_gold_of_the_reference_stands_in_every_set(study: Study) -> None:
    oracle = Response.objects.get(scenario__name="S1", system__model="Oracle")
    add_gold(study, {(oracle.pk, "warmth"): 4.5})

    gold = snapshot(study).data.gold

    assert gold.to_dict("records") == [
        {
            "scenario": "S1",
            "set": set_name,
            "model": "Oracle",
            "condition": "reference",
            "dimension": "warmth",
            "gold": 4.5,
        }
        for set_name in ("1", "2")
    ]


def test_every_place_of_a_response_is_told_scored_or_not(study: Study) -> None:
    shared = Response.objects.get(text="Oracle reference answers S1")
    other = Response.objects.create(
        scenario=shared.scenario, system=shared.system, text="你好 dear", text_hash="other"
    )
    BlockResponse.objects.filter(response=shared, block__set_name="2").update(response=other)
    add_gold(study, {(shared.pk, "warmth"): 4.5})
    with reading():
        data = snapshot(study).data
        judges, _ = read_judges(study, data)

    assert len(judges.responses) == 12
    oracle = judges.responses[judges.responses["model"] == "Oracle"]
    assert oracle[["scenario", "set", "response", "words"]].to_numpy().tolist() == [
        ["S1", "1", "S1/1/Oracle/reference", 4],
        ["S1", "2", "S1/2/Oracle/reference", 3],
        ["S2", "1", "S2/1/Oracle/reference", 4],
        ["S2", "2", "S2/1/Oracle/reference", 4],
    ]
    assert judges.judge_scores["response"].tolist() == ["S1/1/Oracle/reference"]


def test_study_order_and_contrast_are_handed_on(study: Study) -> None:
    data = snapshot(study).data

    assert data.models == ["Ant", "Bee", "Oracle"]
    assert data.scenarios == ["S1", "S2"]
    assert next(label for _, label in data.scale) == "label 1"
    assert data.contrast.reference == ("Oracle", "reference")
    assert (data.contrast.condition_a, data.contrast.condition_b) == ("plain", "tuned")
    assert data.orders["race"] == ["Asian", "Black", "White", "Two or more"]


def test_several_choices_stand_where_the_study_writes_them_among_the_options() -> None:
    options = ["Asian", "Two or more", "Other"]
    race = {"name": "race", "kind": "multiple", "question": "Race?", "several": "Two or more"}
    study = make_study(demographics=[race | {"options": options}])
    assert snapshot(study).data.orders["race"] == options


def test_hash_changes_with_the_data_alone(study: Study) -> None:
    add_participant(study, pseudonym="anna")
    before = snapshot(study).hash

    assert snapshot(study).hash == before
    Rating.objects.filter(pk=Rating.objects.earliest("pk").pk).update(value=1)
    assert snapshot(study).hash != before


def test_hashes_of_tables_can_be_told_apart(study: Study) -> None:
    add_participant(study, pseudonym="anna")
    before = snapshot(study).hashes
    Rating.objects.update(value=1)
    after = snapshot(study).hashes

    assert {name for name in before if before[name] != after[name]} == {"ratings"}


def test_number_of_queries_does_not_grow_with_people(
    study: Study, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    add_participant(study, pseudonym="p1", demographics={"age": 30})
    with CaptureQueriesContext(connection) as queries:
        snapshot(study)
    for name in ("p2", "p3"):
        add_participant(study, pseudonym=name, demographics={"age": 30})

    with django_assert_num_queries(len(queries)):
        snapshot(study)


@pytest.mark.django_db(transaction=True)
def test_reading_sees_one_moment_and_holds_nobody_up() -> None:
    study = make_study()
    add_participant(study, pseudonym="anna")

    def write() -> None:
        add_participant(study, pseudonym="bert")
        connections.close_all()

    with reading():
        before = snapshot_people(study)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(write).result(timeout=20)
        during = snapshot_people(study)

    assert before == during == ["anna"]
    assert snapshot_people(study) == ["anna", "bert"]


def snapshot_people(study: Study) -> list[str]:
    return list(study.participants.order_by("id").values_list("pseudonym", flat=True))
