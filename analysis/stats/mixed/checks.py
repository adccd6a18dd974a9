"""What is looked at before a fit, so that what cannot be estimated is named instead of computed."""

import numpy as np

from analysis.stats.mixed.arrow import Codes, Matrix, sums
from analysis.stats.mixed.data import Crossed, Group
from analysis.stats.mixed.problems import NotEstimable

#: The smaller factor's matrix is dense: 8 bytes × 6,000² are 288 MB, a few times over.
MOST_LEVELS = 6000
#: Below this share of its length, what is left of a column is rounding.
NOTHING_LEFT = 1e-7


def refuse_what_cannot_be_fitted(data: Crossed, unknowns: int) -> None:
    """Raises NotEstimable. `unknowns` counts the parameters without the design's."""
    _refuse_values(data)
    for group in data.groups:
        _refuse_group(group, len(data.y))
    if (smaller := len(data.by_size[1].labels)) > MOST_LEVELS:
        names = " and ".join(group.name for group in data.groups)
        raise NotEstimable(
            "too_large",
            f"Both {names} have {smaller} levels or more; up to {MOST_LEVELS} of one are possible.",
        )
    needed = data.X.shape[1] + unknowns
    if len(data.y) <= needed:
        raise NotEstimable(
            "too_few", f"{len(data.y)} ratings are too few for a model with {needed} unknowns."
        )
    if surplus := dependent(data):
        which = ", ".join(surplus)
        raise NotEstimable(
            "rank_deficient", f"These fixed effects are determined by others: {which}."
        )
    _refuse_confounded(data)


def _refuse_values(data: Crossed) -> None:
    if not len(data.y):
        raise NotEstimable("no_ratings", "There are no ratings.")
    if not (np.isfinite(data.y).all() and np.isfinite(data.X).all()):
        raise NotEstimable("missing", "Some ratings or covariates are missing or infinite.")
    if (data.y == data.y[0]).all():
        raise NotEstimable("constant", f"All {len(data.y)} ratings are {data.y[0]:g}.")


def _refuse_group(group: Group, ratings: int) -> None:
    levels = len(np.unique(group.codes))
    if levels < 2:
        raise NotEstimable(
            "one_level",
            f"All ratings are of the same {group.name}: how much levels of it differ is unknown.",
        )
    if levels >= ratings:
        raise NotEstimable(
            "confounded",
            f"Each {group.name} has a single rating, so that its effect cannot be told from "
            "the error of the rating.",
        )


def dependent(data: Crossed) -> list[str]:
    """Names of the columns of X that are linear combinations of columns before them.

    By Cholesky's method on the correlations of the columns, one column after another.
    """
    length = np.sqrt(np.einsum("ij,ij->j", data.X, data.X))
    scale = np.where(length > 0, length, 1.0)
    left = (data.X.T @ data.X) / np.outer(scale, scale)
    found = []
    for column, name in enumerate(data.names):
        rest = left[column, column]
        if rest < NOTHING_LEFT:
            found.append(name)
            continue
        left = left - np.outer(left[:, column], left[column]) / rest
    return found


def _refuse_confounded(data: Crossed) -> None:
    one, other = data.groups
    met = len(np.unique(data.crossing.slot))
    if met == len(one.labels) == len(other.labels):
        raise NotEstimable(
            "confounded",
            f"Each {one.name} belongs to one {other.name} and the other way round: which of "
            "the two makes ratings differ cannot be told.",
        )
    for group in data.groups:
        if spare_levels(data.X, group) <= 0:
            raise NotEstimable(
                "confounded",
                f"Each {group.name} has a fixed effect of its own (as where every system has "
                f"one {group.name}): differences between systems and between {group.name}s cannot "
                "be told apart.",
            )


def spare_levels(design: Matrix, group: Group) -> int:
    """How many levels of a random factor are left over once the fixed effects are known.

    These are the degrees of freedom from which its SD is estimated: the levels, less the rank
    of what of X does not vary within them.
    """
    levels = len(group.labels)
    totals = np.array([sums(group.codes, column, levels) for column in design.T])
    sizes = np.maximum(np.bincount(group.codes, minlength=levels), 1)
    within = design.T @ design - (totals / sizes) @ totals.T
    scale = np.sqrt(np.maximum(np.einsum("ij,ij->j", design, design), 1e-300))
    roots = np.linalg.eigvalsh(within / np.outer(scale, scale))
    varying = int(np.count_nonzero(roots > NOTHING_LEFT))
    return levels - int(design.shape[1]) + varying


def extreme_levels(data: Crossed, ratings: Codes) -> list[str]:
    """Levels of fixed factors all of whose ratings are in the lowest, or all in the highest,
    category: their effects have no finite estimate.
    """
    lowest, highest = ratings == ratings.min(), ratings == ratings.max()
    found = []
    for term in data.terms:
        if not term.levels:
            continue
        block = data.X[:, term.columns] > 0
        members = [~block.any(axis=1), *block.T]
        for level, member in zip(term.levels, members, strict=True):
            if lowest[member].all() or highest[member].all():
                found.append(f"{term.name} {level}")
    return found
