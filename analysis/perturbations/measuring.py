"""What perturbations do to scores. Intervals resample scenarios."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from pandas import DataFrame

from analysis.stats.validity import grouped_mean

#: A change up to this share of the range counts as none.
TOLERANCE = 0.05
#: Cases of each source and dimension.
WORST = 5
KEY = ["source", "kind", "dimension"]


def changes(scores: DataFrame, *, seed: int, tolerance: float = TOLERANCE) -> DataFrame:
    """A row for each source, dimension and perturbation.

    `scores` has a row for each scored text: `source`, `kind`, `dimension`, `perturbation`,
    `scenario`, `before` and `after` (NaN where there is no score), and `range`: how wide the
    source's scale is, NaN where it has none; then it is that of its scores before.

    `n` texts have both scores; `change` is the mean of after − before, `change_sd` the same in
    standard deviations of all scores before, `absolute` the mean size of a change, `largest` the
    largest one, `invariant` the share of texts whose score changes by no more than `tolerance`
    times the range.
    """
    rows = []
    for key, own in scores.groupby(KEY, sort=False, dropna=False):
        width, spread = _range(own), _spread(own)
        for name, part in own.groupby("perturbation", sort=False):
            both = part.dropna(subset=["before", "after"])
            row = dict(zip(KEY, key, strict=True)) | {"perturbation": name, "n": len(both)}
            rows.append(row | _changed(both, width, spread, seed, tolerance))
    return DataFrame(rows, columns=[*KEY, "perturbation", *CHANGED])


CHANGED = (
    "n", "before", "change", "ci_low", "ci_high", "change_sd", "change_sd_low", "change_sd_high",
    "absolute", "largest", "invariant", "invariant_low", "invariant_high", "note",
)  # fmt: skip


def _changed(
    both: DataFrame, width: float, spread: float, seed: int, tolerance: float
) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(CHANGED, np.nan) | {"n": len(both), "note": ""}
    if both.empty:
        return row | {"note": "not estimable, because no changed text has a score"}
    difference = both["after"] - both["before"]
    mean = grouped_mean(difference, both["scenario"], seed=seed)
    is_same = (difference.abs() <= tolerance * width + 1e-9).astype(float)
    same = grouped_mean(is_same, both["scenario"], seed=seed)
    assert mean is not None and same is not None
    low, high = mean.interval or (np.nan, np.nan)
    row |= {"before": both["before"].mean(), "change": mean.value, "ci_low": low, "ci_high": high}
    if spread > 0 or (difference == 0).all():
        unit = spread or 1.0
        row |= {"change_sd": mean.value / unit, "change_sd_low": low / unit}
        row["change_sd_high"] = high / unit
    row["absolute"] = difference.abs().mean()
    row["largest"] = difference.iloc[int(difference.abs().to_numpy().argmax())]
    row["invariant"] = same.value
    row["invariant_low"], row["invariant_high"] = same.interval or (np.nan, np.nan)
    if mean.interval is None:
        row["note"] = "no interval, because there is one scenario"
    return row


def _range(own: DataFrame) -> float:
    """How wide the scale is, or the scores before are, on it."""
    stated = own["range"].dropna()
    if len(stated):
        return float(stated.iloc[0])
    before = own["before"].dropna()
    return float(before.max() - before.min()) if len(before) else 0.0


def _spread(own: DataFrame) -> float:
    """The SD (n − 1) of the scores before, each text once."""
    before = own.drop_duplicates("response")["before"].dropna()
    return float(before.std()) if len(before) > 1 else 0.0


def worst(scores: DataFrame, *, most: int = WORST) -> DataFrame:
    """The largest changes of each source and dimension, with their texts; no change is none.

    Takes what `changes` does, and returns the same rows with `change`.
    """
    known = scores.assign(change=scores["after"] - scores["before"])
    known = known[known["change"].notna() & (known["change"] != 0)]
    return DataFrame(list(_largest(known, most)), columns=[*scores.columns, "change"])


def _largest(known: DataFrame, most: int) -> Iterator[dict[Any, Any]]:
    for _, own in known.groupby(KEY, sort=False, dropna=False):
        order = own["change"].abs().sort_values(ascending=False, kind="stable").index
        yield from own.loc[order].head(most).to_dict("records")
