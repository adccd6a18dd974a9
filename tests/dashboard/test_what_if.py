"""Other thresholds, tried on a run, give what an analysis by them stores."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from analysis.execution import finished_run
from analysis.manual_decisions import decide_on
from analysis.models import AnalysisRun
from analysis.quality_rules import QualityRules
from analysis.queries import results_of
from analysis.raters.funnel import _slug as slug
from analysis.recipe import Recipe
from analysis.recipe_sets import set_recipes
from analysis.rule_sets import set_rules
from dashboard.raters.threshold_preview import ThresholdPreview
from dashboard.raters.what_if import WhatIf
from dashboard.shared.stored_tables import StoredTable
from survey.models import Study
from survey.tidy import counted_sources
from tests.analysis import published_study
from tests.dashboard.importing import published
from tests.dashboard.judging import gold_set
from tests.factories import Key, add_participant, make_study
from tests.shared_rows import undone_after_the_file

# What is computed from rows that tests/analysis/test_frames.py reads on every database.
pytestmark = pytest.mark.embedded

#: Each changes what another step sees.
OTHERS: list[dict[str, Any]] = [
    {
        "order": ["sigma_mae", "duration", "attention", "early_exit"],
        "duration_minutes": {"minimum": 19, "maximum": 22},
    },
    {"duration_minutes": {"minimum": 1, "maximum": 500}, "attention": {"failures_allowed": 5}},
    {"early_exit": {"inactive_minutes": 1e7}},
    {"sigma_mae": {"sigma_below": 1.0, "mae_above": 0.5, "ddof": 0}},
    {"sigma_mae": {"sigma_below": 0.5, "mae_above": 0.5, "sigma_over": "blocks"}},
    {"sigma_mae": {"sigma_below": 99, "mae_above": 0}},
]


def with_one_light_recipe(study: Study) -> None:
    """What is compared here needs no resamples and no mixed model."""
    light = Recipe(name="light", title="Light", unit="participant")
    set_recipes(study=study, recipes=[light])


def tried(study: Study, run: AnalysisRun, rules: QualityRules) -> dict[str, Any]:
    """What `WhatIf` finds, in the words of the stored tables."""
    what_if = WhatIf(study, run)
    outcome = what_if.outcome(rules)
    return {
        "funnel": [
            told(
                {
                    "step": step.name,
                    "excluded": step.excluded,
                    "remaining": step.remaining,
                    "alone": step.alone,
                    **{f"excluded_{slug(sex)}": n for sex, n in step.by_sex.items()},
                }
            )
            for step in outcome.funnel.steps
        ],
        "included": set(compress(what_if.names, outcome.funnel.included)),
        "wins": {
            found.dimension: (
                found.wins.a,
                found.wins.b,
                found.wins.ties,
                found.wins.reference_points,
                found.wins.reference_points_max,
            )
            for found in outcome.results
            if found.difference.n
        },
        "differences": {
            found.dimension: (found.difference.n, pytest.approx(found.difference.mean))
            for found in outcome.results
            if found.difference.n
        },
        "intervals": {
            found.dimension: pytest.approx((found.difference.low, found.difference.high))
            for found in outcome.results
            if found.difference.low is not None
        },
    }


def told(step: dict[str, Any]) -> dict[str, Any]:
    """A step without those of unknown sex where there are none; funnel.csv always names them."""
    return {name: n for name, n in step.items() if n or name != "excluded_unspecified"}


def stored(run: AnalysisRun) -> dict[str, Any]:
    """The same from a run by these rules."""
    tables = {
        name: StoredTable.from_content(content).rows
        for name, content in results_of(run, "table").items()
    }
    funnel = tables["funnel"]
    over_all = [row for row in tables.get("wins_summary", []) if row["scenario"] == "all"]
    by_raters = [
        row
        for row in tables.get("contrasts", [])
        if (row["model"], row["generalises_to"], row["raters"]) == ("all", "raters", "included")
    ]
    return {
        "funnel": [told(step) for step in funnel],
        "included": {row["participant"] for row in tables["raters"] if row["included"]},
        "wins": {
            row["dimension"]: (
                row["a_wins"],
                row["b_wins"],
                row["ties"],
                row["reference_points"],
                row["reference_points_max"],
            )
            for row in over_all
        },
        "differences": {row["dimension"]: (row["n"], row["difference"]) for row in by_raters},
        "intervals": {
            row["dimension"]: (row["ci_low"], row["ci_high"])
            for row in by_raters
            if row["ci_low"] is not None
        },
    }


@pytest.fixture(scope="module")
def varied_and_run(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Study, AnalysisRun]]:
    with undone_after_the_file(django_db_blocker):
        with django_db_blocker.unblock():
            study = make_study(slug="varied", dimensions=["warmth", "clarity"])
            with_one_light_recipe(study)
            gold_set(study)
            for number in range(12):
                add_participant(
                    study,
                    pseudonym=f"r{number:02}",
                    rate=partial(rating, rater=number),
                    minutes=15 + number,
                    checks_passed=number % 5 != 3,
                    status="in_progress" if number % 6 == 5 else "completed",
                    demographics={"sex": "Female" if number % 2 else "Male"} if number else {},
                )
            still = add_participant(study, pseudonym="still", status="in_progress")
            study.participants.filter(pk=still.pk).update(last_seen_at=timezone.now())
            forged = study.participants.filter(pseudonym__in=["r01", "r05", "r06", "still"])
            decide_on(
                study=study, participants=forged, excluded=True, reason="forged", at=timezone.now()
            )
            run = finished_run(study=study, sources=counted_sources())
        yield study, run


@pytest.fixture
def run(varied_and_run: tuple[Study, AnalysisRun], db: None) -> AnalysisRun:
    """An analysis of a study rated on two dimensions, one response without gold, by people who
    differ in everything.
    """
    return AnalysisRun.objects.get(pk=varied_and_run[1].pk)


def rating(key: Key, rater: int) -> int | None:
    """Careful raters, flat ones, and one who leaves cells out."""
    if rater in (2, 7):
        return 3 if rater == 2 or key[0] == "S1" else 4
    if rater == 9 and key[2] == "Ant":
        return None
    place = sum(map(ord, "".join(key))) + rater * (7 + len(key[3]))
    return 1 + place % 5


@pytest.mark.parametrize("change", OTHERS)
def test_other_thresholds_find_what_an_analysis_by_them_finds(
    run: AnalysisRun, change: dict[str, Any]
) -> None:
    rules = QualityRules.model_validate(change)
    found = tried(run.study, run, rules)

    set_rules(study=run.study, rules=rules)
    by_them = finished_run(study=run.study, sources=counted_sources())

    expected = stored(by_them)
    assert found["funnel"] == expected["funnel"]
    assert found["included"] == expected["included"]
    assert found["wins"] == expected["wins"]
    assert expected["differences"] == found["differences"]
    assert expected["intervals"] == found["intervals"]


def test_step_of_decisions_may_be_there_on_one_side_alone(db: None) -> None:
    study = make_study()
    with_one_light_recipe(study)
    add_participant(study, pseudonym="ann")
    ben = add_participant(study, pseudonym="ben", status="in_progress")
    study.participants.filter(pk=ben.pk).update(last_seen_at=timezone.now() - timedelta(minutes=9))
    decide_on(study=study, participants=[ben], excluded=True, reason="forged", at=timezone.now())
    run = finished_run(study=study, sources=counted_sources())
    what_if = WhatIf(study, run)
    hasty = QualityRules.model_validate({"early_exit": {"inactive_minutes": 5}})
    before, after = what_if.outcome(QualityRules()), what_if.outcome(hasty)
    for one, other in ((before, after), (after, before)):
        steps = ThresholdPreview(one, other, what_if.names).steps
        assert [a.name for a, _ in steps] == [b.name for _, b in steps]
        assert steps[0][0].name == "decision"
        assert {side.excluded for side in steps[0]} == {0, 1}


def test_another_silence_moves_who_has_left(db: None) -> None:
    study = make_study()
    with_one_light_recipe(study)
    gold_set(study)
    add_participant(study, pseudonym="ann")
    add_participant(study, pseudonym="ben", status="in_progress")
    run = finished_run(study=study, sources=counted_sources())
    what_if = WhatIf(study, run)
    usual = what_if.outcome(QualityRules())
    patient = what_if.outcome(
        QualityRules.model_validate({"early_exit": {"inactive_minutes": 1e7}})
    )
    assert [step.excluded for step in usual.funnel.steps] == [0, 0, 1, 0]
    assert [step.excluded for step in patient.funnel.steps] == [0, 0, 0, 0]
    assert (usual.funnel.entered, patient.funnel.entered) == (2, 1)


@pytest.mark.parametrize("shape", [{"contrast": None}, {"reference": None}])
def test_studies_without_contrast_or_reference_have_their_funnel(
    db: None, shape: dict[str, Any]
) -> None:
    if "reference" in shape:
        shape = {**shape, "conditions": ["plain", "tuned"]}
    study = make_study(**shape)
    with_one_light_recipe(study)
    add_participant(study, pseudonym="ann")
    run = finished_run(study=study, sources=counted_sources())
    outcome = WhatIf(study, run).outcome(QualityRules())
    assert outcome.n_kept == 1
    points = [found.wins.reference_points_max for found in outcome.results]
    assert points == ([] if "contrast" in shape else [0])


@pytest.mark.django_db
def test_ratings_of_who_moves_are_read_once(django_assert_num_queries: Any) -> None:
    study = make_study()
    with_one_light_recipe(study)
    for name in "abcd":
        add_participant(study, pseudonym=name, minutes=10 + ord(name) - ord("a"))
    run = finished_run(study=study, sources=counted_sources())
    later = QualityRules.model_validate({"duration_minutes": {"minimum": 11, "maximum": 75}})
    first = WhatIf(study, run).outcome(later)
    again = WhatIf(study, run)
    _ = again.definition
    with django_assert_num_queries(0):
        found = again.outcome(later)
    assert found.funnel.steps == first.funnel.steps
    assert found.results == first.results
    assert found.n_kept == 3


@pytest.mark.django_db
def test_the_published_study_by_other_thresholds(tmp_path: Path) -> None:
    study = published(tmp_path)
    with_one_light_recipe(study)
    run = finished_run(study=study, sources=counted_sources())
    rules = QualityRules.model_validate(
        {
            "order": published_study.PAPER_ORDER,
            "attention": {"failures_allowed": 1},
            "sigma_mae": {"sigma_below": 1.1, "mae_above": 0.9, "ddof": 0},
        }
    )
    found = tried(study, run, rules)

    set_rules(study=study, rules=rules)
    expected = stored(finished_run(study=study, sources=counted_sources()))

    assert expected["included"] == found["included"]
    assert expected["funnel"] == found["funnel"]
    assert expected["wins"] == found["wins"]
    assert expected["differences"] == found["differences"]
    assert expected["intervals"] == found["intervals"]
