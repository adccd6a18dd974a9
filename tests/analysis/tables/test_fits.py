"""Each mixed model is fitted once, and few large ones are held."""

from itertools import product

import numpy as np
import pytest
from pandas import DataFrame

from analysis.stats.mixed import MixedFit
from analysis.tables.fits import Fits


def ratings(raters: int) -> DataFrame:
    """So many raters of two systems in eight scenarios."""
    draw = np.random.default_rng(3)
    of_rater, of_scenario = draw.normal(size=raters), draw.normal(size=8)
    rows = [
        (f"r{r}", f"S{s}", model, of_rater[r] + of_scenario[s] + draw.normal())
        for r, s, model in product(range(raters), range(8), ("Ant", "Bee"))
    ]
    table = DataFrame(rows, columns=["participant", "scenario", "model", "rating"])
    return table.assign(condition="plain", dimension="warm")


def fitted(fits: Fits, raters: int) -> MixedFit:
    fit = fits.of(ratings(raters), "linear")
    assert isinstance(fit, MixedFit)
    return fit


def test_same_raters_have_the_same_fit() -> None:
    fits = Fits()
    first, second, third = (fitted(fits, n) for n in (6, 7, 8))
    for n, fit in ((6, first), (7, second), (8, third)):
        assert fitted(fits, n) is fit


def test_model_that_is_found_from_another_one_has_the_same_numbers() -> None:
    fits = Fits()
    fitted(fits, 6)
    beside, alone = fitted(fits, 8), fitted(Fits(), 8)
    assert list(beside.sds.values()) == pytest.approx(list(alone.sds.values()), abs=1e-6)
    assert beside.standard_errors.to_numpy() == pytest.approx(alone.standard_errors, abs=1e-6)


def test_of_large_models_the_newest_two_are_kept() -> None:
    fits = Fits(large=50)
    first, second, third = (fitted(fits, n) for n in (6, 7, 8))
    assert fitted(fits, 7) is second
    assert fitted(fits, 8) is third
    assert fitted(fits, 6) is not first


def test_large_models_are_the_same_whatever_was_fitted_before() -> None:
    fits = Fits(large=50)
    fitted(fits, 6)
    beside, alone = fitted(fits, 8), fitted(Fits(large=50), 8)
    assert beside.sds == alone.sds
    assert beside.coefficients.equals(alone.coefficients)
