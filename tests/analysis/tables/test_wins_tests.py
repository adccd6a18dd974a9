"""Wins beside their differences, tests and intervals; and what cannot be had is said."""

import itertools
import random

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame
from pandas.testing import assert_frame_equal
from scipy.stats import binomtest, ttest_rel

from analysis.not_available import NotAvailable
from analysis.recipe import Bootstrap, Recipe, WinRules, shipped_recipes
from analysis.stats.multiplicity import adjust
from analysis.study_data import ITEM, Contrast
from analysis.tables.items import items, rating_counts
from analysis.tables.wins import wins, wins_summary
from analysis.tables.wins_bootstrap import comparisons
from analysis.tables.wins_tests import WIN_DIFFERENCES, WINS_TESTS, WinTables, wins_tests

PAPER, SOUND = shipped_recipes().values()
FEW = SOUND.model_copy(update={"bootstrap": Bootstrap(resamples=400, seed=2)})
CONTRAST = Contrast("plain", "tuned", ("Owl", "reference"))
SYSTEMS = [
    ("1", "Ant", "plain"), ("1", "Ant", "tuned"), ("1", "Owl", "reference"),
    ("2", "Bee", "plain"), ("2", "Bee", "tuned"), ("2", "Owl", "reference"),
]  # fmt: skip
SCENARIOS = ["S1", "S2", "S3"]


def ratings(seed: int = 1, raters: int = 12) -> DataFrame:
    draw = random.Random(seed)
    rows = [
        (f"p{number:02}", scenario, *system, "warmth", draw.randint(1, 5))
        for number, scenario, system in itertools.product(range(raters), SCENARIOS, SYSTEMS)
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def tables(
    data: DataFrame,
    recipe: Recipe = FEW,
    *,
    contrast: Contrast = CONTRAST,
    excluded: int = 0,
    active: int = 0,
    known: DataFrame | None = None,
) -> WinTables:
    names = [*data["participant"].unique(), *(f"x{number}" for number in range(excluded))]
    people = DataFrame({"participant": names, "active": False})
    still = DataFrame({"participant": [f"y{number}" for number in range(active)], "active": True})
    people = pd.concat([people, still], ignore_index=True)
    if known is None:
        known = data[ITEM].drop_duplicates().sort_values(ITEM)
    return wins_tests(data, people, known, contrast, recipe, raters="included")


def row(table: DataFrame, **wanted: str) -> "pd.Series":
    for column, value in wanted.items():
        table = table[table[column] == value]
    (only,) = (found for _, found in table.iterrows())
    return only


def cell(a: list[int | None], b: list[int | None]) -> DataFrame:
    """One model in one scenario: what each rater gave to `plain` and to `tuned`."""
    rows = [
        (f"p{number}", "S1", "1", "Ant", condition, "warmth", rating)
        for condition, values in (("plain", a), ("tuned", b))
        for number, rating in enumerate(values)
        if rating is not None
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def test_rows_follow_the_order_of_the_study() -> None:
    order = ["S3", "S1", "S2"]
    found = tables(ratings().astype({"scenario": pd.CategoricalDtype(order, ordered=True)}))
    assert found.tests["scenario"].tolist() == [*order, "all"]
    assert found.differences["scenario"].tolist() == order * 2


def test_difference_of_a_win_is_that_within_raters() -> None:
    data = ratings()
    found = row(tables(data).differences, model="Bee", scenario="S2")
    chosen = data[(data["model"] == "Bee") & (data["scenario"] == "S2")]
    a, b = (
        chosen[chosen["condition"] == c].set_index("participant")["rating"]
        for c in ("plain", "tuned")
    )
    expected = ttest_rel(a, b)
    interval = expected.confidence_interval()
    assert (found.n, found.left_out, found.df) == (12, 0, 11)
    assert (found.difference, found.t, found.p) == pytest.approx(
        ((a - b).mean(), expected.statistic, expected.pvalue)
    )
    assert (found.ci_low, found.ci_high) == pytest.approx((interval.low, interval.high))


def test_rater_of_one_condition_alone_is_left_out_and_counted() -> None:
    found = row(tables(cell([1, 2, 3, 5], [2, 4, None, 5])).differences, model="Ant")
    assert (found.n, found.left_out, found.difference) == (3, 1, -1.0)
    assert found.winner == "b"


def test_difference_is_of_pages_that_a_rater_rated_in_both_conditions() -> None:
    """Ant stands in two sets, of which the second is hard; most raters lack `tuned` there."""
    rows = [
        (f"p{number}", "S1", name, "Ant", condition, "warmth", 4 if name == "1" else 1)
        for number, name, condition in itertools.product(range(8), "12", ("plain", "tuned"))
        if number == 0 or (name, condition) != ("2", "tuned")
    ]
    data = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    found = row(tables(data.astype(dict.fromkeys(ITEM, "category"))).differences, model="Ant")
    assert (found.n, found.left_out, found.difference, found.winner) == (8, 0, 0, "tie")
    assert "all 8 differences are the same; by the means of all ratings, tuned wins" in found.note


def test_winner_within_raters_need_not_be_that_of_all_ratings() -> None:
    # Who rated both gave b more; all ratings together say a.
    found = row(tables(cell([1, 2, 5], [2, 3, None])).differences, model="Ant")
    assert (found.difference, found.winner) == (-1.0, "b")
    assert found.note.endswith("; by the means of all ratings, plain wins")


def test_interval_of_wins_leaves_no_more_than_its_rest_on_each_side() -> None:
    data, half = ratings(), FEW.model_copy(update={"confidence": 0.5})
    assert half.bootstrap is not None
    found = row(tables(data, half).tests, scenario="all")
    known = data[ITEM].drop_duplicates().sort_values(ITEM)
    compared = comparisons(data, data["participant"].drop_duplicates(), known, CONTRAST, half.wins)
    wins_of_a = (compared.resampled(half.bootstrap).higher == 1).sum(axis=0)
    low, high = found.a_wins_low, found.a_wins_high
    assert (wins_of_a < low).mean() < 0.25 <= (wins_of_a <= low).mean()
    assert (wins_of_a < high).mean() < 0.75 <= (wins_of_a <= high).mean()


def test_resamples_draw_from_the_excluded_and_not_from_who_is_still_at_it() -> None:
    found = tables(ratings(), excluded=3, active=2).tests
    assert set(found["drawn_from"]) == {15}


def test_p_is_adjusted_over_all_comparisons_of_a_dimension() -> None:
    table = tables(ratings()).differences
    assert len(table) == 6
    assert list(table["p_adjusted"]) == list(adjust(table["p"], "holm").p)
    assert list(table["p_bh"]) == list(adjust(table["p"], "benjamini-hochberg").p)


def test_shares_say_how_often_resamples_end_so() -> None:
    # Two raters who contradict each other: one of them twice, or each once and a tie.
    many = SOUND.model_copy(update={"bootstrap": Bootstrap(resamples=4000)})
    found = row(tables(cell([1, 2], [2, 1]), many).differences, model="Ant")
    shares = (found.share_a, found.share_tie, found.share_b)
    assert shares == pytest.approx((0.25, 0.5, 0.25), abs=0.03)
    table = tables(ratings()).differences
    assert list(table[["share_a", "share_tie", "share_b"]].sum(axis=1)) == pytest.approx([1.0] * 6)


def test_counts_are_those_of_the_summary_of_wins() -> None:
    data = ratings()
    known = data[ITEM].drop_duplicates().sort_values(ITEM).assign(gold=np.nan)
    summary = wins_summary(wins(items(rating_counts(data), known), CONTRAST))
    table = tables(data).tests
    columns = ["a_wins", "b_wins", "ties", "reference_points", "reference_points_max"]
    assert list(table["scenario"]) == [*SCENARIOS, "all"]
    for name in columns:
        assert list(table[name]) == list(summary[name]), name


def test_sign_test_is_over_untied_comparisons() -> None:
    found = row(tables(ratings()).tests, scenario="all")
    expected = binomtest(found.a_wins, found.n_cells - found.ties)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.a_share == pytest.approx(found.a_wins / (found.a_wins + found.b_wins))
    interval = expected.proportion_ci()
    assert (found.a_share_low, found.a_share_high) == pytest.approx((interval.low, interval.high))


def test_sign_test_of_the_published_wins() -> None:
    # 26 against 22 of 48: with one rater per cell the counts can be made to order.
    higher = ["plain"] * 26 + ["tuned"] * 22
    rows = [
        ("p", f"S{number}", "1", "Ant", condition, "warmth", 4 if condition == wins_it else 3)
        for number, wins_it in enumerate(higher)
        for condition in ("plain", "tuned")
    ]
    data = DataFrame(rows, columns=["participant", *ITEM, "rating"]).astype(
        dict.fromkeys(ITEM, "category")
    )
    found = row(tables(data).tests, scenario="all")
    assert (found.a_wins, found.b_wins) == (26, 22)
    assert round(found.p, 2) == 0.67


def test_interval_holds_what_resamples_gave() -> None:
    found = row(tables(ratings()).tests, scenario="all")
    assert found.a_wins_low <= found.a_wins <= found.a_wins_high
    assert found.reference_points_low < found.reference_points_high <= 12
    assert (found.drawn_from, found.resamples) == (12, 400)


def test_unanimous_raters_leave_no_doubt() -> None:
    found = row(tables(cell([5, 4, 5], [1, 2, 2])).tests, scenario="all")
    assert (found.a_wins, found.a_wins_low, found.a_wins_high) == (1, 1, 1)


def test_ties_are_nobodys_or_half_a_win_for_each() -> None:
    data = cell([1, 2], [2, 1])
    half = SOUND.model_copy(update={"wins": WinRules(ties="half"), "bootstrap": FEW.bootstrap})
    neither, shared = (row(tables(data, r).tests, scenario="all") for r in (FEW, half))
    assert (neither.a_wins, neither.b_wins, neither.ties) == (0, 0, 1)
    assert (shared.a_wins, shared.b_wins, shared.ties) == (0.5, 0.5, 1)
    assert (shared.a_wins_low, shared.a_wins_high) == (0.0, 1.0)
    note = "sign test not estimable, because the one comparison is a tie"
    assert note in neither.note and note in shared.note


def test_excluded_raters_are_drawn_and_bring_nothing() -> None:
    data = cell([5, 4, 4, 3], [4, 5, 2, 1])
    plain, thinned = (tables(data, excluded=n) for n in (0, 12))
    assert plain.tests.iloc[-1].drawn_from == 4
    assert thinned.tests.iloc[-1].drawn_from == 16
    # Of 16 drawn, 4 count: now and then none, in (12/16)^16 = 1 % of the draws.
    note = thinned.differences.iloc[0].note
    assert note.startswith("not compared in ") and note.endswith(" of 400 resamples")
    assert plain.differences.iloc[0].note == ""


def test_comparison_without_ratings_is_said_and_not_counted() -> None:
    data = ratings()
    gone = (data["model"] == "Ant") & (data["scenario"] == "S1") & (data["condition"] == "tuned")
    known = data[ITEM].drop_duplicates().sort_values(ITEM)
    found = tables(data[~gone], known=known)
    empty = row(found.differences, model="Ant", scenario="S1")
    assert (empty.n, empty.winner) == (0, "")
    assert empty.note == "not estimable, because there are no ratings of tuned"
    assert pd.isna(empty.share_a) and pd.isna(empty.p_adjusted)
    every = row(found.tests, scenario="all")
    assert (every.n_cells, every.not_compared) == (5, 1)
    neither = (data["scenario"] == "S1") & (data["condition"] == "tuned")
    nothing = row(tables(data[~neither], known=known).tests, scenario="S1")
    # the reference was rated; that nothing stands beside it is no fault of its own
    assert nothing.note == "sign test not estimable, because there are no comparisons"


def test_comparison_of_different_raters_has_no_difference() -> None:
    found = tables(cell([5, 4, None, None], [None, None, 1, 2]))
    alone = found.differences.iloc[0]
    assert alone.note.startswith("not estimable, because no rater rated both")
    assert row(found.tests, scenario="all").a_wins == 1
    assert alone.share_a == 1.0


def test_one_raters_wins_have_no_intervals() -> None:
    found = tables(ratings(raters=1), excluded=3)
    assert set(found.tests["resamples"]) == {0}
    assert found.tests["a_wins_low"].isna().all()
    for note in [*found.differences["note"], *found.tests["note"]]:
        assert "no resamples, because one rater's ratings count" in note
    assert found.differences["note"].str.contains("because one rater rated both").all()


def test_constant_raters_are_all_ties() -> None:
    found = tables(ratings().assign(rating=3))
    assert set(found.differences["winner"]) == {"tie"}
    assert set(found.differences["share_tie"]) == {1.0}
    assert set(found.differences["note"]) == {
        "not estimable, because all 12 differences are the same"
    }
    every = row(found.tests, scenario="all")
    assert (every.ties, every.reference_points) == (6, 0)
    assert every.note == "sign test not estimable, because all 6 comparisons are ties"


def test_study_without_a_reference_has_no_points() -> None:
    data = ratings()
    found = row(tables(data, contrast=Contrast("plain", "tuned", None)).tests, scenario="all")
    assert pd.isna(found.reference_points) and found.reference_points_max == 0
    assert found.note == "no reference points, because the study names no reference"
    unrated = data[data["condition"] != "reference"]
    found = row(tables(unrated).tests, scenario="all")
    assert found.note == "no reference points, because the reference was not rated beside these"


def test_recipe_without_a_bootstrap_has_everything_else() -> None:
    found = tables(ratings(), PAPER)
    assert set(found.tests["note"]) == {"no resamples, because the recipe asks for no bootstrap"}
    assert found.tests["p"].notna().all() and found.differences["p"].notna().all()


def test_one_scenario_is_a_study_too() -> None:
    data = ratings()
    found = tables(data[data["scenario"] == "S2"]).tests
    assert list(found["scenario"]) == ["S2", "all"]
    assert found["a_wins"].nunique() == 1


def test_tables_are_the_same_whatever_the_order_of_rows() -> None:
    data = ratings()
    for one, other in zip(
        vars(tables(data)).values(),
        vars(tables(data.sample(frac=1, random_state=3))).values(),
        strict=True,
    ):
        assert_frame_equal(one, other)


def test_tables_have_the_columns_that_are_named() -> None:
    found = tables(ratings())
    assert (list(found.differences), list(found.tests)) == (WIN_DIFFERENCES.names, WINS_TESTS.names)


def test_tables_are_absent_with_their_reason() -> None:
    data = ratings()
    with pytest.raises(NotAvailable, match="there are no ratings"):
        tables(data.head(0))
    with pytest.raises(NotAvailable, match="no two conditions"):
        tables(data, contrast=Contrast(None, None, None))
