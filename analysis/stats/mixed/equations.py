"""Henderson's mixed model equations with the random effects absorbed.

With P = [X y] or other columns and V = W⁻¹ + ZΣZ', A = P'V⁻¹P is what remains of P'WP. In a linear
model its inverse is, up to σ², the covariance of the coefficients (C. R. Henderson (1975), Best
linear unbiased estimation and prediction under a selection model).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.stats.mixed.arrow import Both, Crossing, Posterior, Weights
from analysis.stats.mixed.nested import Matrix, Vector


@dataclass(frozen=True)
class Absorbed:
    """`schur` is A; `effects` are the random effects that belong to each column of P (cells ×
    columns, of either side), and `errors` are Z'V⁻¹P.
    """

    posterior: Posterior
    schur: Matrix
    effects: Both
    errors: Both

    @property
    def inverse(self) -> Matrix:
        """A⁻¹."""
        return np.asarray(np.linalg.inv(self.schur), dtype=float)

    @cached_property
    def errors_by_factor(self) -> tuple[Matrix, ...]:
        """Zₖ'V⁻¹P of each factor: levels × columns."""
        return tuple(self.posterior.crossing.by_factor(self.errors))

    def slope_of_log_determinant(self, inverse_of_schur: Matrix) -> Vector:
        """∂log|A|/∂τₖ = −2τₖ tr(A⁻¹ EₖʹEₖ); with another matrix K for A⁻¹, Σ K ∘ ∂A/∂τₖ."""
        squares = [
            float(((errors @ inverse_of_schur) * errors).sum()) for errors in self.errors_by_factor
        ]
        return np.asarray(-2 * self.posterior.tau * np.array(squares), dtype=float)

    def slope_of_variance(self, solved: Matrix) -> Matrix:
        """∂(l'A⁻¹l)/∂τₖ², a row each, where `solved` is A⁻¹l, or has one in each column."""
        return np.array([(solved * (gram @ solved)).sum(axis=0) for gram in self._grams])

    @cached_property
    def _grams(self) -> tuple[Matrix, ...]:
        """Eₖ'Eₖ of each factor."""
        return tuple(errors.T @ errors for errors in self.errors_by_factor)

    def only(self, columns: slice) -> "Absorbed":
        """The same of some columns of P."""
        effects, errors = (
            (both[0][:, columns], both[1][:, columns]) for both in (self.effects, self.errors)
        )
        return Absorbed(self.posterior, self.schur[columns, columns], effects, errors)


@dataclass(frozen=True)
class Equations:
    """P'WP, which are the `products`, and the random effects that are yet to be absorbed: N
    (`weights`) and Z'WP by side (`totals`).
    """

    crossing: Crossing
    weights: Weights
    products: Matrix
    totals: Both

    def absorb(self, tau: Vector) -> Absorbed:
        posterior = Posterior(self.crossing, self.weights, tau)
        effects = posterior.times(self.totals)
        seen = self.weights.times(effects)
        first, second = self.totals
        schur = self.products - first.T @ effects[0] - second.T @ effects[1]
        return Absorbed(posterior, schur, effects, (first - seen[0], second - seen[1]))
