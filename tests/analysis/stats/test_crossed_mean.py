"""The mean of raters' differences on items, against analysis of variance and our mixed model."""

import numpy as np
import pytest
from pandas import DataFrame

from analysis.stats.crossed_mean import CrossedMean, crossed_mean
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import crossed, fit_linear

RATERS, ITEMS = 12, 6


def table(rater_sd: float, item_sd: float, *, seed: int = 3) -> DataFrame:
    """Differences of 12 raters on 6 items of 2 strata, with a mean of 1 and −0.4."""
    draw = np.random.default_rng(seed)
    raters, items = np.divmod(np.arange(RATERS * ITEMS), ITEMS)
    d = np.array([1.0, -0.4])[items % 2] + draw.normal(0, 1, len(items))
    d += draw.normal(0, rater_sd, RATERS)[raters] + draw.normal(0, item_sd, ITEMS)[items]
    return DataFrame({"d": d, "rater": raters, "item": items, "stratum": items % 2})


def result(of: DataFrame) -> CrossedMean:
    found = crossed_mean(*(of[name].to_numpy() for name in ("d", "rater", "item", "stratum")))
    assert isinstance(found, CrossedMean)
    return found


def test_complete_table_has_the_variance_of_the_analysis_of_variance() -> None:
    of = table(0.8, 0.8)
    wide = of.pivot(index="rater", columns="item", values="d").to_numpy()
    rows, columns = wide.mean(axis=1), wide.mean(axis=0)
    stratum = np.array([columns[at % 2 :: 2].mean() for at in range(ITEMS)])
    ms_rater = ITEMS * rows.var(ddof=1)
    ms_item = RATERS * ((columns - stratum) ** 2).sum() / (ITEMS - 2)
    rest = wide - rows[:, None] - columns[None] + wide.mean()
    ms_error = (rest**2).sum() / ((RATERS - 1) * (ITEMS - 1))

    variance = (ms_rater + ms_item - ms_error) / wide.size
    parts = ms_rater**2 / 11 + ms_item**2 / 4 + ms_error**2 / 55
    found = result(of)
    assert found.mean == pytest.approx(wide.mean())
    assert found.se == pytest.approx(np.sqrt(variance))
    assert found.df == pytest.approx((variance * wide.size) ** 2 / parts)


def test_it_is_what_a_mixed_model_of_the_differences_says() -> None:
    of = table(0.8, 0.8)
    data = crossed(
        of.astype({"stratum": "category"}), rating="d", fixed=["stratum"], groups=("rater", "item")
    )
    fit = fit_linear(data)
    assert not isinstance(fit, Inestimable)
    both = np.array([1.0, 0.5])  # the intercept, and half of what the second stratum adds
    se = np.sqrt(both @ fit.covariance.to_numpy() @ both)
    assert result(of).se == pytest.approx(se, rel=1e-4)


def test_side_that_does_not_vary_adds_nothing() -> None:
    of = table(2.0, 0.0, seed=4)
    rows = of.groupby("rater")["d"].mean()
    of["d"] -= of.groupby("item")["d"].transform("mean") - of.groupby("stratum")["d"].transform(
        "mean"
    )
    found = result(of)
    assert found.df == RATERS - 1
    assert found.se == pytest.approx(rows.std(ddof=1) / np.sqrt(RATERS))


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_it_rejects_a_true_null_hypothesis_about_as_often_as_it_should(missing: float) -> None:
    rejected, draw = 0, np.random.default_rng(1)
    for seed in range(600):
        of = table(0.8, 0.8, seed=seed)
        of["d"] -= np.array([1.0, -0.4])[of["stratum"]]
        rejected += result(of[draw.random(len(of)) >= missing]).p < 0.05
    assert rejected / 600 < 0.075


@pytest.mark.parametrize(
    ("chosen", "why"),
    [("rater == 0", "two raters"), ("item < 2", "no two texts"), ("rater // 2 == item", "few")],
)
def test_what_cannot_be_told_apart_says_so(chosen: str, why: str) -> None:
    few = table(1, 1).query(chosen)
    found = crossed_mean(*(few[name].to_numpy() for name in ("d", "rater", "item", "stratum")))
    assert isinstance(found, Inestimable) and why in str(found)


def test_constant_differences_have_no_test() -> None:
    of = table(1, 1).assign(d=0.25)
    found = crossed_mean(of["d"].to_numpy(), of["rater"].to_numpy(), of["item"].to_numpy())
    assert isinstance(found, Inestimable) and found.kind == "constant"
