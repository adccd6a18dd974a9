"""Estimated means, contrasts and shares: what emmeans and numerical integration say."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from pandas import DataFrame
from scipy.stats import norm

from analysis.stats.mixed import (
    MixedFit,
    against,
    contrasts,
    crossed,
    first_shares,
    fit_linear,
    fit_ordinal,
    means,
    pairs,
    shares,
)
from analysis.stats.mixed.links import Link
from tests.oracle.mixed.simulate import simulated
from tests.oracle.mixed.stored import data, ratings, reference

pytestmark = pytest.mark.slow

LINKS: list[Link] = ["probit", "logit"]
FACTORS = {"small": "system", "wine": "temp", "study": "system", "inst_eval_part": "service"}
CASES = [(name, factor, link) for name, factor in FACTORS.items() for link in LINKS]


@cache
def fitted(name: str, link: Link = "probit", *, restricted: bool = True) -> MixedFit:
    found = fit_ordinal(data(name), link=link, restricted=restricted)
    assert isinstance(found, MixedFit)
    return found


@pytest.mark.parametrize(("name", "factor", "link"), CASES)
def test_latent_means_and_contrasts_are_those_of_emmeans(
    name: str, factor: str, link: Link
) -> None:
    expected, fit = reference(name, link), fitted(name, link, restricted=False)
    theirs = DataFrame(expected["latent"])
    ours = means(fit, factor, scale="latent")
    assert list(ours["level"]) == list(theirs[factor].astype(str))
    assert ours["se"].to_numpy() == pytest.approx(theirs["SE"].to_numpy(), rel=1e-3)
    assert ours["estimate"].to_numpy() == pytest.approx(theirs["emmean"].to_numpy(), rel=1e-3)
    theirs = DataFrame(expected["contrasts"])
    ours = contrasts(fit, factor, pairs(fit.data.term(factor).levels), scale="latent")
    # emmeans writes numbers as levels with their factor, service0.
    names = [each.replace(factor, "") for each in theirs["contrast"]]
    assert [each.replace("−", "-") for each in ours["contrast"]] == names
    assert ours["se"].to_numpy() == pytest.approx(theirs["SE"].to_numpy(), rel=1e-3)
    assert ours["t"].to_numpy() == pytest.approx(theirs["z.ratio"].to_numpy(), rel=1e-3)


@pytest.mark.parametrize(("name", "factor", "link"), CASES)
def test_means_and_shares_of_the_typical_are_those_of_emmeans(
    name: str, factor: str, link: Link
) -> None:
    expected, fit = reference(name, link), fitted(name, link, restricted=False)
    theirs = DataFrame(expected["typical_means"])
    ours = means(fit, factor, over="typical")
    assert ours["estimate"].to_numpy() == pytest.approx(theirs["mean.class"].to_numpy(), rel=1e-4)
    assert ours["se"].to_numpy() == pytest.approx(theirs["SE"].to_numpy(), rel=1e-3)
    theirs = DataFrame(expected["typical_shares"])
    ours = shares(fit, factor, over="typical").sort_values(["category", "level"])
    assert ours["share"].to_numpy() == pytest.approx(theirs["prob"].to_numpy(), rel=1e-3)
    assert ours["se"].to_numpy() == pytest.approx(theirs["SE"].to_numpy(), rel=1e-3)


@pytest.mark.parametrize(("name", "factor", "link"), CASES)
def test_shares_over_the_population_are_those_of_integrals(
    name: str, factor: str, link: Link
) -> None:
    expected, fit = reference(name, link)["population"], fitted(name, link, restricted=False)
    ours = shares(fit, factor).sort_values(["category", "level"])
    assert list(ours["level"]) == expected["level"]
    assert ours["share"].to_numpy() == pytest.approx(np.array(expected["share"]), rel=1e-3)
    assert ours["se"].to_numpy() == pytest.approx(np.array(expected["se"]), rel=1e-3)


class TestShares:
    def test_over_the_population_probit_shares_have_a_closed_form(self) -> None:
        fit = fitted("small")
        wider = np.sqrt(1 + sum(sd**2 for sd in fit.sds.values()))
        upto = norm.cdf(fit.thresholds / wider)
        expected = np.diff(np.concatenate([[0], upto, [1]]))
        found = shares(fit, "system")
        first = found[found["level"] == "a"]
        assert first["share"].to_numpy() == pytest.approx(expected, rel=1e-6)

    def test_add_up_to_one_and_stay_between_0_and_1(self) -> None:
        found = shares(fitted("study", "logit"), "system")
        assert found.groupby("level")["share"].sum().to_numpy() == pytest.approx(np.ones(17))
        assert (found["low"] > 0).all()
        assert (found["high"] < 1).all()
        assert (found["low"] < found["share"]).all()
        assert (found["share"] < found["high"]).all()

    def test_over_the_population_are_near_those_observed(self) -> None:
        found = shares(fitted("study"), "system").set_index(["level", "category"])["share"]
        frame = ratings("study")
        observed = frame.groupby("system")["rating"].value_counts(normalize=True)
        difference = (found.rename_axis(["system", "rating"]) - observed).abs()
        assert difference.max() < 0.05

    def test_of_a_linear_model_do_not_exist(self) -> None:
        fit = fit_linear(data("small"))
        assert isinstance(fit, MixedFit)
        with pytest.raises(ValueError, match="no categories"):
            shares(fit, "system")
        with pytest.raises(ValueError, match="no latent scale"):
            means(fit, "system", scale="latent")


class TestMeans:
    def test_on_the_scale_of_ratings_are_sums_over_categories(self) -> None:
        fit = fitted("wine")
        table = shares(fit, "temp")
        by_hand = (table["share"] * table["category"]).groupby(table["level"]).sum()
        found = means(fit, "temp").set_index("level")
        assert found["estimate"].to_numpy() == pytest.approx(by_hand[found.index].to_numpy())

    def test_are_averaged_evenly_over_other_factors_with_covariates_at_their_mean(self) -> None:
        frame = ratings("study").assign(place=lambda table: table.groupby("rater").cumcount())
        some = frame[(frame["scenario"] == "S1") | (frame["rater"] % 3 > 0)]
        crossing = crossed(
            some, rating="rating", fixed=["system", "scenario", "place"], groups=("rater", "item")
        )
        fit = fit_linear(crossing)
        assert isinstance(fit, MixedFit)
        found = means(fit, "scenario").set_index("level")["estimate"]
        b = fit.coefficients
        systems = b[b.index.str.startswith("system")].sum() / 17
        expected = b["(intercept)"] + systems + b["place"] * some["place"].mean()
        assert found["S1"] == pytest.approx(expected)
        assert found["S4"] == pytest.approx(expected + b["scenario[S4]"])

    def test_of_a_factor_that_the_model_has_not_are_refused(self) -> None:
        with pytest.raises(KeyError, match="no fixed factor 'model'"):
            means(fitted("small"), "model")


class TestContrasts:
    def test_are_weighted_sums_of_means(self) -> None:
        fit = fitted("study")
        levels = fit.data.term("system").levels
        tuned = [level for level in levels if level.endswith("f")]
        plain = [level for level in levels if level.endswith("z")]
        weights = dict.fromkeys(tuned, 1 / 8) | dict.fromkeys(plain, -1 / 8)
        found = contrasts(fit, "system", {"tuned − plain": weights}, scale="latent").iloc[0]
        of_level = means(fit, "system", scale="latent").set_index("level")["estimate"]
        assert found["estimate"] == pytest.approx(of_level[tuned].mean() - of_level[plain].mean())
        assert found["p_adjusted"] == found["p"]
        assert found["low"] < found["estimate"] < found["high"]

    def test_against_a_reference_are_as_many_as_other_levels(self) -> None:
        fit = fitted("study")
        found = contrasts(fit, "system", against(fit.data.term("system").levels, "reference"))
        assert len(found) == 16
        assert found["contrast"].iloc[0] == "Af − reference"

    def test_p_is_adjusted_by_holm(self) -> None:
        fit = fitted("study")
        found = contrasts(fit, "system", against(fit.data.term("system").levels, "reference"))
        found = found.sort_values("p")
        expected, last = [], 0.0
        for rank, p in enumerate(found["p"]):
            last = min(1.0, max(last, (16 - rank) * p))
            expected.append(last)
        assert list(found["p_adjusted"]) == pytest.approx(expected)

    def test_of_unknown_levels_are_refused(self) -> None:
        with pytest.raises(KeyError, match="system has no level 'c'"):
            contrasts(fitted("small"), "system", {"c": {"c": 1}})


@pytest.mark.slow
def test_systems_with_few_items_are_not_told_apart_too_often() -> None:
    """Thirty studies of 8 systems that do not differ, with 3 items each; item SD 0.35.

    `benchmarks/mixed_models.py --parts coverage` has more of them.
    """
    draw = np.random.default_rng(12)
    sds, rejected = np.zeros(2), np.zeros(2)
    for _ in range(30):
        frame = simulated(draw, raters=30, systems=8, items=3, sd=0.35)
        study = crossed(frame, rating="rating", fixed=["system"], groups=("rater", "item"))
        for at, restricted in enumerate((True, False)):
            fit = fit_ordinal(study, restricted=restricted)
            assert isinstance(fit, MixedFit)
            sds[at] += fit.sds["item"] / 30
            levels = fit.data.term("system").levels
            found = contrasts(fit, "system", pairs(levels), scale="latent")
            rejected[at] += (found["p"] < 0.05).mean() / 30
    assert sds[0] == pytest.approx(0.35, abs=0.02)
    assert sds[1] < 0.28  # what maximum likelihood makes of it: 24 items, 8 of them spent
    assert 0.03 <= rejected[0] <= 0.07
    assert rejected[1] > 0.07


def test_shares_of_draws_are_those_of_another_machine() -> None:
    """Whose covariance is another in its last digits: here of systems that are as uncertain."""
    frame = simulated(np.random.default_rng(4), raters=12, systems=5, items=3, sd=0.3)
    fit = fit_linear(crossed(frame, rating="rating", fixed=["system"], groups=("rater", "item")))
    assert isinstance(fit, MixedFit)
    own = first_shares(fit, "system", seed=3, draws=2000)
    assert own.sum() == pytest.approx(1) and own.max() < 1
    draw = np.random.default_rng(1)
    for _ in range(20):
        parts = draw.normal(1, 1e-14, fit.covariance.shape)
        theirs = replace(fit, covariance=fit.covariance * (parts + parts.T) / 2)
        assert first_shares(theirs, "system", seed=3, draws=2000) == pytest.approx(own, abs=1e-9)
