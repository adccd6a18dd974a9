"""Henderson's mixed model equations, with the random effects absorbed.

For columns P (the fixed effects; in a linear model also the ratings) and weights W, all that a fit
needs are P'WP, Z'WP and Z'WZ; once these are known, no step passes over the rows again.
"""

from dataclasses import dataclass

import numpy as np

from analysis.stats.mixed.arrow import Arrow, Crossing, Matrix, Vector, Weights


@dataclass(frozen=True)
class Absorbed:
    """`schur` is A = P'WP − P'WZΛ M⁻¹ ΛZ'WP; `effects` is U = M⁻¹ΛZ'WP and `errors` is
    E = Z'W(P − ZΛU), each in two parts, one per factor (levels × columns).
    """

    arrow: Arrow
    schur: Matrix
    effects: tuple[Matrix, Matrix]
    errors: tuple[Matrix, Matrix]

    @property
    def inverse(self) -> Matrix:
        """A⁻¹."""
        return np.asarray(np.linalg.inv(self.schur), dtype=float)

    def slope_of_log_determinant(self, inverse_of_schur: Matrix) -> Vector:
        """∂log|A|/∂τ = −2 tr(A⁻¹U'E); with another matrix K for A⁻¹, Σ K ∘ ∂A/∂τ."""
        return np.array(
            [
                -2 * np.einsum("ij,ji->", inverse_of_schur, effects.T @ errors)
                for effects, errors in zip(self.effects, self.errors, strict=True)
            ]
        )

    def slope_of_variance(self, solved: Vector) -> Vector:
        """∂(l'A⁻¹l)/∂τ, where `solved` is A⁻¹l."""
        return -self.slope_of_log_determinant(np.outer(solved, solved))


@dataclass(frozen=True)
class Equations:
    """Henderson's mixed model equations: X'WX, which are the `products`, and the random effects
    that are yet to be absorbed, which are Z'WZ (`weights`) and Z'WX by factor (`totals`).
    """

    crossing: Crossing
    weights: Weights
    products: Matrix
    totals: tuple[Matrix, Matrix]

    def absorb(self, tau: Vector) -> Absorbed:
        arrow = Arrow(self.crossing, self.weights, tau)
        first, second = self.totals
        scaled = (tau[0] * first, tau[1] * second)
        u1, u2 = arrow.solve(*scaled)
        schur = self.products - scaled[0].T @ u1 - scaled[1].T @ u2
        table = self.weights.table
        e1 = first - tau[0] * self.weights.first[:, None] * u1 - tau[1] * (table @ u2)
        e2 = second - tau[1] * self.weights.second[:, None] * u2 - tau[0] * (table.T @ u1)
        return Absorbed(arrow, schur, (u1, u2), (e1, e2))
