"""What a planned study could find: by hand where there is a formula, and as simulated ones do."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from analysis.planning.components import Components, from_sds, of_fit, typical
from analysis.planning.design import PlannedDesign
from analysis.planning.grid import Cost, StudyPlan, advice, around, grid
from analysis.planning.power import Precision, precision
from analysis.planning.simulation import SimulatedScale, simulated_p, simulated_ratings
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import MixedFit, crossed, fit_linear, fit_ordinal
from analysis.tables.fits import RANDOM, SystemLevel

A, B = SystemLevel("Ant", "a"), SystemLevel("Ant", "b")
TWO = ((A, B),)
REFERENCE = SystemLevel("Owl", "reference")
FOUR = ((A, B, SystemLevel("Bee", "a"), SystemLevel("Bee", "b"), REFERENCE),)
#: In four sets, each with two models in both conditions and the reference.
EIGHT = tuple(
    (
        *(SystemLevel(f"{model} {n}", condition) for model in ("Ant", "Bee") for condition in "ab"),
        REFERENCE,
    )
    for n in range(4)
)
#: On a scale from 1 to 5.
POINTS = typical(4)


def at(design: PlannedDesign, components: Components = POINTS) -> Precision:
    result = precision(design, components, design.contrast("a", "b"))
    assert isinstance(result, Precision)
    return result


def test_standard_error_of_a_balanced_design_is_that_of_its_variances() -> None:
    """Everybody rates both systems on every scenario: the difference of two means."""
    raters, scenarios = 8, 15
    c = POINTS
    taste = c.rater_condition**2 + c.rater_system**2
    text = c.scenario_condition**2 + c.text**2
    rest = c.residual**2 / (raters * scenarios)
    variance = 2 * (taste / raters + text / scenarios + rest)
    result = at(PlannedDesign(TWO, raters, scenarios))
    assert result.se == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert result.of_raters == pytest.approx(2 * taste / raters / variance)
    assert result.of_texts == pytest.approx(2 * text / scenarios / variance)
    assert result.of_raters + result.of_texts + result.of_ratings == pytest.approx(1)


def test_degrees_of_freedom_are_those_of_the_limiting_factor() -> None:
    without = {"rater_condition": 0.0, "rater_system": 0.0}
    few_texts = at(PlannedDesign(TWO, 2000, 5), POINTS.model_copy(update=without))
    assert few_texts.df == pytest.approx(4, abs=0.1)
    assert few_texts.limited_by == "texts"
    alike = POINTS.model_copy(update={"scenario_condition": 0.0, "text": 0.0})
    few_raters = at(PlannedDesign(TWO, 4, 400), alike)
    assert few_raters.df == pytest.approx(3, abs=0.2)
    assert few_raters.limited_by == "raters"


def test_power_of_a_t_test_is_that_of_simulated_ones() -> None:
    draw = np.random.default_rng(2)
    samples = draw.normal(0.7, 1, (20_000, 12))
    share = np.mean(np.asarray(ttest_1samp(samples, 0, axis=1).pvalue) < 0.05)
    plain = Precision(se=1 / np.sqrt(12), df=11, of_raters=1, of_texts=0, of_ratings=0)
    assert plain.power(0.7) == pytest.approx(share, abs=0.01)
    assert plain.power(-0.7) == plain.power(0.7)
    assert plain.power(0) == pytest.approx(0.05)
    assert plain.power(plain.detectable(0.9)) == pytest.approx(0.9, abs=1e-4)


@pytest.mark.parametrize("df", [1.0, 1.3, 40.0])
def test_what_is_detectable_has_a_number_with_hardly_any_degrees_of_freedom(df: float) -> None:
    plain = Precision(se=0.2, df=df, of_raters=1, of_texts=0, of_ratings=0)
    assert plain.power(plain.detectable()) == pytest.approx(0.8, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("design", [PlannedDesign(TWO, 6, 20), PlannedDesign(FOUR, 12, 15, 8)])
def test_simulated_studies_find_what_was_predicted(design: PlannedDesign, long_run: bool) -> None:
    studies, off = (120, 0.12) if long_run else (60, 0.16)
    weights = design.contrast("a", "b")
    planned = at(design)
    difference = planned.detectable(0.8)
    p = simulated_p(
        design, POINTS, weights, difference, SimulatedScale(1, 5), link="linear", studies=studies
    )
    assert np.mean(np.array(list(p)) < 0.05) == pytest.approx(0.8, abs=off)


@pytest.mark.slow
def test_components_of_a_pilot_are_those_it_was_simulated_with() -> None:
    design = PlannedDesign(FOUR, 60, 40)
    draw = np.random.default_rng(5)
    ratings = simulated_ratings(
        design.ratings(), POINTS, design.contrast("a", "b"), 0.3, SimulatedScale(-20, 20), draw
    )
    fit = fit_linear(crossed(ratings, rating="rating", fixed=["system"], groups=RANDOM))
    assert isinstance(fit, MixedFit)
    pilot = of_fit(fit)
    assert pilot.residual == pytest.approx(POINTS.residual, rel=0.05)
    assert pilot.rater == pytest.approx(POINTS.rater, rel=0.3)
    assert pilot.text == pytest.approx(POINTS.text, rel=0.2)
    ordinal = fit_ordinal(crossed(ratings.head(600), rating="rating", fixed=[], groups=RANDOM))
    if isinstance(ordinal, MixedFit):
        with pytest.raises(ValueError, match="not in points"):
            of_fit(ordinal)


def test_components_by_the_names_of_studies_without_conditions() -> None:
    pilot = from_sds({"rater": 0.5, "rater:system": 0.2, "scenario:system": 0.3}, 0.9)
    assert (pilot.rater_system, pilot.rater_condition) == (0.2, 0.0)
    assert (pilot.text, pilot.scenario) == (0.3, 0.0)


def test_between_raters_their_severity_counts_too() -> None:
    within = at(PlannedDesign(TWO, 40, 40))
    apart = PlannedDesign(TWO, 40, 40, between="system")
    between = precision(apart, POINTS, apart.contrast("a", "b"))
    assert isinstance(between, Precision)
    assert between.se > 1.5 * within.se
    assert between.of_raters > 0.5 > within.of_raters


@pytest.mark.parametrize(
    ("raters", "scenarios", "of"), [(1, 20, "rater"), (20, 1, "scenario"), (1, 1, "rater")]
)
def test_one_rater_or_one_scenario_is_no_plan(raters: int, scenarios: int, of: str) -> None:
    design = PlannedDesign(TWO, raters, scenarios)
    result = precision(design, POINTS, design.contrast("a", "b"))
    assert isinstance(result, Inestimable)
    assert f"the same {of}" in str(result)


def test_raters_are_dealt_pages_as_the_survey_deals_them() -> None:
    ratings = PlannedDesign(FOUR, raters=30, scenarios=10, pages=4).ratings()
    assert len(ratings) == 30 * 4 * 5
    each = ratings.groupby("rater")["scenario"].nunique()
    assert (each == 4).all()
    per_scenario = ratings.groupby("scenario")["rater"].nunique()
    assert per_scenario.max() - per_scenario.min() <= 1


def test_pages_show_some_systems_in_turn_or_each_rater_one() -> None:
    some = PlannedDesign(FOUR, raters=20, scenarios=10, shown=2).ratings()
    assert (some.groupby(["rater", "scenario"]).size() == 2).all()
    assert some["system"].value_counts().nunique() == 1
    own = PlannedDesign(FOUR, raters=20, scenarios=10, between="system").ratings()
    assert (own.groupby("rater")["system"].nunique() == 1).all()
    assert set(own["system"]) == set(some["system"])


class TestGrid:
    def plan(self, raters: int, scenarios: int, pages: int | None = None) -> StudyPlan:
        design = PlannedDesign(TWO, raters, scenarios, pages)
        cost = Cost(minutes_per_page=0.5, other_minutes=5, pay_per_hour=12, fee_percent=25)
        return StudyPlan(design, POINTS, design.contrast("a", "b"), cost, difference=0.3)

    def test_rows_have_numbers_or_the_reason_for_none(self) -> None:
        table = grid(self.plan(10, 20), [1, 10], [20, 40])
        assert list(table["raters"]) == [1, 10, 1, 10]
        assert table.query("raters == 1")["note"].str.startswith("not estimable").all()
        ten = table.query("raters == 10 & scenarios == 20").iloc[0]
        assert (ten["pages_per_rater"], ten["ratings"]) == (20, 400)
        assert ten["minutes"] == pytest.approx(15)
        assert ten["cost"] == pytest.approx(10 * 15 / 60 * 12 * 1.25)

    def test_more_pages_than_there_are_cost_nothing(self) -> None:
        table = grid(self.plan(10, 20, pages=30), [10], [20, 40])
        assert list(table["pages_per_rater"]) == [20, 30]

    def test_more_scenarios_and_more_raters_detect_smaller_differences(self) -> None:
        table = grid(self.plan(10, 20), [10, 40], [20, 80]).set_index(["raters", "scenarios"])
        detectable = table["detectable"]
        assert detectable[10, 20] > detectable[10, 80] > detectable[40, 80]

    @pytest.mark.slow
    def test_advice_names_what_cannot_help(self) -> None:
        few_texts = " ".join(advice(self.plan(200, 6)))
        assert "More raters cannot help much: with 800" in few_texts
        few_raters = " ".join(advice(self.plan(4, 300)))
        assert "More scenarios cannot help much: with 600" in few_raters
        assert list(advice(self.plan(1, 20))) == [
            "The main result is not estimable, because all ratings have the same rater, and so "
            "nothing shows how much these differ."
        ]

    def test_advice_says_why_more_raters_of_two_scenarios_make_it_worse(self) -> None:
        plan = self.plan(10, 2)
        design = PlannedDesign(EIGHT, raters=10, scenarios=2)
        said = " ".join(advice(replace(plan, design=design, weights=design.contrast("a", "b"))))
        assert "More raters cannot help: with 40 it would be 1.61 points." in said
        assert "2 scenarios, with 1.3 degrees of freedom instead of 1.8. Add scenarios." in said

    def test_numbers_around_one_stay_within_limits(self) -> None:
        assert around(40, 2, 10_000) == [10, 20, 40, 80, 160]
        assert around(3, 2, 10) == [2, 3, 6, 10]


def test_simulated_ratings_are_points_of_the_scale() -> None:
    assert list(SimulatedScale(1, 5, 0.5).rated(np.array([-3.0, 2.26, 2.8, 9.0]))) == [
        1.0, 2.5, 3.0, 5.0,
    ]  # fmt: skip
