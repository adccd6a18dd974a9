"""Two crossed sides of random effects: what their covariance is once the ratings are known.

Z = [Z₁ Z₂] says which cell of either side a row has (see `nested`), W = diag(w) weighs the rows,
N = Z'WZ. The effects a of all cells have the covariance Σ, and P = (Σ⁻¹ + N)⁻¹ is what is left of
it. The first side, which has more cells, is eliminated block by block, which leaves a dense matrix
of the second side's size (D. Bates, M. Mächler, B. Bolker & S. Walker (2015), Fitting linear
mixed-effects models using lme4, section 3, for M = I + L'NL with LL' = Σ).

A rater's cells share what belongs to the rater, so no matrix of cells is made: R = Σₖ LₖLₖ' (see
`nested.NestedPosterior`), and all that is needed of P follows from the tables Lₖ'T, T = Z₁'WZ₂,
which have the levels of one factor in place of cells. Where they have entries never changes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri
from scipy.sparse import csr_array

from analysis.stats.mixed.nested import Codes, Matrix, Nested, Table, Vector, with_entries

#: A value for each cell of the first side, and of the second.
Both = tuple[Matrix, Matrix]

#: A table is kept sparse where less than this share of it is filled.
SPARSE = 0.1
#: So many numbers are computed at a time where a product of a table is not kept.
CHUNK = 4_000_000


def sums(codes: Codes, values: Vector, levels: int) -> Vector:
    """The sum of the values of each code."""
    return np.asarray(np.bincount(codes, values, levels), dtype=float)


@dataclass(frozen=True)
class Pattern:
    """Which entries of a table of `shape` are kept: all, row by row, or those where something is,
    by `row` and `column`.
    """

    shape: tuple[int, int]
    row: Codes
    column: Codes
    is_sparse: bool

    @classmethod
    def of(cls, places: Codes, shape: tuple[int, int]) -> tuple["Pattern", Codes]:
        """The pattern that has these places (row × columns + column), and the entry of each."""
        size = shape[0] * shape[1]
        if len(places) >= SPARSE * size and np.count_nonzero(np.bincount(places)) >= SPARSE * size:
            return cls(shape, *np.divmod(np.arange(size), shape[1]), False), places
        met, entries = np.unique(places, return_inverse=True)
        return cls(shape, *np.divmod(met, shape[1]), True), entries

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def _starts(self) -> Codes:
        return np.searchsorted(self.row, np.arange(self.shape[0] + 1))

    @cached_property
    def _places(self) -> Codes:
        return self.row * self.shape[1] + self.column

    def entries(self, row: Codes, column: Codes) -> Codes:
        """The entries at these places, each of which is kept."""
        places = row * self.shape[1] + column
        return np.searchsorted(self._places, places) if self.is_sparse else places

    def table(self, entries: Vector) -> Table:
        if not self.is_sparse:
            return entries.reshape(self.shape)
        return with_entries(self._ones, entries)

    @cached_property
    def _ones(self) -> csr_array:
        return csr_array((np.ones(len(self)), self.column, self._starts), shape=self.shape)

    def product(self, entries: Vector, square: Matrix) -> Vector:
        """The table times a square matrix, at the entries that the table itself has."""
        table = self.table(entries)
        if isinstance(table, np.ndarray):
            return np.asarray(table @ square).ravel()
        found = np.empty(len(entries))
        step = max(1, CHUNK // self.shape[1])
        for start in range(0, self.shape[0], step):
            stop = min(start + step, self.shape[0])
            here = slice(int(self._starts[start]), int(self._starts[stop]))
            part = table[start:stop] @ square
            found[here] = part[self.row[here] - start, self.column[here]]
        return found

    def rows(self, entries: Vector) -> Vector:
        """The sum of each row."""
        return sums(self.row, entries, self.shape[0])


class Crossing:
    """Which cell of either side each row has: `first` and `second`, from 0 on.

    `pattern` is that of the table of both, and `patterns` those of the tables that have the levels
    of a factor of the first side in place of its cells; `within[k]` is the entry of factor k's to
    which each entry of the whole table belongs, and `finer[j, k]` that of j's of each entry of k's.
    """

    def __init__(self, first: Codes, second: Codes, sides: tuple[Nested, Nested]) -> None:
        self.first, self.second, self.sides = first, second, sides
        self.cells = (sides[0].cells, sides[1].cells)
        columns = self.cells[1]
        self.pattern, self.slot = Pattern.of(first * columns + second, self.cells)
        self.patterns: list[Pattern] = []
        self.within: list[Codes] = []
        for levels, size in zip(sides[0].levels, sides[0].sizes, strict=True):
            places = levels[self.pattern.row] * columns + self.pattern.column
            pattern, entries = Pattern.of(places, (size, columns))
            self.patterns.append(pattern)
            self.within.append(entries)
        self.finer: dict[tuple[int, int], Codes] = {}
        for k, pattern in enumerate(self.patterns):
            levels = pattern.row
            for j in reversed(range(k)):
                levels = sides[0].coarser[j][levels]
                self.finer[j, k] = self.patterns[j].entries(levels, pattern.column)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each factor: those of the first side, then of the second."""
        return (*self.sides[0].sizes, *self.sides[1].sizes)

    def split(self, tau: Vector) -> tuple[Vector, Vector]:
        """What belongs to the factors of the first side, and of the second."""
        depth = len(self.sides[0])
        return tau[:depth], tau[depth:]

    def totals(self, values: Vector) -> tuple[Vector, Vector]:
        """Z₁'v and Z₂'v: the sum over the rows of each cell."""
        return (
            sums(self.first, values, self.cells[0]),
            sums(self.second, values, self.cells[1]),
        )

    def spread(self, first: Vector, second: Vector) -> Vector:
        """Z₁a + Z₂b: to each row the values of its cells."""
        return first[self.first] + second[self.second]

    def table(self, values: Vector) -> Vector:
        """Z₁'diag(v)Z₂, by entry: the sum over the rows of each pair of cells."""
        return sums(self.slot, values, len(self.pattern))

    def by_factor(self, both: Both) -> Iterator[Matrix]:
        """Gₖ'v for the factors of the first side, then of the second."""
        for side, values in zip(self.sides, both, strict=True):
            for factor in range(len(side)):
                yield side.totals(values, factor)


@dataclass(frozen=True)
class Weights:
    """N in parts: `first` and `second` are its diagonals, `table` is Z₁'WZ₂, and `entries` are its
    entries.
    """

    crossing: Crossing
    first: Vector
    second: Vector
    entries: Vector

    @classmethod
    def of(cls, crossing: Crossing, rows: Vector) -> "Weights":
        return cls(crossing, *crossing.totals(rows), crossing.table(rows))

    @cached_property
    def table(self) -> Table:
        return self.crossing.pattern.table(self.entries)

    def times(self, both: Both) -> Both:
        """Na."""
        first, second = both
        by_first, by_second = self.first, self.second
        if first.ndim == 2:
            by_first, by_second = by_first[:, None], by_second[:, None]
        return (
            by_first * first + self.table @ second,
            by_second * second + self.table.T @ first,
        )


class Posterior:
    """P and what else is needed of it, by factors' standard deviations τ (signs do not matter)."""

    def __init__(self, crossing: Crossing, weights: Weights, tau: Vector) -> None:
        self.crossing, self.weights, self.tau = crossing, weights, tau
        first, second = crossing.sides
        of_first, of_second = crossing.split(tau)
        self.given = first.given(weights.first, of_first)
        #: Lₖ'T of each factor of the first side, by entry; T is the table.
        self._halves = [
            sums(within, loading[crossing.pattern.row] * weights.entries, len(pattern))
            for pattern, within, loading in zip(
                crossing.patterns, crossing.within, self.given.loadings, strict=True
            )
        ]
        #: What the ratings say of the second side's cells, the first side's effects unknown.
        self.left = np.diag(weights.second)
        for pattern, entries in zip(crossing.patterns, self._halves, strict=True):
            half = pattern.table(entries)
            product = half.T @ half
            self.left -= product if isinstance(product, np.ndarray) else product.toarray()
        self._root = second.root(of_second)
        self._half = np.asarray(self._root.T @ self.left).T  # left is symmetric
        schur = np.asarray(self._root.T @ self._half)
        schur.flat[:: len(schur) + 1] += 1
        self._lower = cho_factor(schur, lower=True, overwrite_a=True, check_finite=False)
        diagonal = np.diagonal(self._lower[0])
        #: log|M|
        self.log_determinant = self.given.log_determinant + 2 * float(np.log(diagonal).sum())

    def times(self, both: Both) -> Both:
        """Pr, of a vector or of columns: where the effects are, given the ratings."""
        first, second = both
        table = self.weights.table
        right = second - self.weights.table.T @ self.given.times(first)
        inner = cho_solve(self._lower, self._root.T @ right, check_finite=False)
        of_second = np.asarray(self._root @ inner)
        return self.given.times(first - table @ of_second), of_second

    @cached_property
    def _inner(self) -> Matrix:
        """The second side's block of M⁻¹."""
        factor = self._lower[0]
        lower = dpotri(factor, lower=1)[0] if len(factor) else factor  # LAPACK wants something
        return np.asarray(np.tril(lower) + np.tril(lower, -1).T)

    @cached_property
    def second(self) -> Matrix:
        """The second side's block of P."""
        return np.asarray(self._root @ np.asarray(self._root @ self._inner).T)

    @cached_property
    def _seen(self) -> list[Vector]:
        """Lₖ'T times the second side's block of P, at the entries of Lₖ'T."""
        return [
            pattern.product(entries, self.second)
            for pattern, entries in zip(self.crossing.patterns, self._halves, strict=True)
        ]

    def slopes(self) -> Vector:
        """½ ∂log|M|/∂τ, the weights held fixed."""
        crossing = self.crossing
        second = crossing.sides[1]
        by_cell = [
            crossing.pattern.rows(self.weights.entries * seen[within])
            for within, seen in zip(crossing.within, self._seen, strict=True)
        ]
        slopes = []
        for factor in range(len(crossing.sides[0])):
            of_determinant, of_loadings = self.given.slopes(factor)
            through = sum(float(by @ of) for by, of in zip(by_cell, of_loadings, strict=True))
            slopes.append(of_determinant / 2 - through)
        start = 0
        for factor, size in enumerate(second.sizes):
            half = second.totals(self._half, factor)
            slopes.append(float((self._inner[start : start + size] * half).sum()))
            start += size
        return np.array(slopes)

    def variances(self) -> Vector:
        """diag(ZPZ'): the conditional variance of each row's random effects together."""
        crossing, loadings = self.crossing, self.given.loadings
        levels = crossing.sides[0].levels
        first = self.given.diagonal
        between = np.zeros(len(crossing.pattern))
        for k, pattern in enumerate(crossing.patterns):
            own, seen = self._halves[k], self._seen[k]
            between += loadings[k][crossing.pattern.row] * seen[crossing.within[k]]
            first += loadings[k] ** 2 * pattern.rows(own * seen)[levels[k]]
            for j in range(k):
                both = pattern.rows(own * self._seen[j][crossing.finer[j, k]])
                first += 2 * loadings[k] * loadings[j] * both[levels[k]]
        alone = crossing.spread(first, np.diagonal(self.second))
        return np.asarray(alone - 2 * between[crossing.slot])
