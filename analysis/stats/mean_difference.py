"""A difference of means with Student's t for it: what t-tests are made of."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable

Vector = npt.NDArray[np.float64]
Result = TypeVar("Result")

#: Standard deviations below this share of the means are rounding (as in R's t.test).
ROUNDING = 10 * float(np.finfo(float).eps)
#: Before values are ranked: means of the same ratings differ in their last digits.
DECIMALS = 9


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


@dataclass(frozen=True)
class MeanDifference:
    """The mean of a less that of b, in the unit of the values, and Student's t for it.

    `df` may be fractional. `interval` is two-sided with equal tails, at the level `confidence`;
    `p` is two-sided.
    """

    difference: float
    t: float
    df: float
    p: float
    interval: tuple[float, float]
    confidence: float


@dataclass(frozen=True)
class Sample:
    """n known `values`, their mean and their standard deviation (ddof 1; 0 where n is 1)."""

    n: int
    mean: float
    sd: float
    values: Vector = field(repr=False, compare=False)

    @property
    def constant(self) -> bool:
        return self.sd <= ROUNDING * abs(self.mean)


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
#: Two samples to compare, or why they cannot be compared.
Pair = tuple[Sample, Sample] | Inestimable


def sample(values: Sampled) -> Sample | Inestimable:
    """Missing values are left out; what is a sample already comes back as it is.

    Raises ValueError for an infinite value.
    """
    if isinstance(values, Sample | Inestimable):
        return values
    array = known(values)
    if not len(array):
        return Inestimable("no_values", "there are no values")
    sd = float(array.std(ddof=1)) if len(array) > 1 else 0.0
    return Sample(len(array), float(array.mean()), sd, array)


def two_samples(a: Sampled, b: Sampled, names: Names = A_AND_B) -> Pair:
    """Both samples, or the name of the empty one. Raises ValueError for an infinite value."""
    first, second = sample(a), sample(b)
    if isinstance(first, Inestimable) or isinstance(second, Inestimable):
        none = [isinstance(each, Inestimable) for each in (first, second)]
        if all(none):
            return Inestimable("no_values", "both groups are empty")
        return Inestimable("one_group", f"group {names.both[none.index(True)]} is empty")
    return first, second


def in_batches(
    pairs: Sequence[Pair], compute: Callable[[Vector, Vector], Iterable[Result]]
) -> list[tuple[Sample, Sample, Result] | Inestimable]:
    """Each pair with what `compute` finds of it, in their order; reasons stay what they are.

    `compute` is called once for all pairs of the same two sizes, with their values stacked (pairs ×
    values of a, pairs × values of b), so that a library tests thousands of cells at a time.
    """
    places: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        if not isinstance(pair, Inestimable):
            places[pair[0].n, pair[1].n].append(place)
    results: dict[int, Result] = {}
    for of_size in places.values():
        both = [pair for place in of_size if not isinstance(pair := pairs[place], Inestimable)]
        a, b = (np.stack([pair[side].values for pair in both]) for side in (0, 1))
        results |= zip(of_size, compute(a, b), strict=True)
    return [
        pair if isinstance(pair, Inestimable) else (*pair, results[place])
        for place, pair in enumerate(pairs)
    ]
