"""Studies with next to nothing in them: each has its results, or the reason why there are none."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from analysis.declarations import DRAWN, NAMES
from analysis.execution import finished_run
from analysis.judges.automatic_metrics import TABLES as OF_METRICS
from analysis.judges.judging import AGREEMENT, CONSISTENCY, FIGURES, GUARD, PAIRS, POSITIONS
from analysis.judges.perturbed import CHANGES
from analysis.judges.perturbed import TABLES as OF_PERTURBATIONS
from analysis.judges.trained_scorer import CALIBRATION
from analysis.judges.trained_scorer import TABLES as OF_SCORER
from analysis.quality_rules import QualityRules
from analysis.queries import results_of
from analysis.rule_sets import set_rules
from analysis.tables.largest_differences import NO_PAIR
from survey.models import Participant, Response, Study
from survey.tidy import counted_sources
from tests.factories import Key, Rate, add_gold, add_participant, make_study
from tests.shared_rows import undone_after_the_file

# Made of rows that test_frames.py reads, stored as in test_runs.py, on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

TABLES = {
    "funnel",
    "raters",
    "thresholds",
    "protocol",
    "design_health",
    "demographics",
    "items",
    "wins",
    "wins_summary",
    "largest_differences",
}
ABOUT_JUDGES = [
    *(*CONSISTENCY, *POSITIONS, *PAIRS, *AGREEMENT, *GUARD, *FIGURES, *OF_METRICS),
    *(*OF_SCORER, CALIBRATION.name, *OF_PERTURBATIONS, CHANGES.name),
]
OF_RATERS = {
    "rater_differences", "gold_distance", "consort", "durations", "sigma_mae", "sigma", "mae",
}  # fmt: skip
#: They need codes that people gave.
OF_THEMES = ["theme_counts", "theme_agreement"]
OF_INCLUDED = [
    "demographics",
    "items",
    "wins",
    "wins_summary",
    "shares",
    "ratings_kde",
    "largest_differences",
]
OF_RATINGS = ["items", "wins", "wins_summary", "shares", "ratings_kde", "largest_differences"]
NO_REFERENCE = {"wins.reference_points": "the study names no reference"}
ONE_RATER = {"largest_differences": NO_PAIR}
NO_DEMOGRAPHICS = {"demographics": "no demographic question was answered"}
NOT_ASKED = {"demographics": "the study asks no demographic question"}
NO_CONTRAST = dict.fromkeys(
    ["wins", "wins_summary"], "the study names no two conditions to compare"
)
NOBODY = dict.fromkeys(OF_INCLUDED, "no rater is included")
NO_GOLD = {
    "raters.mae": "there are no gold scores: sigma is over all ratings, and sigma_mae matches "
    "nobody"
}


def with_gold(study: Study, value: float = 3.0) -> Study:
    """Every response's gold score is `value`."""
    responses = Response.objects.filter(scenario__study=study).values_list("id", flat=True)
    dimensions = [each["name"] for each in study.definition["tasks"][0]["dimensions"]]
    add_gold(study, {(response, name): value for response in responses for name in dimensions})
    return study


def rated(study: Study, *names: str, rate: Rate = lambda key: 3, **person: Any) -> Study:
    """The study after these people took it."""
    for name in names:
        add_participant(study, pseudonym=name, rate=rate, **person)
    return study


def nobody() -> Study:
    return make_study()


def nobody_but_test_people() -> Study:
    return rated(with_gold(make_study()), "robot", source="simulated")


def one_rater_one_scenario_one_response() -> Study:
    study = make_study(
        scenarios=["S1"],
        sets={"": ["Ant"]},
        conditions=["plain"],
        contrast=None,
        reference=None,
        demographics=[],
    )
    return rated(study, "anna")


def single_condition() -> Study:
    return rated(
        with_gold(make_study(conditions=["plain"], contrast=None, reference=None)), "anna", "bert"
    )


def no_reference() -> Study:
    return rated(with_gold(make_study(conditions=["plain", "tuned"], reference=None)), "anna")


def constant_ratings_far_from_gold() -> Study:
    return rated(with_gold(make_study(), 5.0), "anna", "bert", rate=lambda key: 1)


def constant_ratings_near_gold() -> Study:
    return rated(with_gold(make_study()), "anna", "bert")


def missing_gold() -> Study:
    return rated(make_study(), "anna")


def everybody_still_active() -> Study:
    study = rated(with_gold(make_study()), "anna", status="in_progress")
    Participant.objects.update(last_seen_at=timezone.now())
    return study


def no_ratings() -> Study:
    return rated(with_gold(make_study()), "anna", rate=lambda key: None)


def no_rules() -> Study:
    study = rated(with_gold(make_study()), "anna", minutes=1)
    set_rules(study=study, rules=QualityRules(order=[]))
    return study


ABSENT: dict[Callable[[], Study], dict[str, str]] = {
    nobody: NOBODY | NO_GOLD,
    nobody_but_test_people: NOBODY,
    one_rater_one_scenario_one_response: NO_GOLD | NOT_ASKED | NO_CONTRAST | ONE_RATER,
    single_condition: NO_DEMOGRAPHICS | NO_CONTRAST | ONE_RATER,
    no_reference: NO_DEMOGRAPHICS
    | ONE_RATER
    | {"wins.reference_points": "the study names no reference"},
    constant_ratings_far_from_gold: NOBODY,
    constant_ratings_near_gold: NO_DEMOGRAPHICS,
    missing_gold: NO_GOLD | NO_DEMOGRAPHICS | ONE_RATER,
    everybody_still_active: NOBODY,
    no_ratings: NO_DEMOGRAPHICS | dict.fromkeys(OF_RATINGS, "the included raters gave no ratings"),
    no_rules: NO_DEMOGRAPHICS | ONE_RATER | {"funnel": "the study applies no quality rule"},
}


@dataclass(frozen=True)
class Analysed:
    """What an analysis stored."""

    tables: dict[str, Any]
    figures: dict[str, Any]
    absent: dict[str, str]

    def rows(self, table: str, *columns: str) -> list[list[Any]]:
        """These columns of a table."""
        content = self.tables[table]
        places = [content["columns"].index(column) for column in columns]
        return [[row[place] for place in places] for row in content["rows"]]


def analysis_of(study: Study) -> Analysed:
    run = finished_run(study=study, sources=counted_sources())
    return Analysed(results_of(run, "table"), results_of(run, "figure"), run.manifest["absent"])


@pytest.fixture(scope="module", params=ABSENT, ids=lambda make: make.__name__)
def thin(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> tuple[Callable[[], Study], Analysed]:
    """A study with next to nothing in it, and what became of its analysis."""
    with undone_after_the_file(django_db_blocker), django_db_blocker.unblock():
        analysed = analysis_of(request.param())
    return request.param, analysed


@pytest.fixture
def analysed(thin: tuple[Callable[[], Study], Analysed]) -> Analysed:
    return thin[1]


def test_thin_study_has_results_or_reasons(thin: tuple[Callable[[], Study], Analysed]) -> None:
    make, analysed = thin
    absent = ABSENT[make]
    assert {name: why for name, why in analysed.absent.items() if about_people(name)} == absent
    assert set(filter(about_people, analysed.tables)) == TABLES - set(absent)
    assert set(filter(about_people, analysed.figures)) == {"shares", "ratings_kde"} - set(absent)


def test_thin_study_has_results_about_its_gold_scores_or_reasons(analysed: Analysed) -> None:
    there = {*analysed.tables, *analysed.figures}
    assert set(ABOUT_JUDGES) <= there | set(analysed.absent)
    assert there.isdisjoint(analysed.absent)
    assert all(analysed.absent.values())


def about_people(name: str) -> bool:
    """Whether it is neither about judges, nor made by a recipe, nor a figure of raters."""
    others = {
        *ABOUT_JUDGES,
        *NAMES,
        *(figure.name for figure in DRAWN if figure.draw),
        *OF_RATERS,
        *OF_THEMES,
    }
    return name.split(" (", maxsplit=1)[0] not in others


@pytest.mark.parametrize("thin", [constant_ratings_far_from_gold], indirect=True)
def test_constant_ratings_are_excluded_for_being_flat_and_far(analysed: Analysed) -> None:
    assert (
        analysed.rows("raters", "sigma", "mae", "included", "exclusion")
        == [[0.0, 4.0, False, "sigma_mae"]] * 2
    )
    assert analysed.rows("funnel", "step", "remaining") == [
        ["duration", 2], ["attention", 2], ["early_exit", 2], ["sigma_mae", 0]
    ]  # fmt: skip


@pytest.mark.parametrize("thin", [constant_ratings_near_gold], indirect=True)
def test_constant_ratings_are_ties_without_a_point_for_the_reference(analysed: Analysed) -> None:
    assert analysed.rows("wins", "winner", "reference_points", "note") == [["tie", 0, ""]] * 4
    whole = analysed.rows("wins_summary", "scenario", "ties", "a_percent", "reference_percent")[-1]
    assert whole == ["all", 4, 0.0, 0.0]
    assert analysed.rows("items", "n", "mean", "sd") == [[2, 3.0, 0.0]] * 12


def test_single_rating_has_a_mean_and_everything_else_says_what_is_missing() -> None:
    def first_only(key: Key) -> int | None:
        return 4 if key[:4] == ("S1", "1", "Ant", "plain") else None

    analysed = analysis_of(rated(with_gold(make_study()), "anna", rate=first_only))
    assert analysed.rows("raters", "n_ratings", "sigma", "mae", "note") == [
        [1, None, 1.0, "one rating has no spread"]
    ]
    assert analysed.rows("items", "n", "mean", "sd") == [[1, 4.0, None], *[[0, None, None]] * 11]
    assert analysed.rows("wins", "winner", "reference_points", "note") == [
        ["", None, "no ratings of tuned"],
        *[["", None, "no ratings of plain and tuned"]] * 3,
    ]
    whole = analysed.rows("wins_summary", "ties", "a_percent", "reference_percent", "not_compared")
    assert whole[-1] == [0, None, None, 4]


def test_unrated_dimension_keeps_its_place() -> None:
    study = with_gold(make_study(scenarios=["S1"], dimensions=["warmth", "insight"]))
    rated(study, "anna", rate=lambda key: 3 if key[4] == "warmth" else None)
    analysed = analysis_of(study)
    assert analysed.rows("wins", "model", "dimension", "winner") == [
        ["Ant", "warmth", "tie"], ["Ant", "insight", ""],
        ["Bee", "warmth", "tie"], ["Bee", "insight", ""],
    ]  # fmt: skip


def test_participants_without_checks_or_duration_fail_neither_rule() -> None:
    study = rated(with_gold(make_study()), "anna", checks_passed=None)
    Participant.objects.update(started_at=None)
    analysed = analysis_of(study)
    assert analysed.rows("raters", "duration_seconds", "attention_checks_failed", "included") == [
        [None, None, True]
    ]
