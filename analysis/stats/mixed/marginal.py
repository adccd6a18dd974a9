"""What a fitted mixed model says of the levels of a fixed factor: means, contrasts, shares.

Estimates are for each level averaged evenly over the levels of the other factors, with covariates
at their means (S. R. Searle, F. M. Speed & G. A. Milliken (1980), Population marginal means in the
linear model). Standard errors follow from the covariance of the model's unknowns, by the delta
method where an estimate is not linear in them; tests and intervals use Student's t with the
degrees of freedom of `fit.Reference`, for the estimate as it depends on thresholds and
coefficients.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from pandas import DataFrame
from scipy.special import expit, logit, stdtr, stdtrit

from analysis.stats.mixed.fit import MixedFit
from analysis.stats.mixed.links import DISTRIBUTIONS
from analysis.stats.mixed.nested import Matrix, Vector
from analysis.stats.threads import on_one_thread

#: "latent" is the scale on which effects add up, "ratings" that of the ratings themselves.
Scale = Literal["latent", "ratings"]
#: Shares among all raters and items, or as a rater and an item with effects of 0 would have them.
Over = Literal["population", "typical"]
NODES = 60


@dataclass(frozen=True)
class Estimates:
    """Values, and their slopes by the unknowns of `fit.covariance` (values × unknowns)."""

    fit: MixedFit
    values: Vector
    slopes: Matrix

    def combined(self, weights: Matrix) -> "Estimates":
        return Estimates(self.fit, weights @ self.values, weights @ self.slopes)

    @property
    def errors(self) -> Vector:
        covariance = self.fit.covariance.to_numpy()
        return np.asarray(np.sqrt((self.slopes @ covariance * self.slopes).sum(axis=1)))

    @property
    def df(self) -> Vector:
        return self.fit.degrees_of_freedom(self._combinations)

    @property
    def sources(self) -> list[str]:
        return self.fit.main_sources(self._combinations)

    @property
    def _combinations(self) -> Matrix:
        """The slopes by thresholds and coefficients."""
        return self.slopes[:, : len(self.fit.thresholds) + len(self.fit.coefficients)]


@on_one_thread
def means(
    fit: MixedFit,
    factor: str,
    *,
    scale: Scale = "ratings",
    over: Over = "population",
    confidence: float = 0.95,
    ends: tuple[float, float] | None = None,
) -> DataFrame:
    """Estimated mean of each level: `level`, `estimate`, `se`, `df`, `low`, `high`.

    On the scale of the ratings, an ordinal model's mean is Σ category × share. On the latent scale
    it is the distance from the middle of the thresholds; a linear model has no such scale. `ends`
    are the least and the greatest rating, an ordinal model's those of its categories: intervals on
    the scale of the ratings stay between them (`within`). Raises KeyError where the model has no
    such factor, and ValueError for a scale that it has not.
    """
    levels = _levels(fit, factor, scale, over)
    errors, df = levels.errors, levels.df
    reach = stdtrit(df, (1 + confidence) / 2) * errors
    low, high = levels.values - reach, levels.values + reach
    if scale == "ratings" and (bounds := ends or fit.categories):
        low, high = within((bounds[0], bounds[-1]), levels.values, reach)
    return DataFrame(
        {
            "level": list(fit.data.term(factor).levels),
            "estimate": levels.values,
            "se": errors,
            "df": df,
            "low": low,
            "high": high,
        }
    )


def within(ends: tuple[float, float], values: Vector, reach: Vector) -> tuple[Vector, Vector]:
    """Intervals of means of a scale with these ends that do not leave it: symmetric in the log
    odds of the part of the scale below the mean, to which `reach` is brought by the delta method.

    Where a value is not between the ends, the interval is cut off there.
    """
    low, high = ends
    part = (values - low) / (high - low)
    inside = (part > 0) & (part < 1)
    odds = np.where(inside, part, 0.5)
    moved = reach / (high - low) / (odds * (1 - odds))
    lower, upper = (low + (high - low) * expit(logit(odds) + sign * moved) for sign in (-1, 1))
    below, above = (np.clip(values + sign * reach, low, high) for sign in (-1, 1))
    return np.where(inside, lower, below), np.where(inside, upper, above)


@on_one_thread
def first_shares(
    fit: MixedFit, factor: str, *, scale: Scale = "ratings", seed: int, draws: int
) -> Vector:
    """How often each level has the highest mean when means are drawn as the model's estimates are
    uncertain: from the t distribution with their covariance, and the fewest degrees of freedom of
    any two levels' difference.
    """
    levels = _levels(fit, factor, scale, "population")
    k = len(levels.values)
    if k == 1:
        return np.ones(1)
    order = np.argsort(-levels.values, kind="stable")  # whatever the order of the levels is
    levels = levels.combined(np.eye(k)[order])
    first, second = np.triu_indices(k, 1)
    df = levels.combined(np.eye(k)[first] - np.eye(k)[second]).df.min()
    # the symmetric root, which is the only one: others would make other draws on other machines
    roots, axes = np.linalg.eigh(levels.slopes @ fit.covariance.to_numpy() @ levels.slopes.T)
    root = (axes * np.sqrt(np.maximum(roots, 0))) @ axes.T
    random = np.random.default_rng(seed)
    far = random.standard_normal((draws, k)) @ root
    if np.isfinite(df):
        far /= np.sqrt(random.chisquare(df, draws) / df)[:, None]
    shares = np.empty(k)
    shares[order] = np.bincount(np.argmax(levels.values + far, axis=1), minlength=k) / draws
    return shares


@on_one_thread
def contrasts(
    fit: MixedFit,
    factor: str,
    weights: Mapping[str, Mapping[Any, float]],
    *,
    scale: Scale = "ratings",
    over: Over = "population",
    confidence: float = 0.95,
) -> DataFrame:
    """Differences between means of levels, one row for each entry of `weights`, which says by what
    each level's mean is multiplied, such as {"b − a": {"b": 1, "a": −1}}; `pairs` and `against`
    make such.

    Columns `contrast`, `estimate`, `se`, `df`, `t`, `p` (two-sided), `p_adjusted` (Holm, over the
    rows), `low`, `high` (of each by itself), and `source`: what makes most of its variance, as
    `MixedFit.main_sources` says. Raises KeyError where a level is unknown.
    """
    levels = list(fit.data.term(factor).levels)
    matrix = np.zeros((len(weights), len(levels)))
    for row, parts in enumerate(weights.values()):
        for level, weight in parts.items():
            if level not in levels:
                raise KeyError(f"{factor} has no level {level!r}")
            matrix[row, levels.index(level)] = weight
    differences = _levels(fit, factor, scale, over).combined(matrix)
    errors, df = differences.errors, differences.df
    ratio = differences.values / errors
    p = np.asarray(2 * stdtr(df, -np.abs(ratio)))
    reach = stdtrit(df, (1 + confidence) / 2) * errors
    return DataFrame(
        {
            "contrast": list(weights),
            "estimate": differences.values,
            "se": errors,
            "df": df,
            "t": ratio,
            "p": p,
            "p_adjusted": _holm(p),
            "low": differences.values - reach,
            "high": differences.values + reach,
            "source": differences.sources,
        }
    )


@on_one_thread
def slope(fit: MixedFit, covariate: str, *, confidence: float = 0.95) -> dict[str, float]:
    """What one more of a covariate adds, in points in a linear model and otherwise on the latent
    scale: `estimate`, `se`, `df`, `t`, `p` (two-sided), `low`, `high`.

    Raises KeyError where the model has no such covariate.
    """
    if covariate not in fit.coefficients:
        raise KeyError(f"The model has no covariate {covariate!r}")
    row = (fit.covariance.columns == covariate).astype(float)[None, :]
    estimate = Estimates(fit, np.array([fit.coefficients[covariate]]), row)
    se, df = float(estimate.errors[0]), float(estimate.df[0])
    value = float(estimate.values[0])
    reach = float(stdtrit(df, (1 + confidence) / 2)) * se
    t = value / se
    return {
        "estimate": value,
        "se": se,
        "df": df,
        "t": t,
        "p": float(2 * stdtr(df, -abs(t))),
        "low": value - reach,
        "high": value + reach,
    }


def pairs(levels: Sequence[Any]) -> dict[str, dict[Any, float]]:
    """Every level but the last less each one after it."""
    return {f"{a} − {b}": {a: 1.0, b: -1.0} for a, b in combinations(levels, 2)}


def against(levels: Sequence[Any], reference: Any) -> dict[str, dict[Any, float]]:
    """Every other level less the reference."""
    others = [level for level in levels if level != reference]
    return {f"{level} − {reference}": {level: 1.0, reference: -1.0} for level in others}


@on_one_thread
def shares(
    fit: MixedFit, factor: str, *, over: Over = "population", confidence: float = 0.95
) -> DataFrame:
    """Predicted share of each category at each level: `level`, `category`, `share`, `se`, `low`,
    `high` (between 0 and 1: intervals are of the log odds).

    Raises ValueError for a linear model, which has no categories.
    """
    values, slopes = _category_shares(fit, factor, over)
    levels, categories = values.shape
    estimates = Estimates(fit, values.ravel(), slopes.reshape(levels * categories, -1))
    errors = estimates.errors
    share = estimates.values
    reach = stdtrit(estimates.df, (1 + confidence) / 2) * errors / (share * (1 - share))
    return DataFrame(
        {
            "level": np.repeat(list(fit.data.term(factor).levels), categories),
            "category": np.tile(fit.categories, levels),
            "share": share,
            "se": errors,
            "low": expit(logit(share) - reach),
            "high": expit(logit(share) + reach),
        }
    )


def _levels(fit: MixedFit, factor: str, scale: Scale, over: Over) -> Estimates:
    """The mean of each level."""
    if fit.link != "identity" and scale == "ratings":
        values, slopes = _category_shares(fit, factor, over)
        categories = np.array(fit.categories)
        return Estimates(fit, values @ categories, np.einsum("c,lcu->lu", categories, slopes))
    if fit.link == "identity" and scale == "latent":
        raise ValueError("A linear model has no latent scale")
    rows = fit.data.grid(factor).mean(axis=1)
    if fit.link == "identity":
        return Estimates(fit, rows @ fit.coefficients.to_numpy(), rows)
    k = len(fit.thresholds)
    middle = np.full((len(rows), k), -1 / k)
    slopes = np.hstack([middle, rows[:, 1:], np.zeros((len(rows), len(fit.sds)))])
    unknowns = np.concatenate([fit.thresholds, fit.coefficients, np.zeros(len(fit.sds))])
    return Estimates(fit, slopes @ unknowns, slopes)


def _category_shares(fit: MixedFit, factor: str, over: Over) -> tuple[Matrix, Matrix]:
    """Shares (levels × categories) and their slopes (levels × categories × unknowns).

    Over the population, P(y ≤ k) = ∫ F(αₖ − η − s z) φ(z) dz with s² the sum of the variances of
    the random effects; by Gauss–Hermite quadrature.
    """
    if fit.link == "identity":
        raise ValueError("A linear model has no categories")
    link = DISTRIBUTIONS[fit.link]
    grid = fit.data.grid(factor)[:, :, 1:]
    tau = np.array(list(fit.sds.values()))
    s = float(np.sqrt((tau**2).sum())) if over == "population" else 0.0
    nodes, weights = hermegauss(NODES) if s else (np.zeros(1), np.ones(1))
    weights = weights / weights.sum()
    distance = fit.thresholds.to_numpy() - (grid @ fit.coefficients.to_numpy())[..., None]
    x = distance[..., None] - s * nodes
    cumulative = link.cumulative(x)
    density = link.density(x, cumulative)
    upto, slope = cumulative @ weights, density @ weights
    by_s = -(density * nodes) @ weights
    levels, cells, k = upto.shape
    slopes = np.zeros((levels, k, k + grid.shape[2] + len(tau)))
    columns = slice(k, k + grid.shape[2])
    for at in range(k):
        slopes[:, at, at] = slope[:, :, at].mean(axis=1)
        slopes[:, at, columns] = -np.einsum("lc,lcp->lp", slope[:, :, at], grid) / cells
        if s:
            slopes[:, at, -len(tau) :] = by_s[:, :, at].mean(axis=1)[:, None] * tau / s
    ends = ((0, 0), (1, 1))
    values = np.diff(np.pad(upto.mean(axis=1), ends)[:, : k + 2], axis=1)
    values[:, -1] += 1
    return values, np.diff(np.pad(slopes, (*ends, (0, 0))), axis=1)


def _holm(p: Vector) -> Vector:
    """S. Holm (1979), A simple sequentially rejective multiple test procedure."""
    order = np.argsort(p)
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted
