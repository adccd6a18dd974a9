"""Do several independent groups differ? One-way analysis of variance, and which pairs of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Literal

import numpy.typing as npt
from scipy.special import fdtrc

from analysis.stats import studentized_range
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import ROUNDING, MeanDifference, Sample, sample

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
    between, within, n = _sums_of_squares(samples)
    df1, df2 = len(samples) - 1, n - len(samples)
    if df2 < 1:
        return Inestimable("too_few", f"every group has one {one}")
    if _constant(samples):
        return Inestimable("constant", "within each group all values are the same")
    F = between / df1 / (within / df2)
    return _one_way("anova", F, df2, samples, groups)


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
    k = len(samples)
    weights = {name: each.n / each.sd**2 for name, each in samples.items()}
    total = sum(weights.values())
    mean = sum(weights[name] * each.mean for name, each in samples.items()) / total
    lack = sum((1 - weights[name] / total) ** 2 / (each.n - 1) for name, each in samples.items())
    between = sum(weights[name] * (each.mean - mean) ** 2 for name, each in samples.items())
    F = between / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * lack)
    return _one_way("welch", F, (k**2 - 1) / (3 * lack), samples, groups)


def _samples(groups: Groups) -> dict[str, Sample] | Inestimable:
    """The groups that have values; at least two."""
    found = {name: sample(values) for name, values in groups.items()}
    samples = {name: each for name, each in found.items() if isinstance(each, Sample)}
    if not samples:
        return Inestimable("no_values", "there are no values")
    if len(samples) == 1:
        return Inestimable("one_group", f"{next(iter(samples))} is the only group with values")
    return samples


def _constant(samples: Mapping[str, Sample]) -> bool:
    return all(each.sd <= ROUNDING * abs(each.mean) for each in samples.values())


def _varying(groups: Groups, one: str) -> dict[str, Sample] | Inestimable:
    """What `_samples` gives, where the variance of each group is known, and not zero."""
    samples = _samples(groups)
    if isinstance(samples, Inestimable):
        return samples
    alone = [name for name, each in samples.items() if each.n < 2]
    if alone:
        return Inestimable("too_few", f"a single {one} has no variance ({', '.join(alone)})")
    same = [name for name, each in samples.items() if each.sd <= ROUNDING * abs(each.mean)]
    if same:
        return Inestimable(
            "constant", f"within a group all values are the same ({', '.join(same)})"
        )
    return samples


def _sums_of_squares(samples: Mapping[str, Sample]) -> tuple[float, float, int]:
    """Between groups, within groups; the number of values."""
    n = sum(each.n for each in samples.values())
    mean = sum(each.n * each.mean for each in samples.values()) / n
    between = sum(each.n * (each.mean - mean) ** 2 for each in samples.values())
    return between, sum((each.n - 1) * each.sd**2 for each in samples.values()), n


def _one_way(
    test: Literal["anova", "welch"],
    F: float,
    df2: float,
    samples: Mapping[str, Sample],
    groups: Groups,
) -> OneWay:
    between, within, n = _sums_of_squares(samples)
    df1 = len(samples) - 1
    return OneWay(
        test=test,
        F=F,
        df1=df1,
        df2=df2,
        p=float(fdtrc(df1, df2, F)),
        eta_squared=between / (between + within),
        omega_squared=df1 * (F - 1) / (df1 * (F - 1) + n),
        groups=samples,
        empty=tuple(name for name in groups if name not in samples),
    )


@dataclass(frozen=True)
class Pairwise:
    """Group `a` against `b`; `interval` and `p` hold for all pairs of the `k` groups together."""

    a: str
    b: str
    difference: MeanDifference
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
    k = len(samples)
    return tuple(_pair(a, b, samples, k, confidence) for a, b in combinations(samples, 2))


def _pair(a: str, b: str, samples: Mapping[str, Sample], k: int, confidence: float) -> Pairwise:
    one, other = samples[a], samples[b]
    parts = [each.sd**2 / each.n for each in (one, other)]
    df = sum(parts) ** 2 / (parts[0] ** 2 / (one.n - 1) + parts[1] ** 2 / (other.n - 1))
    found = MeanDifference(one.mean - other.mean, sqrt(sum(parts)), df, confidence)
    half = studentized_range.isf(1 - confidence, k, df) * found.standard_error / sqrt(2)
    return Pairwise(
        a=a,
        b=b,
        difference=found,
        interval=(found.difference - half, found.difference + half),
        p=studentized_range.sf(abs(found.t) * sqrt(2), k, df),
        k=k,
    )
