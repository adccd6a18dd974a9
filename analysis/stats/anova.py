"""Do several independent groups differ? One-way analysis of variance, and which pairs of them.

The tests are pingouin's `anova`, `welch_anova` and `pairwise_gameshowell`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt
import pingouin
from pandas import DataFrame

from analysis.stats import studentized_range
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import Sample, sample

Groups = Mapping[str, npt.ArrayLike]


@dataclass(frozen=True)
class OneWay:
    """`eta_squared` is the share of the sum of squares that lies between groups.

    `omega_squared` = df1 (F − 1) / (df1 (F − 1) + n) takes away its bias and may be negative.
    `groups` are those with values, `empty` those without.
    """

    test: Literal["anova", "welch"]
    F: float
    df1: int
    df2: float
    p: float
    eta_squared: float
    omega_squared: float
    groups: Mapping[str, Sample]
    empty: tuple[str, ...]


def one_way_anova(groups: Groups, *, one: str = "value") -> OneWay | Inestimable:
    """Fisher's analysis of variance: one variance for all groups.

    Missing values and groups without values are left out; reasons call one of them `one`.
    Raises ValueError for infinite values.
    R. A. Fisher (1925), Statistical methods for research workers; ω²: W. L. Hays (1963),
    Statistics for psychologists.
    """
    samples = _samples(groups)
    if isinstance(samples, Inestimable):
        return samples
    if all(each.n == 1 for each in samples.values()):
        return Inestimable("too_few", f"every group has one {one}")
    if all(each.constant for each in samples.values()):
        return Inestimable("constant", "within each group all values are the same")
    return _one_way("anova", pingouin.anova, samples, groups)


def welch_anova(groups: Groups, *, one: str = "value") -> OneWay | Inestimable:
    """Welch's analysis of variance: each group has a variance of its own.

    Missing values and groups without values are left out; reasons call one of them `one`.
    Raises ValueError for infinite values.
    B. L. Welch (1951), On the comparison of several mean values; ω² from its F: R. E. Kirk (1996),
    Practical significance.
    """
    samples = _varying(groups, one)
    if isinstance(samples, Inestimable):
        return samples
    return _one_way("welch", pingouin.welch_anova, samples, groups)


def _samples(groups: Groups) -> dict[str, Sample] | Inestimable:
    """The groups that have values; at least two."""
    described = {name: sample(values) for name, values in groups.items()}
    samples = {name: each for name, each in described.items() if isinstance(each, Sample)}
    if not samples:
        return Inestimable("no_values", "there are no values")
    if len(samples) == 1:
        return Inestimable("one_group", f"{next(iter(samples))} is the only group with values")
    return samples


def _varying(groups: Groups, one: str) -> dict[str, Sample] | Inestimable:
    """What `_samples` gives, where the variance of each group is known, and not zero."""
    samples = _samples(groups)
    if isinstance(samples, Inestimable):
        return samples
    alone = [name for name, each in samples.items() if each.n < 2]
    if alone:
        return Inestimable("too_few", f"a single {one} has no variance ({', '.join(alone)})")
    same = [name for name, each in samples.items() if each.constant]
    if same:
        return Inestimable(
            "constant", f"within a group all values are the same ({', '.join(same)})"
        )
    return samples


def _long(samples: Mapping[str, Sample]) -> DataFrame:
    """One row a value, with the number of its group: what pingouin takes."""
    values = np.concatenate([each.values for each in samples.values()])
    group = np.repeat(np.arange(len(samples)), [each.n for each in samples.values()])
    return DataFrame({"value": values, "group": group})


def _one_way(
    test: Literal["anova", "welch"],
    compute: Callable[..., DataFrame],
    samples: Mapping[str, Sample],
    groups: Groups,
) -> OneWay:
    values = _long(samples)
    (row,) = compute(data=values, dv="value", between="group").to_dict("records")
    F, df1 = float(row["F"]), int(row["ddof1"])
    return OneWay(
        test=test,
        F=F,
        df1=df1,
        df2=float(row["ddof2"]),
        p=float(row["p_unc"]),
        eta_squared=float(row["np2"]),
        omega_squared=df1 * (F - 1) / (df1 * (F - 1) + len(values)),
        groups=samples,
        empty=tuple(name for name in groups if name not in samples),
    )


@dataclass(frozen=True)
class Pairwise:
    """Group `a` less group `b`, with Welch's `t` and its `df`; `interval` and `p` hold for all
    pairs of the `k` groups together.
    """

    a: str
    b: str
    difference: float
    t: float
    df: float
    interval: tuple[float, float]
    p: float
    k: int


def games_howell(
    groups: Groups, *, confidence: float = 0.95, one: str = "value"
) -> tuple[Pairwise, ...] | Inestimable:
    """Each two groups by Welch's t, held against the studentized range of all of them.

    Missing values and groups without values are left out; reasons call one of them `one`.
    Raises ValueError for infinite values.
    P. A. Games & J. F. Howell (1976), Pairwise multiple comparison procedures with unequal n's
    and/or variances.
    """
    samples = _varying(groups, one)
    if isinstance(samples, Inestimable):
        return samples
    table = pingouin.pairwise_gameshowell(data=_long(samples), dv="value", between="group")
    names, k = list(samples), len(samples)
    pairs = []
    for row in table.to_dict("records"):
        difference, df = float(row["diff"]), float(row["df"])
        half = studentized_range.isf(1 - confidence, k, df) * float(row["se"]) / sqrt(2)
        pairs.append(
            Pairwise(
                a=names[row["A"]],
                b=names[row["B"]],
                difference=difference,
                t=float(row["T"]),
                df=df,
                interval=(difference - half, difference + half),
                p=float(row["pval"]),
                k=k,
            )
        )
    return tuple(pairs)
