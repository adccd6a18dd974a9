"""Several tests at once: p-values adjusted over the family that they were declared to belong to."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pandas import Series
from statsmodels.stats.multitest import multipletests

Method = Literal["holm", "benjamini-hochberg", "benjamini-yekutieli"]

_NAMES: dict[Method, str] = {
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
    values = p.astype(float)
    known = values.notna()
    if not values[known].between(0, 1).all():
        raise ValueError("A p-value lies between 0 and 1")
    adjusted = Series(np.nan, index=p.index, dtype=float)
    if known.any():
        adjusted[known] = multipletests(values[known], method=_NAMES[method])[1]
    return Adjusted(adjusted, method, int(known.sum()), int((~known).sum()))
