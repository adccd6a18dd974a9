"""The matrix of two crossed random effects, M = I + ΛZ'WZΛ, and what is needed of its inverse.

Z = [Z₁ Z₂] says which level of either factor a row has, W = diag(w) weighs the rows, and Λ holds
the relative standard deviations τ₁ and τ₂ of the factors. Both diagonal blocks of M are diagonal,
and so it is factorised through the Schur complement of the first, as an arrow is (D. Bates,
M. Mächler, B. Bolker & S. Walker (2015), Fitting linear mixed-effects models using lme4, section
3, have the same matrix as LL' = ΛZ'WZΛ + I). The first factor is the one with more levels, so
that the matrix that is factorised densely has the size of the smaller one.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri
from scipy.sparse import csr_array

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Table = Matrix | csr_array

#: Below this share of filled cells, a table of the two factors is kept sparse.
SPARSE = 0.1
#: So many numbers are computed at a time where only those in filled cells are kept.
CHUNK = 4_000_000


def sums(codes: Codes, values: Vector, levels: int) -> Vector:
    """The sum of the values of each code."""
    return np.asarray(np.bincount(codes, values, levels), dtype=float)


class Crossing:
    """Which level of either factor each row has: `first` and `second`, from 0 on."""

    def __init__(self, first: Codes, second: Codes, levels: tuple[int, int]) -> None:
        self.first, self.second, self.levels = first, second, levels
        pairs = first * levels[1] + second
        self.sparse = len(pairs) < SPARSE * levels[0] * levels[1]
        if self.sparse:
            met, self.slot = np.unique(pairs, return_inverse=True)
            self._row, self._column = np.divmod(met, levels[1])
            self._starts = np.searchsorted(self._row, np.arange(levels[0] + 1))
        else:
            self.slot = pairs

    def totals(self, values: Vector) -> tuple[Vector, Vector]:
        """Z₁'v and Z₂'v: the sum over the rows of each level."""
        return (
            sums(self.first, values, self.levels[0]),
            sums(self.second, values, self.levels[1]),
        )

    def spread(self, first: Vector, second: Vector) -> Vector:
        """Z₁a + Z₂b: to each row the values of its levels."""
        return first[self.first] + second[self.second]

    def table(self, values: Vector) -> Table:
        """Z₁'diag(v)Z₂: the sum over the rows of each pair of levels."""
        if not self.sparse:
            cells = sums(self.slot, values, self.levels[0] * self.levels[1])
            return cells.reshape(self.levels)
        data = sums(self.slot, values, len(self._row))
        return csr_array((data, self._column, self._starts), shape=self.levels)

    def scaled(self, table: Table, by_row: Vector) -> Table:
        """A table with each row multiplied."""
        if isinstance(table, np.ndarray):
            return table * by_row[:, None]
        data = table.data * by_row[self._row]
        return csr_array((data, self._column, self._starts), shape=self.levels)

    def product_in_cells(self, table: Table, square: Matrix) -> Vector:
        """(table @ square) in the filled cells, as `cells` gives them."""
        if isinstance(table, np.ndarray):
            return np.asarray(table @ square).ravel()
        product = np.empty(len(self._row))
        step = max(1, CHUNK // self.levels[1])
        for start in range(0, self.levels[0], step):
            stop = min(start + step, self.levels[0])
            here = slice(self._starts[start], self._starts[stop])
            part = table[start:stop] @ square
            product[here] = part[self._row[here] - start, self._column[here]]
        return product

    def cells(self, table: Table) -> Vector:
        """The values of the filled cells."""
        return np.asarray(table if isinstance(table, np.ndarray) else table.data).ravel()

    def row_sums(self, cells: Vector) -> Vector:
        """The sums over the filled cells of each row."""
        if not self.sparse:
            return np.asarray(cells.reshape(self.levels).sum(axis=1))
        return sums(self._row, cells, self.levels[0])


@dataclass(frozen=True)
class Weights:
    """Z'WZ in parts: `first` and `second` are its diagonals, `table` is Z₁'WZ₂."""

    first: Vector
    second: Vector
    table: Table

    @classmethod
    def of(cls, crossing: Crossing, rows: Vector) -> "Weights":
        return cls(*crossing.totals(rows), crossing.table(rows))


@dataclass(frozen=True)
class Inverse:
    """Parts of G = M⁻¹: its diagonal over the first factor, its whole block of the second, and in
    the filled cells its block between them.
    """

    first: Vector
    second: Matrix
    cells: Vector


class Arrow:
    """M, factorised."""

    def __init__(self, crossing: Crossing, weights: Weights, tau: Vector) -> None:
        self.crossing, self.weights, self.tau = crossing, weights, tau
        self._d = 1 + tau[0] ** 2 * weights.first
        half = crossing.scaled(weights.table, tau[0] * tau[1] / np.sqrt(self._d))
        self._q = crossing.scaled(half, 1 / np.sqrt(self._d))
        product = half.T @ half
        schur = -(product if isinstance(product, np.ndarray) else product.toarray())
        schur.flat[:: len(schur) + 1] += 1 + tau[1] ** 2 * weights.second
        self._lower = cho_factor(schur, lower=True, overwrite_a=True, check_finite=False)

    @property
    def log_determinant(self) -> float:
        diagonal = np.diagonal(self._lower[0])
        return float(np.log(self._d).sum() + 2 * np.log(diagonal).sum())

    def solve(self, first: Matrix, second: Matrix) -> tuple[Matrix, Matrix]:
        """M⁻¹ times what is given for the levels of either factor (vectors, or columns)."""
        d = self._d if first.ndim == 1 else self._d[:, None]
        right = second - self._q.T @ first
        of_second = cho_solve(self._lower, right, check_finite=False)
        return first / d - self._q @ of_second, of_second

    def inverse(self) -> Inverse:
        lower, _ = dpotri(self._lower[0], lower=1)
        second = np.tril(lower) + np.tril(lower, -1).T
        cells = -self.crossing.product_in_cells(self._q, second)
        across = self.crossing.row_sums(self.crossing.cells(self._q) * cells)
        return Inverse(1 / self._d - across, second, cells)

    def slopes(self, inverse: Inverse) -> Vector:
        """½ ∂log|M|/∂τ, the weights held fixed."""
        weights, tau = self.weights, self.tau
        across = float(self.crossing.cells(weights.table) @ inverse.cells)
        first = tau[0] * float(weights.first @ inverse.first)
        second = tau[1] * float(weights.second @ np.diagonal(inverse.second))
        return np.array([first + tau[1] * across, second + tau[0] * across])

    def variances(self, inverse: Inverse) -> Vector:
        """diag(ZΛM⁻¹ΛZ'): the conditional variance of each row's random effects together."""
        tau, crossing = self.tau, self.crossing
        second = np.diagonal(inverse.second)
        own = crossing.spread(tau[0] ** 2 * inverse.first, tau[1] ** 2 * second)
        across: Vector = 2 * tau[0] * tau[1] * inverse.cells
        return own + across[crossing.slot]
