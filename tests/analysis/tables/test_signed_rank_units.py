"""Signed ranks as papers of few raters print them: over scenarios, and over single ratings."""

import itertools

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import PermutationMethod, wilcoxon

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.stats.multiplicity import adjust
from analysis.study_data import ITEM, Contrast
from analysis.tables.contrasts import paired
from analysis.tables.signed_rank_units import SIGNED_RANKS, signed_rank_units

PAPER = shipped_recipes()["paper"]
CONTRAST = Contrast("base", "tuned", None)


def ratings(
    models: tuple[str, ...] = ("Ant",), scenarios: int = 60, by: float = 0.6, seed: int = 2
) -> DataFrame:
    """Five raters rate both replies of each model to every dialogue, the tuned one higher."""
    draw = np.random.default_rng(seed)
    shift = {model: by * (at == 0) for at, model in enumerate(models)}
    rows = [
        (f"p{rater}", f"S{scenario:03}", "1", model, condition, "warmth",
         int(np.clip(np.round(3 + shift[model] * (condition == "tuned") + draw.normal()), 1, 5)))
        for rater, scenario, model, condition in itertools.product(
            range(5), range(scenarios), models, ("base", "tuned")
        )
    ]  # fmt: skip
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def of(data: DataFrame, unit: str, model: str = "Ant") -> "pd.Series":
    table = signed_rank_units(data, CONTRAST, PAPER, raters="included")
    (row,) = (row for _, row in table.iterrows() if (row.unit, row.model) == (unit, model))
    return row


def sides(data: DataFrame, by: list[str], model: str = "Ant") -> DataFrame:
    own = data[data["model"] == model]
    means = own.groupby([*by, "condition"], observed=True)["rating"].mean()
    return means.unstack("condition")


@pytest.mark.parametrize(("unit", "by", "n"), [
    ("scenario", ["scenario"], 60), ("rating", ["participant", "scenario"], 300),
])  # fmt: skip
def test_test_is_scipys_of_the_means_of_scenarios_and_of_pairs_of_ratings(
    unit: str, by: list[str], n: int
) -> None:
    data = ratings()
    found, expected = of(data, unit), sides(data, by)
    moved = (expected["base"] - expected["tuned"]).round(9)
    test = wilcoxon(moved[moved != 0], correction=False, method="asymptotic")  # type: ignore[call-overload]  # stubs lag
    assert (found.n, found.method) == (n, "asymptotic")
    assert (found.wilcoxon, found.p) == pytest.approx((test.statistic, test.pvalue))
    assert found.zeros == (moved == 0).sum()
    assert (found.mean_a, found.mean_b) == pytest.approx(tuple(expected.mean()))
    assert (found.sd_a, found.sd_b) == pytest.approx(tuple(expected.std()))
    assert found.rank_biserial < 0 and found.ci_high < 0


@pytest.mark.slow
def test_few_scenarios_are_tested_exactly() -> None:
    data = ratings(scenarios=11, by=0.3)
    found, expected = of(data, "scenario"), sides(data, ["scenario"])
    every_sign = PermutationMethod(n_resamples=2**11)
    test = wilcoxon((expected["base"] - expected["tuned"]).round(9), method=every_sign)
    assert (found.method, found.p) == ("exact", pytest.approx(test.pvalue))


def test_five_raters_can_show_what_five_means_of_raters_can_not() -> None:
    data = ratings(by=1.0)
    assert paired(data, CONTRAST, PAPER, raters="included")["p"].iloc[0] == 2 / 2**5
    assert of(data, "scenario").p < 0.001
    assert of(data, "rating").p < of(data, "scenario").p


def test_all_models_pool_their_pairs_and_p_is_adjusted_over_single_ones() -> None:
    data = ratings(("Ant", "Bee"))
    table = signed_rank_units(data, CONTRAST, PAPER, raters="included")
    assert list(zip(table["model"], table["unit"], table["n"], strict=True)) == [
        ("Ant", "scenario", 60), ("Ant", "rating", 300),
        ("Bee", "scenario", 60), ("Bee", "rating", 300),
        ("all", "scenario", 60), ("all", "rating", 600),
    ]  # fmt: skip
    for _, own in table[table["model"] != "all"].groupby("unit"):
        assert list(own["p_adjusted"]) == list(adjust(own["p"], "holm").p)
    assert table.loc[table["model"] == "all", "p_adjusted"].isna().all()
    assert list(table.columns) == SIGNED_RANKS.names
    assert set(table["recipe"]) == {"paper"}


def test_only_what_a_rater_rated_in_both_conditions_is_compared() -> None:
    data = ratings()
    one_alone = (data["participant"] == "p0") & (data["condition"] == "base")
    of_first = one_alone & data["scenario"].isin([f"S{n:03}" for n in range(20)])
    found = of(data[~of_first], "rating")
    assert found.n == 300 - 20
    without = data[~((data["participant"] == "p0") & data["scenario"].isin(
        data.loc[of_first, "scenario"].unique()))]  # fmt: skip
    by_scenario = sides(without, ["scenario"])
    means = (of(data[~of_first], "scenario").mean_a, of(data[~of_first], "scenario").mean_b)
    assert means == pytest.approx(tuple(by_scenario.mean()))


def test_what_can_not_be_compared_says_why() -> None:
    data = ratings()
    apart = data[(data["participant"] == "p0") == (data["condition"] == "base")]
    table = signed_rank_units(apart, CONTRAST, PAPER, raters="included")
    assert list(table["n"]) == [0, 0] and table["p"].isna().all()
    assert set(table["note"]) == {
        "not estimable, because no rater rated both conditions side by side"
    }
    alone = data[data["condition"] == "base"]
    with pytest.raises(NotAvailable, match="no model has ratings in both compared conditions"):
        signed_rank_units(alone, CONTRAST, PAPER, raters="included")
