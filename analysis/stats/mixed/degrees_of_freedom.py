"""Student's t for estimates of a mixed model: its degrees of freedom."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array

from analysis.stats.mixed.arrow import CHUNK
from analysis.stats.mixed.equations import Absorbed
from analysis.stats.mixed.nested import Codes, Matrix, Table, Vector


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
    a whole matrix.
    """
    posterior = absorbed.posterior
    sides = posterior.crossing.sides
    of_first, of_second = absorbed.errors
    columns = posterior.left.shape[0]
    middle = np.zeros((columns + len(inverse),) * 2)
    middle[:columns, :columns] = posterior.second
    middle[columns:, columns:] = inverse
    across = posterior.across
    dense = across if isinstance(across, np.ndarray) else across.toarray()
    low = np.hstack([dense, of_first])
    seen = posterior.second @ posterior.left
    both = dense - dense @ seen - of_first @ inverse @ of_second.T
    second = posterior.left - posterior.left @ seen - of_second @ inverse @ of_second.T

    lows = [sides[0].totals(low, factor) for factor in range(len(sides[0]))]
    grams = [each.T @ each for each in lows]
    blocks = _blocks(posterior.alone, sides[0].members)
    seconds = range(len(sides[1]))
    n = len(lows) + len(sides[1])
    squares, traces = np.zeros((n, n)), np.zeros(n)
    for (j, k), block in blocks.items():
        rows, columns_of = block.row.astype(np.intp), block.col.astype(np.intp)
        values = block.data
        through = _products_of_rows(lows[j] @ middle, rows, lows[k], columns_of)
        whole = ((middle @ grams[j] @ middle) * grams[k]).sum()
        squares[j, k] = squares[k, j] = values @ values - 2 * values @ through + whole
        if j == k:
            own = float(values[rows == columns_of].sum())
            traces[j] = own - (grams[j] * middle).sum()
    for k in seconds:
        at = len(lows) + k
        by_column = sides[1].totals(both.T, k)
        for j in range(len(lows)):
            product = sides[0].totals(by_column.T, j)
            squares[j, at] = squares[at, j] = (product**2).sum()
        by_row = sides[1].totals(second, k)
        for other in seconds:
            product = sides[1].totals(by_row.T, other)
            squares[at, len(lows) + other] = (product**2).sum()
            if other == k:
                traces[at] = np.trace(product)
    return squares, traces


def _products_of_rows(one: Matrix, rows: Codes, other: Matrix, others: Codes) -> Vector:
    """The products of pairs of rows, some at a time."""
    products = np.empty(len(rows))
    step = max(1, CHUNK // one.shape[1])
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        products[part] = np.einsum("ij,ij->i", one[rows[part]], other[others[part]])
    return products


def _blocks(whole: Table, members: tuple[Table, ...]) -> dict[tuple[int, int], coo_array]:
    """Gⱼ'KGₖ of a block diagonal K, for j ≤ k."""
    n = len(members)
    return {
        (j, k): coo_array(members[j].T @ whole @ members[k]) for j in range(n) for k in range(j, n)
    }
