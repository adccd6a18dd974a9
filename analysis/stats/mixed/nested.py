"""Factors that are nested, such as raters and raters in conditions, each with random intercepts.

A *cell* is a level of the last and finest factor; each cell belongs to one level of every factor.
The effects a of the cells are sums, one effect for each factor: their covariance is
Σ = Σₖ τₖ² GₖGₖ', where Gₖ says which level of factor k a cell belongs to. With data of weight n
about each cell, R = (Σ⁻¹ + diag(n))⁻¹ is block diagonal: one block for each level of the coarsest
factor. It is found factor by factor, the finest first, as each absorbs what the factors within it
leave; nothing is divided by a variance, so that one of 0 is no special case.
"""

from collections.abc import Sequence
from copy import copy
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


def with_entries(table: csr_array, entries: Vector) -> csr_array:
    """A table with entries in the same places, which takes far less time than to make one."""
    other = copy(table)
    other.data = entries
    return other


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
        self._sums = tuple(
            np.ascontiguousarray(members.T)
            if isinstance(members, np.ndarray)
            else csr_array(members.T)
            for members in self.members
        )
        self.coarser = [_coarser(fine, coarse) for coarse, fine in pairwise(self.levels)]

    @classmethod
    def single(cls, levels: int) -> "Nested":
        """One factor."""
        return cls([np.arange(levels, dtype=np.intp)])

    def __len__(self) -> int:
        return len(self.levels)

    def totals(self, values: Matrix, factor: int) -> Matrix:
        """Gₖ'v: the sum over the cells of each level (cells × columns, or a vector)."""
        if factor == len(self) - 1:
            return values
        return np.asarray(self._sums[factor] @ values)

    def prior(self, tau: Vector, values: Vector) -> Vector:
        """Σv."""
        product = np.zeros(self.cells)
        for factor, codes in enumerate(self.levels):
            product += tau[factor] ** 2 * self.totals(values, factor)[codes]
        return product

    def upwards(self, factor: int, values: Vector) -> Vector:
        """The sum over the levels of a factor in each level of the next coarser one."""
        return np.asarray(
            np.bincount(self.coarser[factor - 1], values, self.sizes[factor - 1]), dtype=float
        )

    def root(self, tau: Vector) -> Table:
        """L with LL' = Σ: a column for each level of each factor."""
        values = np.broadcast_to(tau, (self.cells, len(self)))
        return self._filled(self._columns, values, sum(self.sizes))

    def given(self, weights: Vector, tau: Vector) -> "NestedPosterior":
        """R, where the data about each cell have these weights."""
        return NestedPosterior(self, weights, tau)

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


class NestedPosterior:
    """R = Σₖ LₖLₖ'. Lₖ has one column for each level of factor k, and in each row, a cell's, a
    number other than 0 in the column of its level: `loadings[k]` has these numbers.
    """

    def __init__(self, nested: Nested, weights: Vector, tau: Vector) -> None:
        self.nested, self.tau = nested, tau
        self.loadings: list[Vector] = [np.empty(0)] * len(nested)
        #: log|I + L'diag(n)L|
        self.log_determinant = 0.0
        self._effects: list[Vector] = [np.empty(0)] * len(nested)
        self._left: list[Vector] = [np.empty(0)] * len(nested)
        left, effect = weights, np.ones(nested.cells)
        for factor in reversed(range(len(nested))):
            self._left[factor], self._effects[factor] = left, effect
            d = 1 + tau[factor] ** 2 * left
            self.log_determinant += float(np.log(d).sum())
            levels = nested.levels[factor]
            self.loadings[factor] = effect * (tau[factor] / np.sqrt(d))[levels]
            effect = effect / d[levels]
            if factor:
                left = nested.upwards(factor, left / d)

    def slopes(self, factor: int) -> tuple[float, list[Vector]]:
        """∂/∂τ of the factor: of `log_determinant`, and of `loadings`."""
        nested = self.nested
        of_determinant = 0.0
        of_loadings = [np.zeros(nested.cells) for _ in self.loadings]
        of_left, of_effect = np.zeros(nested.sizes[factor]), np.zeros(nested.cells)
        for other in reversed(range(factor + 1)):
            left, tau, levels = self._left[other], self.tau[other], nested.levels[other]
            d = 1 + tau**2 * left
            of_d = tau**2 * of_left
            own = -0.5 * tau * of_d / d
            if other == factor:
                of_d = 2 * tau * left
                own = 1 - 0.5 * tau * of_d / d
            change = of_d / d
            of_determinant += float(change.sum())
            root = np.sqrt(d)
            effect = self._effects[other]
            of_loadings[other] = effect * (own / root)[levels] + of_effect * (tau / root)[levels]
            of_effect = (of_effect - effect * change[levels]) / d[levels]
            if other:
                of_left = nested.upwards(other, (of_left - left * change) / d)
        return of_determinant, of_loadings

    def times(self, values: Matrix) -> Matrix:
        """Rv, of a vector or of columns."""
        if not self.loadings:
            return np.zeros(values.shape)
        finest = self.loadings[-1] ** 2
        product = (finest if values.ndim == 1 else finest[:, None]) * values
        for loaded in self._loaded:
            product += loaded @ (loaded.T @ values)
        return product

    @cached_property
    def _loaded(self) -> list[Table]:
        """Lₖ of all factors but the finest, whose is diagonal."""
        coarser = zip(self.nested.members[:-1], self.loadings[:-1], strict=True)
        return [
            members * loading[:, None]
            if isinstance(members, np.ndarray)
            else with_entries(members, loading)
            for members, loading in coarser
        ]

    @property
    def diagonal(self) -> Vector:
        nothing = np.zeros(self.nested.cells)
        return np.asarray(sum((loading**2 for loading in self.loadings), start=nothing))


def _coarser(fine: Codes, coarse: Codes) -> Codes:
    """The coarse level of each fine one."""
    levels = np.zeros(int(fine.max(initial=-1)) + 1, dtype=np.intp)
    levels[fine] = coarse
    return levels
