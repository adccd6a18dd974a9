"""Strengths by rankings, choices and pairs: R's numbers, resamples, and what has no maximum."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from statsmodels.discrete.conditional_models import ConditionalLogit

from analysis.stats.choice_sets import ChoiceSets, of_best_and_worst, of_pairs, of_rankings
from analysis.stats.inestimable import Inestimable
from analysis.stats.strengths import Strengths, kendall, strengths

ORACLE = Path(__file__).parents[2] / "oracle" / "strengths"
SYSTEMS, RATERS = 6, 12


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(ORACLE / f"{name}.csv", keep_default_na=False)


def expected(model: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ORACLE / "reference.json").read_text())[model]
    return found


def rankings() -> ChoiceSets:
    pages = read("rankings").sort_values("rank").groupby("page")
    return of_rankings(
        ((page["rater"].iloc[0], tuple(page["system"])) for _, page in pages),
        systems=SYSTEMS,
        raters=RATERS,
    )


def best_and_worst() -> ChoiceSets:
    pages = read("choices").groupby("page")
    rows = []
    for _, page in pages:
        named = page.set_index("choice")["system"]
        rows.append((page["rater"].iloc[0], list(page["system"]), named["best"], named["worst"]))
    return of_best_and_worst(rows, systems=SYSTEMS, raters=RATERS)


def pairs(*, ties: bool = True) -> ChoiceSets:
    table = read("pairs")
    table = table if ties else table[table["outcome"] != "tie"]
    sign = table["outcome"].map({"a": 1, "b": -1, "tie": 0})
    rater, a, b = (table[name].to_numpy() for name in ("rater", "a", "b"))
    return of_pairs(rater, a, b, np.asarray(sign, dtype=np.intp), systems=SYSTEMS, raters=RATERS)


def fitted(data: ChoiceSets, **settings: Any) -> Strengths:
    found = strengths(data, seed=1, **settings)
    assert isinstance(found, Strengths)
    return found


@pytest.mark.parametrize(
    ("data", "model"),
    [
        (rankings(), "plackett_luce"),
        (best_and_worst(), "best_worst"),
        (pairs(), "davidson"),
        (pairs(ties=False), "bradley_terry"),
    ],
    ids=["rankings", "best and worst", "pairs with ties", "pairs without ties"],
)
def test_strengths_are_rs(data: ChoiceSets, model: str) -> None:
    theirs, ours = expected(model), fitted(data, resamples=200)
    assert list(ours.values) == pytest.approx(theirs["values"], abs=1e-6)
    if "tie" in theirs:
        assert ours.tie == pytest.approx(theirs["tie"], abs=1e-6)
    if "log_likelihood" in theirs:
        assert ours.log_likelihood == pytest.approx(theirs["log_likelihood"], abs=1e-6)


@pytest.mark.slow
def test_conditional_logit_of_statsmodels_says_the_same() -> None:
    data = rankings()
    counts = np.asarray(data.chosen.sum(axis=0)).ravel().astype(int)
    rows = data.features.toarray()[:, 1:]
    y, x, group = [], [], []
    for at, n in enumerate(counts):
        own = np.flatnonzero(data.sets == data.sets[at])
        for _ in range(n):
            y += list((own == at).astype(int))
            x.append(rows[own])
            group += [len(x)] * len(own)
    theirs = ConditionalLogit(np.array(y), np.vstack(x), groups=np.array(group)).fit(disp=0).params
    values = np.append(0, theirs)
    assert list(fitted(data, resamples=200).values) == pytest.approx(
        list(values - values.mean()), abs=1e-3
    )


def test_resamples_are_fits_of_resampled_raters() -> None:
    data = pairs()
    found = fitted(data, resamples=200)
    for number in range(3):
        times = found.drawn[number].astype(int)
        rows = np.repeat(np.arange(RATERS), times)
        again = ChoiceSets(data.systems, data.features, data.sets, data.chosen[rows])
        assert list(found.resampled[number]) == pytest.approx(
            list(fitted(again, resamples=200).values), abs=1e-3
        )


def test_ranking_in_part_says_nothing_of_the_rest() -> None:
    whole = [(0, order) for order in permutations(range(3))] + [(1, (0, 1, 2))]
    part = of_rankings([*whole, (1, (0, 1))], systems=3, raters=2)
    pair = of_best_and_worst([(1, (0, 1), 0, None)], systems=3, raters=2)
    assert (
        fitted(part).log_likelihood < fitted(of_rankings(whole, systems=3, raters=2)).log_likelihood
    )
    assert part.chosen.sum() == 7 * 2 + 1 and pair.chosen.sum() == 1


def test_system_that_always_wins_has_no_finite_strength() -> None:
    data = of_rankings([(0, (0, 1, 2)), (1, (0, 2, 1))], systems=3, raters=2)
    found = strengths(data, seed=1)
    assert isinstance(found, Inestimable) and "always preferred" in str(found)


def test_systems_that_never_met_are_not_compared() -> None:
    data = of_rankings([(0, (0, 1)), (0, (1, 0)), (1, (2, 3)), (1, (3, 2))], systems=4, raters=2)
    found = strengths(data, seed=1)
    assert isinstance(found, Inestimable) and "never compared" in str(found)


def test_nothing_but_ties_has_no_order_and_no_comparisons_have_none() -> None:
    nothing = np.array([], dtype=int)
    one, other = np.array([0, 0, 1]), np.array([1, 2, 2])
    ties = of_pairs(one * 0, one, other, one * 0, systems=3, raters=1)
    assert "all comparisons are ties" in str(strengths(ties, seed=1))
    none = of_pairs(nothing, nothing, nothing, nothing, systems=3, raters=1)
    assert "no comparisons" in str(strengths(none, seed=1))


@pytest.mark.parametrize(
    ("second", "is_finite"), [(-1, True), (0, False)], ids=["lost once", "tied at best"]
)
def test_ties_alone_do_not_bound_a_difference(second: int, is_finite: bool) -> None:
    """One win and three ties: ever larger differences with ever more ties fit ever better."""
    none = np.zeros(5, dtype=int)
    sign = np.array([1, second, 0, 0, 0])
    data = of_pairs(none, none, none + 1, sign, systems=2, raters=1)
    assert isinstance(strengths(data, seed=1), Strengths) is is_finite


def test_one_rater_has_strengths_without_resamples() -> None:
    data = of_rankings([(0, order) for order in permutations(range(3))], systems=3, raters=1)
    found = fitted(data)
    assert list(found.values) == pytest.approx([0, 0, 0], abs=1e-9)
    assert list(found.shares) == pytest.approx([1 / 3] * 3)
    assert len(found.resampled) == 0


def test_resamples_without_finite_strengths_are_left_out() -> None:
    """Only rater 2 ever prefers system 1."""
    data = of_rankings([(0, (0, 1)), (1, (0, 1)), (2, (1, 0))], systems=2, raters=3)
    found = fitted(data, resamples=500)
    without = (found.drawn[:, 2] == 0) | (found.drawn[:, 2] == 2)
    assert 150 < len(found.resampled) < 300 and not without.any()


def test_kendalls_tau_is_scipys() -> None:
    draw = np.random.default_rng(3)
    one, other = draw.integers(0, 4, (2, 5, 9)).astype(float)
    for row, theirs in zip(kendall(one, other), zip(one, other, strict=True), strict=True):
        assert row == pytest.approx(kendalltau(*theirs).statistic)
    assert np.isnan(kendall(np.zeros(3), np.arange(3.0)))
