"""The published study's shape: its funnel, Table 3 and Table 4, equal to plain Python's."""

import json
import statistics
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from pandas.testing import assert_frame_equal

from analysis.figures.regions import region_map
from analysis.pipeline import FIGURES, Results, StudyData, analyse
from analysis.quality_rules import QualityRules
from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM
from analysis.tables.anova import anova
from tests.analysis import by_hand, published_study

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data() -> StudyData:
    return published_study.study_data()


@pytest.fixture(scope="module")
def hand(data: StudyData) -> by_hand.Study:
    """The same data for the rules in plain Python, gold scores as exact thirds."""
    thirds = published_study.gold_thirds()
    gold = {
        by_hand.key_of(row): Fraction(thirds[row["scenario"], row["model"], row["condition"]], 3)
        for row in by_hand.rows_of(data.gold)
    }
    return by_hand.Study(by_hand.rows_of(data.participants), by_hand.rows_of(data.ratings), gold)


@pytest.fixture(scope="module")
def results(data: StudyData) -> Results:
    return analyse(data, QualityRules())


@pytest.fixture(scope="module")
def kept(hand: by_hand.Study) -> list[str]:
    left_out = hand.exclusions(published_study.DEFAULT_ORDER)
    return [name for name, rule in left_out.items() if not rule]


@pytest.mark.parametrize(
    ("order", "remaining"),
    [
        (published_study.DEFAULT_ORDER, [151, 142, 137, 124, 116]),
        (published_study.PAPER_ORDER, [151, 146, 133, 124, 116]),
    ],
)
def test_funnel_has_the_papers_shape_in_both_orders(
    data: StudyData, hand: by_hand.Study, order: list[Any], remaining: list[int]
) -> None:
    steps = analyse(data, QualityRules(order=order)).tables["funnel"]
    assert steps["step"].tolist() == order
    assert steps["remaining"].tolist() == remaining[1:] == hand.remaining(order)[1:]
    assert steps["alone"].tolist() == [hand.alone(rule) for rule in order]


def test_funnel_counts_the_excluded_by_sex_as_the_paper_does(results: Results) -> None:
    columns = ["excluded_female", "excluded_male", "excluded_unspecified"]
    by_sex = {
        row["step"]: [row[column] for column in columns]
        for row in by_hand.rows_of(results.tables["funnel"])
    }
    assert by_sex["attention"] == [4, 1, 0]
    assert by_sex["early_exit"] == [3, 4, 6]
    assert by_sex["duration"] == [5, 4, 0]


def test_each_rater_has_the_indices_and_the_exclusion_of_plain_python(
    results: Results, hand: by_hand.Study
) -> None:
    left_out = hand.exclusions(published_study.DEFAULT_ORDER)
    raters = by_hand.rows_of(results.tables["raters"])
    assert [row["participant"] for row in raters] == sorted(left_out)
    for row in raters:
        name = row["participant"]
        n = len(hand.ratings[name])
        assert (row["n_ratings"], row["n_gold"]) == (n, n)
        assert row["exclusion"] == left_out[name]
        assert row["included"] is (left_out[name] == "")
        if n >= 2:
            assert row["sigma"] ** 2 == pytest.approx(float(hand.variance(name)), rel=1e-12)
            assert row["mae"] == pytest.approx(float(hand.mae(name)), rel=1e-12)


def test_exclusions_name_the_first_rule_with_value_and_threshold(
    results: Results, hand: by_hand.Study
) -> None:
    left_out = hand.exclusions(published_study.DEFAULT_ORDER)
    rows = by_hand.rows_of(results.exclusions)
    assert {row["participant"]: row["rule"] for row in rows} == {
        name: rule for name, rule in left_out.items() if rule
    }
    assert Counter(row["rule"] for row in rows) == {
        "duration": 9,
        "attention": 5,
        "early_exit": 13,
        "sigma_mae": 8,
    }
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows


def test_demographics_are_table_3(results: Results) -> None:
    table = results.tables["demographics"]
    rows = by_hand.rows_of(table)
    counts: dict[str, dict[str, int]] = {}
    for row in rows[1:]:
        counts.setdefault(row["characteristic"], {})[row["category"]] = row["n"]
        assert row["percent"] == pytest.approx(100 * row["n"] / 116, rel=1e-15)
    assert counts == published_study.CHARACTERISTICS
    assert list(counts) == list(published_study.CHARACTERISTICS)
    for name, categories in published_study.CHARACTERISTICS.items():
        assert list(counts[name]) == list(categories)
    age = rows[0]
    assert (age["characteristic"], age["n"], age["min"], age["max"]) == ("age", 116, 24, 64)
    assert (round(age["mean"], 1), round(age["sd"], 1)) == (41.5, 11.4)


def test_age_is_that_of_the_included_raters(
    results: Results, data: StudyData, kept: list[str]
) -> None:
    people = by_hand.rows_of(data.participants)
    ages = [person["age"] for person in people if person["participant"] in kept]
    age = by_hand.rows_of(results.tables["demographics"])[0]
    assert age["mean"] == pytest.approx(statistics.mean(ages), rel=1e-14)
    assert age["sd"] == pytest.approx(statistics.stdev(ages), rel=1e-14)


def test_items_are_the_means_of_plain_python(
    results: Results, hand: by_hand.Study, kept: list[str]
) -> None:
    means = hand.means(kept)
    rows = by_hand.rows_of(results.tables["items"])
    assert len(rows) == 120
    assert {by_hand.key_of(row): row["mean"] for row in rows} == {
        key: float(mean) for key, mean in means.items()
    }
    assert {row["n"] for row in rows} == {116}
    assert {by_hand.key_of(row): row["gold"] for row in rows} == {
        key: float(gold) for key, gold in hand.gold.items()
    }


def test_wins_and_reference_points_are_those_of_exact_fractions(
    results: Results, hand: by_hand.Study, kept: list[str]
) -> None:
    means = hand.means(kept)
    set_of = {(key[0], key[2]): key[1] for key in means if key[2] != published_study.REFERENCE[0]}
    rows = by_hand.rows_of(results.tables["wins"])
    models, scenarios = published_study.models()[:-1], list(published_study.ZERO_SHOT_WINS)
    assert [(row["model"], row["scenario"]) for row in rows] == [
        (model, scenario) for model in models for scenario in scenarios
    ]
    for row in rows:
        scenario, model = row["scenario"], row["model"]
        own_set = set_of[scenario, model]
        a, b, reference = (
            means[scenario, own_set, *system, "empathy"]
            for system in (
                (model, "zero_shot"),
                (model, "fine_tuned"),
                published_study.REFERENCE,
            )
        )
        assert (row["mean_a"], row["mean_b"], row["mean_reference"]) == (
            float(a),
            float(b),
            float(reference),
        )
        assert row["winner"] == by_hand.winner(a, b)
        assert row["reference_points"] == by_hand.reference_points(a, b, reference)


def test_summary_has_the_totals_of_table_4(results: Results) -> None:
    rows = by_hand.rows_of(results.tables["wins_summary"])
    of_scenario = {row["scenario"]: row for row in rows}
    assert list(of_scenario) == [*published_study.ZERO_SHOT_WINS, "all"]
    for scenario, wins in published_study.ZERO_SHOT_WINS.items():
        row = of_scenario[scenario]
        points = published_study.REFERENCE_POINTS[scenario]
        assert (row["a_wins"], row["b_wins"], row["ties"]) == (wins, 8 - wins, 0)
        assert (row["a_percent"], row["b_percent"]) == (12.5 * wins, 100 - 12.5 * wins)
        assert (row["reference_points"], row["reference_points_max"]) == (points, 16)
        assert row["reference_percent"] == 6.25 * points
    total = of_scenario["all"]
    assert (total["a_wins"], total["b_wins"], total["ties"]) == (26, 22, 0)
    assert (total["reference_points"], total["reference_points_max"]) == (73, 96)


def test_nothing_is_absent_and_figures_are_small(results: Results) -> None:
    assert results.not_available == {}
    assert set(results.tables) == {
        "funnel",
        "raters",
        "thresholds",
        "gold_distance",
        "demographics",
        "items",
        "wins",
        "wins_summary",
        "rater_differences",
        "largest_differences",
    }
    assert set(results.figures) == set(FIGURES)
    assert len(json.dumps(results.figures, allow_nan=False)) < 200_000


def test_the_order_of_rows_changes_nothing(data: StudyData, results: Results) -> None:
    shuffled = replace(
        data,
        participants=data.participants.sample(frac=1, random_state=1),
        ratings=data.ratings.sample(frac=1, random_state=2),
        gold=data.gold.sample(frac=1, random_state=3),
    )
    again = analyse(shuffled, QualityRules())
    assert as_bytes(again) == as_bytes(results)


def as_bytes(results: Results) -> dict[str, str]:
    """Every table as CSV and every figure as JSON."""
    tables = results.tables | {"exclusions": results.exclusions}
    return {name: table.to_csv() for name, table in tables.items()} | {
        name: json.dumps(figure) for name, figure in results.figures.items()
    }


def test_the_data_given_are_left_as_they_were(data: StudyData) -> None:
    before = [table.copy(deep=True) for table in (data.participants, data.ratings, data.gold)]
    analyse(data, QualityRules())
    for table, copied in zip((data.participants, data.ratings, data.gold), before, strict=True):
        assert_frame_equal(table, copied)


def test_regions_are_drawn_with_their_means_and_compared(data: StudyData, kept: list[str]) -> None:
    sound = shipped_recipes()["sound"]
    people = data.participants[data.participants["participant"].isin(kept)]
    ratings = data.ratings[data.ratings["participant"].isin(kept)]
    by_rater = ratings.groupby("participant")["rating"].mean()
    regions = people.set_index("participant")["region"]
    ratings = ratings.astype(dict.fromkeys(ITEM, "category"))
    figure = region_map(ratings, people, sound, data.scale)
    texts = [trace.text[0] for trace in figure.select_traces({"mode": "text"})]
    for region, n in published_study.REGIONS.items():
        mean = float(by_rater[regions.index[regions == region]].mean())
        assert any(f"{region} {mean:.2f}" in text and f"{n} raters" in text for text in texts)
    table = anova(ratings, people, sound, raters="included")
    over_all = table[(table["scenario"] == "all") & (table["test"] == "anova")]
    assert over_all[["df1", "df2"]].to_numpy().tolist() == [[3, 112]]
