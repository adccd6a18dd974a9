"""Linear mixed models: by hand where there is a formula, and what lme4 and lmerTest say."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame

from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import Crossed, MixedFit, contrasts, crossed, fit_linear, means, pairs
from tests.oracle.mixed.stored import COVARIATES, NESTED, by_text, data, reference, with_order

pytestmark = pytest.mark.slow


@cache
def fitted(name: str, **options: Any) -> MixedFit:
    found = fit_linear(data(name), **options)
    assert isinstance(found, MixedFit)
    return found


class TestBalanced:
    """Where everybody rated everything once, REML is analysis of variance."""

    TABLE = np.array(
        [[4, 2, 3, 5, 3], [5, 3, 3, 5, 2], [3, 1, 2, 4, 2], [5, 3, 4, 4, 4]], dtype=float
    )

    def fitted(self) -> MixedFit:
        rater, item = np.indices(self.TABLE.shape).reshape(2, -1)
        frame = DataFrame({"rater": rater, "item": item, "rating": self.TABLE.ravel()})
        found = fit_linear(crossed(frame, rating="rating", fixed=[], groups=("rater", "item")))
        assert isinstance(found, MixedFit)
        return found

    def test_variances_are_those_of_mean_squares(self) -> None:
        table = self.TABLE
        raters, items = table.shape
        grand, by_rater, by_item = table.mean(), table.mean(axis=1), table.mean(axis=0)
        between_raters = items * ((by_rater - grand) ** 2).sum() / (raters - 1)
        between_items = raters * ((by_item - grand) ** 2).sum() / (items - 1)
        rest = table - by_rater[:, None] - by_item + grand
        error = (rest**2).sum() / ((raters - 1) * (items - 1))
        found = self.fitted()
        assert found.residual_sd == pytest.approx(np.sqrt(error), rel=1e-6)
        assert found.sds["rater"] ** 2 == pytest.approx((between_raters - error) / items, rel=1e-6)
        assert found.sds["item"] ** 2 == pytest.approx((between_items - error) / raters, rel=1e-6)
        assert found.coefficients["(intercept)"] == pytest.approx(grand, rel=1e-9)
        variance = (between_raters + between_items - error) / table.size
        assert found.standard_errors["(intercept)"] == pytest.approx(np.sqrt(variance), rel=1e-6)

    def test_modes_are_shrunken_deviations(self) -> None:
        found = self.fitted()
        assert found.residual_sd is not None
        share = 1 / (1 + found.residual_sd**2 / (5 * found.sds["rater"] ** 2))
        expected = share * (self.TABLE.mean(axis=1) - self.TABLE.mean())
        assert found.modes["rater"].to_numpy() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("small", "reml"),
        ("small", "ml"),
        ("wine", "reml"),
        ("study", "reml"),
        *((name, model) for name in NESTED for model in ("reml", "ml")),
        pytest.param("inst_eval", "reml", marks=pytest.mark.slow),
        pytest.param("inst_eval", "ml", marks=pytest.mark.slow),
    ],
)
def test_fit_is_that_of_lmer(name: str, model: str) -> None:
    expected = reference(name, model)
    found = fitted(name, restricted=model == "reml")
    assert found.log_likelihood == pytest.approx(expected["log_likelihood"], abs=1e-7)
    assert dict(found.coefficients) == pytest.approx(expected["coefficients"], rel=1e-6)
    assert dict(found.standard_errors) == pytest.approx(expected["standard_errors"], rel=1e-6)
    residual = expected["sds"].pop("Residual", found.residual_sd)
    assert found.residual_sd == pytest.approx(residual, rel=1e-6)
    assert found.sds == pytest.approx(expected["sds"], rel=1e-5, abs=1e-9)
    for group, modes in expected["modes"].items():
        ours = found.modes[group]
        assert by_text(ours) == pytest.approx(modes, abs=1e-6)


@pytest.mark.parametrize("name", ["small", "wine", "study"])
def test_covariates_are_those_of_lmer(name: str) -> None:
    expected, found = reference(name, "order"), fit_linear(with_order(name))
    assert isinstance(found, MixedFit)
    assert found.log_likelihood == pytest.approx(expected["log_likelihood"], abs=1e-7)
    assert dict(found.coefficients) == pytest.approx(expected["coefficients"], rel=1e-6)
    assert dict(found.standard_errors) == pytest.approx(expected["standard_errors"], rel=1e-6)
    rows = dict(zip(found.coefficients.index, np.eye(len(found.coefficients)), strict=True))
    for covariate in COVARIATES if expected.get("df") else []:
        df = found.degrees_of_freedom(rows[covariate])
        assert df == pytest.approx(expected["df"][covariate], rel=1e-5)


#: Those that are small enough for pbkrtest.
TESTED = [("small", "system"), ("wine", "temp"), *((name, "system") for name in NESTED)]


@pytest.mark.parametrize("name", [name for name, _ in TESTED])
def test_degrees_of_freedom_are_those_of_kenward_and_roger(name: str) -> None:
    expected = reference(name, "reml")["df"]
    found = fitted(name)
    rows = np.eye(len(found.coefficients))
    df = found.degrees_of_freedom(rows)
    assert dict(zip(found.coefficients.index, df, strict=True)) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(("name", "factor"), TESTED)
def test_means_and_contrasts_are_those_of_emmeans(name: str, factor: str) -> None:
    expected = reference(name, "reml")
    fit = fitted(name)
    found = means(fit, factor)
    table = DataFrame(expected["means"])
    assert list(found["level"]) == list(table[factor].astype(str))
    ours = ["estimate", "se", "df", "low", "high"]
    theirs = ["emmean", "SE", "df", "lower.CL", "upper.CL"]
    assert found[ours].to_numpy() == pytest.approx(table[theirs].to_numpy(dtype=float), rel=1e-4)
    found = contrasts(fit, factor, pairs(fit.data.term(factor).levels))
    table = DataFrame(expected["contrasts"])
    assert [name.replace("−", "-") for name in found["contrast"]] == list(table["contrast"])
    ours = ["estimate", "se", "df", "t", "p_adjusted", "low", "high"]
    theirs = ["estimate", "SE", "df", "t.ratio", "p.value", "lower.CL", "upper.CL"]
    assert found[ours].to_numpy() == pytest.approx(
        table[theirs].to_numpy(dtype=float), rel=1e-4, abs=1e-7
    )


def test_ratings_with_something_missing_are_left_out_and_counted() -> None:
    (note,) = fitted("small").notes
    assert note.kind == "missing"
    assert note.sentence == (
        "5 of 48 ratings are left out, because something is missing (rating: 5)."
    )


def test_an_sd_at_the_boundary_is_zero_and_said_to_be() -> None:
    found = fitted("wine")
    assert found.sds["bottle"] == 0
    assert [note.kind for note in found.notes] == ["boundary"]
    assert (found.modes["bottle"] == 0).all()


def test_nested_factors_that_add_nothing_are_omitted_and_noted() -> None:
    draw = np.random.default_rng(4)
    rater, item = np.indices((6, 8)).reshape(2, -1)
    frame = DataFrame({"rater": rater, "scenario": item, "text": item, "half": item % 2})
    frame["rating"] = draw.normal(size=6)[rater] + draw.normal(size=len(rater))
    groups = ("rater/half/scenario", "scenario/text")
    found = fit_linear(crossed(frame, rating="rating", fixed=["half"], groups=groups))
    assert isinstance(found, MixedFit)
    assert list(found.sds) == ["rater", "rater:half", "scenario"]
    assert [note.sentence for note in found.notes if note.kind == "omitted"] == [
        "There are no effects of rater:half:scenario: each would have a single rating, whose error "
        "cannot be told from it."
    ]
    assert found.modes["rater:half"].index[1] == (0, 1)


def test_arrays_without_terms_can_be_fitted() -> None:
    named = data("study")
    bare = Crossed(named.y, named.X, named.names, named.sides)
    found = fit_linear(bare)
    assert isinstance(found, MixedFit)
    pd.testing.assert_series_equal(found.coefficients, fitted("study").coefficients)


def test_what_is_explained_exactly_has_no_estimates() -> None:
    rater, item = np.indices((5, 4)).reshape(2, -1)
    frame = DataFrame({"rater": rater, "item": item, "rating": rater % 3 + item % 2})
    found = fit_linear(crossed(frame, rating="rating", fixed=[], groups=("rater", "item")))
    assert isinstance(found, Inestimable)
    assert str(found) == (
        "not estimable, because raters, items and fixed effects explain every rating exactly: "
        "no error is left"
    )


def test_items_that_explain_every_rating_have_no_estimates() -> None:
    rater, item = np.indices((30, 24)).reshape(2, -1)
    frame = DataFrame({"rater": rater, "item": item, "rating": item % 5})
    frame["system"] = [f"s{number}" for number in item // 6]
    found = fit_linear(crossed(frame, rating="rating", fixed=["system"], groups=("rater", "item")))
    assert isinstance(found, Inestimable)
    assert found.kind == "constant"
