"""A difference of means with its standard error: what t-tests are made of."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable

Vector = npt.NDArray[np.float64]

#: Standard errors below this share of the means are rounding (as in R's t.test).
ROUNDING = 10 * float(np.finfo(float).eps)
#: What two groups are called in reasons.


@dataclass(frozen=True)
class Names:
    """What reasons call two groups, and `one` of their values."""

    a: str
    b: str
    one: str = "value"

    @property
    def both(self) -> tuple[str, str]:
        return self.a, self.b


A_AND_B = Names("a", "b")
#: Before values are ranked: means of the same ratings differ in their last digits.
DECIMALS = 9


@dataclass(frozen=True)
class MeanDifference:
    """The mean of a less that of b, in the unit of the values, and Student's t for it.

    `df` may be fractional. `confidence` is the level of `interval`; `p` is two-sided.
    """

    difference: float
    standard_error: float
    df: float
    confidence: float

    @property
    def t(self) -> float:
        return self.difference / self.standard_error

    @cached_property
    def p(self) -> float:
        return 2 * float(stdtr(self.df, -abs(self.t)))

    @cached_property
    def interval(self) -> tuple[float, float]:
        return self.interval_of(self.confidence)

    def interval_of(self, confidence: float) -> tuple[float, float]:
        """Two-sided, equal tails."""
        half = float(stdtrit(self.df, (1 + confidence) / 2)) * self.standard_error
        return self.difference - half, self.difference + half


@dataclass(frozen=True)
class Sample:
    """n known values, their mean and their standard deviation (ddof 1; 0 where n is 1)."""

    n: int
    mean: float
    sd: float


def known(values: npt.ArrayLike) -> Vector:
    """The values without missing ones.

    Raises ValueError for an infinite value, or where there are several dimensions.
    """
    array: Vector = np.asarray(values, dtype=float)
    if array.ndim != 1:
        raise ValueError(f"A sample has one dimension, not {array.ndim}")
    array = array[~np.isnan(array)]
    refuse_boundless(array, "a sample")
    return array


#: Values, or what `sample` made of them.
Sampled = npt.ArrayLike | Sample | Inestimable


def sample(values: Sampled) -> Sample | Inestimable:
    """Missing values are left out; what is a sample already comes back as it is.

    Raises ValueError for an infinite value.
    """
    if isinstance(values, Sample | Inestimable):
        return values
    array = known(values)
    if not len(array):
        return Inestimable("no_values", "there are no values")
    return Sample(
        len(array), float(array.mean()), float(array.std(ddof=1)) if len(array) > 1 else 0
    )


def two_samples(
    a: Sampled, b: Sampled, names: Names = A_AND_B
) -> tuple[Sample, Sample] | Inestimable:
    """Both samples, or the name of the empty one. Raises ValueError for an infinite value."""
    first, second = sample(a), sample(b)
    if isinstance(first, Inestimable) or isinstance(second, Inestimable):
        none = [isinstance(each, Inestimable) for each in (first, second)]
        if all(none):
            return Inestimable("no_values", "both groups are empty")
        return Inestimable("one_group", f"group {names.both[none.index(True)]} is empty")
    return first, second
