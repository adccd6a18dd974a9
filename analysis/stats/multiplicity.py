"""Several tests at once: p-values adjusted over the family that they were declared to belong to."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from pandas import Series
from pingouin import multicomp

Method = Literal["holm", "benjamini-hochberg", "benjamini-yekutieli"]
Vector = npt.NDArray[np.float64]

# statsmodels' `multipletests` collects all garbage of the process at each call, which takes longer
# than a thousand families.
_OF_PINGOUIN: dict[Method, str] = {
    "holm": "holm",
    "benjamini-hochberg": "fdr_bh",
    "benjamini-yekutieli": "fdr_by",
}


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
    if ((values < 0) | (values > 1)).any():
        raise ValueError("A p-value lies between 0 and 1")
    known = int((~np.isnan(values)).sum())
    raised = Series(of_family(values, method), index=p.index)
    return Adjusted(raised, method, known, len(values) - known)


def of_family(p: Vector, method: Method) -> Vector:
    """The adjusted p-values of one family, by `pingouin.multicomp`; NaN stays NaN and counts for
    nothing.
    """
    adjusted: Vector = multicomp(p, method=_OF_PINGOUIN[method])[1]
    return adjusted


def holm_levels(p: Vector, level: float) -> Vector:
    """The level at which Holm's method tests each p: from the smallest on, `level` by the number
    that are left, until one is not rejected; then no more is tested, and that level is the rest's.

    An interval of that level excludes zero where the method rejects, and nowhere else. R. C. Serlin
    (1993), Confidence intervals and the scientific method: a case for Holm on the range.
    """
    left = np.arange(len(p), 0, -1)
    order = np.argsort(p, kind="stable")
    kept = np.flatnonzero(p[order] * left >= level)
    at = np.minimum(np.arange(len(p)), kept[0] if len(kept) else len(p))
    levels = np.empty(len(p))
    levels[order] = level / left[at]
    return levels
