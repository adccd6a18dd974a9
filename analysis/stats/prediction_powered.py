"""Means and differences of systems from a judge's scores of all responses and people's ratings of
some: prediction-powered inference.

    θ(λ) = people's mean of the rated responses
           − λ (the judge's mean of the rated responses − its mean of the unrated ones)

If the rated responses are a random part of all, the bracket is 0 on average, whatever the judge
does: its errors cost precision, not validity. λ = 1 is A. N. Angelopoulos, S. Bates, C. Fannjiang,
M. I. Jordan & T. Zrnic (2023), Prediction-powered inference, Science 382(6671), 669–674. The λ of
the least variance, between 0 (people alone) and 1, is the power tuning of A. N. Angelopoulos, J. C.
Duchi & T. Zrnic (2023), PPI++, arXiv:2311.01453, section 6 (example 6.1 is the mean). Both have
many independent responses. Here there are few scenarios, and raters who rate several responses:

- Systems are strata, each with its own mean. An estimate is a weighted sum of them with one λ (A.
  Fisch et al. (2024), Stratified prediction-powered inference, arXiv:2406.04291, has one a
  stratum).
- Scenarios are the sampling units, and responses to one may depend on each other in any way. The
  variance is cluster-robust: the sum of squares of the scenarios' parts of the estimate. Products
  of two means' deviations are divided by the share that is left of them because means are
  estimated: (n − 1) / n of one mean, and its like of two means over different scenarios.
- λ is chosen from few scenarios. So in the variance each scenario has the λ of the others, as
  predictions are in T. Zrnic & E. J. Candès (2024), Cross-prediction-powered inference, PNAS
  121(15), and λ costs a degree of freedom. The judge's variance is that of rated and of unrated
  responses, each in its own part. PPI++'s plug-in pools both, which makes λ vary more where
  scenarios are few and the judge is good.
- Raters are crossed with scenarios. A response's label is the mean of its ratings. What the same
  raters add to several scenarios comes on top: the variance over raters (jackknife) less that over
  raters within scenarios (A. C. Cameron, J. B. Gelbach & D. L. Miller (2011), Robust inference with
  multiway clustering, Journal of Business & Economic Statistics 29(2), equation 2.9), at least 0.

Intervals are Student's t with Satterthwaite's degrees of freedom of rated scenarios, of scenarios
that were judged alone, and of raters. They hold for other scenarios and other raters, if which
responses are rated does not depend on how good they are. `benchmarks/prediction_powered.py` counts
how often. Where everything is rated, they are those of a t-test of scenarios' means (one rater).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import ROUNDING, Vector

Numbers = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float64]
#: Of scenarios in which a system is rated, or has responses that the judge alone scored.
FEWEST = 3


@dataclass(frozen=True)
class SystemMeans:
    """The mean of some values of each system: `means`, NaN of those without values.

    `deviations` are scenarios' parts of it (scenarios × systems): the sum of their values less the
    mean, by the number of all. `shares` are their shares of that number.
    """

    means: Vector
    deviations: Matrix
    shares: Matrix

    @property
    def scenarios(self) -> Numbers:
        """In how many scenarios each system has values."""
        return np.asarray((self.shares > 0).sum(axis=0))


@dataclass(frozen=True)
class RatedAndJudged:
    """Responses, each of a system and to a scenario (numbers from 0), with the score of a `judge`
    (NaN where it gave none) and people's `ratings` (responses × raters, NaN where there is none).
    """

    scenario: Numbers
    system: Numbers
    judge: Vector
    ratings: Matrix

    @cached_property
    def counts(self) -> Numbers:
        """How many raters each response has."""
        return np.asarray((~np.isnan(self.ratings)).sum(axis=1))

    @cached_property
    def labels(self) -> Vector:
        """The mean of each response's ratings."""
        sums = np.nansum(self.ratings, axis=1)
        nobody = np.full(len(sums), np.nan)
        return np.asarray(np.divide(sums, self.counts, out=nobody, where=self.counts > 0))

    @cached_property
    def people(self) -> SystemMeans:
        """People's means of what they rated."""
        return self._means(self.labels)

    @cached_property
    def judge_of_rated(self) -> SystemMeans:
        """The judge's means of what people rated."""
        return self._means(np.where(self.counts > 0, self.judge, np.nan))

    @cached_property
    def judge_of_unrated(self) -> SystemMeans:
        """The judge's means of what nobody rated."""
        return self._means(np.where(self.counts > 0, np.nan, self.judge))

    @cached_property
    def without_loss(self) -> Matrix:
        """By what the products of two deviations are multiplied, of the systems' means by people,
        of rated and of unrated responses by the judge, one behind the other.

        With shares p and r of the scenarios in two means, and D = Σpr, the expected sum of products
        is their covariance times D − Σp²r − Σpr² + D², as each mean has its scenarios in it.
        """
        parts = (self.people, self.judge_of_rated, self.judge_of_unrated)
        shares = np.hstack([part.shares for part in parts])
        both, cubes = shares.T @ shares, (shares**2).T @ shares
        left = both - cubes - cubes.T + both**2
        return np.divide(both, left, out=np.zeros_like(both), where=left > ROUNDING)

    def _means(self, values: Vector) -> SystemMeans:
        known = ~np.isnan(values)
        shape = (int(self.scenario.max()) + 1, int(self.system.max()) + 1)
        n = np.bincount(self.system[known], minlength=shape[1])
        sums = np.bincount(self.system[known], values[known], shape[1])
        means = np.divide(sums, n, out=np.full(shape[1], np.nan), where=n > 0)
        places = (self.scenario[known], self.system[known])
        deviations, shares = np.zeros(shape), np.zeros(shape)
        np.add.at(deviations, places, (values[known] - means[places[1]]) / n[places[1]])
        np.add.at(shares, places, 1 / n[places[1]])
        return SystemMeans(means, deviations, shares)


@dataclass(frozen=True)
class EstimatedMean:
    """An estimate with its standard error and Student's interval of `df` degrees of freedom, which
    is None where nothing varies.
    """

    value: float
    se: float
    df: float
    interval: tuple[float, float] | None

    @property
    def width(self) -> float:
        """How wide the interval is; 0 where there is none."""
        return self.interval[1] - self.interval[0] if self.interval else 0.0


@dataclass(frozen=True)
class PredictionPowered:
    """What `people` alone say, and what they say with the judge's scores (`powered`).

    `power` is λ. `unused` says why the judge cannot help, where it cannot: then both are the same.
    """

    people: EstimatedMean
    powered: EstimatedMean
    power: float
    unused: str

    @property
    def gain(self) -> float | None:
        """How many times as many ratings people alone would need for an interval as short: the
        ratio of the squared widths; None where the second is 0.
        """
        if not self.powered.width:
            return None
        return (self.people.width / self.powered.width) ** 2


def prediction_powered(
    data: RatedAndJudged, weights: Vector, *, confidence: float = 0.95, power: float | None = None
) -> PredictionPowered | Inestimable:
    """The sum of the systems' means, each times its weight (0 for a system that does not count).

    The judge is used of systems with rated and with unrated responses to three scenarios or more
    that it scored. `power` is a λ to take in place of the best one. Raises ValueError for infinite
    values.
    """
    refuse_boundless(data.judge, "the judge's scores")
    refuse_boundless(data.ratings, "the ratings")
    if (data.people.scenarios[weights != 0] < FEWEST).any():
        return Inestimable("too_few", "a system has ratings in fewer than three scenarios")
    target = _Target(data, weights)
    unused = _why_unused(target)
    alone = _estimate(target, 0.0, confidence)
    if unused:
        return PredictionPowered(alone, alone, 0.0, unused)
    best = target.power if power is None else power
    powered = _estimate(target, best, confidence, tuned=power is None)
    return PredictionPowered(alone, powered, best, "")


@dataclass(frozen=True)
class _Target:
    """What is estimated: the systems' means times their weights."""

    data: RatedAndJudged
    weights: Vector

    @cached_property
    def of_judge(self) -> Vector:
        """The weights of systems of which the judge's scores are used."""
        few = [
            part.scenarios < FEWEST
            for part in (self.data.judge_of_rated, self.data.judge_of_unrated)
        ]
        return np.where(few[0] | few[1], 0.0, self.weights)

    def value(self, power: float) -> float:
        """The estimate with this λ."""
        data, used = self.data, self.of_judge != 0
        gap = (data.judge_of_rated.means - data.judge_of_unrated.means)[used]
        wanted = self.weights != 0
        of_people = self.weights[wanted] @ data.people.means[wanted]
        return float(of_people - power * (self.of_judge[used] @ gap))

    @cached_property
    def deviations(self) -> tuple[Matrix, Matrix]:
        """Scenarios' parts (rows) of people's mean, and of the judge's bracket."""
        data, none = self.data, np.zeros_like(self.data.people.deviations)
        rated = data.judge_of_rated.deviations * self.of_judge
        unrated = data.judge_of_unrated.deviations * self.of_judge
        people = np.hstack([data.people.deviations * self.weights, none, none])
        return people, np.hstack([none, rated, -unrated])

    @cached_property
    def products(self) -> tuple[Vector, Vector, Vector]:
        """Each scenario's part of the variance of people's mean, of its covariance with the judge's
        bracket, and of the variance of that.
        """
        people, judge = self.deviations
        of_people, of_judge = people @ self.data.without_loss, judge @ self.data.without_loss
        return (
            (of_people * people).sum(axis=1),
            (of_people * judge).sum(axis=1),
            (of_judge * judge).sum(axis=1),
        )

    @cached_property
    def power(self) -> float:
        """λ of the least variance."""
        _, both, judge = self.products
        return float(np.clip(both.sum() / judge.sum(), 0, 1))

    @cached_property
    def powers_of_others(self) -> Vector:
        """λ by all scenarios but one, for each of them."""
        _, both, judge = self.products
        above, below = both.sum() - both, judge.sum() - judge
        powers = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
        return np.asarray(np.clip(powers, 0, 1))

    @property
    def rated_scenarios(self) -> float:
        """How many scenarios the ratings come from: Kish's effective number, which is the number of
        rated ones where each has the same share of the estimate.
        """
        shares = self.data.people.shares @ np.abs(self.weights)
        return float(shares.sum() ** 2 / (shares @ shares))

    @property
    def lost(self) -> float:
        """What share of the rated scenarios the systems' means cost as degrees of freedom."""
        sizes = np.abs(self.weights)
        return float((self.data.people.shares**2).sum(axis=0) @ sizes / sizes.sum())

    @cached_property
    def rated(self) -> "npt.NDArray[np.bool_]":
        """Which scenarios have ratings."""
        shares = self.data.people.shares[:, self.weights != 0]
        return np.asarray((shares > 0).any(axis=1))

    @cached_property
    def only_judged(self) -> "npt.NDArray[np.bool_]":
        """Which scenarios have the judge's scores alone."""
        shares = self.data.judge_of_unrated.shares[:, self.of_judge != 0]
        return np.asarray((shares > 0).any(axis=1)) & ~self.rated


def _why_unused(target: _Target) -> str:
    """Why the judge's scores add nothing; empty where they do."""
    counted = target.weights != 0
    if not target.data.judge_of_unrated.scenarios[counted].any():
        return "the judge scored no unrated response"
    if not target.data.judge_of_rated.scenarios[counted].any():
        return "the judge scored no rated response"
    if not target.of_judge.any():
        return (
            "no system has both rated and unrated responses with scores in three scenarios or more"
        )
    judge = np.abs(target.data.judge[~np.isnan(target.data.judge)]).max()
    if target.products[2].sum() <= (ROUNDING * judge) ** 2:
        return "the judge's scores do not vary"
    return ""


def _estimate(
    target: _Target, power: float, confidence: float, *, tuned: bool = False
) -> EstimatedMean:
    """The estimate with this λ; where that is `tuned`, with what this costs."""
    value = target.value(power)
    variance, df = _of_scenarios(target, power, tuned=tuned)
    raters, of_raters, n_raters = _of_raters(target, power)
    if raters > 0:
        fewest = min(df, n_raters - 1)  # chance may make it fewer
        inverse = variance**2 / df + of_raters**2 / (n_raters - 1)
        variance += raters
        df = max(variance**2 / inverse, fewest)
    largest = np.nanmax(np.abs(target.data.labels))
    if variance <= (ROUNDING * largest) ** 2:
        return EstimatedMean(value, 0.0, df, None)
    se = float(np.sqrt(variance))
    reach = float(stdtrit(df, (1 + confidence) / 2)) * se
    return EstimatedMean(value, se, df, (value - reach, value + reach))


def _of_scenarios(target: _Target, power: float, *, tuned: bool) -> tuple[float, float]:
    """The variance over scenarios, and Satterthwaite's degrees of freedom (Welch's, where some
    scenarios are rated and others are not).
    """
    powers = target.powers_of_others if tuned else np.full(len(target.rated), power)
    people, both, judge = target.products
    parts = people - 2 * powers * both + powers**2 * judge
    of_people, of_judge = (deviations.sum(axis=1) for deviations in target.deviations)
    at_least = (of_people - powers * of_judge) ** 2 / 2
    if parts.sum() < at_least.sum():  # which few scenarios in common may cause, down to below 0
        parts = at_least
    apart = target.only_judged & (target.only_judged.sum() >= FEWEST)
    of_rated = target.rated_scenarios * (1 - target.lost)
    of_rated = max(of_rated - (tuned and 0 < power < 1), 1.0)
    sides = [
        (max(float(of_side.sum()), 0.0), df)
        for of_side, df in ((parts[~apart], of_rated), (parts[apart], apart.sum() - 1.0))
    ]
    variance = sum(part for part, _ in sides)
    inverse = sum(part**2 / df for part, df in sides if part)
    return variance, variance**2 / inverse if inverse else of_rated


def _of_raters(target: _Target, power: float) -> tuple[float, float, int]:
    """What raters add to the variance over scenarios, the variance over raters, and their number.

    A rater's part is what the estimate changes without them: of a response with others' ratings,
    their distance from the others; of one that they alone rated, its distance from the mean of
    what the estimate is made of.
    """
    data = target.data
    counted = (data.counts > 0) & (target.weights[data.system] != 0)
    ratings, counts, system = data.ratings[counted], data.counts[counted], data.system[counted]
    ratings = ratings[:, ~np.isnan(ratings).all(axis=0)]
    n_raters = ratings.shape[1]
    apart = (ratings - data.labels[counted, None]) / np.maximum(counts - 1, 1)[:, None]
    alone = _residuals(target, power)[counted]
    apart = np.where((counts == 1)[:, None], alone[:, None], apart)
    apart = np.where(np.isnan(ratings), 0.0, apart)
    share = target.weights[system] / np.bincount(system)[system]
    cells = np.zeros((len(target.rated), n_raters))
    np.add.at(cells, data.scenario[counted], share[:, None] * apart)
    jackknife = (n_raters - 1) / n_raters
    over_raters = jackknife * float((cells.sum(axis=0) ** 2).sum())
    within_scenarios = jackknife * float((cells**2).sum())
    # Their products are over pairs of different scenarios, of which there are n (n − 1) of n².
    n = target.rated_scenarios
    added = n / (n - 1) * (over_raters - within_scenarios)
    return max(added, 0.0), over_raters, n_raters


def _residuals(target: _Target, power: float) -> Vector:
    """Each rated response's label less λ times its score, less the mean of its system."""
    data, used = target.data, target.of_judge[target.data.system] != 0
    of_judge = np.nan_to_num(data.judge - data.judge_of_rated.means[data.system])
    return data.labels - data.people.means[data.system] - np.where(used, power * of_judge, 0.0)
