"""Means and trends over the size of the models."""

from collections.abc import Mapping
from typing import Any

import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM, Contrast
from analysis.tables.model_sizes import model_sizes

SOUND = shipped_recipes()["sound"]
CONTRAST = Contrast("base", "tuned", None)
SIZES = {"Ant": 1e8, "Bee": 1e9, "Cat": 1e10}
#: Each tenfold size adds a point to base, and nothing to tuned.
MEANS = {("Ant", "base"): 1, ("Bee", "base"): 2, ("Cat", "base"): 3} | {
    (model, "tuned"): 3 for model in SIZES
}


def ratings(
    means: Mapping[tuple[str, str], int] = MEANS, raters: int = 4, scenarios: int = 3
) -> DataFrame:
    """Every other rater gives a point more, in every other scenario one more."""
    rows = [
        (f"p{rater}", f"S{scenario}", "", *system, "quality", mean + rater % 2 + scenario % 2)
        for rater in range(raters)
        for scenario in range(scenarios)
        for system, mean in means.items()
    ]
    return DataFrame(rows, columns=["participant", *ITEM, "rating"]).astype(
        dict.fromkeys(ITEM, "category")
    )


def trends(data: DataFrame, sizes: Mapping[str, float] = SIZES) -> dict[tuple[str, str], Any]:
    table = model_sizes(data, CONTRAST, sizes, SOUND, raters="included")["size_trends"]
    return {(row["of"], row["condition"]): row for row in table.to_dict("records")}


def test_slope_is_of_a_tenfold_size_in_each_condition_and_of_what_b_adds() -> None:
    found = trends(ratings())
    slopes = {key: row["slope"] for key, row in found.items()}
    assert slopes == pytest.approx(
        {("mean", "base"): 1, ("mean", "tuned"): 0, ("difference", "tuned"): -1}
    )
    base = found["mean", "base"]
    assert (base["rho"], base["n_models"], base["n_sizes"], base["unit"]) == (1, 3, 3, "both")
    # raters and scenarios add the same to all models
    assert (base["slope_ci_low"], base["slope_ci_high"]) == pytest.approx((1, 1))
    assert base["intercept"] + 9 * base["slope"] == pytest.approx(2 + 1 / 2 + 1 / 3)


def test_models_that_raters_disagree_about_have_a_wide_interval() -> None:
    data = ratings()
    own = (data["participant"] == "p0") & (data["model"] == "Cat")
    row = trends(data.assign(rating=data["rating"].where(~own, 1)))["mean", "base"]
    assert row["slope_ci_low"] < row["slope"] < row["slope_ci_high"]


def test_each_system_has_its_mean_with_an_interval() -> None:
    tables = model_sizes(ratings(), CONTRAST, SIZES, SOUND, raters="included")
    rows = tables["model_sizes"].to_dict("records")
    [row] = [row for row in rows if (row["model"], row["condition"]) == ("Bee", "base")]
    assert (row["parameters"], row["log10_parameters"], row["n_ratings"]) == (1e9, 9.0, 12)
    assert row["ci_low"] < row["mean"] < row["ci_high"]


def test_models_without_a_size_do_not_count() -> None:
    data = ratings({**MEANS, ("Dog", "base"): 1, ("Oracle", "reference"): 5})
    found = trends(data)
    assert {row["n_models"] for row in found.values()} == {3}
    assert ("mean", "reference") not in found


def test_condition_with_fewer_than_three_sizes_says_so() -> None:
    means = {key: mean for key, mean in MEANS.items() if key != ("Cat", "tuned")}
    found = trends(ratings(means))
    few = "not estimable, because there are fewer than 3 sizes: 2"
    assert found["mean", "tuned"]["note"] == found["difference", "tuned"]["note"] == few
    assert found["mean", "base"]["note"] == ""


@pytest.mark.parametrize("sizes", [{}, {"Ant": 1e8, "Bee": 1e9}, dict.fromkeys(SIZES, 1e9)])
def test_fewer_than_three_sizes_give_no_table(sizes: dict[str, float]) -> None:
    with pytest.raises(NotAvailable, match="fewer than 3 sizes of models that were rated"):
        trends(ratings(), sizes)


def test_one_rater_and_one_scenario_give_a_trend_without_an_interval() -> None:
    row = trends(ratings(raters=1, scenarios=1))["mean", "base"]
    assert row["slope"] == pytest.approx(1)
    assert row["note"] == "not estimable, because there are no other raters and no other scenarios"
    tuned = trends(ratings(raters=1, scenarios=1))["mean", "tuned"]
    assert tuned["note"].endswith("; no ρ, because all values are equal")
