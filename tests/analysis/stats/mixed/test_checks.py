"""What cannot be estimated is said in a sentence, by both kinds of model."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from pandas import DataFrame

from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import MixedFit, crossed, fit_linear, fit_ordinal
from analysis.stats.mixed.checks import spare_levels
from analysis.stats.mixed.data import Crossed
from tests.oracle.mixed.stored import data, ratings

Fit = Callable[[Crossed], MixedFit | Inestimable]
EITHER = pytest.mark.parametrize("fit", [fit_linear, fit_ordinal])


def study(**columns: Any) -> DataFrame:
    """Ten raters' ratings of the published study's shape."""
    frame = ratings("study")
    return frame[frame["rater"] <= 10].assign(**columns)


def said(fit: Fit, frame: DataFrame, fixed: Sequence[str] = ("system",)) -> str:
    found = fit(crossed(frame, rating="rating", fixed=fixed, groups=("rater", "item")))
    assert isinstance(found, Inestimable)
    return str(found).removeprefix("not estimable, because ")


@EITHER
class TestSaid:
    def test_without_ratings(self, fit: Fit) -> None:
        assert said(fit, study()[:0]) == "there are no ratings"
        assert said(fit, study(rating=np.nan)) == "there are no ratings"

    def test_constant_ratings(self, fit: Fit) -> None:
        assert said(fit, study(rating=3)) == "all 1200 ratings are 3"

    def test_one_rater(self, fit: Fit) -> None:
        assert said(fit, study(rater=1)) == (
            "all ratings have the same rater, and so nothing shows how much these differ"
        )

    def test_one_item(self, fit: Fit) -> None:
        assert said(fit, study(item=1)) == (
            "all ratings have the same item, and so nothing shows how much these differ"
        )

    def test_one_item_per_system(self, fit: Fit) -> None:
        assert said(fit, study(item=lambda table: table["system"])) == (
            "each item has a fixed effect of its own (as where every system has one item), and "
            "how much these differ by themselves cannot be told"
        )

    def test_one_item_per_rater(self, fit: Fit) -> None:
        assert said(fit, study(item=lambda table: table["rater"]), []) == (
            "each rater belongs to one item and the other way round: which of the two makes "
            "ratings differ cannot be told"
        )

    def test_fixed_effects_that_determine_each_other(self, fit: Fit) -> None:
        frame = study(model=lambda table: table["system"].str[:1])
        assert said(fit, frame, ["system", "model"]).startswith(
            "these fixed effects are determined by others: model[B], model[C]"
        )
        assert said(fit, study(place=1.0), ["place"]) == (
            "these fixed effects are determined by others: place"
        )

    def test_fewer_ratings_than_unknowns(self, fit: Fit) -> None:
        frame = study()
        few = frame[(frame["rater"] <= 2) & (frame["item"].isin([1, 2]))]
        assert "4 ratings are too few for a model with" in said(fit, few)

    def test_missing_covariates_in_arrays_are_an_error(self, fit: Fit) -> None:
        stored = data("small")
        design = stored.X.copy()
        design[0, 1] = np.nan
        with pytest.raises(ValueError, match="missing or infinite"):
            fit(Crossed(stored.y, design, stored.names, stored.sides))

    def test_numbers_whose_squares_overflow_are_an_error(self, fit: Fit) -> None:
        stored = data("small")
        with pytest.raises(ValueError, match="beyond ±1e"):
            fit(Crossed(stored.y * 1e160, stored.X, stored.names, stored.sides))

    def test_a_single_rating(self, fit: Fit) -> None:
        assert said(fit, study().head(1)) == "there is a single rating"


def test_spare_levels_are_those_that_fixed_effects_leave() -> None:
    named = {group.name: spare_levels(data("study").X, group) for group in data("study").groups}
    # 17 systems and 6 scenarios are 22 columns, none of which varies within an item; but for the
    # intercept, all vary within raters.
    assert named == {"rater": 115, "item": 80}


def test_levels_that_were_not_among_those_given_are_an_error() -> None:
    with pytest.raises(ValueError, match="system has values that are not among its levels"):
        crossed(
            study(),
            rating="rating",
            fixed=["system"],
            groups=("rater", "item"),
            levels={"system": ["Af", "Az"]},
        )


def test_the_first_of_the_levels_given_is_what_others_are_compared_to() -> None:
    found = crossed(
        study(),
        rating="rating",
        fixed=["scenario"],
        groups=("rater", "item"),
        levels={"scenario": ["S6", "S5", "S4", "S3", "S2", "S1", "S7"]},
    )
    assert found.term("scenario").levels == ("S6", "S5", "S4", "S3", "S2", "S1")
    assert found.names[:2] == ("(intercept)", "scenario[S5]")
