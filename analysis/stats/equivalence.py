"""Is the difference small enough not to matter? Equivalence, and not being inferior.

The margin is in the unit of the values and is set before the data are seen. Any t-test goes in: of
two groups, Student's or Welch's, or of pairs. The tests are statsmodels' `ttost_ind` and
`ttost_paired`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import ttest_rel
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from analysis.stats.comparisons import TwoSampleT
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import Vector, in_batches
from analysis.stats.paired import PairedT

#: The level of these tests.
ALPHA = 0.05


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests, each by t and p: `lower` against a difference of −margin or less,
    `upper` against +margin or more.

    `p`, the larger of both, is against the groups' differing by the margin. `p_lower` alone is
    against a's being worse than b by the margin, where higher is better (non-inferiority).
    """

    margin: float
    df: float
    t_lower: float
    p_lower: float
    t_upper: float
    p_upper: float

    @property
    def p(self) -> float:
        return max(self.p_lower, self.p_upper)


def equivalence(test: TwoSampleT | PairedT, margin: float) -> Equivalence:
    """Two one-sided t-tests (TOST) of the values that a t-test was made of.

    Raises ValueError unless the margin is positive. D. J. Schuirmann (1987), A comparison of the
    two one-sided tests procedure and the power approach for assessing the equivalence of average
    bioavailability; non-inferiority: G. Piaggio et al. (2012), Reporting of noninferiority and
    equivalence randomized trials.
    """
    if isinstance(test, PairedT):
        _refuse(margin)
        _, lower, upper = ttost_paired(test.a, test.b, -margin, margin)
        return _made(margin, lower, upper)
    (each,) = equivalences([test], margin, equal_variances=test.equal_variances)
    assert not isinstance(each, Inestimable)  # there is a t-test
    return each


def equivalences(
    tests: Sequence[TwoSampleT | Inestimable], margin: float, *, equal_variances: bool
) -> list[Equivalence | Inestimable]:
    """`equivalence` of each test of two groups, Student's or Welch's (`equal_variances`)."""
    _refuse(margin)
    variances = "pooled" if equal_variances else "unequal"

    def compute(a: Vector, b: Vector) -> Iterator[Equivalence]:
        _, lower, upper = ttost_ind(a.T, b.T, -margin, margin, usevar=variances)
        sides = (np.broadcast_arrays(*side) for side in (lower, upper))
        return map(partial(_made, margin), *(zip(*side, strict=True) for side in sides))

    pairs = [test if isinstance(test, Inestimable) else (test.a, test.b) for test in tests]
    return [
        each if isinstance(each, Inestimable) else each[2] for each in in_batches(pairs, compute)
    ]


def lower_bound(test: PairedT) -> float:
    """The one-sided bound (1 − ALPHA) of a difference: a is not inferior where it lies above
    −margin, that is, where `p_lower` is below ALPHA.
    """
    one_sided = ttest_rel(test.a, test.b, alternative="greater")
    return float(one_sided.confidence_interval(1 - ALPHA).low)


def _made(margin: float, lower: Iterable[float], upper: Iterable[float]) -> Equivalence:
    """Of t, p and df of both sides."""
    (t_lower, p_lower, df), (t_upper, p_upper, _) = (map(float, side) for side in (lower, upper))
    return Equivalence(margin, df, t_lower, p_lower, t_upper, p_upper)


def _refuse(margin: float) -> None:
    if not margin > 0:
        raise ValueError(f"A margin is above 0, not {margin:g}")
