"""How few raters or scenarios turn the main result: those planted to carry it."""

import itertools
from typing import Any

import numpy as np
import pytest
from pandas import DataFrame, Series, isna

from analysis.not_available import NotAvailable
from analysis.recipe import MixedModels, shipped_recipes
from analysis.stats.inestimable import Inestimable
from analysis.study_data import ITEM, Contrast
from analysis.tables.fits import Fits
from analysis.tables.fragility import FRAGILITY, fragility
from analysis.tables.mixed_models import system_contrasts

SOUND = shipped_recipes()["sound"].model_copy(
    update={"mixed_models": MixedModels(links=["linear"])}
)
CONTRAST = Contrast("plain", "tuned", None)
SCENARIOS = [f"S{n}" for n in range(1, 9)]
Planted = dict[tuple[str, str], float]


def ratings(
    *, raters: int = 20, plain: float = 0.0, of_raters: dict[str, float] | None = None,
    of_scenarios: dict[str, float] | None = None, models: tuple[str, ...] = ("Ant", "Bee"),
) -> DataFrame:  # fmt: skip
    """`plain` is added to what everybody gives plain responses, and more by some raters or in some
    scenarios.
    """
    draw = np.random.default_rng(2)
    rows = []
    names = [f"p{n:02}" for n in range(raters)]
    for who, scenario, model in itertools.product(names, SCENARIOS, models):
        more = plain + (of_raters or {}).get(who, 0) + (of_scenarios or {}).get(scenario, 0)
        for condition, added in (("plain", more), ("tuned", 0.0)):
            rating = 50 + added + draw.normal(0, 1)
            rows.append((who, scenario, "", model, condition, "warmth", rating))
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def table(data: DataFrame, *, fits: Fits | None = None, recipe: Any = SOUND) -> DataFrame:
    known = data[ITEM].drop_duplicates().sort_values(ITEM)
    return fragility(data, CONTRAST, recipe, raters="included", known=known, fits=fits)


def row(found: DataFrame, unit: str, turned: str) -> "Series[Any]":
    (only,) = (r for _, r in found.iterrows() if (r["unit"], r["turned"]) == (unit, turned))
    return only


def test_raters_who_carry_the_difference_are_found_in_order() -> None:
    """Two of twenty find plain much better, the others a little worse."""
    found = table(ratings(plain=-0.1, of_raters={"p03": 9, "p11": 6}))
    assert list(found) == FRAGILITY.names and len(found) == 4
    sign = row(found, "participant", "sign")
    assert (sign["n"], sign["left_out"], sign["names"]) == (20, 2, "p03, p11")
    assert sign["left_out_share"] == 0.1
    assert sign["difference"] > 0 > sign["difference_after"]


def test_scenario_that_carries_the_difference_is_found() -> None:
    found = table(ratings(plain=-0.2, of_scenarios={"S5": 5}))
    sign = row(found, "scenario", "sign")
    assert (sign["n"], sign["left_out"], sign["names"]) == (8, 1, "S5")
    assert row(found, "participant", "sign")["left_out"] is not sign["left_out"]


def test_clear_difference_of_everybody_cannot_be_turned() -> None:
    found = table(ratings(plain=5))
    assert (found["p"] < 1e-6).all()
    assert found["left_out"].isna().all() and (found["names"].fillna("") == "").all()


def test_difference_hidden_by_few_raters_becomes_significant_without_them() -> None:
    found = table(ratings(plain=0.5, of_raters={"p00": -5, "p01": -4}))
    kept = row(found, "participant", "significance")
    assert kept["p"] > 0.05 > kept["p_after"]
    assert kept["left_out"] <= 2 and "p00" in kept["names"]


def test_significance_is_lost_before_the_sign_turns() -> None:
    found = table(ratings(plain=0.25))
    for unit in ("participant", "scenario"):
        lost, turned = (row(found, unit, what) for what in ("significance", "sign"))
        assert lost["p"] < 0.05 <= lost["p_after"]
        assert np.isnan(turned["p_after"]) or lost["left_out"] <= turned["left_out"]


def test_where_the_mixed_model_disagrees_no_number_is_given() -> None:
    data, fits = ratings(plain=0.25), Fits()
    agreed = table(data, fits=fits)
    assert (agreed["note"] == "").all()
    fit = fits.of(data, "linear")
    assert not isinstance(fit, Inestimable)
    (*_, over_all) = system_contrasts(fit, CONTRAST, SOUND)
    between = (over_all["p"] + agreed["p"].iloc[0]) / 2
    strict = SOUND.model_copy(update={"confidence": 1 - between})
    found = table(data, fits=fits, recipe=strict)
    for unit in ("participant", "scenario"):
        noted = row(found, unit, "significance")
        assert "the mixed model (p = " in noted["note"] and np.isnan(noted["p_after"])
        assert row(found, unit, "sign")["note"] == ""


def test_only_model_is_named_and_one_rater_says_why_not() -> None:
    found = table(ratings(models=("Ant",)))
    assert set(found["model"]) == {"Ant"}
    single = table(ratings(raters=1))
    assert single["note"].str.contains("fewer than two raters").all()


def test_significance_that_too_few_raters_are_left_for_is_not_called_robust() -> None:
    found = table(ratings(raters=3, plain=5))
    assert row(found, "participant", "significance")["note"] == ""  # two of three are enough
    found = table(ratings(raters=2, plain=5))
    lost = row(found, "participant", "significance")
    assert isna(lost["left_out"])
    assert lost["note"] == (
        "not estimable before half of the raters are left out: there are fewer than two raters"
    )
    assert row(found, "participant", "sign")["note"] == ""  # of a mean, which one rater has


def test_study_without_ratings_of_both_conditions_has_none() -> None:
    data = ratings()
    with pytest.raises(NotAvailable):
        table(data[data["condition"] == "tuned"].assign(
            condition=lambda of: of["condition"].cat.remove_unused_categories()
        ))  # fmt: skip
