"""Tables of mixed models: what was planted is found, and what cannot be had is said."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.recipe import MixedModels, shipped_recipes
from analysis.stats.mixed import MixedFit, crossed, fit_ordinal, means
from analysis.study_data import ITEM, Contrast
from analysis.tables.fits import Fits
from analysis.tables.mixed_models import MIXED_SHARES, MixedTables, mixed_models

PAPER, SOUND = shipped_recipes().values()
SOUND_LINEAR = SOUND.model_copy(update={"mixed_models": MixedModels(links=["linear"])})
ORACLE = Path(__file__).parents[2] / "oracle" / "mixed"
CONTRAST = Contrast("plain", "tuned", ("Owl", "reference"))
SYSTEMS = [("Ant", "plain"), ("Ant", "tuned"), ("Bee", "plain"), ("Bee", "tuned"),
           ("Owl", "reference")]  # fmt: skip
#: On the latent scale: tuning helps Ant, and does nothing for Bee.
EFFECTS = np.array([0.0, 1.0, 0.4, 0.4, 1.2])


def ratings(seed: int = 4, raters: int = 40, scenarios: int = 8) -> DataFrame:
    """Everybody rates every system's response to every scenario, the reference in two sets."""
    draw = np.random.default_rng(seed)
    by_rater, by_item = draw.normal(0, 0.6, raters), draw.normal(0, 0.2, (5, scenarios))
    rows = []
    for rater, scenario, system in itertools.product(range(raters), range(scenarios), range(5)):
        for name in ("1", "2") if system == 4 else ("1",):
            latent = EFFECTS[system] + by_rater[rater] + by_item[system, scenario] + draw.normal()
            rating = 1 + int(np.searchsorted([-0.8, 0.0, 0.8, 1.6], latent))
            rows.append((f"p{rater:02}", f"S{scenario}", name, *SYSTEMS[system], "warmth", rating))
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


@pytest.fixture(scope="module")
def found() -> MixedTables:
    both = SOUND.model_copy(update={"mixed_models": MixedModels(links=["probit", "linear"])})
    return mixed_models(ratings(), CONTRAST, both, raters="included")


def row(table: DataFrame, **wanted: str) -> "pd.Series":
    for column, value in wanted.items():
        table = table[table[column] == value]
    (only,) = (each for _, each in table.iterrows())
    return only


def test_planted_effect_is_found_and_no_other(found: MixedTables) -> None:
    ant, bee = (
        row(found.contrasts, model=model, link="probit", scale="latent") for model in ("Ant", "Bee")
    )
    assert ant.ci_low < -1.0 < ant.ci_high < 0
    assert bee.ci_low < 0.0 < bee.ci_high
    assert ant.p_adjusted < 0.001
    assert bee.p_adjusted > 0.05


def test_difference_is_that_of_the_estimated_means(found: MixedTables) -> None:
    tuned, plain = (
        row(found.estimates, model="Ant", condition=condition, link="linear").estimate
        for condition in ("tuned", "plain")
    )
    difference = row(found.contrasts, model="Ant", link="linear", scale="ratings").difference
    assert difference == pytest.approx(plain - tuned)


def test_all_models_are_the_mean_of_their_contrasts(found: MixedTables) -> None:
    of = found.contrasts.query("link == 'linear'").set_index("model")["difference"]
    assert of["all"] == pytest.approx((of["Ant"] + of["Bee"]) / 2)
    assert found.contrasts.query("model == 'all'")["p_adjusted"].isna().all()


def test_estimates_are_those_of_the_model_itself(found: MixedTables) -> None:
    data = ratings()
    frame = data.assign(
        system=data["model"].astype(str) + " " + data["condition"].astype(str),
    )
    groups = ("participant/condition/system", "scenario/condition/system")
    fit = fit_ordinal(crossed(frame, rating="rating", fixed=["system"], groups=groups))
    direct = means(fit, "system").set_index("level")["estimate"]  # type: ignore[arg-type]  # it fits
    ours = found.estimates.query("link == 'probit' & scale == 'ratings'")
    names = ours["model"] + " " + ours["condition"]
    assert list(ours["estimate"]) == pytest.approx(list(direct[names]), rel=1e-4)


def test_shares_of_the_scale_sum_to_one_in_each_system(found: MixedTables) -> None:
    sums = found.shares.groupby(["model", "condition"])["share"].sum()
    assert list(sums) == pytest.approx([1.0] * 5)
    assert set(found.shares["link"]) == {"probit"}


def test_item_is_a_response_whatever_the_sets_in_which_it_was_shown(found: MixedTables) -> None:
    assert set(found.models["n_items"]) == {5 * 8}
    assert set(found.models["n_raters"]) == {40}


def test_unit_is_a_rating_and_n_are_those_of_the_dimension() -> None:
    both = SOUND.model_copy(update={"mixed_models": MixedModels(links=["probit", "linear"])})
    warmth = ratings(raters=20).iloc[3:]
    effort = ratings(seed=5, raters=12).assign(dimension="effort")
    table = pd.concat([warmth, effort], ignore_index=True)
    tables = mixed_models(table.astype(dict.fromkeys(ITEM, "category")), CONTRAST, both, raters="")
    for found in (tables.estimates, tables.contrasts, tables.shares):
        assert set(found["unit"]) == {"rating"}
    counted = set(tables.contrasts[["dimension", "n"]].itertuples(index=False, name=None))
    assert counted == {("warmth", 20 * 8 * 6 - 3), ("effort", 12 * 8 * 6)}


def test_each_system_has_the_number_of_its_own_ratings() -> None:
    table = ratings(raters=20)
    of_ant, of_few = table["model"] == "Ant", table["participant"].isin(["p01", "p02", "p03"])
    table = table[~(of_ant & of_few)].astype(dict.fromkeys(ITEM, "category"))
    counted = table.groupby(["model", "condition"], observed=True).size().to_dict()
    assert len(set(counted.values())) > 1
    tables = mixed_models(table, CONTRAST, SOUND, raters="")
    for found in (tables.estimates, tables.shares):
        by_system = found.groupby(["model", "condition"])["n"].unique()
        assert {system: list(n) for system, n in by_system.items()} == {
            system: [n] for system, n in counted.items()
        }


def test_model_that_cannot_be_had_is_one_row_with_the_reason() -> None:
    alone = ratings(raters=1)
    tables = mixed_models(alone, CONTRAST, SOUND, raters="all")
    (only,) = tables.models.to_dict("records")
    assert only["note"].startswith("not estimable, because ")
    assert tables.estimates.empty and tables.contrasts.empty and tables.shares.empty


def test_reason_names_the_system_as_the_study_does() -> None:
    table = ratings()
    bottom = (table["model"] == "Bee") & (table["condition"] == "plain")
    table["rating"] = table["rating"].mask(bottom, 1)
    (only,) = mixed_models(table, CONTRAST, SOUND, raters="").models.to_dict("records")
    assert f"all ratings of system Bee, {'plain'} are in the same" in only["note"]


def test_effects_that_are_not_there_are_named_and_cost_degrees_of_freedom_all_the_same() -> None:
    table = ratings()
    draw = np.random.default_rng(2)
    chance = table.assign(rating=draw.permutation(np.resize([1, 2, 3, 4, 5], len(table))))
    tables = mixed_models(chance, CONTRAST, SOUND, raters="")
    sds = tables.models[tables.models["parameter"] == "sd rater"]["estimate"]
    assert (sds == 0).all() and (tables.models["note"] == "").all()
    for estimates in (tables.estimates, tables.contrasts):
        assert estimates["df"].between(1, len(table)).all()


def test_the_same_raters_are_fitted_once_and_others_anew() -> None:
    table, fits = ratings(raters=20), Fits()
    few = table[table["participant"] != "p00"]
    first, fewer = fits.of(table, "linear"), fits.of(few, "linear")
    assert fits.of(table.sample(frac=1, random_state=1), "linear") is first
    assert isinstance(fewer, MixedFit) and isinstance(first, MixedFit)
    assert len(fewer.data.y) == len(few) < len(first.data.y)
    ordinal = fits.of(table, "probit")
    assert isinstance(ordinal, MixedFit) and ordinal.link == "probit"
    assert fits.of(table.assign(dimension="effort"), "linear") is not first


def test_study_without_a_contrast_has_estimates_all_the_same() -> None:
    tables = mixed_models(ratings(raters=20), Contrast(None, None, None), SOUND, raters="all")
    assert len(tables.estimates) == 5 * 2
    assert tables.contrasts.empty


def test_tables_are_absent_with_their_reason() -> None:
    with pytest.raises(NotAvailable, match="asks for no mixed models"):
        mixed_models(ratings(), CONTRAST, PAPER, raters="all")
    with pytest.raises(NotAvailable, match="there are no ratings"):
        mixed_models(ratings().head(0), CONTRAST, SOUND, raters="all")


def test_group_of_systems_is_compared_with_another_as_by_lme4() -> None:
    """R: lmer(rating ~ 0 + model + (1|user) + (1|user:condition) + (1|user:model) + (1|scenario)
    + (1|scenario:condition) + (1|scenario:model)), weights 1 and -1/5; Kenward and Roger's df.
    """
    data = pd.read_csv(ORACLE / "human_mt.csv").rename(columns={"rater": "participant"})
    data = data.assign(set="1", dimension="quality").astype(dict.fromkeys(ITEM, "category"))
    found = mixed_models(data, Contrast("human", "mt", None), SOUND_LINEAR, raters="included")
    of_all = row(found.contrasts, model="all")
    assert (of_all.condition_a, of_all.condition_b) == ("human", "mt")
    assert of_all.difference == pytest.approx(5.332674, abs=1e-4)
    assert of_all.se == pytest.approx(1.502406, abs=1e-4)
    assert of_all.df == pytest.approx(13.518, abs=0.01)
    assert np.isnan(of_all.p_adjusted), "it is one test"


def test_points_between_whole_numbers_are_shown_as_they_are() -> None:
    shown = MIXED_SHARES.column("rating").text
    assert [shown(point) for point in (-3.0, 1.0, 2.25)] == ["−3", "1", "2.25"]
