"""The covariance of random effects and the absorbed equations equal what whole matrices give."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from analysis.stats.mixed.arrow import CHUNK, Crossing, Posterior, Weights
from analysis.stats.mixed.degrees_of_freedom import Reference
from analysis.stats.mixed.equations import Equations
from analysis.stats.mixed.nested import FEW_CELLS, Matrix, Nested, Vector

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Shape:
    """The factors of either side, as the level of each cell, and the share of pairs of cells that
    have a rating.
    """

    first: Nested
    second: Nested
    filled: float


def whole_of(table: Any) -> Matrix:
    return np.asarray(table if isinstance(table, np.ndarray) else table.toarray())


SINGLE = Shape(Nested.single(12), Nested.single(9), 0.8)
#: 5 raters, each in some of 3 conditions, and 4 scenarios with 8 texts, unevenly.
RATERS = Nested([np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 4, 4]), np.arange(12)])
TEXTS = Nested([np.array([2, 0, 0, 1, 3, 3, 3, 1]), np.arange(8)])
#: Systems in conditions of raters.
THREE = Nested([RATERS.levels[0], np.array([0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8]), np.arange(12)])
SHAPES = {
    "single": SINGLE,
    "single, sparse": Shape(SINGLE.first, SINGLE.second, 0.07),
    "nested": Shape(RATERS, TEXTS, 0.8),
    "nested, sparse": Shape(
        Nested([np.arange(30) // 2, np.arange(30)]),
        Nested([np.arange(24) // 3, np.arange(24)]),
        0.04,
    ),
    "nested, many": Shape(
        Nested([np.arange(FEW_CELLS + 20) // 4, np.arange(FEW_CELLS + 20)]), TEXTS, 0.2
    ),
    "nested, many, sparse": Shape(
        Nested([np.arange(FEW_CELLS + 20) // 2, np.arange(FEW_CELLS + 20)]),
        Nested([np.arange(24) // 3, np.arange(24)]),
        0.04,
    ),
    "three and one": Shape(THREE, Nested.single(7), 0.6),
}
SDS = np.array([0.7, -0.4, 0.9, 0.3])


class Whole:
    """The same with matrices of full size, from rows of weight `w`; sparse where few cells are."""

    def __init__(self, shape: Shape) -> None:
        draw = np.random.default_rng(11)
        self.sides = (shape.first, shape.second)
        cells = (shape.first.cells, shape.second.cells)
        pairs = draw.choice(np.prod(cells), round(shape.filled * np.prod(cells)), replace=False)
        pairs = np.append(pairs, pairs[:2])  # a pair may have two ratings
        self.first, self.second = np.divmod(pairs, cells[1])
        self.crossing = Crossing(self.first, self.second, self.sides)
        self.weights = draw.uniform(0.2, 2, len(pairs))
        self.P = draw.normal(size=(len(pairs), 3))
        self.cells = np.hstack([np.eye(cells[0])[self.first], np.eye(cells[1])[self.second]])
        self.tau = SDS[: len(self.factors)]
        self.posterior = Posterior(self.crossing, Weights.of(self.crossing, self.weights), self.tau)

    @property
    def factors(self) -> list[Matrix]:
        """Zₖ of each factor."""
        codes = [(self.first, levels) for levels in self.sides[0].levels]
        codes += [(self.second, levels) for levels in self.sides[1].levels]
        return [np.eye(levels.max() + 1)[levels[rows]] for rows, levels in codes]

    def variance(self, tau: Vector) -> Matrix:
        """V = W⁻¹ + Σ τₖ² ZₖZₖ'."""
        own = np.diag(1 / self.weights)
        for sd, Z in zip(tau, self.factors, strict=True):
            own = own + sd**2 * Z @ Z.T
        return own

    def absorbed(self, tau: Vector) -> Matrix:
        return np.asarray(self.P.T @ np.linalg.solve(self.variance(tau), self.P))

    @property
    def equations(self) -> Equations:
        totals = [self.crossing.totals(self.weights * column) for column in self.P.T]
        return Equations(
            self.crossing,
            self.posterior.weights,
            self.P.T @ (self.weights[:, None] * self.P),
            (np.array([t[0] for t in totals]).T, np.array([t[1] for t in totals]).T),
        )

    def prior(self) -> Matrix:
        """Σ over all cells."""
        sigma = np.zeros((self.cells.shape[1],) * 2)
        at = self.sides[0].cells
        for tau, side, place in zip(
            self.crossing.split(self.tau), self.sides, (slice(at), slice(at, None)), strict=True
        ):
            for sd, members in zip(tau, side.members, strict=True):
                sigma[place, place] += sd**2 * whole_of(members @ members.T)
        return sigma

    def whole_posterior(self) -> Matrix:
        """P = Σ(I + NΣ)⁻¹."""
        N = self.cells.T @ (self.weights[:, None] * self.cells)
        return np.asarray(self.prior() @ np.linalg.inv(np.eye(len(N)) + N @ self.prior()))

    def slope(self, of: Callable[[Vector], float]) -> Vector:
        """∂/∂τ by differences."""
        steps = 1e-6 * np.eye(len(self.tau))
        return np.array([(of(self.tau + by) - of(self.tau - by)) / 2e-6 for by in steps])


@pytest.fixture(params=list(SHAPES.values()), ids=list(SHAPES))
def whole(request: pytest.FixtureRequest) -> Whole:
    matrices = Whole(request.param)
    assert matrices.crossing.pattern.is_sparse == (request.param.filled < 0.1)
    return matrices


def test_determinant_and_posterior(whole: Whole) -> None:
    whole_determinant = np.linalg.slogdet(whole.variance(whole.tau) * whole.weights)[1]
    assert whole.posterior.log_determinant == pytest.approx(whole_determinant)
    P = whole.whole_posterior()
    right = np.random.default_rng(2).normal(size=(len(P), 4))
    at = whole.sides[0].cells
    ours = np.vstack(whole.posterior.times((right[:at], right[at:])))
    assert ours == pytest.approx(P @ right)
    ours = np.hstack(whole.posterior.times((right[:at, 0], right[at:, 0])))
    assert ours == pytest.approx(P @ right[:, 0])
    assert whole.posterior.second == pytest.approx(P[at:, at:])
    assert whole.posterior.variances() == pytest.approx(
        np.diagonal(whole.cells @ P @ whole.cells.T)
    )


def test_slope_of_the_determinant(whole: Whole) -> None:
    slopes = whole.slope(lambda tau: float(np.linalg.slogdet(whole.variance(tau))[1]) / 2)
    assert whole.posterior.slopes() == pytest.approx(slopes, rel=1e-6)


def test_products_and_prior(whole: Whole) -> None:
    at = whole.sides[0].cells
    values = np.random.default_rng(2).normal(size=(whole.cells.shape[1],))
    N = whole.cells.T @ (whole.weights[:, None] * whole.cells)
    both = whole.posterior.weights.times((values[:at], values[at:]))
    assert np.hstack(both) == pytest.approx(N @ values)
    of_first, of_second = whole.crossing.split(whole.tau)
    prior = np.hstack(
        [
            whole.sides[0].prior(of_first, values[:at]),
            whole.sides[1].prior(of_second, values[at:]),
        ]
    )
    assert prior == pytest.approx(whole.prior() @ values)


def test_a_variance_of_zero_is_no_special_case(whole: Whole) -> None:
    tau = whole.tau * np.array([0, 1, 1, 1])[: len(whole.tau)]
    posterior = Posterior(whole.crossing, whole.posterior.weights, tau)
    expected = np.linalg.slogdet(whole.variance(tau) * whole.weights)[1]
    assert posterior.log_determinant == pytest.approx(expected)
    assert posterior.slopes()[0] == 0


def test_absorbed_equations_and_their_slopes(whole: Whole) -> None:
    ours = whole.equations.absorb(whole.tau)
    assert ours.schur == pytest.approx(whole.absorbed(whole.tau))
    assert ours.inverse == pytest.approx(np.linalg.inv(whole.absorbed(whole.tau)))
    slopes = whole.slope(lambda tau: float(np.linalg.slogdet(whole.absorbed(tau))[1]))
    by_spread = ours.slope_of_log_determinant(ours.inverse)
    assert by_spread == pytest.approx(slopes, rel=1e-5, abs=1e-8)
    line = np.array([1.0, -2.0, 0.5])
    slopes = whole.slope(lambda tau: float(line @ np.linalg.inv(whole.absorbed(tau)) @ line))
    by_variance = ours.slope_of_variance(ours.inverse @ line)
    assert 2 * whole.tau * by_variance == pytest.approx(slopes, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("chunk", [CHUNK, 400])
@pytest.mark.parametrize("has_residual", [True, False])
def test_information_about_the_variances(
    whole: Whole, has_residual: bool, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether all blocks or a few are there at a time."""
    monkeypatch.setattr("analysis.stats.mixed.degrees_of_freedom.CHUNK", chunk)
    absorbed = whole.equations.absorb(whole.tau)
    n, p = whole.P.shape
    reference = Reference(absorbed, absorbed.inverse, n - p if has_residual else None)
    V = np.linalg.inv(whole.variance(whole.tau))
    Q = V - V @ whole.P @ absorbed.inverse @ whole.P.T @ V
    parts = [Z @ Z.T for Z in whole.factors]
    if has_residual:
        parts.append(np.diag(1 / whole.weights))
    expected = [[np.trace(Q @ one @ Q @ other) / 2 for one in parts] for other in parts]
    assert reference.information == pytest.approx(np.array(expected))


def test_levels_of_a_row_are_summed_and_spread(whole: Whole) -> None:
    values = np.arange(len(whole.weights), dtype=float)
    assert np.hstack(whole.crossing.totals(values)) == pytest.approx(whole.cells.T @ values)
    effects = np.random.default_rng(3).normal(size=(whole.cells.shape[1],))
    at = whole.sides[0].cells
    spread = whole.crossing.spread(effects[:at], effects[at:])
    assert spread == pytest.approx(whole.cells @ effects)
    by_factor = list(whole.crossing.by_factor(whole.crossing.totals(values)))
    for Z, totals in zip(whole.factors, by_factor, strict=True):
        assert totals == pytest.approx(Z.T @ values)
