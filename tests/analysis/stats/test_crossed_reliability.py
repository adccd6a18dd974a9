"""Intraclass correlations of ratings with gaps: lme4's variances, coverage, what cannot be had."""

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame

from analysis.stats.crossed_reliability import CrossedReliability, crossed_reliability
from analysis.stats.inestimable import Inestimable
from analysis.stats.intraclass_correlation import IntraclassCorrelations, intraclass_correlations
from tests.oracle.mixed.stored import HERE as ORACLE

#: lmer(rating ~ 1 + (1|item) + (1|rater)), an item being a system's response to a scenario.
ITEM, RATER, ERROR = 73.5607337804, 53.2531179681, 70.3285950766


def found(ratings: DataFrame) -> CrossedReliability:
    made = crossed_reliability(ratings)
    assert isinstance(made, CrossedReliability)
    return made


def drawn(
    draw: np.random.Generator, raters: int, items: int, each: int, sds: tuple[float, float, float]
) -> DataFrame:
    """Each item is rated by so many of the raters; the SDs are of items, raters and errors."""
    of_items, of_raters = draw.normal(0, sds[0], items), draw.normal(0, sds[1], raters)
    rows = [
        (rater, item, of_items[item] + of_raters[rater] + draw.normal(0, sds[2]))
        for item in range(items)
        for rater in draw.choice(raters, each, replace=False)
    ]
    return DataFrame(rows, columns=["rater", "unit", "value"])


def test_variances_are_those_of_lme4_and_k_is_how_many_raters_an_item_has() -> None:
    data = pd.read_csv(ORACLE / "human_mt.csv")
    made = found(data.assign(unit=data["scenario"] + data["model"], value=data["rating"] * 1.0))
    assert (made.raters, made.items) == (8, 144)
    assert made.k == pytest.approx(4.259305, abs=1e-6)
    for kind, error in (("A", RATER + ERROR), ("C", ERROR)):
        for form, raters in ((f"ICC({kind},1)", 1), (f"ICC({kind},k)", made.k)):
            each = made.forms[form]  # type: ignore[index]
            assert each.estimate == pytest.approx(ITEM / (ITEM + error / raters), rel=1e-6)
            assert each.interval is not None
            assert each.interval[0] < each.estimate < each.interval[1]


def test_without_a_gap_the_estimates_are_those_of_mean_squares() -> None:
    whole = drawn(np.random.default_rng(3), 6, 30, 6, (0.6, 0.4, 0.8))
    by_squares = intraclass_correlations(whole.set_index(["unit", "rater"])["value"].unstack())
    assert isinstance(by_squares, IntraclassCorrelations)
    made = found(whole)
    assert made.k == pytest.approx(6)
    for form, each in made.forms.items():
        other = by_squares.forms[form]
        assert not isinstance(other, Inestimable)
        assert each.estimate == pytest.approx(other.estimate, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("raters", "items", "each"), [(31, 60, 4), (5, 50, 3)])
def test_intervals_cover(raters: int, items: int, each: int) -> None:
    draw = np.random.default_rng(11)
    true = {"ICC(A,1)": 0.36 / 1.16, "ICC(C,1)": 0.36}
    misses = dict.fromkeys(true, 0)
    for _ in range(200):
        made = found(drawn(draw, raters, items, each, (0.6, 0.4, 0.8)))
        for form, value in true.items():
            interval = made.forms[form].interval  # type: ignore[index]
            misses[form] += interval is None or not interval[0] <= value <= interval[1]
    assert max(misses.values()) <= 18  # 99.5 % of such counts where 5 % miss


@pytest.mark.slow
def test_raters_of_one_system_each_are_not_blamed_for_what_systems_differ() -> None:
    """The variance of items contains that of the systems' means, as it would with raters of all."""
    draw, of_systems = np.random.default_rng(6), np.array([-0.6, -0.2, 0.2, 0.6])
    estimates, misses = [], 0
    for _ in range(60):
        apart = [
            drawn(draw, 12, 16, 12, (0.3, 0.4, 0.8)).assign(system=system) for system in range(4)
        ]
        data = pd.concat(apart, ignore_index=True)
        data["value"] += of_systems[data["system"]]
        for name in ("rater", "unit"):
            data[name] = data["system"] * 100 + data[name]
        made = found(data).forms["ICC(A,1)"]
        true = 0.09 + of_systems.var()
        estimates.append(made.estimate)
        assert made.interval is not None
        misses += not made.interval[0] <= true / (true + 0.8) <= made.interval[1]
    assert np.mean(estimates) == pytest.approx(true / (true + 0.8), abs=0.015)
    assert misses <= 8


def test_items_that_do_not_differ_have_no_interval() -> None:
    data = drawn(np.random.default_rng(4), 6, 12, 4, (0, 0.5, 1))
    data["value"] -= data.groupby("unit")["value"].transform("mean")
    each = found(data).forms["ICC(A,1)"]
    assert each.estimate == 0 and each.interval is None


def test_one_rating_of_each_item_tells_nothing() -> None:
    data = drawn(np.random.default_rng(4), 6, 12, 1, (1, 1, 1))
    assert isinstance(crossed_reliability(data), Inestimable)
