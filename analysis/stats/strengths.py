"""How strong systems are by what raters prefer, and their order; raters resampled.

statsmodels has the conditional logit of whole data, too, set by set; resamples need it two thousand
times (docs/decisions/libraries.md).
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from analysis.stats.bootstrap import (
    FEWEST_RESAMPLES,
    RESAMPLES,
    Matrix,
    affordable,
    one_fewer,
)
from analysis.stats.choice_sets import ChoiceSets, Flags, products
from analysis.stats.inestimable import Inestimable
from analysis.stats.threads import on_one_thread

#: Where Newton's steps are small enough, and after how many there is no maximum.
TOLERANCE, MOST_STEPS = 1e-9, 60
#: Of resamples, where strengths are precise enough for an interval.
ROUGH = 1e-4
#: Logarithms of strengths beyond which no step leads; those of ties may lie at infinity.
FARTHEST = 15.0
#: Resamples at a time.
AT_A_TIME = 200


@dataclass(frozen=True)
class Strengths:
    """The logarithms of systems' strengths, which sum to 0, and of how frequent ties are (None in
    models without them).

    `resampled` are those of each of the resamples (× systems) of raters that have finite ones, and
    `drawn` how often each rater is in these (× raters). Of `resamples`, others have none.
    """

    values: Matrix
    tie: float | None
    log_likelihood: float
    resampled: Matrix
    drawn: Matrix
    resamples: int

    @property
    def shares(self) -> Matrix:
        """Of each system the probability to be the best of all, in a choice among all."""
        return shares_of(self.values)


def shares_of(values: Matrix) -> Matrix:
    """Strengths that sum to 1, from their logarithms along the last axis."""
    strengths = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(strengths / strengths.sum(axis=-1, keepdims=True))


@on_one_thread
def strengths(
    data: ChoiceSets, *, seed: int, resamples: int = RESAMPLES
) -> Strengths | Inestimable:
    """Maximum likelihood, and again for each resample of raters (`one_fewer`).

    Inestimable unless systems are preferred to one another in a circle that goes through all of
    them: otherwise ever larger differences fit ever better (L. R. Ford (1957), Solution of a
    ranking problem from binary comparisons), or nothing compares them. Where a circle has ties,
    there must be one without: otherwise ever larger differences with ever more ties fit.
    """
    counts = np.asarray(data.chosen.sum(axis=0), dtype=float).ravel()
    if not counts.sum() or data.systems < 2:
        return Inestimable("no_values", "there are no comparisons")
    ways = _Ways.of(data)
    if (why := _why_infinite(data, ways)) is not None:
        return why
    model = _Model(data)
    found, ok = model.climb(counts[:, None], np.zeros((data.features.shape[1], 1)), TOLERANCE)
    if not ok[0]:
        return Inestimable("unconverged", "no maximum of the likelihood was found")
    best = found[:, 0]
    raters = data.chosen.shape[0]
    drawn = np.empty((0, raters))
    again = np.empty((0, data.systems))
    times = 0
    if raters > 1:
        times = affordable(data.features.shape[0] // 50, resamples)
        drawn = one_fewer(raters, np.random.default_rng(seed), times)
        values, ok = model.resample(drawn, best, ways)
        drawn, again = drawn[ok], values[ok]
    tie = float(best[data.systems]) if data.has_ties else None
    return Strengths(
        best[: data.systems], tie, model.log_likelihood(counts, best), again, drawn, times
    )


def enough(found: Strengths) -> bool:
    """Whether there are resamples for an interval."""
    return len(found.resampled) >= FEWEST_RESAMPLES / 2


@dataclass(frozen=True)
class _Ways:
    """Which systems each rater preferred to which, or had them tie (raters × systems × systems),
    and the same without ties, None where there are none.
    """

    all: Flags
    strict: Flags | None

    @classmethod
    def of(cls, data: ChoiceSets) -> "_Ways":
        return cls(data.preferred(), data.preferred(ties=False) if data.has_ties else None)

    def are_finite(self, times: Matrix) -> Flags:
        """Whether strengths are finite if raters count so often (weightings × raters)."""
        reach = _reach(self.all, times)
        finite = np.asarray(reach.all(axis=(1, 2)))
        if self.strict is not None:
            there = _reach(self.strict, times)
            both = there & there.swapaxes(1, 2)
            finite &= both.sum(axis=(1, 2)) > both.shape[-1]
        return finite


def _reach(preferred: Flags, times: Matrix) -> Flags:
    """Whether a way leads from a system (rows) to another: weightings × systems × systems."""
    k = preferred.shape[-1]
    direct = (times @ preferred.reshape(len(preferred), -1) > 0).reshape(-1, k, k)
    reach = (direct | np.eye(k, dtype=bool)).astype(np.float32)
    for _ in range(max(1, k - 1).bit_length()):
        reach = ((reach @ reach) > 0).astype(np.float32)
    return np.asarray(reach > 0)


def _why_infinite(data: ChoiceSets, ways: _Ways) -> Inestimable | None:
    if connected_components(np.asarray(ways.all.any(axis=0)), directed=False)[0] > 1:
        return Inestimable("incomplete", "some systems were never compared with the others")
    if ways.strict is not None and not ways.strict.any():
        return Inestimable("no_difference", "all comparisons are ties")
    if not ways.are_finite(np.ones((1, data.chosen.shape[0])))[0]:
        return Inestimable(
            "separated",
            "some systems were always preferred to others, or never: no finite difference explains "
            "that",
        )
    return None


class _Model:
    """The log-likelihood of many weightings of the same raters at once."""

    def __init__(self, data: ChoiceSets) -> None:
        self.data, self._of_set = data, data.of_set
        unknowns = data.features.shape[1]
        #: Adds what the data cannot tell: the sum of all strengths.
        self._level = np.zeros((unknowns, unknowns))
        self._level[: data.systems, : data.systems] = 1 / data.systems

    def shares(self, unknowns: Matrix) -> Matrix:
        """The probability of each alternative in its set (alternatives × weightings)."""
        weights = np.exp(self.data.features @ unknowns)
        return np.asarray(weights / (self._of_set @ weights)[self.data.sets])

    def log_likelihood(self, counts: Matrix, unknowns: Matrix) -> float:
        return float(counts @ np.log(self.shares(unknowns[:, None])[:, 0]))

    def slope(self, counts: Matrix, unknowns: Matrix) -> Matrix:
        sights = (self._of_set @ counts)[self.data.sets]
        expected = sights * self.shares(unknowns)
        return np.asarray(self.data.features.T @ (counts - expected))

    def information(self, counts: Matrix | csr_array, unknowns: Matrix) -> Matrix:
        """Minus the second derivatives at these unknowns, of each weighting (weightings ×
        alternatives): × unknowns × unknowns.
        """
        features = self.data.features
        weighted = csr_array(features.multiply(self.shares(unknowns[:, None])))
        means = csr_array(self._of_set @ weighted)
        by_set = self._of_set @ products(features, weighted) - products(means, means)
        found = (counts @ self._of_set.T) @ by_set
        table = found if isinstance(found, np.ndarray) else found.toarray()
        return np.asarray(table).reshape(-1, len(unknowns), len(unknowns))

    def climb(self, counts: Matrix, start: Matrix, tolerance: float) -> tuple[Matrix, Flags]:
        """The maximum of one weighting, and whether there is one."""
        unknowns = start
        for _ in range(MOST_STEPS):
            information = self.information(counts.T, unknowns[:, 0])[0] + self._level
            try:
                step = np.linalg.solve(information, self.slope(counts, unknowns))
            except np.linalg.LinAlgError:  # the comparisons say nothing of some difference
                break
            unknowns = unknowns + step * min(1.0, 3 / max(float(np.abs(step).max()), 1e-300))
            if np.abs(step).max() < tolerance:
                return unknowns, np.array([True])
            if np.abs(unknowns).max() > FARTHEST:
                break
        return unknowns, np.array([False])

    def resample(self, drawn: Matrix, best: Matrix, ways: _Ways) -> tuple[Matrix, Flags]:
        """Strengths of each resample (× systems), and which of them are finite."""
        chosen, unknowns = self.data.chosen, len(best)
        by_rater = self.information(chosen, best).reshape(chosen.shape[0], -1)
        parts = []
        for start in range(0, len(drawn), AT_A_TIME):
            weights = drawn[start : start + AT_A_TIME]
            # Strengths that are not finite never converge: beside them, all would take every step.
            finite = ways.are_finite(weights)
            ok, values = finite.copy(), np.full((len(weights), unknowns), np.nan)
            weights = weights[finite]
            information = (weights @ by_rater).reshape(-1, unknowns, unknowns) + self._level
            values[finite], ok[finite] = self._near(chosen.T @ weights.T, information, best)
            parts.append((values, ok))
        values, ok = (np.concatenate(each) for each in zip(*parts, strict=True))
        return values[:, : self.data.systems], ok

    def _near(self, counts: Matrix, information: Matrix, best: Matrix) -> tuple[Matrix, Flags]:
        """Newton's steps with each resample's information at `best`, near which its maximum is."""
        inverse = np.linalg.pinv(information, hermitian=True)
        unknowns = np.repeat(best[:, None], counts.shape[1], axis=1)
        moved = np.full(counts.shape[1], np.inf)
        for _ in range(MOST_STEPS):
            step = np.einsum("bij,jb->ib", inverse, self.slope(counts, unknowns))
            moved = np.abs(step[: self.data.systems]).max(axis=0)
            unknowns = np.clip(unknowns + step, -FARTHEST, FARTHEST)
            if (moved < ROUGH).all():
                break
        return unknowns.T, moved < 100 * ROUGH


def kendall(one: Matrix, other: Matrix) -> Matrix:
    """Kendall's τ_b of two orders along the last axis; NaN where one has no order at all.

    M. G. Kendall (1945), The treatment of ties in ranking problems.
    """
    first, second = np.triu_indices(one.shape[-1], 1)
    a, b = (np.sign(each[..., first] - each[..., second]) for each in (one, other))
    with np.errstate(invalid="ignore"):
        return np.asarray((a * b).sum(axis=-1) / np.sqrt((a**2).sum(-1) * (b**2).sum(-1)))
