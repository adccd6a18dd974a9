"""Student's t for estimates of a mixed model: its degrees of freedom."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
from scipy.linalg import block_diag
from scipy.sparse import csr_array, diags_array

from analysis.stats.mixed.arrow import CHUNK, Posterior
from analysis.stats.mixed.equations import Absorbed
from analysis.stats.mixed.nested import Codes, Matrix, Nested, Vector


@dataclass(frozen=True)
class Reference:
    """What the variance of an estimate hangs on, for the t distribution it is compared to.

    The variance of l'ψ is v = l'A⁻¹l in units of the error's variance, A the `absorbed` equations.
    With g its slope by the variances of the random effects and, in a linear model, of the error,
    and I the expected information about these, the degrees of freedom are 2v² / g'I⁻¹g
    (F. E. Satterthwaite (1946), An approximate distribution of estimates of variance components).
    For a single combination that is also what M. G. Kenward & J. H. Roger (1997), Small sample
    inference for fixed effects from restricted maximum likelihood, find. A variance that is
    estimated at 0 is an estimate, too, and keeps its place in I.

    `spare` is the number of ratings less that of coefficients; None in an ordinal model, whose
    error has a known variance. There the weights are those of the mode, held fixed.
    """

    absorbed: Absorbed
    inverse: Matrix
    spare: int | None

    def degrees_of_freedom(self, combinations: Matrix) -> Vector:
        """Of one combination, or of each row; infinite where no variance is estimated."""
        variances, slopes = self._variances(combinations)
        if self.spare is not None:
            error = variances - self.absorbed.posterior.tau**2 @ slopes  # v is linear in all
            slopes = np.concatenate([slopes, np.asarray(error)[None]])
        uncertain = (slopes * (self.spread @ slopes)).sum(axis=0)
        with np.errstate(divide="ignore"):
            return np.where(uncertain > 0, 2 * variances**2 / uncertain, np.inf)[()]

    def shares(self, combinations: Matrix) -> Matrix:
        """What part of the variance of l'ψ each factor makes, and last the error; they sum to 1."""
        variances, slopes = self._variances(combinations)
        parts = slopes.T * self.absorbed.posterior.tau**2
        error = variances - parts.sum(axis=-1)
        return np.concatenate([parts, error[..., None]], axis=-1) / variances[..., None]

    def _variances(self, combinations: Matrix) -> tuple[Vector, Matrix]:
        """Of one combination or each row, and their slopes by the variances of the effects."""
        solved = self.inverse @ combinations.T
        variances = np.asarray((combinations.T * solved).sum(axis=0))
        return variances, self.absorbed.slope_of_variance(solved)

    @cached_property
    def spread(self) -> Matrix:
        """The covariance of the estimated variances, in units of the error's."""
        return np.asarray(np.linalg.pinv(self.information, hermitian=True))

    @cached_property
    def information(self) -> Matrix:
        """½ tr(Q Zⱼ'Zⱼ Q Zₖ'Zₖ), Q = V⁻¹ − V⁻¹X A⁻¹ X'V⁻¹; last the error's, as Q V Q = Q."""
        squares, traces = _products(self.absorbed, self.inverse)
        if self.spare is None:
            return squares / 2
        variances = self.absorbed.posterior.tau**2
        twice = traces - squares @ variances
        whole = self.spare - variances @ traces
        error = whole - variances @ twice
        return np.block([[squares, twice[:, None]], [twice[None, :], np.array([[error]])]]) / 2


def _products(absorbed: Absorbed, inverse: Matrix) -> tuple[Matrix, Vector]:
    """‖Zⱼ'QZₖ‖² of all pairs of factors, and tr(Zₖ'QZₖ).

    On the eliminated side Z'QZ is block diagonal less a product U·Mid·U' of low rank; it is never
    a whole matrix, and some of its blocks are there at a time.
    """
    posterior = absorbed.posterior
    first, second = posterior.crossing.sides
    of_second = absorbed.errors[1]
    columns = len(posterior.left)
    middle = block_diag(posterior.second, inverse)
    seen = posterior.second @ posterior.left
    n = len(first) + len(second)
    squares, traces = np.zeros((n, n)), np.zeros(n)
    grams = [np.zeros(middle.shape) for _ in range(len(first))]
    seconds = range(len(second))
    for cells in _parts(first, columns):
        part = _Part.of(posterior, cells)
        of_first = absorbed.errors[0][cells]
        low = np.hstack([part.across, of_first])
        both = part.across - part.across @ seen - of_first @ inverse @ of_second.T
        lows = [members.T @ low for members in part.members]
        for j, k in combinations_with_replacement(range(len(first)), 2):
            block = part.alone(j, k)
            through = lows[j].T @ (block @ lows[k])
            squares[j, k] += block.data @ block.data - 2 * (middle * through).sum()
            traces[j] += block.trace() if j == k else 0
        for j, members in enumerate(part.members):
            grams[j] += lows[j].T @ lows[j]
            for k in seconds:
                product = members.T @ second.totals(both.T, k).T
                squares[j, len(first) + k] += (product**2).sum()
    for j, k in combinations_with_replacement(range(len(first)), 2):
        squares[j, k] += ((middle @ grams[j] @ middle) * grams[k]).sum()
        traces[j] -= (grams[j] * middle).sum() if j == k else 0
    of_both = posterior.left - posterior.left @ seen - of_second @ inverse @ of_second.T
    for j, k in combinations_with_replacement(seconds, 2):
        product = second.totals(second.totals(of_both, j).T, k)
        squares[len(first) + j, len(first) + k] = (product**2).sum()
        traces[len(first) + j] += np.trace(product) if j == k else 0
    return np.triu(squares) + np.triu(squares, 1).T, traces


def _parts(side: Nested, columns: int) -> Iterator[Codes]:
    """A side's cells in parts of which a table with so many columns fits into memory. The cells of
    one level of the coarsest factor stay together.
    """
    if not len(side):
        yield np.zeros(1, dtype=np.intp)
        return
    order = np.argsort(side.levels[0], kind="stable")
    ends = np.append(np.flatnonzero(np.diff(side.levels[0][order])) + 1, len(order))
    start = 0
    while start < len(order):
        least = np.searchsorted(ends, start, side="right")
        last = np.searchsorted(ends, start + CHUNK // max(1, columns), side="right") - 1
        stop = int(ends[max(least, last)])
        yield order[start:stop]
        start = stop


@dataclass(frozen=True)
class _Part:
    """Some blocks of the eliminated side. Without the effects of the other side, `across` is
    Z₁'V⁻¹Z₂ of them. Each factor has its `members` (cells × levels) and `loaded`, R = Σ LₖLₖ'.
    """

    weights: Vector
    members: list[csr_array]
    loaded: list[csr_array]
    across: Matrix

    @classmethod
    def of(cls, posterior: Posterior, cells: Codes) -> "_Part":
        weights, rows = posterior.weights.first[cells], np.arange(len(cells) + 1)
        members, loaded = [], []
        for levels, loadings in zip(
            posterior.crossing.sides[0].levels, posterior.given.loadings, strict=True
        ):
            names, codes = np.unique(levels[cells], return_inverse=True)
            shape = len(cells), len(names)
            members.append(csr_array((np.ones(len(cells)), codes, rows), shape=shape))
            loaded.append(csr_array((loadings[cells], codes, rows), shape=shape))
        table = posterior.weights.table[cells]
        across = table if isinstance(table, np.ndarray) else table.toarray()
        carried = np.zeros(across.shape)
        for each in loaded:
            carried += np.asarray(each @ (each.T @ across))
        return cls(weights, members, loaded, across - weights[:, None] * carried)

    def alone(self, j: int, k: int) -> csr_array:
        """Zⱼ'V⁻¹Zₖ: Gⱼ'(N − NRN)Gₖ."""
        by_cell = diags_array(self.weights)
        left = self.members[j].T @ by_cell
        right = by_cell @ self.members[k]
        whole = left @ self.members[k]
        for loaded in self.loaded:
            whole = whole - (left @ loaded) @ (loaded.T @ right)
        return csr_array(whole)
