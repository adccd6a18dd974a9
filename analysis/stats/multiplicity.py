"""Several tests at once: p-values adjusted over the family that they were declared to belong to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from pandas import Series

Method = Literal["holm", "benjamini-hochberg", "benjamini-yekutieli"]
Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Adjusted:
    """`p` has the index of what came in, NaN for the `left_out`: tests without a p, which are no
    members of the family. `family` is how many there are.
    """

    p: "Series[float]"
    method: Method
    family: int
    left_out: int


def adjust(p: "Series[float]", method: Method) -> Adjusted:
    """Adjust the p-values of a family. Raises ValueError for p below 0 or above 1.

    `holm` bounds the chance of any false rejection: S. Holm (1979), A simple sequentially rejective
    multiple test procedure. `benjamini-hochberg` bounds the share of false ones among rejections
    where tests are independent or go together: Y. Benjamini & Y. Hochberg (1995), Controlling the
    false discovery rate; `benjamini-yekutieli` does so however they depend on each other:
    Y. Benjamini & D. Yekutieli (2001), The control of the false discovery rate under dependency.
    """
    values: Vector = np.asarray(p, dtype=np.float64)
    known = ~np.isnan(values)
    if ((values < 0) | (values > 1)).any():
        raise ValueError("A p-value lies between 0 and 1")
    adjusted: Vector = np.full(len(values), np.nan)
    if known.any():
        adjusted[known] = _METHODS[method](values[known])
    found = Series(adjusted, index=p.index)
    return Adjusted(found, method, int(known.sum()), int((~known).sum()))


# statsmodels has Holm's procedure, too, and collects all garbage of the process at each call,
# which takes longer than a thousand families; scipy checks its input for longer than it computes.
def holm(p: Vector) -> Vector:
    """The p-values of a family, none of them missing, as `adjust` has them."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p: Vector) -> Vector:
    """The p-values of a family, none of them missing, as `adjust` has them."""
    return _stepped_up(p, 1.0)


def _benjamini_yekutieli(p: Vector) -> Vector:
    return _stepped_up(p, float((1 / np.arange(1.0, len(p) + 1)).sum()))


def _stepped_up(p: Vector, dependence: float) -> Vector:
    order = np.argsort(p, kind="stable")
    stepped = p[order] * (len(p) / np.arange(1.0, len(p) + 1)) * dependence
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    return adjusted


_METHODS: dict[Method, Callable[[Vector], Vector]] = {
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
    "benjamini-yekutieli": _benjamini_yekutieli,
}
