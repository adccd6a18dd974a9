"""Best and worst choices per scenario: shares, scores, and whether systems are chosen alike."""

import itertools

import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import binomtest

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.stats.multiplicity import adjust
from analysis.study_data import ITEM
from analysis.tables.choices import choice_tests, choices
from tests.oracle.closed_form.stored import reference

PAPER, SOUND = shipped_recipes().values()


def pages(*answers: tuple[str, str, str, str, str], dimension: str = "") -> DataFrame:
    """Each answer: rater, scenario, the systems shown, the best and the worst of them."""
    rows = [
        (rater, scenario, "", system, "told", dimension, choice)
        for rater, scenario, shown, best, worst in answers
        for system in shown
        for choice in ["best" if system == best else "worst" if system == worst else ""]
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "choice"])
    return table.assign(rank=float("nan")).astype(dict.fromkeys(ITEM, "category"))


def row(table: DataFrame, **wanted: str) -> "pd.Series":
    for column, value in wanted.items():
        table = table[table[column] == value]
    (only,) = (found for _, found in table.iterrows())
    return only


STUDY = pages(
    ("r1", "Q1", "xyz", "x", "z"),
    ("r1", "Q2", "xyz", "x", "y"),
    ("r2", "Q1", "xyz", "y", "z"),
    ("r2", "Q2", "xyz", "x", "z"),
)


def test_systems_are_counted_over_all_scenarios_and_in_each() -> None:
    table = choices(STUDY, SOUND, raters="all")
    assert table["scenario"].drop_duplicates().tolist() == ["all", "Q1", "Q2"]
    assert (table[["recipe", "unit", "raters"]].drop_duplicates().to_numpy().tolist()) == [
        ["sound", "participant", "all"]
    ]
    counts = ["model", "condition", "n", "shown", "best", "worst"]
    assert table.loc[table["scenario"] == "all", counts].to_numpy().tolist() == [
        ["x", "told", 2, 4, 3, 0],
        ["y", "told", 2, 4, 1, 1],
        ["z", "told", 2, 4, 0, 3],
    ]
    found = row(table, scenario="all", model="x")
    assert (found.share_best, found.share_worst, found.score) == (0.75, 0, 0.75)


def test_share_of_one_choice_per_rater_has_wilsons_interval() -> None:
    data = pages(*((f"r{at}", "Q1", "xy", "x" if at < 3 else "y", "") for at in range(10)))
    found = row(choices(data, SOUND, raters="all"), scenario="all", model="x")
    bounds = binomtest(3, 10).proportion_ci(method="wilson")
    assert found.share_best == 0.3
    assert (found.best_ci_low, found.best_ci_high) == pytest.approx(tuple(bounds))
    assert found.note == (
        "worst: not estimable, because no block that showed it has a choice; "
        "score: not estimable, because no block that showed it has a choice"
    )


def test_share_of_several_choices_per_rater_has_an_interval_over_raters() -> None:
    found = row(choices(STUDY, SOUND, raters="all"), scenario="all", model="x")
    # The raters' own shares are 1 and ½, which is what two raters can be drawn to.
    assert (found.best_ci_low, found.best_ci_high) == (0.5, 1.0)


def test_system_that_was_never_chosen_is_not_taken_to_be_certain() -> None:
    found = row(choices(STUDY, SOUND, raters="all"), scenario="all", model="z")
    bounds = binomtest(0, 2).proportion_ci(method="wilson")
    assert found.share_best == 0
    assert (found.best_ci_low, found.best_ci_high) == pytest.approx(tuple(bounds))


def test_single_rater_has_shares_without_intervals() -> None:
    alone = choices(STUDY[STUDY["participant"] == "r1"], SOUND, raters="all")
    assert row(alone, scenario="all", model="x").share_best == 1
    intervals = [name for name in map(str, alone) if "_ci_" in name]
    assert alone[intervals].isna().all(axis=None)
    assert set(alone["note"]) == {"no interval, because there is one rater"}


def test_single_scenario_stands_once() -> None:
    one = STUDY[STUDY["scenario"] == "Q1"]
    assert set(choices(one, SOUND, raters="all")["scenario"]) == {"all"}
    assert set(choice_tests(one, SOUND, raters="all")["scenario"]) == {"all"}


def test_system_was_shown_though_a_rater_has_rows_for_choices_alone() -> None:
    whole = pages(("r1", "Q1", "xyz", "x", "z"), ("r2", "Q1", "xyz", "y", "z"))
    short = whole[(whole["participant"] == "r2") | (whole["choice"] != "")]
    assert len(short) < len(whole)
    pd.testing.assert_frame_equal(
        choices(short, SOUND, raters="all"), choices(whole, SOUND, raters="all")
    )


def test_one_choice_per_rater_is_tested_by_chi_squared_as_in_r() -> None:
    expected = reference("choices")
    picks = [s for s, times in zip("vwxyz", expected["best"], strict=True) for _ in range(times)]
    data = pages(*((f"r{at}", "Q1", "vwxyz", pick, "") for at, pick in enumerate(picks)))
    table = choice_tests(data, SOUND, raters="included")
    found = row(table, choice="best")
    assert (found.test, found.unit, found.df, found.n_raters, found.n_choices) == (
        *("chi_squared", "participant", 4, 116, 116),
    )
    assert (found.statistic, found.p) == pytest.approx((expected["statistic"], expected["p"]))
    nothing = row(table, choice="worst")
    assert nothing.note == "not estimable, because nothing was chosen as worst"
    assert pd.isna(nothing.p)


def test_several_choices_of_a_rater_are_permuted_instead() -> None:
    table = choice_tests(STUDY, SOUND, raters="all")
    best = table[(table["scenario"] == "all") & (table["choice"] == "best")]
    assert best[["unit", "test"]].to_numpy().tolist() == [
        ["choice", "permuted_within_pages"],
        ["participant", "permuted_by_rater"],
    ]
    assert set(best["because"]) == {"raters chose more than once"}
    assert (best["permutations"] == 9999).all()
    assert best["df"].isna().all()
    # Four blind choices of three fall (3, 1, 0) or further apart in 24 + 3 of 81 cases.
    assert best["p"].iloc[0] == pytest.approx(27 / 81, abs=0.02)


def test_raters_and_their_choices_are_counted_apart() -> None:
    data = pages(("r1", "Q1", "xyz", "x", "z"), ("r1", "Q2", "xyz", "x", "y"))
    found = row(choice_tests(data, SOUND, raters="all"), choice="best", unit="choice")
    assert (found.n_raters, found.n_choices) == (1, 2)


def test_few_choices_are_permuted_and_count_for_raters() -> None:
    found = row(choice_tests(STUDY, SOUND, raters="all"), scenario="Q1", choice="best")
    assert (found.test, found.unit) == ("permuted_within_pages", "participant")
    assert found.because == "2 choices of 3 systems are fewer than 5 for each"


def test_all_the_same_choice_is_as_far_from_chance_as_can_be() -> None:
    data = pages(*((f"r{at}", "Q1", "xyz", "x", "z") for at in range(20)))
    found = row(choice_tests(data, SOUND, raters="all"), choice="best")
    assert (found.test, found.statistic) == ("chi_squared", pytest.approx(40))


def test_p_is_adjusted_over_scenarios_and_that_of_all_is_not() -> None:
    table = choice_tests(STUDY, SOUND, raters="all")
    single = table[(table["scenario"] != "all") & (table["choice"] == "worst")]
    assert single["p_adjusted"].tolist() == adjust(single["p"], "holm").p.tolist()
    assert table.loc[table["scenario"] == "all", "p_adjusted"].isna().all()


def test_only_scenario_is_a_family_of_its_own() -> None:
    data = pages(*((f"r{at}", "Q1", "xyz", "x", "z") for at in range(20)))
    table = choice_tests(data, SOUND, raters="all")
    assert set(table["scenario"]) == {"all"}
    assert table["p_adjusted"].tolist() == table["p"].tolist()


def test_dimensions_are_asked_about_separately() -> None:
    both = [
        pages(("r1", "Q1", "xy", best, worst), ("r2", "Q1", "xy", best, worst), dimension=name)
        for name, best, worst in [("warmth", "x", "y"), ("advice", "y", "x")]
    ]
    data = pd.concat(both).astype({"dimension": "category"})
    table = choices(data, SOUND, raters="all")
    assert row(table, dimension="warmth", model="x").share_best == 1
    assert row(table, dimension="advice", model="x").share_best == 0


def test_pages_of_a_rater_with_different_systems_cannot_be_relabelled_and_it_is_said() -> None:
    sets = [
        pages((rater, "Q1", shown, shown[0], shown[1])).assign(set=name)
        for rater in ("r1", "r2")
        for name, shown in [("1", "xyr"), ("2", "uvr")]
    ]
    data = pd.concat(sets).astype({**dict.fromkeys(ITEM, "category")})
    found = row(choice_tests(data, SOUND, raters="all"), choice="best", test="permuted_by_rater")
    assert found.note == "not estimable, because blocks of one rater show different systems"
    assert row(choices(data, SOUND, raters="all"), model="r").shown == 4


def test_recipe_without_a_bootstrap_has_the_defaults() -> None:
    names = ["recipe"]
    of_paper, of_sound = (
        choices(STUDY, r, raters="all").drop(columns=names) for r in [PAPER, SOUND]
    )
    pd.testing.assert_frame_equal(of_paper, of_sound)


def test_rows_in_any_order_give_the_same_tables() -> None:
    mixed = STUDY.sample(frac=1, random_state=3)
    for make in (choices, choice_tests):
        pd.testing.assert_frame_equal(
            make(mixed, SOUND, raters="all"), make(STUDY, SOUND, raters="all")
        )


def test_study_without_choices_has_neither_table() -> None:
    empty = STUDY.assign(choice="")
    for make, data in itertools.product((choices, choice_tests), (empty, STUDY.head(0))):
        with pytest.raises(
            NotAvailable, match="there are no choices of a best or a worst response"
        ):
            make(data, SOUND, raters="all")
