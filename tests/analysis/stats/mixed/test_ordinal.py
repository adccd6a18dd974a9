"""Cumulative link mixed models: what ordinal::clmm says, and where there is nothing to say."""

import warnings
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from pandas import DataFrame
from scipy.stats import norm

from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import MixedFit, crossed, fit_linear, fit_ordinal
from analysis.stats.mixed.arrow import Crossing
from analysis.stats.mixed.checks import spare_levels
from analysis.stats.mixed.laplace import Laplace
from analysis.stats.mixed.linear import Linear
from analysis.stats.mixed.links import DISTRIBUTIONS, Link
from analysis.stats.mixed.nested import Nested, Vector
from analysis.stats.mixed.ordinal_model import Ordinal
from tests.oracle.mixed.stored import NESTED, by_text, data, ratings, reference

pytestmark = pytest.mark.slow

LINKS: list[Link] = ["probit", "logit"]
ORACLE = ["small", "wine", "study", "inst_eval_part"]


@cache
def fitted(name: str, link: Link, **options: Any) -> MixedFit:
    found = fit_ordinal(data(name), link=link, **options)
    assert isinstance(found, MixedFit)
    return found


@pytest.mark.parametrize(
    ("name", "link"), [*product(ORACLE, LINKS), *((name, "probit") for name in NESTED)]
)
def test_fit_is_that_of_clmm(name: str, link: Link) -> None:
    expected = reference(name, link)
    found = fitted(name, link, restricted=False)
    errors = found.standard_errors
    assert found.log_likelihood == pytest.approx(expected["log_likelihood"], abs=1e-6)
    assert dict(found.thresholds) == pytest.approx(expected["thresholds"], rel=1e-4)
    assert dict(found.coefficients) == pytest.approx(expected["coefficients"], rel=1e-4)
    for key, value in expected["standard_errors"].items():
        assert errors[key] == pytest.approx(value, rel=1e-3)
    # clmm stops a little before an SD of 0, and differentiates there.
    assert found.sds == pytest.approx(expected["sds"], rel=1e-4, abs=1e-3)
    for group, value in expected["sd_errors"].items():
        assert errors[f"sd: {group}"] == pytest.approx(value, rel=1e-3)
    for group, modes in expected["modes"].items():
        assert by_text(found.modes[group]) == pytest.approx(modes, abs=1e-4)


class TestLaplace:
    """Two raters, two items, four ratings: small enough for integrals."""

    def laplace(self, tau: Vector) -> tuple[float, float]:
        first, second = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
        model = Laplace(
            Crossing(first, second, (Nested.single(2), Nested.single(2))),
            np.zeros((4, 0)),
            np.array([0, 1, 1, 2]),
            DISTRIBUTIONS["probit"],
        )
        thresholds = np.array([-0.5, 0.8])
        mode = model.mode(thresholds, np.zeros(0), tau, np.zeros(4))
        return mode.log_likelihood, self.exact(thresholds, tau)

    def exact(self, cuts: Vector, tau: Vector) -> float:
        """Over the effects of both raters; those of items are independent, given these."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(40)
        weights = weights / weights.sum()
        ends = np.concatenate([[-np.inf], cuts, [np.inf]])

        def chance(category: int) -> Vector:
            """Of a category, by the effect of the rater (rows) and of the item (columns)."""
            eta = tau[0] * nodes[:, None] + tau[1] * nodes
            return np.asarray(norm.cdf(ends[category + 1] - eta) - norm.cdf(ends[category] - eta))

        # Ratings 0 and 1 by the first rater, 1 and 2 by the second, of the same two items.
        both = [
            np.einsum("ai,bi,i->ab", chance(one), chance(other), weights)
            for one, other in ((0, 1), (1, 2))
        ]
        return float(np.log(np.einsum("ab,ab,a,b->", *both, weights, weights)))

    def test_is_exact_without_random_effects_and_close_with_small_ones(self) -> None:
        value, exact = self.laplace(np.zeros(2))
        assert value == pytest.approx(exact, rel=1e-9)
        value, exact = self.laplace(np.array([0.4, 0.3]))
        assert value == pytest.approx(exact, abs=0.01)

    @pytest.mark.parametrize("link", LINKS)
    @pytest.mark.parametrize("filled", [0.9, 0.05])
    @pytest.mark.parametrize("is_nested", [False, True])
    def test_slope_is_that_of_differences(self, link: Link, filled: float, is_nested: bool) -> None:
        draw = np.random.default_rng(7)
        levels = (80, 60)
        sides = (Nested.single(80), Nested.single(60))
        if is_nested:  # 16 raters in 5 conditions, 20 scenarios of 3 texts
            sides = (
                Nested([np.arange(80) // 5, np.arange(80)]),
                Nested([np.arange(60) // 3, np.arange(60)]),
            )
        pairs = draw.choice(
            levels[0] * levels[1], int(filled * levels[0] * levels[1]), replace=False
        )
        first, second = np.divmod(pairs, levels[1])
        design = draw.normal(size=(len(pairs), 2))
        scores = draw.integers(0, 4, len(pairs))
        crossing = Crossing(first, second, sides)
        assert crossing.pattern.is_sparse == (filled < 0.1)
        model = Laplace(crossing, design, scores, DISTRIBUTIONS[link])
        at = np.array([-0.9, 0.1, 0.8, 0.3, -0.2, *(0.5, 0.7, 0.4, 0.6)[: len(crossing.sizes)]])

        def mode(x: Vector) -> Any:
            return model.mode(x[:3], x[3:5], x[5:], np.zeros(len(pairs)))

        slope = model.slope(mode(at))
        found = np.concatenate([slope.thresholds, slope.coefficients, slope.tau])
        step = 1e-5 * np.eye(len(at))
        expected = [
            (mode(at + by).log_likelihood - mode(at - by).log_likelihood) / 2e-5 for by in step
        ]
        assert found == pytest.approx(np.array(expected), rel=1e-6, abs=1e-5)


class TestRestricted:
    def test_sds_and_standard_errors_are_larger_by_what_fixed_effects_cost(self) -> None:
        by_likelihood = fitted("study", "probit", restricted=False)
        restricted = fitted("study", "probit")
        name = "system[Az]"
        ratio = restricted.standard_errors[name] / by_likelihood.standard_errors[name]
        # 102 texts, of which 22 fixed effects leave 80.
        assert spare_levels(restricted.data.X, restricted.data.group("item")) == 80
        assert ratio == pytest.approx(np.sqrt(102 / 80), rel=0.01)
        assert restricted.sds["rater"] == pytest.approx(by_likelihood.sds["rater"], rel=0.01)

    def test_degrees_of_freedom_are_about_those_of_the_linear_model(self) -> None:
        ordinal, linear = fitted("study", "probit"), fit_linear(data("study"))
        assert isinstance(linear, MixedFit)
        row = np.eye(len(linear.coefficients))[1]
        after_thresholds = np.concatenate([np.zeros(4), row[1:]])
        assert ordinal.degrees_of_freedom(after_thresholds) == pytest.approx(
            linear.degrees_of_freedom(row), rel=0.02
        )


def test_factors_may_come_in_any_order_and_ratings_too() -> None:
    frame = ratings("small")
    mixed = crossed(
        frame.sample(frac=1, random_state=3),
        rating="rating",
        fixed=["system"],
        groups=("item", "rater"),
    )
    found, same = fit_ordinal(mixed), fitted("small", "probit")
    assert isinstance(found, MixedFit)
    assert found.sds == pytest.approx(same.sds, rel=1e-5)
    assert dict(found.coefficients) == pytest.approx(dict(same.coefficients), rel=1e-5)


class TestPart:
    """Effects with an SD of 0 are left out of the computation, whichever they are."""

    GROUPS = ("rater/condition/system", "scenario/condition/system")

    def model(self) -> Ordinal:
        draw = np.random.default_rng(7)
        rater, scenario, system = (grid.ravel() for grid in np.indices((9, 4, 4)))
        latent = draw.normal(size=9)[rater] + draw.normal(size=len(rater)) + system / 4
        frame = DataFrame(
            {
                "rating": np.digitize(latent, [-0.5, 0.5, 1.5]),
                "system": system.astype(str),
                "condition": system // 2,
                "rater": rater,
                "scenario": scenario,
            }
        )
        of_ratings = crossed(frame, rating="rating", fixed=["system"], groups=self.GROUPS)
        return Ordinal(of_ratings, frame["rating"].to_numpy(), "probit")

    @pytest.mark.parametrize("absent", [[0], [2], [1, 2], [4, 5], [1, 3], [0, 1, 2], range(6)])
    def test_is_as_the_whole_with_the_least_of_them(self, absent: Sequence[int]) -> None:
        model = self.model()
        at = np.concatenate([[-0.6, 0.1, 0.2, 0.1, 0.4, 0.7], [0.9, 0.3, 0.2, 0.25, 0.15, 0.35]])
        at[model.sds] *= ~np.isin(np.arange(6), absent)
        beside = at + np.where(at == 0, 1e-8, 0)
        height, slope = model.objective(at)
        of_beside, expected = model.objective(beside)
        assert height == pytest.approx(of_beside, abs=1e-9)
        assert slope == pytest.approx(expected, abs=1e-5)
        assert not slope[model.sds][list(absent)].any()

    @pytest.mark.parametrize("absent", [[0], [2], [1, 2], [4, 5], [0, 1, 2]])
    def test_is_one_of_a_linear_model_too(self, absent: Sequence[int]) -> None:
        model = Linear(self.model().data, restricted=True)
        tau = np.array([0.9, 0.3, 0.2, 0.25, 0.15, 0.35]) * ~np.isin(np.arange(6), absent)
        height, slope = model.objective(tau)
        of_beside, expected = model.objective(tau + np.where(tau, 0, 1e-8))
        assert height == pytest.approx(of_beside, abs=1e-9)
        assert slope == pytest.approx(expected, abs=1e-5)
        assert not slope[list(absent)].any()


class TestNear:
    """A fit of much the same ratings is where to start, and not where to end."""

    def start(self, fit: MixedFit) -> tuple[MixedFit, MixedFit]:
        """All but the first rater's ratings, as found from there and from the beginning."""
        frame = ratings("small")
        rest = frame[frame["rater"] != frame["rater"].iloc[0]]
        of_rest = crossed(rest, rating="rating", fixed=["system"], groups=("rater", "item"))
        found, same = fit_ordinal(of_rest, near=fit), fit_ordinal(of_rest)
        assert isinstance(found, MixedFit) and isinstance(same, MixedFit)
        return found, same

    @pytest.mark.parametrize("link", ["probit", "logit"])
    def test_the_estimates_are_the_same(self, link: Link) -> None:
        found, same = self.start(fitted("small", link))
        assert dict(found.coefficients) == pytest.approx(dict(same.coefficients), rel=1e-5)
        assert dict(found.thresholds) == pytest.approx(dict(same.thresholds), rel=1e-5)
        errors, expected = found.standard_errors, same.standard_errors
        assert dict(errors) == pytest.approx(dict(expected), rel=2e-4)

    @pytest.mark.parametrize("link", LINKS)
    def test_the_search_starts_at_its_maximum(self, link: Link) -> None:
        fit = fitted("study", link, restricted=False)
        model = Ordinal(fit.data, np.unique(fit.data.y, return_inverse=True)[1], link)
        heights = [model.objective(model.start(near)[0])[0] for near in (fit, None)]
        assert heights[0] == pytest.approx(fit.log_likelihood, abs=1e-6)
        assert heights[1] < fit.log_likelihood - 1

    def test_one_at_the_boundary_is_left(self) -> None:
        at_zero = fitted("wine", "probit", restricted=False)
        assert at_zero.sds["bottle"] == 0
        found, same = fit_ordinal(data("small"), near=at_zero), fitted("small", "probit")
        assert isinstance(found, MixedFit)
        assert found.log_likelihood == same.log_likelihood  # a fit of another study is no use
        found, same = fit_ordinal(data("wine"), near=at_zero), fitted("wine", "probit")
        assert isinstance(found, MixedFit)
        assert found.log_likelihood == pytest.approx(same.log_likelihood, abs=5e-5)


def test_a_category_that_nobody_chose_is_noted() -> None:
    frame = ratings("wine").assign(rating=lambda table: 2 * table["rating"])
    doubled = crossed(frame, rating="rating", fixed=["temp", "contact"], groups=("judge", "bottle"))
    found, same = fit_ordinal(doubled, scale=range(2, 12)), fitted("wine", "probit")
    assert isinstance(found, MixedFit)
    assert list(found.thresholds.index) == ["2|4", "4|6", "6|8", "8|10"]
    assert found.coefficients.to_numpy() == pytest.approx(same.coefficients.to_numpy(), rel=1e-9)
    empty = [note.sentence for note in found.notes if note.kind == "empty_category"]
    assert empty[0] == "Nobody chose 3: the model gives it a share of 0."
    assert len(empty) == 5


def test_ratings_beside_the_scale_are_refused() -> None:
    with pytest.raises(ValueError, match="Ratings of 5 are not on the scale"):
        fit_ordinal(data("wine"), scale=(1, 2, 3, 4))


def test_sds_at_the_boundary_are_zero_without_a_standard_error() -> None:
    found = fitted("wine", "probit", restricted=False)
    assert found.sds["bottle"] == 0
    assert np.isnan(found.standard_errors["sd: bottle"])
    assert [note.kind for note in found.notes] == ["boundary"]


class TestSeparation:
    def small(self, **columns: Any) -> DataFrame:
        return ratings("small").dropna().assign(**columns)

    def refused(self, frame: DataFrame, fixed: list[str]) -> Inestimable:
        found = fit_ordinal(crossed(frame, rating="rating", fixed=fixed, groups=("rater", "item")))
        assert isinstance(found, Inestimable)
        return found

    def test_by_a_system_whose_ratings_are_all_the_best(self) -> None:
        frame = self.small()
        frame.loc[frame["system"] == "a", "rating"] = 5
        found = self.refused(frame, ["system"])
        assert found.kind == "separated"
        assert str(found) == (
            "not estimable, because all ratings of system a are in the same extreme category, "
            "which no finite effect explains"
        )

    def test_by_a_covariate_that_foretells_the_rating(self) -> None:
        draw = np.random.default_rng(1)
        frame = self.small(hint=lambda table: table["rating"] + draw.uniform(0, 0.9, len(table)))
        assert self.refused(frame, ["hint"]).kind == "separated"

    def test_by_raters_who_always_say_the_same(self) -> None:
        frame = self.small(rating=lambda table: table["rater"] % 3)
        assert self.refused(frame, ["system"]).kind == "constant"

    def test_by_effects_that_leave_no_information(self) -> None:
        # A handful of ratings, nearly all foretold: what is known of the effects comes to nothing,
        # and rounding, which differs between processors, decides where the search for them ends.
        rows = [
            (1, "b0", 2), (1, "r0", 1), (2, "b0", 2), (2, "r0", 2), (2, "a1", 1), (2, "b1", 2),
            (2, "r2", 1), (3, "a0", 1), (3, "b0", 2), (3, "b1", 2), (3, "b2", 4), (6, "a0", 1),
            (6, "b0", 5), (6, "r0", 2), (6, "a1", 1), (6, "r1", 2), (6, "a2", 2), (6, "r2", 1),
            (7, "r0", 1), (7, "b1", 2), (7, "r3", 1),
        ]  # fmt: skip
        frame = DataFrame(rows, columns=["rater", "item", "rating"])
        frame["system"] = frame["item"].str[0]
        assert self.refused(frame, ["system"]).kind in {"unconverged", "separated"}


def test_ratings_that_items_foretell_are_refused_without_a_warning() -> None:
    draw = np.random.default_rng(20)
    rater, shown = np.indices((12, 20)).reshape(2, -1)
    system = np.array([0, 1, 2, 3, 8, 4, 5, 6, 7, 8])[shown % 10]
    frame = DataFrame({"rater": rater, "item": 9 * (shown // 10) + system, "rating": 7 * shown % 3})
    frame["system"] = [f"s{number}" for number in system]
    crossing = crossed(
        frame[draw.uniform(size=240) > 0.7],
        rating="rating",
        fixed=["system"],
        groups=("rater", "item"),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(fit_ordinal(crossing), Inestimable)
