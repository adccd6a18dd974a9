"""The arrow kernel and the absorbed equations equal what whole matrices give."""

import numpy as np
import pytest

from analysis.stats.mixed.arrow import Arrow, Crossing, Matrix, Vector, Weights
from analysis.stats.mixed.equations import Equations

LEVELS = (12, 9)
TAU = np.array([0.7, -0.4])


class Whole:
    """The same with matrices of full size, from rows of weight `w`; sparse where few cells are."""

    def __init__(self, filled: float) -> None:
        draw = np.random.default_rng(11)
        cells = draw.choice(np.prod(LEVELS), round(filled * np.prod(LEVELS)), replace=False)
        first, second = np.divmod(cells, LEVELS[1])
        self.crossing = Crossing(first, second, LEVELS)
        self.weights = draw.uniform(0.2, 2, len(cells))
        self.Z = np.hstack([np.eye(LEVELS[0])[first], np.eye(LEVELS[1])[second]])
        self.P = draw.normal(size=(len(cells), 3))
        self.arrow = Arrow(self.crossing, Weights.of(self.crossing, self.weights), TAU)

    def scaled(self, tau: Vector = TAU) -> Matrix:
        return self.Z * np.repeat(tau, LEVELS)

    def whole(self, tau: Vector = TAU) -> Matrix:
        Z = self.scaled(tau)
        return np.eye(sum(LEVELS)) + Z.T @ (self.weights[:, None] * Z)

    def absorbed(self, tau: Vector = TAU) -> Matrix:
        Z, W = self.scaled(tau), self.weights[:, None]
        return self.P.T @ (W * self.P) - self.P.T @ (W * Z) @ np.linalg.solve(
            self.whole(tau), Z.T @ (W * self.P)
        )

    @property
    def equations(self) -> Equations:
        totals = np.array([np.hstack(self.crossing.totals(self.weights * x)) for x in self.P.T]).T
        return Equations(
            self.crossing,
            self.arrow.weights,
            self.P.T @ (self.weights[:, None] * self.P),
            (totals[: LEVELS[0]], totals[LEVELS[0] :]),
        )


@pytest.fixture(params=[0.8, 0.09], ids=["dense", "sparse"])
def whole(request: pytest.FixtureRequest) -> Whole:
    found = Whole(request.param)
    assert found.crossing.sparse == (request.param < 0.1)
    return found


def test_determinant_and_solutions(whole: Whole) -> None:
    assert whole.arrow.log_determinant == pytest.approx(np.linalg.slogdet(whole.whole())[1])
    right = np.random.default_rng(2).normal(size=(sum(LEVELS), 4))
    first, second = whole.arrow.solve(right[: LEVELS[0]], right[LEVELS[0] :])
    assert np.vstack([first, second]) == pytest.approx(np.linalg.solve(whole.whole(), right))
    first, second = whole.arrow.solve(right[: LEVELS[0], 0], right[LEVELS[0] :, 0])
    assert np.hstack([first, second]) == pytest.approx(np.linalg.solve(whole.whole(), right[:, 0]))


def test_inverse_and_what_hangs_on_it(whole: Whole) -> None:
    G = np.linalg.inv(whole.whole())
    found = whole.arrow.inverse()
    assert found.first == pytest.approx(np.diagonal(G)[: LEVELS[0]])
    assert found.second == pytest.approx(G[LEVELS[0] :, LEVELS[0] :])
    across = G[whole.crossing.first, LEVELS[0] + whole.crossing.second]
    assert found.cells[whole.crossing.slot] == pytest.approx(across)
    Z = whole.scaled()
    assert whole.arrow.variances(found) == pytest.approx(np.diagonal(Z @ G @ Z.T))
    step = 1e-6 * np.eye(2)
    slopes = [
        (np.linalg.slogdet(whole.whole(TAU + by))[1] - np.linalg.slogdet(whole.whole(TAU - by))[1])
        / 4e-6
        for by in step
    ]
    assert whole.arrow.slopes(found) == pytest.approx(np.array(slopes), rel=1e-6)


def test_absorbed_equations_and_their_slopes(whole: Whole) -> None:
    found = whole.equations.absorb(TAU)
    assert found.schur == pytest.approx(whole.absorbed())
    assert found.inverse == pytest.approx(np.linalg.inv(whole.absorbed()))
    step = 1e-6 * np.eye(2)
    slopes = [
        (
            np.linalg.slogdet(whole.absorbed(TAU + by))[1]
            - np.linalg.slogdet(whole.absorbed(TAU - by))[1]
        )
        / 2e-6
        for by in step
    ]
    assert found.slope_of_log_determinant(found.inverse) == pytest.approx(slopes, rel=1e-6)
    line = np.array([1.0, -2.0, 0.5])
    variances = [
        line
        @ (np.linalg.inv(whole.absorbed(TAU + by)) - np.linalg.inv(whole.absorbed(TAU - by)))
        @ line
        / 2e-6
        for by in step
    ]
    solved = found.inverse @ line
    assert found.slope_of_variance(solved) == pytest.approx(variances, rel=1e-6)


def test_levels_of_a_row_are_summed_and_spread(whole: Whole) -> None:
    values = np.arange(len(whole.weights), dtype=float)
    assert np.hstack(whole.crossing.totals(values)) == pytest.approx(whole.Z.T @ values)
    effects = np.random.default_rng(3).normal(size=sum(LEVELS))
    spread = whole.crossing.spread(effects[: LEVELS[0]], effects[LEVELS[0] :])
    assert spread == pytest.approx(whole.Z @ effects)
