"""What is looked at before a fit, so that what cannot be estimated is named instead of computed."""

from itertools import product

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack
from scipy.sparse.linalg import lsqr

from analysis.stats.mixed.data import Crossed, Group
from analysis.stats.mixed.nested import Codes, Matrix
from analysis.stats.mixed.problems import Refused

#: The smaller factor's matrix is dense: 8 bytes × 6,000² are 288 MB, a few times over.
MOST_LEVELS = 6000
#: The squares of larger numbers, and sums of these, may overflow.
LARGEST = 1e60
#: Below this share of its length, what is left of a column is rounding.
NOTHING_LEFT = 1e-7


def refuse_what_cannot_be_fitted(data: Crossed, unknowns: int) -> None:
    """Raises Refused. `unknowns` counts the parameters without the design's."""
    _refuse_values(data)
    refuse_design(data, unknowns)


def refuse_design(data: Crossed, unknowns: int) -> None:
    """Raises Refused where no ratings of this design could tell the effects apart."""
    if not data.groups:
        raise Refused("confounded", "each rating is by another rater and of another text")
    for group in data.groups:
        _refuse_group(group)
    if (smaller := data.by_size[1].cells) > MOST_LEVELS:
        names = " and ".join(side.groups[-1].name for side in data.sides)
        raise Refused(
            "too_large",
            f"both {names} have {smaller} levels or more; up to {MOST_LEVELS} of one are possible",
        )
    needed = data.X.shape[1] + unknowns
    if len(data.y) <= needed:
        raise Refused(
            "too_few", f"{len(data.y)} ratings are too few for a model with {needed} unknowns"
        )
    if surplus := dependent(data):
        which = ", ".join(surplus)
        raise Refused("rank_deficient", f"these fixed effects are determined by others: {which}")
    _refuse_confounded(data)


def _refuse_values(data: Crossed) -> None:
    if not len(data.y):
        raise Refused("no_values", "there are no ratings")
    if not (np.isfinite(data.y).all() and np.isfinite(data.X).all()):
        raise ValueError("Some ratings or covariates are missing or infinite")
    if max(np.abs(data.y).max(), np.abs(data.X).max()) > LARGEST:
        raise ValueError(f"Some ratings or covariates are beyond ±{LARGEST:g}")
    if len(data.y) == 1:
        raise Refused("too_few", "there is a single rating")
    if (data.y == data.y[0]).all():
        raise Refused("constant", f"all {len(data.y)} ratings are {data.y[0]:g}")


def _refuse_group(group: Group) -> None:
    if (group.codes == group.codes[:1]).all():
        raise Refused(
            "one_group",
            f"all ratings have the same {group.name}, and so nothing shows how much these differ",
        )


def dependent(data: Crossed) -> list[str]:
    """Names of the columns of X that are linear combinations of columns before them.

    By Cholesky's method on the correlations of the columns, one column after another.
    """
    length = np.sqrt(np.einsum("ij,ij->j", data.X, data.X))
    scale = np.where(length > 0, length, 1.0)
    left = (data.X.T @ data.X) / np.outer(scale, scale)
    names = []
    for column, name in enumerate(data.names):
        rest = left[column, column]
        if rest < NOTHING_LEFT:
            names.append(name)
            continue
        left = left - np.outer(left[:, column], left[column]) / rest
    return names


def _refuse_confounded(data: Crossed) -> None:
    for one, other in product(*(side.groups for side in data.sides)):
        met = len(pd.unique(one.codes * len(other.labels) + other.codes))
        if met == len(one.labels) == len(other.labels):
            raise Refused(
                "confounded",
                f"each {one.name} belongs to one {other.name} and the other way round: which of "
                "the two makes ratings differ cannot be told",
            )
    for group in data.groups:
        if spare_levels(data.X, group) <= 0:
            raise Refused(
                "confounded",
                f"each {group.name} has a fixed effect of its own (as where every system has "
                f"one {group.name}), and how much these differ by themselves cannot be told",
            )


def spare_levels(design: Matrix, group: Group) -> int:
    """How many levels of a random factor are left over once the fixed effects are known.

    These are the degrees of freedom from which its SD is estimated: the levels, less the rank
    of what of X does not vary within them.
    """
    n, levels = len(group.codes), len(group.labels)
    members = csr_array((np.ones(n), group.codes, np.arange(n + 1)), shape=(n, levels))
    totals = members.T @ design
    sizes = np.maximum(np.bincount(group.codes, minlength=levels), 1)
    products = design.T @ design
    within = products - (totals / sizes[:, None]).T @ totals
    scale = np.sqrt(np.maximum(products.diagonal(), 1e-300))
    roots = np.linalg.eigvalsh(within / np.outer(scale, scale))
    varying = int(np.count_nonzero(roots > NOTHING_LEFT))
    return levels - int(design.shape[1]) + varying


def explained_exactly(data: Crossed) -> bool:
    """Whether the fixed effects and a mean for each level of both factors leave no residual."""
    ones = np.ones(len(data.y))
    rows = np.arange(len(data.y))
    levels = [csr_array((ones, (rows, group.codes))) for group in data.groups]
    columns = hstack([csr_array(data.X), *levels])
    centred = data.y - data.y.mean()
    _, _, _, residual, *_ = lsqr(columns, centred, atol=1e-12, btol=1e-12)
    return bool(residual < 1e-6 * np.linalg.norm(centred))


def extreme_levels(data: Crossed, ratings: Codes) -> list[str]:
    """Levels of fixed factors all of whose ratings are in the lowest, or all in the highest,
    category: their effects have no finite estimate.
    """
    lowest, highest = ratings == ratings.min(), ratings == ratings.max()
    extremes = []
    for term in data.terms:
        if not term.levels:
            continue
        block = data.X[:, term.columns] > 0
        members = [~block.any(axis=1), *block.T]
        for level, member in zip(term.levels, members, strict=True):
            if lowest[member].all() or highest[member].all():
                extremes.append(f"{term.name} {level}")
    return extremes
