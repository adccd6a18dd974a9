"""How each system was rated, and whether it comes near the reference."""

import itertools
import random

import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import ttest_1samp

from analysis.not_available import NotAvailable
from analysis.recipe import Margins, shipped_recipes
from analysis.stats.multiplicity import adjust
from analysis.study_data import ITEM, Contrast
from analysis.tables.systems import systems, to_reference
from tests.analysis.written import FIVE_POINTS

PAPER, SOUND = (recipe.on(FIVE_POINTS) for recipe in shipped_recipes().values())
CONTRAST = Contrast("plain", "tuned", ("Owl", "reference"))
PEOPLE = [f"p{number}" for number in range(10)]


def ratings(seed: int = 2) -> DataFrame:
    """Two models in sets of their own, the reference in both; three scenarios."""
    draw = random.Random(seed)
    shown = [("1", "Ant", "plain"), ("2", "Bee", "tuned")]
    shown += [("1", "Owl", "reference"), ("2", "Owl", "reference")]
    rows = [
        (person, scenario, *system, "warmth", draw.randint(1, 5))
        for person, scenario, system in itertools.product(PEOPLE, ["S1", "S2", "S3"], shown)
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def row(table: DataFrame, **wanted: str) -> "pd.Series":
    for column, value in wanted.items():
        table = table[table[column] == value]
    (only,) = (found for _, found in table.iterrows())
    return only


@pytest.mark.parametrize("unit", ["participant", "scenario"])
def test_mean_has_an_interval_over_raters_and_one_over_scenarios(unit: str) -> None:
    data = ratings()
    found = row(systems(data, SOUND, raters="all"), model="Owl", unit=unit)
    means = data[data["model"] == "Owl"].groupby(unit, observed=True)["rating"].mean()
    interval = ttest_1samp(means, 0).confidence_interval()
    assert (found.n, found["mean"], found.sd) == pytest.approx(
        (len(means), means.mean(), means.std())
    )
    assert (found.ci_low, found.ci_high) == pytest.approx((interval.low, interval.high))
    assert found.n_ratings == 10 * 3 * 2


def test_mean_of_one_rater_has_no_interval() -> None:
    data = ratings()
    one = systems(data[data["participant"] == "p1"], SOUND, raters="all")
    found = row(one, model="Ant", unit="participant")
    assert found.note == "no interval, because there is one rater"
    assert pd.isna(found.ci_low) and not pd.isna(found["mean"])


def test_constant_ratings_have_a_mean_and_no_interval() -> None:
    found = row(
        systems(ratings().assign(rating=4), SOUND, raters="all"), model="Ant", unit="scenario"
    )
    assert (found["mean"], found.sd) == (4, 0)
    assert found.note == "no interval, because every scenario has the same mean"


def test_reference_is_that_of_the_sets_where_the_system_was_shown() -> None:
    data = ratings()
    found = row(to_reference(data, CONTRAST, SOUND, raters="all"), model="Ant", unit="participant")
    in_set = data[data["set"] == "1"]
    means = in_set.groupby(["participant", "model"], observed=True)["rating"].mean().unstack()
    differences = means["Ant"] - means["Owl"]
    one_sided = ttest_1samp(differences, -0.25, alternative="greater")
    assert found.difference == pytest.approx(differences.mean())
    assert found.p_non_inferior == pytest.approx(one_sided.pvalue)
    upper = ttest_1samp(differences, 0.25, alternative="less")
    assert found.p_equivalent == pytest.approx(max(one_sided.pvalue, upper.pvalue))


def test_system_approaches_the_reference_where_it_is_not_inferior_by_the_margin() -> None:
    data = ratings()
    kinder = (data["participant"] == "p1") & (data["model"] != "Owl")
    worse = data["model"] == "Bee"
    rated = data.assign(rating=3 + kinder.astype(int) - 2 * worse.astype(int))
    table = to_reference(rated, CONTRAST, SOUND, raters="all")
    by_rater = table[table["unit"] == "participant"].set_index("model")
    assert by_rater["approaches"].to_dict() == {"Ant": True, "Bee": False}
    assert bool(by_rater["equivalent"]["Bee"]) is False


def test_margin_is_that_to_the_reference() -> None:
    recipe = SOUND.model_copy(update={"margins": Margins(reference=1.5, groups=0.1)})
    table = to_reference(ratings(), CONTRAST, recipe, raters="all")
    found = row(table, model="Ant", unit="participant")
    narrow = row(
        to_reference(ratings(), CONTRAST, SOUND, raters="all"), model="Ant", unit="participant"
    )
    assert (found.margin, found.difference) == (1.5, narrow.difference)
    assert found.p_non_inferior < narrow.p_non_inferior


def test_recipe_may_set_one_margin_alone() -> None:
    between_groups = SOUND.model_copy(update={"margins": Margins(groups=0.1)})
    with pytest.raises(NotAvailable, match="sets no margin to the reference"):
        to_reference(ratings(), CONTRAST, between_groups, raters="all")


def test_one_scenario_is_too_few_to_speak_of_others() -> None:
    data = ratings()
    table = to_reference(data[data["scenario"] == "S1"], CONTRAST, SOUND, raters="all")
    alone = row(table, model="Ant", unit="scenario")
    assert (alone.n, alone.note) == (
        1,
        "not estimable, because one scenario has a page on which somebody rated both",
    )
    table = to_reference(data[data["scenario"] != "S1"], CONTRAST, SOUND, raters="all")
    pair = row(table, model="Ant", unit="scenario")
    assert (pair.n, pair.df, pair.note) == (2, 1, "")


def test_p_is_adjusted_over_systems() -> None:
    table = to_reference(ratings(), CONTRAST, SOUND, raters="all")
    family = table[table["unit"] == "scenario"]
    assert list(family["p_adjusted"]) == list(adjust(family["p_non_inferior"], "holm").p)
    assert list(family["p_equivalent_adjusted"]) == list(adjust(family["p_equivalent"], "holm").p)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flag", "of"), [("approaches", "p_non_inferior"), ("equivalent", "p_equivalent")]
)
def test_what_a_system_is_shown_to_be_goes_by_the_adjusted_p(flag: str, of: str) -> None:
    data = ratings()
    margins = [Margins(reference=margin / 20) for margin in (1, *range(8, 13), 20, 59)]
    found = [
        to_reference(data, CONTRAST, SOUND.model_copy(update={"margins": each}), raters="all")
        for each in margins
    ]
    table = pd.concat(found)
    adjusted = "p_adjusted" if flag == "approaches" else "p_equivalent_adjusted"
    assert list(table[flag]) == list(table[adjusted] < 0.05)
    assert any(table[flag] != (table[of] < 0.05))


def test_system_without_ratings_is_said_so() -> None:
    data = ratings()
    known = data[ITEM].drop_duplicates()
    gone = data[data["model"] != "Bee"]
    table = systems(gone, SOUND, raters="all", known=known)
    for unit in ("participant", "scenario"):
        found = row(table, model="Bee", unit=unit)
        assert (found.n, found.n_ratings) == (0, 0)
        assert found.note == "not estimable, because there are no ratings"
    beside = row(
        to_reference(gone, CONTRAST, SOUND, raters="all", known=known),
        model="Bee",
        unit="participant",
    )
    assert beside.note == "not estimable, because no rater rated both on one page"


def test_system_is_held_against_the_reference_on_the_same_pages() -> None:
    """Whoever lacks the system on an easy page is not held against the reference there."""
    data = ratings()
    easy = data["scenario"].eq("S1").astype(int) * 2
    alike = data.assign(rating=2 + easy)
    gone = alike["model"].eq("Ant") & alike["scenario"].eq("S1")
    holed = alike[~(gone & alike["participant"].isin(sorted(set(data["participant"]))[:8]))]
    table = to_reference(holed, CONTRAST, SOUND, raters="all")
    found = row(table, model="Ant", unit="participant")
    assert found.note.startswith("not estimable") and "same" in found.note


def test_system_without_a_reference_beside_it_is_said_so() -> None:
    data = ratings()
    gone = (data["model"] == "Owl") & (data["set"] == "2")
    found = row(
        to_reference(data[~gone], CONTRAST, SOUND, raters="all"), model="Bee", unit="participant"
    )
    assert found.note == "not estimable, because no rater rated both on one page"
    assert (found.n, pd.isna(found.approaches)) == (0, True)


def test_tables_are_absent_with_their_reason() -> None:
    with pytest.raises(NotAvailable, match="sets no margin"):
        to_reference(ratings(), CONTRAST, PAPER, raters="all")
    with pytest.raises(NotAvailable, match="names no reference"):
        to_reference(ratings(), Contrast("plain", "tuned", None), SOUND, raters="all")
    with pytest.raises(NotAvailable, match="there are no ratings"):
        systems(ratings().head(0), SOUND, raters="all")


def test_interval_that_leaves_the_scale_is_explained() -> None:
    data = ratings().assign(rating=5)
    data.loc[data["participant"] == "p0", "rating"] = 3
    few = data[data["participant"].isin(["p0", "p1", "p2"])]
    found = row(systems(few, SOUND, raters="all", ends=(1, 5)), model="Ant", unit="participant")
    assert found.ci_high > 5
    assert found.note == (
        "the interval leaves the scale (1 to 5): Student's t does not know where the scale ends"
    )
    inside = row(systems(few, SOUND, raters="all", ends=(-9, 19)), model="Ant", unit="participant")
    assert inside.note == ""
