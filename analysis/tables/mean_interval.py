"""Columns of a mean over units with its interval, as `systems` and `rankings` have them. Pure."""

from typing import Any

from pandas import Series

from analysis.stats.inestimable import Inestimable
from analysis.stats.paired import paired_t


def mean_interval(
    values: "Series[float]", *, confidence: float, unit: str, name: str = "mean"
) -> dict[str, Any]:
    """The mean, as `name`, of `n` units with one value each, `sd` (ddof 1) and Student's interval.

    `unit` is what one of them is called; `note` says why the interval is empty.
    """
    row = {"n": len(values), name: float(values.mean())}
    if len(values) < 2:
        return {**row, "note": f"no interval, because there is one {unit}"}
    sd = float(values.std(ddof=1))
    test = paired_t(values, values * 0, confidence=confidence)
    if isinstance(test, Inestimable):
        return {**row, "sd": sd, "note": f"no interval, because every {unit} has the same mean"}
    low, high = test.interval
    return {**row, "sd": sd, "ci_low": low, "ci_high": high, "note": ""}
