"""Each mixed model is fitted once, and of large ones two are kept."""

from itertools import product

import numpy as np
import pytest
from pandas import DataFrame

from analysis.recipe import FittedLink
from analysis.stats.mixed import MixedFit
from analysis.tables.fits import Fits


def ratings(raters: int) -> DataFrame:
    """Ratings of two systems in eight scenarios by this number of raters."""
    draw = np.random.default_rng(3)
    of_rater, of_scenario = draw.normal(size=raters), draw.normal(size=8)
    rows = [
        (f"r{r}", f"S{s}", model, of_rater[r] + of_scenario[s] + draw.normal())
        for r, s, model in product(range(raters), range(8), ("Ant", "Bee"))
    ]
    table = DataFrame(rows, columns=["participant", "scenario", "model", "rating"])
    return table.assign(condition="plain", dimension="warm")


def fitted(fits: Fits, raters: int, link: FittedLink = "linear") -> MixedFit:
    given = ratings(raters)
    if link != "linear":
        given["rating"] = np.digitize(given["rating"], [-1.5, 0, 1.5])
    fit = fits.of(given, link)
    assert isinstance(fit, MixedFit)
    return fit


def test_same_raters_have_the_same_fit() -> None:
    fits = Fits()
    first, second, third = (fitted(fits, n) for n in (6, 7, 8))
    for n, fit in ((6, first), (7, second), (8, third)):
        assert fitted(fits, n) is fit


def test_model_whose_search_starts_from_another_has_the_same_numbers() -> None:
    fits = Fits()
    fitted(fits, 6)
    beside, alone = fitted(fits, 8), fitted(Fits(), 8)
    assert list(beside.sds.values()) == pytest.approx(list(alone.sds.values()), abs=1e-6)
    assert beside.standard_errors.to_numpy() == pytest.approx(alone.standard_errors, abs=1e-6)


def test_of_large_models_the_newest_two_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.tables.fits.LARGE_MODEL", 50)
    fits = Fits()
    first, second, third = (fitted(fits, n) for n in (6, 7, 8))
    assert fitted(fits, 7) is second
    assert fitted(fits, 8) is third
    assert fitted(fits, 6) is not first


@pytest.mark.parametrize("link", ["linear", "probit", "logit"])
def test_models_are_the_same_whatever_was_fitted_before(link: FittedLink) -> None:
    fits = Fits()
    others: list[FittedLink] = ["linear", "probit", "logit"]
    for raters, other in product((6, 9), others):
        fitted(fits, raters, other)
    beside, alone = fitted(fits, 8, link), fitted(Fits(), 8, link)
    assert beside.sds == pytest.approx(alone.sds, rel=1e-5)
    errors, expected = beside.standard_errors, alone.standard_errors
    assert errors.to_numpy() == pytest.approx(expected.to_numpy(), rel=1e-4, nan_ok=True)
    assert dict(beside.coefficients) == pytest.approx(dict(alone.coefficients), rel=1e-6)
