"""Means by people and a judge together, against ppi-python, t-tests and analysis of variance."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from analysis.stats.crossed_mean import CrossedMean, crossed_mean
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import Vector
from analysis.stats.prediction_powered import (
    EstimatedMean,
    PredictionPowered,
    RatedAndJudged,
    prediction_powered,
)
from benchmarks.prediction_powered import rows_of, summary
from benchmarks.simulated.rated_and_judged import DESIGNS

ORACLE = Path(__file__).parents[2] / "oracle" / "prediction_powered" / "reference.json"
CASES: dict[str, Any] = json.loads(ORACLE.read_text())
ONE = np.array([1.0])
#: Mean of the first two systems, and what the first has more than the second.
MEAN, DIFFERENCE = np.array([0.5, 0.5, 0.0]), np.array([1.0, -1.0, 0.0])
Z = 1.959963984540054
Layout = Callable[[RatedAndJudged], RatedAndJudged]


def independent(labels: Vector, scores: Vector, unrated: Vector) -> RatedAndJudged:
    """Responses of one system, each to a scenario of its own, rated by one and the same rater."""
    n = len(labels) + len(unrated)
    ratings = np.append(labels, np.full(len(unrated), np.nan))
    return RatedAndJudged(
        scenario=np.arange(n),
        system=np.zeros(n, dtype=np.int64),
        judge=np.append(scores, unrated),
        ratings=ratings[:, None],
    )


def crossed(
    scenarios: int = 8, raters: int = 6, seed: int = 5, noise: float = 0.4
) -> RatedAndJudged:
    """Three systems answer every scenario, every rater rates everything, and a judge scores it."""
    draw = np.random.default_rng(seed)
    scenario, system = np.divmod(np.arange(3 * scenarios), 3)
    quality = draw.normal(0, 1, scenarios)[scenario] + draw.normal(0, 0.5, len(scenario)) + system
    rater = draw.normal(0, 0.7, raters) + 0.5 * draw.normal(0, 1, (3, raters))[system]
    ratings = quality[:, None] + rater + draw.normal(0, 0.5, (len(scenario), raters))
    judge = quality + draw.normal(0, noise, len(scenario))
    return RatedAndJudged(scenario, system, judge, ratings)


def without(data: RatedAndJudged, unrated: "np.ndarray") -> RatedAndJudged:
    """The same where nobody rated some of the responses."""
    return replace(data, ratings=np.where(unrated[:, None], np.nan, data.ratings))


def half_of_scenarios(data: RatedAndJudged) -> RatedAndJudged:
    return without(data, data.scenario % 2 == 1)


def some_of_each(data: RatedAndJudged) -> RatedAndJudged:
    """Of each scenario one response is unrated, another one each time."""
    return without(data, (data.scenario + data.system) % 3 == 0)


def result(
    data: RatedAndJudged, weights: Vector = ONE, power: float | None = None
) -> PredictionPowered:
    found = prediction_powered(data, weights, power=power)
    assert isinstance(found, PredictionPowered), found
    return found


def of_case(name: str) -> tuple[RatedAndJudged, list[Vector]]:
    inputs = [np.array(CASES[name][part]) for part in ("labels", "scores", "unrated")]
    return independent(*inputs), inputs


@pytest.mark.parametrize("name", CASES)
def test_estimates_are_those_of_ppi_python_at_any_power(name: str) -> None:
    data, _ = of_case(name)
    for theirs in (CASES[name]["tuned"], *CASES[name]["fixed"]):
        ours = result(data, power=theirs["power"])
        assert ours.powered.value == pytest.approx(theirs["value"], rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_standard_errors_are_those_of_ppi_python_but_for_degrees_of_freedom(name: str) -> None:
    data, (labels, _, unrated) = of_case(name)
    n = len(labels)
    # Theirs divide by n; the two parts can be told apart where both have as many responses.
    rel = 1e-12 if n == len(unrated) else 0.5 / n
    for theirs in (CASES[name]["tuned"], *CASES[name]["fixed"]):
        se = (theirs["high"] - theirs["low"]) / 2 / Z * np.sqrt(n / (n - 1))
        ours = result(data, power=theirs["power"])
        assert ours.powered.se == pytest.approx(se, rel=rel)
        assert ours.people.se == pytest.approx(labels.std(ddof=1) / np.sqrt(n), rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_power_is_that_of_ppi_python_with_the_variance_of_each_part(name: str) -> None:
    data, (labels, scores, unrated) = of_case(name)
    n, N = len(labels), len(unrated)
    pooled = (1 / n + 1 / N) * np.append(scores, unrated).var(ddof=1)
    of_parts = scores.var(ddof=1) / n + unrated.var(ddof=1) / N
    covariance = np.cov(labels, scores)[0, 1] / n
    theirs, ours = CASES[name]["tuned"]["power"], result(data).power
    assert ours == pytest.approx(np.clip(covariance / of_parts, 0, 1), rel=1e-12)
    if 0 < theirs < 0.999:
        assert ours * of_parts == pytest.approx(theirs * pooled * n / (n - 1), rel=1e-9)


def test_with_few_scenarios_this_power_varies_less_than_with_a_pooled_variance() -> None:
    draw = np.random.default_rng(4)
    ours, pooled = [], []
    for _ in range(200):
        truth = draw.normal(0, 1, 30)
        scores = truth + draw.normal(0, 0.3, 30)
        ours.append(result(independent(truth[:8], scores[:8], scores[8:])).power)
        covariance = np.cov(truth[:8], scores[:8])[0, 1]
        pooled.append(np.clip(covariance / (1 + 8 / 22) / scores.var(ddof=1), 0, 1))
    best = 1 / 1.09 / (1 + 8 / 22)
    assert np.std(ours) < 0.7 * np.std(pooled)
    assert np.mean(ours) == pytest.approx(best, abs=0.05)


def test_the_interval_is_by_hand_that_of_residuals_with_the_power_of_the_other_scenarios() -> None:
    data, (labels, scores, unrated) = of_case("biased")
    data, labels, scores = independent(labels[:7], scores[:7], unrated), labels[:7], scores[:7]
    n, N = 7, len(unrated)
    y, f, u = (values - values.mean() for values in (labels, scores, unrated))
    both, of_rated, of_unrated = y * f / (n * (n - 1)), f**2 / (n * (n - 1)), u**2 / (N * (N - 1))
    above, below = both.sum(), of_rated.sum() + of_unrated.sum()
    rated = (y - (above - both) / (below - of_rated) * f) ** 2 / (n * (n - 1))
    alone = (above / (below - of_unrated)) ** 2 * of_unrated
    found = result(data)
    assert 0 < found.power == pytest.approx(above / below)
    assert found.powered.se**2 == pytest.approx(rated.sum() + alone.sum())
    welch = rated.sum() ** 2 / (n - 2) + alone.sum() ** 2 / (N - 1)
    assert found.powered.df == pytest.approx(found.powered.se**4 / welch)


@pytest.mark.slow
@pytest.mark.parametrize("weights", [MEAN[:2], DIFFERENCE[:2]])
def test_systems_that_were_rated_in_other_scenarios_have_an_unbiased_variance(
    weights: Vector,
) -> None:
    """Of eight scenarios each system is rated in four, both in three."""
    draw = np.random.default_rng(9)
    scenario, system = np.divmod(np.arange(16), 2)
    rated = np.isin(np.arange(16), [0, 2, 4, 6, 1, 3, 5, 9])
    estimates, variances = [], []
    for _ in range(3000):
        quality = draw.normal(0, 1, 8)[scenario] + draw.normal(0, 0.7, 16)
        ratings = np.where(rated, quality, np.nan)[:, None]
        judge = quality + draw.normal(0, 0.3, 16)
        found = result(RatedAndJudged(scenario, system, judge, ratings), weights, 0.6)
        estimates.append(found.powered.value)
        variances.append(found.powered.se**2)
    assert np.mean(variances) == pytest.approx(np.var(estimates), rel=0.06)


def test_everything_rated_is_a_t_test_of_the_scenarios_means_before_one_rater() -> None:
    data = crossed(raters=1)
    means = data.ratings[:, 0].reshape(-1, 3) @ DIFFERENCE
    test = ttest_1samp(means, 0)
    found = result(data, DIFFERENCE)
    assert found.people.value == pytest.approx(means.mean())
    assert found.people.df == pytest.approx(len(means) - 1)
    assert found.people.interval == pytest.approx(tuple(test.confidence_interval(0.95)))


@pytest.mark.parametrize("weights", [MEAN, DIFFERENCE])
def test_everything_rated_by_everybody_has_the_variance_of_the_analysis_of_variance(
    weights: Vector,
) -> None:
    data = crossed()
    d = np.einsum("skr,k->sr", data.ratings.reshape(8, 3, 6), weights)
    items, raters = np.divmod(np.arange(d.size), 6)
    expected = crossed_mean(d.ravel(), raters, items)
    assert isinstance(expected, CrossedMean)
    found = result(data, weights).people
    assert (found.value, found.se) == pytest.approx((expected.mean, expected.se))


def test_everything_rated_leaves_the_judge_nothing_to_add() -> None:
    found = result(crossed(), DIFFERENCE)
    assert found.powered is found.people
    assert (found.power, found.gain) == (0, 1)
    assert found.unused == "the judge scored no unrated response"


@pytest.mark.parametrize("layout", [half_of_scenarios, some_of_each])
def test_people_alone_are_the_same_whatever_the_judge_says(layout: Layout) -> None:
    data = layout(crossed(12))
    other = replace(data, judge=np.random.default_rng(1).normal(0, 9, len(data.judge)))
    assert result(data, MEAN).people == result(other, MEAN).people


@pytest.mark.parametrize("layout", [half_of_scenarios, some_of_each])
@pytest.mark.parametrize("weights", [MEAN, DIFFERENCE])
def test_a_good_judge_makes_the_interval_shorter_and_a_useless_one_is_hardly_used(
    layout: Layout, weights: Vector
) -> None:
    data = layout(crossed(60, raters=30, noise=0.1))
    good = result(data, weights)
    assert 0 < good.power < 1
    assert good.gain is not None and good.gain > 1.05
    noise = np.random.default_rng(2).normal(0, 1, len(data.judge))
    useless = result(replace(data, judge=noise), weights)
    assert useless.power < 0.25
    assert useless.gain == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize("layout", [half_of_scenarios, some_of_each])
def test_the_order_of_responses_raters_and_scenarios_is_nothing(layout: Layout) -> None:
    data = layout(crossed(12))
    draw = np.random.default_rng(3)
    order, raters, names = (draw.permutation(n) for n in (36, 6, 12))
    other = RatedAndJudged(
        names[data.scenario[order]],
        data.system[order],
        data.judge[order],
        data.ratings[order][:, raters],
    )
    assert_alike(result(data, MEAN), result(other, MEAN))


@pytest.mark.parametrize("layout", [half_of_scenarios, some_of_each])
def test_a_judge_may_be_too_kind_or_too_timid_by_the_same_everywhere(layout: Layout) -> None:
    data = layout(crossed(12))
    found = result(data, MEAN)
    assert_alike(found, result(replace(data, judge=data.judge + 3), MEAN))
    wide = result(replace(data, judge=1.25 * data.judge), MEAN)
    assert wide.power == pytest.approx(found.power / 1.25)
    assert_alike(replace(found, power=wide.power), wide)


def test_higher_ratings_move_the_estimate_and_nothing_else() -> None:
    data = some_of_each(crossed(12))
    low, high = result(data, MEAN), result(replace(data, ratings=data.ratings + 2), MEAN)
    assert high.powered.value == pytest.approx(low.powered.value + 2)
    assert high.powered.se == pytest.approx(low.powered.se)
    assert high.power == pytest.approx(low.power)


def test_a_difference_is_the_difference_of_the_systems_at_the_same_power() -> None:
    data = some_of_each(crossed(12))
    one, two, both = (
        result(data, weights, power=0.5).powered.value
        for weights in (np.eye(3)[0], np.eye(3)[1], DIFFERENCE)
    )
    assert both == pytest.approx(one - two)


def test_scenarios_and_not_responses_are_counted() -> None:
    """Ten responses of a system to each scenario are worth little more than one, if alike."""
    draw = np.random.default_rng(6)
    quality = draw.normal(0, 1, 20)
    scenario = np.repeat(np.arange(20), 10)
    rating = quality[scenario] + draw.normal(0, 0.01, 200)
    ratings = np.where(scenario < 10, rating, np.nan)[:, None]
    data = RatedAndJudged(scenario, np.zeros(200, dtype=np.int64), rating, ratings)
    found = result(data)
    assert found.people.se == pytest.approx(quality[:10].std(ddof=1) / np.sqrt(10), rel=0.01)
    assert found.people.df == pytest.approx(9)


def test_the_judge_who_is_always_right_puts_the_estimate_at_the_scores_of_the_unrated() -> None:
    _, (labels, _, unrated) = of_case("good")
    right = independent(labels, labels, unrated)
    assert result(right, power=1).powered.value == pytest.approx(unrated.mean())
    tuned = result(right)
    assert tuned.power == pytest.approx(labels.var() / (labels.var() + unrated.var()))
    assert tuned.gain is not None and tuned.gain > 1.5


def test_a_judge_who_is_right_where_people_agree_leaves_only_the_unrated_to_vary() -> None:
    _, (labels, _, unrated) = of_case("good")
    found = result(independent(labels, labels, unrated), power=1)
    assert found.powered.se == pytest.approx(unrated.std(ddof=1) / np.sqrt(len(unrated)))
    assert found.powered.df == len(unrated) - 1


def test_raters_of_several_scenarios_widen_the_interval_and_one_rater_cannot() -> None:
    data = half_of_scenarios(crossed(12))
    alone = replace(data, ratings=data.labels[:, None])
    many, one = result(data, MEAN).people, result(alone, MEAN).people
    assert many.value == pytest.approx(one.value)
    assert many.se > 1.2 * one.se


def test_raters_who_differ_in_nothing_add_nothing() -> None:
    data = half_of_scenarios(crossed(12))
    same = np.broadcast_to(data.labels[:, None], data.ratings.shape)
    alone = replace(data, ratings=same[:, :1])
    assert_alike(result(replace(data, ratings=same), MEAN), result(alone, MEAN))


def test_a_rated_response_without_a_score_counts_for_people() -> None:
    data = half_of_scenarios(crossed(12))
    judge = np.where(np.arange(36) == 0, np.nan, data.judge)
    found = result(replace(data, judge=judge), MEAN)
    assert found.people == result(data, MEAN).people
    assert found.power > 0


@pytest.mark.parametrize(
    ("judge", "why"),
    [
        (np.full(36, 3.0), "the judge's scores do not vary"),
        (np.full(36, 0.1 + 0.2), "the judge's scores do not vary"),
        (np.full(36, np.nan), "the judge scored no unrated response"),
        (np.where(np.arange(36) // 3 % 2, 2.0, np.nan), "the judge scored no rated response"),
        (
            np.where(np.arange(36) < 9, np.arange(36.0), np.nan),
            "no system has both rated and unrated responses with scores in three scenarios or more",
        ),
    ],
    ids=["constant", "constant but for rounding", "no scores", "none of the rated", "few"],
)
def test_a_judge_that_cannot_help_says_why(judge: Vector, why: str) -> None:
    data = half_of_scenarios(crossed(12))
    found = result(replace(data, judge=judge), MEAN)
    assert found.unused == why
    assert found.powered == found.people == result(data, MEAN).people


def test_a_judge_who_contradicts_people_is_not_used() -> None:
    data = half_of_scenarios(crossed(12, noise=0.1))
    found = result(replace(data, judge=-data.judge), MEAN)
    assert (found.power, found.unused) == (0, "")
    assert found.powered.value == found.people.value


@pytest.mark.parametrize("rated", [0, 1, 2])
def test_fewer_than_three_rated_scenarios_are_too_few(rated: int) -> None:
    data = crossed(6)
    found = prediction_powered(without(data, data.scenario >= rated), MEAN)
    assert isinstance(found, Inestimable) and found.kind == "too_few"
    assert isinstance(
        prediction_powered(without(data, data.scenario >= 3), MEAN), PredictionPowered
    )


def test_systems_that_do_not_count_need_no_ratings() -> None:
    data = without(crossed(6), np.arange(18) % 3 == 2)
    assert isinstance(prediction_powered(data, MEAN), PredictionPowered)
    assert isinstance(prediction_powered(data, np.ones(3)), Inestimable)


def test_ratings_that_are_all_the_same_have_no_interval() -> None:
    data = crossed(6)
    flat = result(replace(data, ratings=np.full_like(data.ratings, 3.3)), MEAN)
    assert flat.people.value == pytest.approx(3.3)
    assert flat.people.interval is None and flat.gain is None


def test_infinite_values_are_refused() -> None:
    data = crossed(6)
    with pytest.raises(ValueError, match="judge's scores"):
        prediction_powered(replace(data, judge=data.judge * np.inf), MEAN)
    with pytest.raises(ValueError, match="ratings"):
        prediction_powered(replace(data, ratings=data.ratings * np.inf), MEAN)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["6 of 12 scenarios", "2 of 6 responses to each of 60"])
def test_intervals_hold_the_truth_about_as_often_as_they_should(name: str, long_run: bool) -> None:
    table = summary(rows_of(DESIGNS[name], 400 if long_run else 60, 11))
    least, most = (92, 98) if long_run else (86, 100)
    assert table["covered"].between(least, most).all()
    assert table["people_covered"].between(least, most).all()
    good = table[table["judge"] == "good"].set_index("estimand")
    assert good.loc[["system", "difference"], "width"].max() < 0.97


def assert_alike(one: PredictionPowered, other: PredictionPowered) -> None:
    assert one.power == pytest.approx(other.power)
    assert one.unused == other.unused
    for a, b in ((one.people, other.people), (one.powered, other.powered)):
        assert _numbers(a) == pytest.approx(_numbers(b))


def _numbers(of: EstimatedMean) -> tuple[float, ...]:
    assert of.interval is not None
    return of.value, of.se, of.df, *of.interval
