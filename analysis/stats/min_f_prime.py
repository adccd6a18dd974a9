"""Does one condition beat another, for raters in general and for items in general?

By raters (F1) says that other raters of these very items would find the same; by items (F2, for
instance scenarios) that other items would, judged by these raters. min F′ says both at once.
"""

from dataclasses import dataclass

import numpy as np
from pandas import DataFrame
from scipy.special import fdtrc

from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import DECIMALS, Vector
from analysis.stats.paired import PairedT, paired_t


@dataclass(frozen=True)
class MinF:
    """min F′ with 1 and `df2` degrees of freedom."""

    F: float
    df2: float
    p: float


@dataclass(frozen=True)
class ByRatersAndItems:
    """Paired t-tests of a − b over the means of raters (F1 = t²) and over those of items (F2 = t²).

    `empty_raters` and `empty_items` have no difference at all; `empty_cells` counts what is missing
    of the others' raters × items.
    """

    by_raters: PairedT | Inestimable
    by_items: PairedT | Inestimable
    min_f: MinF | Inestimable
    empty_raters: int
    empty_items: int
    empty_cells: int


def min_f_prime(
    differences: DataFrame, *, confidence: float = 0.95, units: tuple[str, str] = ("rater", "item")
) -> ByRatersAndItems:
    """F1, F2 and min F′ of a table of differences a − b, raters (rows) by items (columns).

    Each cell is a rater's rating of a less that of b on an item (or the difference of two means);
    NaN where one is missing. Cells count equally within a row or column; raters, and items, count
    equally among each other. Reasons call them by the names of their `units`. Raises ValueError for
    infinite differences. H. H. Clark (1973), The language-as-fixed-effect fallacy.
    """
    refuse_boundless(differences.to_numpy(dtype=float), "the differences")
    table = differences.dropna(axis=0, how="all").dropna(axis=1, how="all")
    nobody = Inestimable("no_values", f"no {units[0]} has both conditions of the same {units[1]}")
    raters, items = (
        nobody if table.empty else _against_zero(means.to_numpy(dtype=float), confidence, unit)
        for means, unit in zip((table.mean(axis=1), table.mean(axis=0)), units, strict=True)
    )
    return ByRatersAndItems(
        by_raters=raters,
        by_items=items,
        min_f=min_f(raters, items),
        empty_raters=len(differences) - len(table),
        empty_items=len(differences.columns) - len(table.columns),
        empty_cells=int(table.isna().to_numpy().sum()),
    )


def _against_zero(means: Vector, confidence: float, unit: str) -> PairedT | Inestimable:
    if len(means) == 1:
        return Inestimable("too_few", f"there is one {unit}")
    if np.ptp(np.round(means, DECIMALS)) == 0:
        because = f"the mean difference is the same for all {len(means)} {unit}s"
        return Inestimable("constant", because)
    return paired_t(means, np.zeros_like(means), confidence=confidence)


def min_f(by_raters: PairedT | Inestimable, by_items: PairedT | Inestimable) -> MinF | Inestimable:
    """min F′ = F1 F2 / (F1 + F2), df2 = (F1 + F2)² / (F1² / n2 + F2² / n1).

    n1 and n2 are the degrees of freedom of F1's and F2's errors.
    """
    if isinstance(by_raters, Inestimable):
        return by_raters
    if isinstance(by_items, Inestimable):
        return by_items
    F1, F2 = by_raters.t**2, by_items.t**2
    if F1 + F2 == 0:
        return Inestimable("no_difference", "both means are the same, which leaves min F′ no df")
    F = F1 * F2 / (F1 + F2)
    df2 = (F1 + F2) ** 2 / (F1**2 / by_items.df + F2**2 / by_raters.df)
    return MinF(F, df2, float(fdtrc(1, df2, F)))
