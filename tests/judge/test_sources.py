"""How judges, files and panels appear side by side in the tables about judges."""

from collections.abc import Sequence
from typing import Any

import pytest

from analysis.execution import finished_run
from analysis.queries import results_of
from dashboard.judges.gold_sets import GoldFileOptions, import_gold_set
from judge.models import STAND_IN, Attempt, Call
from judge.queries import gold_scores
from judge.tidy import (
    JUDGE_COLUMNS,
    JUDGE_SCORE_COLUMNS,
    judge_rows,
    judge_score_rows,
    returned_model_rows,
)
from survey.definition.options import SentFile
from survey.models import Response, Study
from survey.tidy import counted_sources
from tests.factories import START, Key, add_gold, add_judge, add_participant, make_study

pytestmark = pytest.mark.django_db


def only_source(study: Study) -> dict[str, Any]:
    (row,) = judge_rows(study)
    return dict(zip(JUDGE_COLUMNS, row, strict=True))


def score_rows(study: Study) -> list[dict[str, Any]]:
    return [dict(zip(JUDGE_SCORE_COLUMNS, row, strict=True)) for row in judge_score_rows(study)]


def consistency(study: Study) -> list[dict[str, Any]]:
    """The table as an analysis of the study has it."""
    add_participant(study, pseudonym="anna")
    table = results_of(finished_run(study=study, sources=counted_sources()), "table")[
        "judge_consistency"
    ]
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


# Models that answered


def answered(study: Study, fingerprints: Sequence[str | None]) -> None:
    """A judge whose calls were answered by a model with these fingerprints, one after another."""
    judge = add_judge(study, name="j")
    response = Response.objects.earliest("id")
    for number, fingerprint in enumerate(fingerprints, start=1):
        call = Call.objects.create(
            judge=judge, response=response, dimension="warmth", replicate=number, state="answered"
        )
        Attempt.objects.create(
            call=call,
            number=1,
            request_id=str(number),
            request={},
            outcome="answered",
            started_at=START,
            returned_model="m",
            provenance={"system_fingerprint": fingerprint},
        )


def test_fingerprint_is_the_text_that_it_was() -> None:
    study = make_study()
    answered(study, ["123", "fp_a", "1e5", "null", "true", '{"a": 1}', None, "123"])
    at = "2026-03-01T09:00:00Z"
    assert list(returned_model_rows(study)) == [
        ("j@1", "m", fingerprint, calls, at, at, 0, 0, 0, 0)
        for fingerprint, calls in [
            ("", 1),
            ("123", 2),
            ("1e5", 1),
            ("fp_a", 1),
            ("null", 1),
            ("true", 1),
            ('{"a": 1}', 1),
        ]
    ]


# Panels


def panel_study() -> Study:
    """Two experts; in S1 the first rates the reference 2 in one set and 4 in the other."""
    study = make_study()
    rated = {("anna", "1"): 2, ("anna", "2"): 4, ("bert", "1"): 5, ("bert", "2"): 5}

    def of(expert: str) -> Any:
        def rate(key: Key) -> int:
            scenario, place, model, condition, _ = key
            if (scenario, condition) == ("S1", "reference"):
                return rated[expert, place]
            return 1 + (len(model + condition) + ord(scenario[-1]) + ord(expert[0])) % 5

        return rate

    for expert in ("anna", "bert"):
        add_participant(
            study, pseudonym=f"e-{expert}", rate=of(expert), source="panel", panel="experts"
        )
    add_participant(study, pseudonym="away", source="panel", panel="experts", status="in_progress")
    return study


def test_replicate_of_a_panel_is_an_expert_with_their_mean_of_a_response() -> None:
    study = panel_study()
    assert (only_source(study)["kind"], only_source(study)["replicates"]) == ("panel", 2)
    rows = score_rows(study)
    reference = [r for r in rows if (r["scenario"], r["condition"]) == ("S1", "reference")]
    assert [(r["set"], r["replicate"], r["score"]) for r in reference] == [
        (place, replicate, score) for replicate, score in ((1, 3), (2, 5)) for place in ("1", "2")
    ]
    places = {(r["scenario"], r["set"], r["model"], r["condition"]) for r in rows}
    assert len(rows) == 2 * len(places), "each expert has one score wherever a response is shown"


def test_consistency_of_a_panel_is_that_between_its_experts() -> None:
    study = panel_study()
    (row,) = consistency(study)
    responses = Response.objects.count()
    assert (row["replicates"], row["n_items"]) == (2, responses)
    assert (row["asked"], row["valid"], row["incomplete"]) == (2 * responses, 2 * responses, 0)


def test_panel_of_which_nobody_has_completed_has_no_experts_yet() -> None:
    study = make_study()
    add_participant(study, pseudonym="e", source="panel", panel="x", status="in_progress")
    assert only_source(study)["replicates"] == 0
    assert score_rows(study) == []


# Files


def import_file(study: Study, *lines: str) -> None:
    """Gold scores of the first scenario's first set: model, condition, gold, single scores."""
    header = "scenario,set,model,condition,gold,call_1,call_2,call_3"
    data = "\n".join([header, *(f"S1,1,{line}" for line in lines), ""]).encode()
    import_gold_set(study, GoldFileOptions(name="theirs", file=SentFile("gold.csv", data)), None)


def test_single_scores_of_a_file_keep_the_call_that_they_are_of() -> None:
    study = make_study()
    import_file(study, "Ant,plain,3,2,,4", "Ant,tuned,2.5,,2.5,", "Oracle,reference,4,,,")
    assert only_source(study)["replicates"] == 3
    found = [(r["condition"], r["replicate"], r["score"]) for r in score_rows(study)]
    assert found == [
        ("plain", 1, 2),
        ("plain", 3, 4),
        ("tuned", 2, 2.5),
        ("reference", 1, 4),  # its mean alone, in both sets
        ("reference", 1, 4),
    ]


def test_replicates_of_a_file_are_the_single_scores_that_it_has() -> None:
    study = make_study()
    import_file(study, "Ant,plain,3,2,4,", "Ant,tuned,2,2,,")
    assert only_source(study)["replicates"] == 2
    (row,) = consistency(study)
    assert (row["n_items"], row["asked"], row["valid"], row["incomplete"]) == (2, 4, 3, 1)


@pytest.mark.parametrize(
    ("made_by", "is_stand_in"), [(f"puppet@1 ({STAND_IN})", True), ("puppet@1", False), ("", False)]
)
def test_stand_in_whose_scores_came_in_a_file_is_still_one(made_by: str, is_stand_in: bool) -> None:
    study = make_study()
    scores = {(response, "warmth"): 3 for response in Response.objects.values_list("id", flat=True)}
    add_gold(study, scores, made_by=made_by)
    assert only_source(study)["is_stand_in"] is is_stand_in
    assert gold_scores(study).is_stand_in is is_stand_in


@pytest.mark.parametrize(
    ("made_by", "is_flagged"), [(f"puppet@1 ({STAND_IN})", True), ("puppet@1", False)]
)
def test_scores_of_a_stand_in_are_flagged_in_an_analysis(made_by: str, is_flagged: bool) -> None:
    study = make_study()
    add_gold(study, {(Response.objects.earliest("id").pk, "warmth"): 3}, made_by=made_by)
    (row,) = consistency(study)
    assert ("stand-in" in row["flags"]) is is_flagged
