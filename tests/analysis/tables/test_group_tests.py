"""Tests between two groups of raters, by rating and by rater."""

import itertools
import random

import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import mannwhitneyu, ttest_ind

from analysis.not_available import NotAvailable
from analysis.recipe import Margins, Recipe, shipped_recipes
from analysis.stats.multiplicity import adjust
from analysis.study_data import ITEM
from analysis.tables.group_tests import adjusted, group_tests
from tests.analysis.written import FIVE_POINTS

PAPER, SOUND = (recipe.on(FIVE_POINTS) for recipe in shipped_recipes().values())
#: With tests within each condition of each scenario.
IN_EACH = PAPER.model_copy(update={"conditions_in_scenarios": True})
AGES = {"ada": 71, "bo": 60, "cy": 33, "dee": 41, "eve": 28, "fay": None}
PEOPLE = DataFrame({"participant": list(AGES), "age": list(AGES.values()), "gender": None})


def ratings(*, seed: int = 1, of: tuple[str, ...] = tuple(AGES)) -> DataFrame:
    """Two models in two conditions and a reference, two scenarios; one rating of each by each."""
    draw = random.Random(seed)
    systems = [*itertools.product(["Ant", "Bee"], ["plain", "tuned"]), ("Owl", "reference")]
    rows = [
        (person, scenario, "", model, condition, "warmth", draw.randint(1, 5))
        for person, scenario, (model, condition) in itertools.product(of, ["S1", "S2"], systems)
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def only(table: DataFrame, **wanted: str) -> "pd.Series":
    """The one row with these values."""
    for column, value in wanted.items():
        table = table[table[column] == value]
    (row,) = (row for _, row in table.iterrows())
    return row


def of(table: DataFrame, names: list[str], **wanted: str) -> list[int]:
    """What these people gave."""
    for column, value in wanted.items():
        table = table[table[column] == value]
    return [
        rating
        for name, rating in zip(table["participant"], table["rating"], strict=True)
        if name in names
    ]


OLD, YOUNG = ["ada", "bo"], ["cy", "dee", "eve"]


@pytest.mark.parametrize(("test", "equal"), [("student", True), ("welch", False)])
def test_paper_takes_each_rating_for_an_observation(test: str, equal: bool) -> None:
    data = ratings()
    table = group_tests(data, PEOPLE, PAPER, raters="included")
    row = only(table, model="Ant", condition="all", scenario="all", test=test)
    a, b = of(data, OLD, model="Ant"), of(data, YOUNG, model="Ant")
    found = ttest_ind(a, b, equal_var=equal)
    assert (row.n_a, row.n_b) == (8, 12)
    assert (row.t, row.df, row.p) == pytest.approx((found.statistic, found.df, found.pvalue))
    assert (row.unit, row.group_a, row.group_b) == ("rating", "60+", "under 60")


def test_sound_takes_each_rater_for_an_observation() -> None:
    data = ratings(seed=4)  # in which the means of both groups vary
    table = group_tests(data, PEOPLE, SOUND, raters="all")
    means = data[data["model"] == "Bee"].groupby("participant")["rating"].mean()
    a, b = means[OLD], means[YOUNG]
    row = only(table, model="Bee", condition="all", scenario="all", test="welch")
    found = ttest_ind(a, b, equal_var=False)
    assert (row.n_a, row.n_b, row.mean_a, row.sd_b) == pytest.approx((2, 3, a.mean(), b.std()))
    assert (row.t, row.df, row.p) == pytest.approx((found.statistic, found.df, found.pvalue))
    rank = only(table, model="Bee", condition="all", scenario="all", test="mann_whitney")
    u = mannwhitneyu(a, b, method="exact")
    assert (rank.u, rank.p, rank.method) == (u.statistic, pytest.approx(u.pvalue), "exact")
    assert rank.rank_biserial == pytest.approx(2 * u.statistic / 6 - 1)
    assert pd.isna(rank.t) and rank.cohen_d == row.cohen_d


def test_conditions_and_scenarios_are_tested_pooled_and_each() -> None:
    usual = group_tests(ratings(), PEOPLE, PAPER, raters="included")
    table = group_tests(ratings(), PEOPLE, IN_EACH, raters="included")
    both = (usual["condition"] != "all") & (usual["scenario"] != "all")
    assert not both.any() and len(usual) == (5 + 5 + 4) * 2
    parts = {(row.model, row.condition, row.scenario) for row in table.itertuples()}
    of_ant = itertools.product(["Ant"], ["all", "plain", "tuned"], ["all", "S1", "S2"])
    of_owl = itertools.product(["Owl"], ["all", "reference"], ["all", "S1", "S2"])
    assert {part for part in parts if part[0] != "Bee"} == {*of_ant, *of_owl}
    assert len(table) == (9 + 9 + 6) * 2


def test_single_condition_holds_its_ratings_alone() -> None:
    data = ratings()
    table = group_tests(data, PEOPLE, IN_EACH, raters="included")
    row = only(table, model="Ant", condition="tuned", scenario="S2", test="student")
    chosen = {"model": "Ant", "condition": "tuned", "scenario": "S2"}
    assert [row.mean_a * 2, row.mean_b * 3] == pytest.approx(
        [sum(of(data, OLD, **chosen)), sum(of(data, YOUNG, **chosen))]
    )


def test_p_is_adjusted_over_models_within_otherwise_equal_tests() -> None:
    table = group_tests(ratings(), PEOPLE, PAPER, raters="included")
    family = table[
        (table["condition"] == "all") & (table["scenario"] == "S1") & (table["test"] == "welch")
    ]
    assert list(family["model"]) == ["Ant", "Bee", "Owl"]
    assert list(family["p_adjusted"]) == list(adjust(family["p"], "holm").p)
    assert list(family["p_bh"]) == list(adjust(family["p"], "benjamini-hochberg").p)
    assert (family["p_adjusted"] >= family["p"]).all()


def test_tests_without_a_p_are_no_members_of_a_family() -> None:
    p = [0.01, None, 0.04, 0.5, None]
    table = DataFrame({"test": ["t", "t", "t", "u", "u"], "p": p})
    found = adjusted(table, ["test"])
    assert found["p_adjusted"].fillna(-1).tolist() == [0.02, -1, 0.04, 0.5, -1]
    assert found["p_bh"].fillna(-1).tolist() == [0.02, -1, 0.04, 0.5, -1]


def test_family_is_what_the_recipe_declares() -> None:
    wide = PAPER.model_copy(update={"adjust_over": ["model", "scenario", "condition"]})
    table = group_tests(ratings(), PEOPLE, wide, raters="included")
    of_one_test = table[table["test"] == "student"]
    assert list(of_one_test["p_adjusted"]) == list(adjust(of_one_test["p"], "holm").p)


@pytest.mark.parametrize("test", ["student", "welch"])
def test_no_difference_is_tested_against_the_margin_of_the_recipe(test: str) -> None:
    data = ratings(seed=4)
    recipe = SOUND.model_copy(update={"margins": Margins(reference=9, groups=1.5)})
    table = group_tests(data, PEOPLE, recipe, raters="all")
    means = data[data["model"] == "Bee"].groupby("participant")["rating"].mean()
    a, b, equal = means[OLD], means[YOUNG], test == "student"
    row = only(table, model="Bee", condition="all", scenario="all", test=test)
    above = ttest_ind(a + 1.5, b, equal_var=equal, alternative="greater").pvalue
    below = ttest_ind(a - 1.5, b, equal_var=equal, alternative="less").pvalue
    assert (row.margin, row.p_equivalent) == pytest.approx((1.5, max(above, below)))
    family = table[table["test"] == test].groupby(["condition", "scenario"]).get_group(("all",) * 2)
    assert list(family["p_equivalent_adjusted"]) == list(adjust(family["p_equivalent"], "holm").p)
    known = table[table["p_equivalent"].notna()]
    assert list(known["equivalent"]) == list(known["p_equivalent_adjusted"] < 0.05)
    assert any(known["equivalent"] != (known["p_equivalent"] < 0.05))
    without = table[table["p_equivalent"].isna()]
    assert without["equivalent"].isna().all()


def test_difference_that_is_not_significant_is_not_equivalence() -> None:
    table = group_tests(ratings(seed=5), PEOPLE, SOUND, raters="all")
    row = only(table, model="Bee", condition="all", scenario="all", test="welch")
    assert row.p > 0.05 and row.p_equivalent > 0.05 and not row.equivalent


def test_equivalence_needs_a_margin_and_a_t() -> None:
    columns = ["margin", "p_equivalent", "p_equivalent_adjusted", "equivalent"]
    of_paper = group_tests(ratings(), PEOPLE, PAPER, raters="included")
    assert PAPER.margins.groups is None and of_paper[columns].isna().all(axis=None)
    of_sound = group_tests(ratings(), PEOPLE, SOUND, raters="included")
    without_t = of_sound[of_sound["t"].isna()]
    assert "mann_whitney" in set(without_t["test"]) and without_t[columns].isna().all(axis=None)


def test_raters_of_neither_group_are_in_no_test() -> None:
    data = ratings(of=("ada", "bo", "cy", "dee", "eve"))
    with_fay = group_tests(ratings(), PEOPLE, PAPER, raters="included")
    assert with_fay["n_a"].max() + with_fay["n_b"].max() == 8 + 12
    assert (group_tests(data, PEOPLE, PAPER, raters="included")["n_b"].max()) == 12


def test_single_group_is_said_to_be_one() -> None:
    young = PEOPLE.assign(age=30)
    table = group_tests(ratings(), young, SOUND, raters="included")
    assert set(table["note"]) == {"not estimable, because group 60+ is empty"}
    assert table[["t", "p", "p_adjusted", "cohen_d"]].isna().all(axis=None)


def test_constant_raters_have_no_t() -> None:
    table = group_tests(ratings().assign(rating=3), PEOPLE, SOUND, raters="included")
    by_test = table.groupby("test")["note"].unique().map(list)
    constant = "not estimable, because within each group all values are the same"
    assert by_test["student"] == by_test["welch"] == [constant]
    assert by_test["mann_whitney"] == ["not estimable, because all values are the same"]


def test_one_rater_in_each_group_has_no_t() -> None:
    pair = ("ada", "cy")
    table = group_tests(ratings(of=pair), PEOPLE, SOUND, raters="included")
    student = table[table["test"] == "student"]
    assert set(student["note"]) == {"not estimable, because each group has one rater"}
    assert table[["sd_a", "sd_b"]].isna().all(axis=None)
    ranked = table[(table["test"] == "mann_whitney") & table["p"].notna()]
    assert set(ranked["note"]) == {"Cohen's d is not estimable, because each group has one rater"}


def test_factor_that_nobody_answered_is_left_out() -> None:
    table = group_tests(ratings(), PEOPLE, PAPER, raters="included")
    assert set(table["factor"]) == {"age"}


FEMALE_AND_MALE = PEOPLE.assign(gender=["Female", "Female", "Female", "Male", "Male", ""])


def test_factor_of_which_no_group_knows_an_answer_is_left_out() -> None:
    table = group_tests(ratings(), FEMALE_AND_MALE, PAPER, raters="included")
    assert set(table["factor"]) == {"age"}
    alone = PAPER.model_copy(update={"groups": {"gender": PAPER.groups["gender"]}})
    reason = (
        r"^nobody is in the groups Woman and Man; "
        r"'Female' \(3\) and 'Male' \(2\) are in no group$"
    )
    with pytest.raises(NotAvailable, match=reason):
        group_tests(ratings(), FEMALE_AND_MALE, alone, raters="included")


def test_group_that_is_empty_says_which_answers_are_in_none() -> None:
    half = FEMALE_AND_MALE.replace({"gender": {"Female": "Woman"}})
    table = group_tests(ratings(), half, PAPER, raters="included")
    assert set(table[table["factor"] == "gender"]["note"]) == {
        "not estimable, because group Man is empty; 'Male' (2) is in no group"
    }
    assert not table[table["factor"] == "age"]["note"].str.contains("Male").any()


def test_table_is_absent_with_its_reason() -> None:
    unknown = PEOPLE.assign(age=None)
    with pytest.raises(NotAvailable, match=r"^nobody answered age or gender$"):
        group_tests(ratings(), unknown, PAPER, raters="included")
    with pytest.raises(
        NotAvailable, match=r"^the study asks for no age or education or gender or race$"
    ):
        group_tests(ratings(), PEOPLE[["participant"]], PAPER, raters="included")
    with pytest.raises(NotAvailable, match="there are no ratings"):
        group_tests(ratings().head(0), PEOPLE, PAPER, raters="included")


def test_recipe_without_groups_has_no_table() -> None:
    empty = Recipe(name="mine", title="Mine", unit="rating")
    with pytest.raises(NotAvailable, match="the recipe compares no groups of raters"):
        group_tests(ratings(), PEOPLE, empty, raters="included")


def test_order_of_rows_in_the_data_changes_nothing() -> None:
    data = ratings()
    shuffled = data.sample(frac=1, random_state=3)
    first, second = (group_tests(each, PEOPLE, SOUND, raters="all") for each in (data, shuffled))
    pd.testing.assert_frame_equal(first, second)
