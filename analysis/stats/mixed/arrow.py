"""Two crossed sides of random effects: what their covariance is once the ratings are known.

Z = [Z₁ Z₂] says which cell of either side a row has (see `nested`), W = diag(w) weighs the rows,
N = Z'WZ. The effects a of all cells have the covariance Σ, and P = (Σ⁻¹ + N)⁻¹ is what is left of
it. The first side, which has more cells, is eliminated block by block, which leaves a dense matrix
of the second side's size (D. Bates, M. Mächler, B. Bolker & S. Walker (2015), Fitting linear
mixed-effects models using lme4, section 3, for M = I + L'NL with LL' = Σ).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri
from scipy.sparse import csr_array, diags_array

from analysis.stats.mixed.nested import Codes, Matrix, Nested, Table, Vector

#: A value for each cell of the first side, and of the second.
Both = tuple[Matrix, Matrix]

#: A table of the two sides is kept sparse where less than this share of it is filled, once each
#: level of the first side's coarsest factor has what any of its cells has, as R mixes these.
SPARSE = 0.1
#: So many numbers are computed at a time where a product of a table is not kept.
CHUNK = 4_000_000


def sums(codes: Codes, values: Vector, levels: int) -> Vector:
    """The sum of the values of each code."""
    return np.asarray(np.bincount(codes, values, levels), dtype=float)


class Crossing:
    """Which cell of either side each row has: `first` and `second`, from 0 on."""

    def __init__(self, first: Codes, second: Codes, sides: tuple[Nested, Nested]) -> None:
        self.first, self.second, self.sides = first, second, sides
        self.cells = (sides[0].cells, sides[1].cells)
        pairs = first * self.cells[1] + second
        coarsest = sides[0].levels[0][first] * self.cells[1] + second
        possible = sides[0].sizes[0] * self.cells[1]
        self.sparse = len(np.unique(coarsest)) < SPARSE * possible
        if self.sparse:
            met, self.slot = np.unique(pairs, return_inverse=True)
            self._row, self._column = np.divmod(met, self.cells[1])
            self._starts = np.searchsorted(self._row, np.arange(self.cells[0] + 1))
        else:
            self.slot = pairs

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

    def table(self, values: Vector) -> Table:
        """Z₁'diag(v)Z₂: the sum over the rows of each pair of cells."""
        if not self.sparse:
            return sums(self.slot, values, self.cells[0] * self.cells[1]).reshape(self.cells)
        data = sums(self.slot, values, len(self._row))
        return csr_array((data, self._column, self._starts), shape=self.cells)

    def by_factor(self, both: Both) -> Iterator[Matrix]:
        """Gₖ'v for the factors of the first side, then of the second."""
        for side, values in zip(self.sides, both, strict=True):
            for factor in range(len(side)):
                yield side.totals(values, factor)

    def where_filled(self, start: int, stop: int) -> tuple[slice, Codes, Codes]:
        """The filled pairs of some cells of the first side: their places among all that are
        filled, and the rows (from 0 on) and columns of a table of these cells.
        """
        here = slice(int(self._starts[start]), int(self._starts[stop]))
        return here, self._row[here] - start, self._column[here]


@dataclass(frozen=True)
class Weights:
    """N in parts: `first` and `second` are its diagonals, `table` is Z₁'WZ₂."""

    first: Vector
    second: Vector
    table: Table

    @classmethod
    def of(cls, crossing: Crossing, rows: Vector) -> "Weights":
        return cls(*crossing.totals(rows), crossing.table(rows))

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
        table = weights.table
        self.given, of_eliminated = first.given(weights.first, of_first)
        self.carried = self.given @ table
        product = self.carried.T @ table
        #: What the ratings say of the second side's cells, the first side's effects unknown.
        self.left = -(product if isinstance(product, np.ndarray) else product.toarray())
        self.left.flat[:: len(self.left) + 1] += weights.second
        self._root = second.root(of_second)
        self._half = np.asarray(self._root.T @ self.left).T  # left is symmetric
        schur = np.asarray(self._root.T @ self._half)
        schur.flat[:: len(schur) + 1] += 1
        self._lower = cho_factor(schur, lower=True, overwrite_a=True, check_finite=False)
        diagonal = np.diagonal(self._lower[0])
        #: log|M|
        self.log_determinant = of_eliminated + 2 * float(np.log(diagonal).sum())

    def times(self, both: Both) -> Both:
        """Pr, of a vector or of columns: where the effects are, given the ratings."""
        first, second = both
        right = second - self.carried.T @ first
        inner = cho_solve(self._lower, self._root.T @ right, check_finite=False)
        of_second = np.asarray(self._root @ inner)
        return self.given @ first - self.carried @ of_second, of_second

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
    def alone(self) -> Table:
        """Z₁'V⁻¹Z₁ without the second side's effects: N₁ − N₁RN₁."""
        own = self.weights.first
        if isinstance(self.given, np.ndarray):
            return np.diag(own) - own[:, None] * self.given * own
        by_row = diags_array(own)
        return csr_array(by_row - by_row @ self.given @ by_row)

    @cached_property
    def across(self) -> Table:
        """Z₁'V⁻¹Z₂ without the second side's effects: (I − N₁R) times the table."""
        by_row = self.weights.first
        table = self.weights.table
        if isinstance(table, np.ndarray):
            return np.asarray(table - by_row[:, None] * self.carried)
        return csr_array(table - diags_array(by_row) @ self.carried)

    def slopes(self) -> Vector:
        """½ ∂log|M|/∂τ, the weights held fixed."""
        first, second = self.crossing.sides
        of_first, _ = self.crossing.split(self.tau)
        slopes = []
        for factor, members in enumerate(first.members):
            finest = factor == len(first) - 1
            alone = self.alone if finest else members.T @ self.alone @ members
            across = self.across if finest else members.T @ self.across
            seen = [total.sum() for _, total, _ in _quadratic(across, self.second)]
            slopes.append(of_first[factor] * float(alone.diagonal().sum() - sum(seen)))
        start = 0
        for factor, size in enumerate(second.sizes):
            half = second.totals(self._half, factor)
            slopes.append(float((self._inner[start : start + size] * half).sum()))
            start += size
        return np.array(slopes)

    def variances(self) -> Vector:
        """diag(ZPZ'): the conditional variance of each row's random effects together."""
        crossing = self.crossing
        first = self.given.diagonal().copy()
        filled = []
        for start, total, part in _quadratic(self.carried, self.second):
            first[start : start + len(total)] += total
            if crossing.sparse:
                _, rows, columns = crossing.where_filled(start, start + len(total))
                filled.append(part[rows, columns])
            else:
                filled.append(part.ravel())
        own = crossing.spread(first, np.diagonal(self.second))
        return np.asarray(own - 2 * np.concatenate(filled)[crossing.slot])


def _quadratic(table: Any, square: Matrix) -> Iterator[tuple[int, Vector, Matrix]]:
    """diag(A S A') and AS of some rows of a table A at a time, and the number of the first."""
    rows, columns = table.shape
    step = max(1, CHUNK // max(columns, 1))
    for start in range(0, rows, step):
        part = table[start : start + step]
        dense = part if isinstance(part, np.ndarray) else part.toarray()
        product = part @ square
        yield start, np.einsum("ij,ij->i", dense, product), product
