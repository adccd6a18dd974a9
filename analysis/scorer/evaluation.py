"""How well held-out ratings were predicted, and with which certainty. Intervals resample whole
scenarios.
"""

import math
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame, Series

from analysis.metrics.metric import Matrix
from analysis.stats.bootstrap import percentiles, resampled
from analysis.stats.validity import correlation_within

#: Groups of the calibration table.
BINS = 5
#: Predictions whose SD is below this share of that of the ratings hardly vary: they are the mean of
#: the other texts, which is lower where a held-out rating is higher. Their order says nothing.
HARDLY = 0.05
ENDS = ("_low", "_high")


def half_width(errors: Matrix, confidence: float) -> float | None:
    """Half the prediction interval: the k-th smallest absolute error of n held-out texts, with
    k = ⌈(n + 1) · confidence⌉ (split conformal prediction; Lei et al., 2018). None where k > n.
    """
    k = math.ceil((len(errors) + 1) * confidence - 1e-9)
    return float(np.sort(np.abs(errors))[k - 1]) if 0 < k <= len(errors) else None


def coverage(errors: Matrix, groups: "Series[Any]", confidence: float) -> float | None:
    """The share of texts inside an interval whose width comes from the other groups alone."""
    inside = 0
    places = np.asarray(groups)
    for group in pd.unique(groups):
        half = half_width(errors[places != group], confidence)
        if half is None:
            return None
        inside += int((np.abs(errors[places == group]) <= half).sum())
    return inside / len(errors)


def evaluated(predicted: DataFrame, *, confidence: float, seed: int) -> dict[str, Any]:
    """What predictions of held-out ratings are worth.

    `predicted` has a row for each text: `scenario`, `rating`, `predicted`, `baseline` (the mean
    rating of the texts that were not held out), `raters` and `sd` (of its raters; may be NaN).
    `skill` is 1 − MSE / MSE of the baseline: above 0 if better than the mean. `slope` is that of
    ratings on predictions: 1 if these are calibrated, below 1 if they are too far apart.
    """
    error = predicted["rating"] - predicted["predicted"]
    of_mean = predicted["rating"] - predicted["baseline"]
    x, y = predicted["predicted"] - predicted["rating"].mean(), predicted["rating"]
    y = y - y.mean()
    parts = DataFrame(
        {
            "n": 1.0, "squared": error**2, "absolute": error.abs(), "of_mean": of_mean**2,
            "x": x, "y": y, "xx": x * x, "xy": x * y,
        }
    )  # fmt: skip
    sums = parts.groupby(predicted["scenario"], sort=False).sum().to_numpy()
    drawn = resampled(len(sums), seed=seed) @ sums
    row: dict[str, Any] = {"n": len(predicted), "scenarios": len(sums)}
    for name, statistic in (("mse", _mse), ("skill", _skill), ("slope", _slope)):
        value = float(statistic(sums.sum(axis=0, keepdims=True))[0])
        row[name] = value
        ends = percentiles(statistic(drawn)) if len(sums) > 1 and not math.isnan(value) else None
        row[f"{name}_low"], row[f"{name}_high"] = ends or (np.nan, np.nan)
    row["mae"] = float(error.abs().mean())
    row |= _spearman(predicted, seed)
    if predicted["predicted"].std() <= HARDLY * predicted["rating"].std():
        of_order = [f"{name}{end}" for name in ("spearman", "slope") for end in ("", *ENDS)]
        row |= dict.fromkeys(of_order, np.nan)
    half = half_width(error.to_numpy(), confidence)
    row["half_width"] = np.nan if half is None else half
    covered = coverage(error.to_numpy(), predicted["scenario"], confidence)
    row["coverage"] = np.nan if covered is None else covered
    noise = (predicted["sd"] ** 2 / predicted["raters"]).dropna()
    row["noise"] = float(noise.mean()) if len(noise) else np.nan
    return row


def fitted_to(predicted: DataFrame) -> dict[str, Any]:
    """The errors on the very texts that were learned from, as papers report them; no more, for
    these say little about other texts.
    """
    error = predicted["rating"] - predicted["predicted"]
    spread = ((predicted["rating"] - predicted["rating"].mean()) ** 2).mean()
    mse = float((error**2).mean())
    row: dict[str, Any] = {"n": len(predicted), "scenarios": predicted["scenario"].nunique()}
    return row | {"mse": mse, "mae": float(error.abs().mean()), "skill": 1 - mse / float(spread)}


def _mse(sums: Matrix) -> Matrix:
    return np.asarray(sums[:, 1] / sums[:, 0])


def _skill(sums: Matrix) -> Matrix:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(sums[:, 3] > 0, 1 - sums[:, 1] / sums[:, 3], np.nan))


def _slope(sums: Matrix) -> Matrix:
    n, _, _, _, x, y, xx, xy = sums.T
    spread = xx - x * x / n
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(spread > 1e-9, (xy - x * y / n) / spread, np.nan))


def _spearman(predicted: DataFrame, seed: int) -> dict[str, float]:
    things = DataFrame(
        {
            "group": predicted["scenario"],
            "judge": predicted["predicted"],
            "people": predicted["rating"],
        }
    )
    within = correlation_within(things, seed=seed, ranks=True)
    low, high = (within.interval if within else None) or (np.nan, np.nan)
    value = within.r if within else np.nan
    return {"spearman": value, "spearman_low": low, "spearman_high": high}


def calibration(predicted: DataFrame, *, seed: int) -> DataFrame:
    """Held-out texts in up to five groups of equal size, by their prediction: `bin` (from 1), `n`,
    `predicted` and `rating` (means), and `ci_low`, `ci_high` of the mean rating over scenarios.
    """
    order = predicted["predicted"].rank(method="first")
    bins = min(BINS, predicted["predicted"].nunique())
    group = np.ceil(order * bins / len(predicted)).astype(int)
    rows = []
    for number, part in predicted.groupby(group):
        by_scenario = part.groupby("scenario", sort=False)["rating"].agg(["sum", "count"])
        sums = by_scenario.to_numpy(float)
        ends = None
        if len(sums) > 1:
            drawn = resampled(len(sums), seed=seed) @ sums
            ends = percentiles(drawn[:, 0] / drawn[:, 1])
        low, high = ends or (np.nan, np.nan)
        rows.append(
            {
                "bin": int(number),  # type: ignore[call-overload]  # a number; stubs say any key
                "n": len(part),
                "predicted": float(part["predicted"].mean()),
                "rating": float(part["rating"].mean()),
                "ci_low": low,
                "ci_high": high,
            }
        )
    return DataFrame(rows)
