"""Severity and fit of raters: by hand in a linear model, and planted careless raters found."""

from functools import cache

import numpy as np
import pytest
from pandas import DataFrame
from scipy.stats import norm

from analysis.stats.mixed import MixedFit, crossed, fit_linear, fit_ordinal
from analysis.stats.mixed.residuals import rater_fit

RATERS, SCENARIOS, SYSTEMS = 24, 8, 3
GROUPS = ("rater/system", "scenario/system")


def ratings(seed: int = 1) -> DataFrame:
    """Five points; rater 0 is 2 SD stricter than others, 1 answers by chance, 2 nearly always 3."""
    draw = np.random.default_rng(seed)
    shape = (RATERS, SCENARIOS, SYSTEMS)
    latent = draw.normal(0, 0.4, RATERS)[:, None, None] + draw.normal(0, 0.4, shape[1:])
    latent = latent + np.array([-0.5, 0, 0.5]) + draw.normal(0, 1, shape)
    latent[0] -= 2
    rating = 1 + np.searchsorted([-1.2, -0.4, 0.5, 1.4], latent)
    rating[1] = draw.integers(1, 6, shape[1:])
    rating[2] = np.where(draw.random(shape[1:]) < 0.1, 4, 3)
    rater, scenario, system = (each.ravel() for each in np.indices(shape))
    columns = {"rater": rater, "scenario": scenario, "system": [f"s{each}" for each in system]}
    return DataFrame({"rating": rating.ravel().astype(float), **columns})


@cache
def fitted(link: str) -> MixedFit:
    data = crossed(ratings(), rating="rating", fixed=["system"], groups=GROUPS)
    fit = fit_linear(data) if link == "linear" else fit_ordinal(data, link=link)  # type: ignore[arg-type]
    assert isinstance(fit, MixedFit)
    return fit


@pytest.mark.parametrize("link", ["linear", "probit", "logit"])
def test_planted_raters_stand_out_and_others_do_not(link: str) -> None:
    table = rater_fit(fitted(link)).set_index("level")
    assert table["severity"].idxmax() == 0 and table["severity"][0] > 1
    assert table["infit"].idxmax() == 1 and table["infit"][1] > 1.5
    assert table["infit"].idxmin() == 2 and table["infit"][2] < 0.5
    assert table["infit"].drop([0, 1, 2]).between(0.5, 1.5).all()
    assert table["infit"].drop([0, 1, 2]).mean() == pytest.approx(1, abs=0.2)
    assert set(table["n"]) == {SCENARIOS * SYSTEMS}


def test_linear_model_by_hand() -> None:
    fit = fitted("linear")
    frame = ratings()
    expected = fit.data.X @ fit.coefficients.to_numpy()
    expected = expected + fit.modes["rater"].to_numpy()[frame["rater"]]
    for name in ("scenario", "scenario:system"):
        group = fit.data.group(name)
        expected = expected + fit.modes[name].to_numpy()[group.codes]
    assert fit.residual_sd is not None
    variance = fit.residual_sd**2 + fit.sds["rater:system"] ** 2
    squares = ((frame["rating"] - expected) ** 2 / variance).groupby(frame["rater"]).mean()
    table = rater_fit(fit)
    assert list(table["infit"]) == pytest.approx(list(squares))
    assert list(table["outfit"]) == pytest.approx(list(squares))
    assert list(table["severity"]) == pytest.approx(list(-fit.modes["rater"]))


def test_preferences_widen_what_is_expected_as_their_variance_says() -> None:
    """Of a probit, the sum of a normal effect and the error is normal, too."""
    fit = fitted("probit")
    table = rater_fit(fit)
    frame, s = ratings(), np.sqrt(1 + fit.sds["rater:system"] ** 2)
    eta = fit.data.X[:, 1:] @ fit.coefficients.to_numpy()
    for name in ("rater", "scenario", "scenario:system"):
        eta = eta + fit.modes[name].to_numpy()[fit.data.group(name).codes]
    upto = norm.cdf((fit.thresholds.to_numpy() - eta[:, None]) / s)
    shares = np.diff(np.column_stack([0 * eta, upto, 0 * eta + 1]), axis=1)
    mean = shares @ np.arange(1.0, 6)
    variance = shares @ np.arange(1.0, 6) ** 2 - mean**2
    squares = (frame["rating"] - mean) ** 2
    by_rater = squares.groupby(frame["rater"]).sum() / np.bincount(frame["rater"], variance)
    assert list(table["infit"]) == pytest.approx(list(by_rater), rel=1e-6)


def test_unknown_factor_is_refused() -> None:
    with pytest.raises(KeyError):
        rater_fit(fitted("linear"), "judge")
