"""Ratings crossed by two sides, such as raters and items, as the mixed models take them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.stats.mixed.arrow import Crossing
from analysis.stats.mixed.nested import Codes, Matrix, Nested, Vector
from analysis.stats.mixed.problems import Note

#: Between the names of factors that are nested, the coarsest first, as in lme4's formulas.
WITHIN = "/"


@dataclass(frozen=True)
class Group:
    """A factor with a random intercept for each of its levels (raters; raters in conditions)."""

    name: str
    codes: Codes
    labels: tuple[Any, ...]

    @property
    def index(self) -> "pd.Index[Any]":
        """The labels, as they name its effects."""
        index: pd.Index[Any] = pd.Index(self.labels, tupleize_cols=False)
        return index


@dataclass(frozen=True)
class Chain:
    """Groups of which each is nested in the one before it. Where each rating has a level of its
    own, as of raters who gave one each, there are none. `units` is how many levels the coarsest
    factor has, and `parts` the finest, with effects or without.
    """

    groups: tuple[Group, ...]
    units: int
    parts: int

    @cached_property
    def cells(self) -> int:
        """The number of levels of the finest group; one without groups."""
        return len(self.groups[-1].labels) if self.groups else 1

    def of_cells(self, rows: int) -> Codes:
        """The cell of each of so many ratings."""
        return self.groups[-1].codes if self.groups else np.zeros(rows, dtype=np.intp)

    @cached_property
    def nested(self) -> Nested:
        if not self.groups:
            return Nested([])
        cells = self.groups[-1].codes
        levels = []
        for group in self.groups:
            of_cells = np.zeros(self.cells, dtype=np.intp)
            of_cells[cells] = group.codes
            levels.append(of_cells)
        return Nested(levels)


@dataclass(frozen=True)
class Term:
    """A fixed effect and where it stands in the design matrix.

    A factor has `levels`, the first of which is what the others are compared to; a covariate
    has none, and its `mean`.
    """

    name: str
    columns: slice
    levels: tuple[Any, ...] = ()
    mean: float = 0.0

    def row(self, level: Any) -> Vector:
        """Its columns for one of its levels; a covariate stands at its mean."""
        if not self.levels:
            return np.array([self.mean])
        return np.array([float(level == other) for other in self.levels[1:]])


@dataclass(frozen=True)
class Crossed:
    """n ratings `y` with their design `X` (n × p, the first column is the intercept), the `names`
    of its columns, and the two `sides` of factors with random intercepts.

    `terms` say what the columns of X mean; without them a model can be fitted, but `means`,
    `contrasts` and `shares` have nothing to go by. `notes` is what was left out.
    """

    y: Vector
    X: Matrix
    names: tuple[str, ...]
    sides: tuple[Chain, Chain]
    terms: tuple[Term, ...] = ()
    notes: tuple[Note, ...] = ()

    @cached_property
    def by_size(self) -> tuple[Chain, Chain]:
        """The side with more cells comes first."""
        one, other = self.sides
        return (one, other) if one.cells >= other.cells else (other, one)

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of the first side of `by_size`, then of the second: the order of SDs."""
        first, second = self.by_size
        return (*first.groups, *second.groups)

    def group(self, name: str) -> Group:
        """Raises KeyError where the model has none of that name."""
        return {group.name: group for group in self.groups}[name]

    @cached_property
    def crossing(self) -> Crossing:
        first, second = self.by_size
        codes, others = (side.of_cells(len(self.y)) for side in (first, second))
        return Crossing(codes, others, (first.nested, second.nested))

    def only(self, kept: Codes) -> tuple["Crossed", Codes]:
        """The model with these of the `groups` alone, and their places among all."""
        names = [group.name for group in self.groups]
        left = {names[at] for at in kept}
        first, second = (
            replace(side, groups=tuple(group for group in side.groups if group.name in left))
            for side in self.by_size
        )
        data = replace(self, sides=(first, second))
        return data, np.array([names.index(group.name) for group in data.groups], dtype=np.intp)

    def term(self, name: str) -> Term:
        """The factor of that name. Raises KeyError where the model has none."""
        for term in self.terms:
            if term.name == name and term.levels:
                return term
        raise KeyError(f"The model has no fixed factor {name!r}")

    def counts(self, name: str) -> dict[Any, int]:
        """How many ratings each level of a factor has. Raises KeyError as `term` does."""
        factor = self.term(name)
        others = self.X[:, factor.columns].sum(axis=0)
        counts = [len(self.y) - others.sum(), *others]
        return {level: int(n) for level, n in zip(factor.levels, counts, strict=True)}

    def grid(self, name: str) -> Matrix:
        """Rows of X for each level of a factor (levels × cells × p).

        The cells are the combinations of the other factors, each once, whatever was observed;
        covariates are at their means. A mean over the cells is what others call a least-squares or
        estimated marginal mean.
        """
        focal = self.term(name)
        others = [term for term in self.terms if term is not focal]
        cells = list(product(*(term.levels or (None,) for term in others)))
        grid = np.zeros((len(focal.levels), len(cells), len(self.names)))
        grid[:, :, 0] = 1
        for at, level in enumerate(focal.levels):
            grid[at, :, focal.columns] = focal.row(level)
            for cell, chosen in enumerate(cells):
                for term, other in zip(others, chosen, strict=True):
                    grid[at, cell, term.columns] = term.row(other)
        return grid


def crossed(
    frame: DataFrame,
    *,
    rating: str,
    fixed: Sequence[str],
    groups: tuple[str, str],
    levels: Mapping[str, Sequence[Any]] | None = None,
) -> Crossed:
    """Ratings from a tidy table: a row per rating, columns by name.

    `fixed` are factors (text, categories or truth values: each level but the first gets a
    column) and covariates (numbers). `groups` are two factors with random intercepts, or nested
    ones, as in ("rater/condition", "scenario/system"): effects of raters, of raters in each
    condition ("rater:condition"), of scenarios, and of systems in each scenario. A nested factor
    that divides ratings no further than the one before it has no effects of its own. Neither has
    one that gives each rating a level, whose effect is the model's error, and a note says so: where
    each rater gave one rating, there are no effects of raters. `levels` gives factors among `fixed`
    an order of levels, otherwise categories keep theirs and the rest is sorted; levels without a
    rating are dropped. Rows in which something is missing are left out, which a note says. Raises
    ValueError for a value that is not among `levels`.
    """
    chains = [chain.split(WITHIN) for chain in groups]
    used = list(dict.fromkeys([rating, *fixed, *(name for chain in chains for name in chain)]))
    known = frame[used].dropna()
    notes: list[Note] = []
    if left := len(frame) - len(known):
        sentence = f"{left} of {len(frame)} ratings are left out, because something is missing"
        notes.append(Note("missing", f"{sentence} ({_missing(frame[used])})."))
    blocks: list[Matrix] = [np.ones((len(known), 1))]
    names, terms = ["(intercept)"], []
    for name in fixed:
        order = levels.get(name) if levels else None
        term, block = _term(known[name], name, order, len(names))
        terms.append(term)
        blocks.append(block)
        names += [f"{name}[{level}]" for level in term.levels[1:]] if term.levels else [name]
    sides = [_side(known, chain, notes) for chain in chains]
    return Crossed(
        known[rating].to_numpy(dtype=float),
        np.hstack(blocks),
        tuple(names),
        (sides[0], sides[1]),
        tuple(terms),
        tuple(notes),
    )


def _side(frame: DataFrame, chain: Sequence[str], notes: list[Note]) -> Chain:
    """The factors of a side that add something to those before them."""
    coarsest = _group(frame[chain[0]], chain[0])
    groups: list[Group] = []
    within: list[str] = []
    parts = len(coarsest.labels)
    for name in chain:
        columns = [*within, name]
        group = _nested_group(frame, columns) if within else coarsest
        parts = len(group.labels)
        if groups and len(group.labels) == len(groups[-1].labels):
            continue
        if len(group.labels) == len(frame) > 1:
            said = f"There are no effects of {group.name}: each would have a single rating"
            notes.append(Note("omitted", f"{said}, whose error cannot be told from it."))
            break
        groups.append(group)
        within = columns
    return Chain(tuple(groups), len(coarsest.labels), parts)


def _nested_group(frame: DataFrame, columns: list[str]) -> Group:
    codes = frame.groupby(columns, observed=True, sort=True).ngroup().to_numpy()
    firsts = frame[columns].iloc[np.unique(codes, return_index=True)[1]]
    labels = tuple(firsts.itertuples(index=False, name=None))
    return Group(":".join(columns), codes.astype(np.intp), labels)


def _missing(frame: DataFrame) -> str:
    counts = frame.isna().sum()
    return ", ".join(f"{name}: {n}" for name, n in counts[counts > 0].items())


def _group(column: "pd.Series[Any]", name: str) -> Group:
    codes, labels = pd.factorize(column, sort=True)
    return Group(name, codes.astype(np.intp), tuple(labels))


def _term(
    column: "pd.Series[Any]", name: str, order: Sequence[Any] | None, at: int
) -> tuple[Term, Matrix]:
    if order is None and _is_covariate(column):
        values = column.to_numpy(dtype=float)
        mean = float(values.mean()) if len(values) else 0.0
        return Term(name, slice(at, at + 1), mean=mean), values[:, None]
    kept = pd.Categorical(column)
    if order is None:
        order = list(kept.categories)
    codes = pd.Index(list(order)).get_indexer(kept.categories)[kept.codes]
    if (codes < 0).any():
        raise ValueError(f"{name} has values that are not among its levels")
    used = np.unique(codes)
    block = (codes[:, None] == used[1:]).astype(float)
    levels = tuple(order[int(code)] for code in used)
    return Term(name, slice(at, at + block.shape[1]), levels), block


def _is_covariate(column: "pd.Series[Any]") -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
