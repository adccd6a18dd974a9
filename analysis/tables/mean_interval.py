"""Columns of a mean over units with its interval, as `systems` and `rankings` have them. Pure."""

from typing import Any

from pandas import Series

from analysis.stats.inestimable import Inestimable
from analysis.stats.paired import paired_t

#: Said where Student's intervals stand.
BEYOND = "Student's t does not know where the scale ends"


def mean_interval(
    values: "Series[float]",
    *,
    confidence: float,
    unit: str,
    name: str = "mean",
    ends: tuple[float, float] | None = None,
) -> dict[str, Any]:
    """The mean, as `name`, of `n` units with one value each, `sd` (ddof 1) and Student's interval.

    `unit` is what one of them is called; `note` says why the interval is empty, or that it leaves
    the scale, of which these are the `ends`.
    """
    row = {"n": len(values), name: float(values.mean())}
    if len(values) < 2:
        return {**row, "note": f"no interval, because there is one {unit}"}
    sd = float(values.std(ddof=1))
    test = paired_t(values, values * 0, confidence=confidence)
    if isinstance(test, Inestimable):
        return {**row, "sd": sd, "note": f"no interval, because every {unit} has the same mean"}
    low, high = test.interval
    note = ""
    if ends and (low < ends[0] or high > ends[1]):
        note = f"the interval leaves the scale ({ends[0]:g} to {ends[1]:g}): {BEYOND}"
    return {**row, "sd": sd, "ci_low": low, "ci_high": high, "note": note}
