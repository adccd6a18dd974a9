"""How much of what ratings differ by is due to what was rated? Intraclass correlations.

They are those of `pingouin.intraclass_corr`. Intervals are ours: pingouin has those of 95 % alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pandas import DataFrame
from pingouin import intraclass_corr
from scipy.stats import f

from analysis.stats.bootstrap import Matrix
from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable

Form = Literal["ICC(C,1)", "ICC(C,k)", "ICC(A,1)", "ICC(A,k)"]

#: pingouin takes no fewer ratings.
FEWEST = 5
#: What is left of a mean square below this share of all of them is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class IntraclassCorrelation:
    """One `form`: C is consistency (raters may be higher or lower by a constant), A is absolute
    agreement; 1 is the reliability of a `single rater`, k that of the `mean of k` raters.

    `interval` is None where no error is left to take it from: raters differ by constants only. The
    lower bound of a mean of k is −∞ where the single rater's is −1 / (k − 1) or less.
    """

    form: Form
    estimate: float
    interval: tuple[float, float] | None

    @property
    def of(self) -> Literal["single rater", "mean of k"]:
        return "mean of k" if self.form.endswith("k)") else "single rater"


@dataclass(frozen=True)
class IntraclassCorrelations:
    """All four forms. `items` count; `left_out` were not rated by each of the `raters`.

    `F`, `df1`, `df2` and `p` test whether what was rated differs at all.
    """

    forms: Mapping[Form, IntraclassCorrelation | Inestimable]
    F: float
    df1: int
    df2: int
    p: float
    items: int
    raters: int
    left_out: int


def intraclass_correlations(
    ratings: DataFrame, *, confidence: float = 0.95
) -> IntraclassCorrelations | Inestimable:
    """ICC(C,1), ICC(C,k), ICC(A,1) and ICC(A,k) of items (rows) by raters (columns), two-way.

    Items that some rater did not rate are left out. F is MS_items / MS_error. Raises
    ValueError for infinite ratings. K. O. McGraw & S. P. Wong (1996), Forming inferences about
    some intraclass correlation coefficients, tables 4 and 7; the interval of ICC(A,k) is that of
    ICC(A,1) stepped up by Spearman and Brown's formula.
    """
    values: Matrix = ratings.to_numpy(dtype=float)
    refuse_boundless(values, "the ratings")
    complete = values[~np.isnan(values).any(axis=1)]
    n, k = complete.shape
    if k < 2:
        return Inestimable("too_few", "there are fewer than two raters")
    if n < 2:
        few = "no item was" if n == 0 else "one item was"
        return Inestimable("incomplete", f"{few} rated by all {k} raters, and two are needed")
    items, raters, error = _mean_squares(complete)
    if max(items, raters, error) <= ROUNDING * float((complete**2).mean()):
        return Inestimable("constant", "all ratings are the same")
    if items == 0:
        return Inestimable("no_difference", "all items have the same mean")
    if n * k < FEWEST:
        return Inestimable("too_few", f"{n * k} ratings are too few")
    long = DataFrame(complete).rename_axis("item").reset_index().melt("item", var_name="rater")
    with np.errstate(divide="ignore", invalid="ignore"):  # where no error is left
        table = intraclass_corr(long, targets="item", raters="rater", ratings="value")
    table = table.set_index("Type")
    test = table.loc["ICC(C,1)"]
    return IntraclassCorrelations(
        forms=_forms(table["ICC"].to_dict(), (items, raters, error), (n, k), confidence),
        F=float(test["F"]),
        df1=int(test["df1"]),
        df2=int(test["df2"]),
        p=float(test["pval"]),
        items=n,
        raters=k,
        left_out=len(values) - n,
    )


def _mean_squares(values: Matrix) -> tuple[float, float, float]:
    """Of items, of raters, and of what both leave over; 0 where they are rounding."""
    n, k = values.shape
    centred = values - values.mean()
    items, raters = centred.mean(axis=1), centred.mean(axis=0)
    left = centred - items[:, None] - raters
    mean_squares = (
        k * float((items**2).sum()) / (n - 1),
        n * float((raters**2).sum()) / (k - 1),
        float((left**2).sum()) / ((n - 1) * (k - 1)),
    )
    of_items, of_raters, error = (
        each if each > ROUNDING * max(mean_squares) else 0.0 for each in mean_squares
    )
    return of_items, of_raters, error


def _forms(
    estimates: Mapping[str, float],
    squares: tuple[float, float, float],
    shape: tuple[int, int],
    confidence: float,
) -> dict[Form, IntraclassCorrelation | Inestimable]:
    items, raters, error = squares
    n, k = shape
    between = (raters - error) / n
    #: What the variance of an item's true score is a share of.
    wholes: dict[Form, float] = {
        "ICC(C,1)": items + (k - 1) * error,
        "ICC(C,k)": items,
        "ICC(A,1)": items + (k - 1) * error + k * between,
        "ICC(A,k)": items + between,
    }
    intervals: dict[Form, tuple[float, float]] = {}
    if error:
        intervals = _intervals(squares, shape, estimates["ICC(A,1)"], confidence)
    nothing = Inestimable(
        "no_difference", "raters differ more within items than chance would have it"
    )
    return {
        form: IntraclassCorrelation(form, float(estimates[form]), intervals.get(form))
        if whole > 0
        else nothing
        for form, whole in wholes.items()
    }


def _intervals(
    squares: tuple[float, float, float], shape: tuple[int, int], absolute: float, confidence: float
) -> dict[Form, tuple[float, float]]:
    """`absolute` is ICC(A,1), on which the degrees of freedom of its interval hang."""
    items, raters, error = squares
    n, k = shape
    at = (1 + confidence) / 2
    df1, df2 = n - 1, (n - 1) * (k - 1)
    F = items / error
    low, high = F / f.ppf(at, df1, df2), F * f.ppf(at, df2, df1)
    one, other = k * absolute * raters, (n * (1 + (k - 1) * absolute) - k * absolute) * error
    df = (one + other) ** 2 / (one**2 / (k - 1) + other**2 / df2)
    rest = k * raters + (k * n - k - n) * error
    below, above = f.ppf(at, df1, df), f.ppf(at, df, df1)
    a_low = n * (items - below * error) / (below * rest + n * items)
    a_high = n * (above * items - error) / (rest + n * above * items)
    bounds: dict[Form, tuple[float, float]] = {
        "ICC(C,1)": ((low - 1) / (low + k - 1), (high - 1) / (high + k - 1)),
        "ICC(C,k)": (1 - 1 / low, 1 - 1 / high),
        "ICC(A,1)": (a_low, a_high),
        "ICC(A,k)": (_stepped_up(a_low, k), _stepped_up(a_high, k)),
    }
    return {form: (float(lower), float(upper)) for form, (lower, upper) in bounds.items()}


def _stepped_up(single: float, k: int) -> float:
    whole = 1 + (k - 1) * single
    return k * single / whole if whole > 0 else -np.inf
