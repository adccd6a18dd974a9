"""Factors that are nested, such as raters and raters in conditions, each with random intercepts.

A *cell* is a level of the last and finest factor; each cell belongs to one level of every factor.
The effects a of the cells are sums, one effect for each factor: their covariance is
Σ = Σₖ τₖ² GₖGₖ', where Gₖ says which level of factor k a cell belongs to. With data of weight n
about each cell, R = (Σ⁻¹ + diag(n))⁻¹ is block diagonal: one block for each level of the coarsest
factor. It is found factor by factor, the finest first, as each absorbs what the factors within it
leave; nothing is divided by a variance, so that one of 0 is no special case.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Table = Matrix | csr_array

#: Up to so many cells, matrices of cells are dense: then sparse ones take longer.
FEW_CELLS = 200


class Nested:
    """`levels` are the level of each cell in each factor, the coarsest first; the last factor's
    levels are the cells themselves. Without factors there is one cell, which has no effect.
    """

    def __init__(self, levels: Sequence[Codes]) -> None:
        self.levels = tuple(levels)
        self.sizes = tuple(int(codes.max(initial=-1)) + 1 for codes in levels)
        self.cells = len(levels[-1]) if levels else 1
        ones = np.ones(self.cells)
        self.members = tuple(
            self._filled(codes[:, None], ones[:, None], size)
            for codes, size in zip(self.levels, self.sizes, strict=True)
        )
        self._coarser = [_coarser(fine, coarse) for coarse, fine in pairwise(self.levels)]

    @classmethod
    def single(cls, levels: int) -> "Nested":
        """One factor."""
        return cls([np.arange(levels, dtype=np.intp)])

    def __len__(self) -> int:
        return len(self.levels)

    def totals(self, values: Matrix, factor: int) -> Matrix:
        """Gₖ'v: the sum over the cells of each level (cells × columns, or a vector)."""
        return values if factor == len(self) - 1 else np.asarray(self.members[factor].T @ values)

    def prior(self, tau: Vector, values: Vector) -> Vector:
        """Σv."""
        product = np.zeros(self.cells)
        for factor, codes in enumerate(self.levels):
            product += tau[factor] ** 2 * self.totals(values, factor)[codes]
        return product

    def root(self, tau: Vector) -> Table:
        """L with LL' = Σ: a column for each level of each factor."""
        return self._by_level(np.broadcast_to(tau, (self.cells, len(self))))

    def given(self, weights: Vector, tau: Vector) -> tuple[Table, float]:
        """R, and log|I + L'diag(n)L|."""
        if not self.levels:
            return np.zeros((1, 1)), 0.0
        log_determinant = 0.0
        left, effect = weights, np.ones(self.cells)
        loadings: list[Vector] = []
        for factor in reversed(range(len(self))):
            d = 1 + tau[factor] ** 2 * left
            log_determinant += float(np.log(d).sum())
            own = abs(tau[factor]) / np.sqrt(d)
            loadings.append(effect * own[self.levels[factor]])
            effect = effect / d[self.levels[factor]]
            if factor:
                coarser, size = self._coarser[factor - 1], self.sizes[factor - 1]
                left = np.asarray(np.bincount(coarser, left / d, size), dtype=float)
        root = self._by_level(np.column_stack(loadings[::-1]))
        if isinstance(root, np.ndarray):
            return root @ root.T, log_determinant
        return csr_array(root @ root.T), log_determinant

    def _by_level(self, values: Matrix) -> Table:
        """Cells × levels of all factors, with a value at each of a cell's levels."""
        return self._filled(self._columns, values, sum(self.sizes))

    def _filled(self, columns: Codes, values: Matrix, n: int) -> Table:
        """A matrix of n columns with these values in each row (cells × as many in each)."""
        if self.cells <= FEW_CELLS:
            dense = np.zeros((self.cells, n))
            np.put_along_axis(dense, columns, values, axis=1)
            return dense
        rows = np.arange(0, values.size + 1, values.shape[1])
        return csr_array((values.ravel(), columns.ravel(), rows), shape=(self.cells, n))

    @cached_property
    def _columns(self) -> Codes:
        if not self.levels:
            return np.zeros((1, 0), dtype=np.intp)
        starts = np.cumsum([0, *self.sizes[:-1]])
        return np.asarray(np.column_stack(self.levels) + starts, dtype=np.intp)


def _coarser(fine: Codes, coarse: Codes) -> Codes:
    """The coarse level of each fine one."""
    levels = np.zeros(int(fine.max(initial=-1)) + 1, dtype=np.intp)
    levels[fine] = coarse
    return levels
