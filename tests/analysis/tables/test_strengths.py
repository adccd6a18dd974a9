"""Strengths by ranks, choices and ratings, and whether their order is that of the ratings."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import kendalltau

from analysis.not_available import NotAvailable
from analysis.recipe import Bootstrap, shipped_recipes
from analysis.study_data import ITEM
from analysis.tables.strengths import strength_tables

SOUND = shipped_recipes()["sound"].model_copy(update={"bootstrap": Bootstrap(resamples=400)})
EFFECTS = {"Ant": 1.0, "Bee": 0.3, "Cat": -0.2, "Dog": -1.1}
NONE = DataFrame(columns=["participant", *ITEM, "rank", "choice", "rating"])


def study(raters: int = 15, scenarios: int = 6, shown: int = 4, seed: int = 4) -> DataFrame:
    """Ranks, best and worst choices and ratings of one to five of the systems that a page shows."""
    draw = np.random.default_rng(seed)
    names = np.array(list(EFFECTS))
    rows = []
    for rater in range(raters):
        for scenario in range(scenarios):
            of_page = draw.choice(4, shown, replace=False)
            utility = np.array(list(EFFECTS.values()))[of_page] + draw.gumbel(size=shown)
            ranks = (-utility).argsort().argsort() + 1
            for system, rank, value in zip(names[of_page], ranks, utility, strict=True):
                choice = {1: "best", shown: "worst"}.get(int(rank), "")
                rating = int(np.clip(np.round(3 + value / 2), 1, 5))
                keys = (f"p{rater:02}", f"S{scenario}", "", system, "base", "")
                rows.append((*keys, float(rank), choice, rating))
    table = DataFrame(rows, columns=["participant", *ITEM, "rank", "choice", "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def made(ranks: DataFrame, ratings: DataFrame = NONE) -> tuple[DataFrame, DataFrame]:
    return strength_tables(ranks, ratings, SOUND, raters="included")


@pytest.fixture(scope="module")
def everything() -> tuple[DataFrame, DataFrame]:
    data = study()
    return made(data, data.assign(dimension=pd.Categorical(["quality"] * len(data))))


def test_planted_order_is_found_by_ranks_choices_and_ratings(
    everything: tuple[DataFrame, DataFrame],
) -> None:
    table = everything[0]
    models = table.groupby("answers", sort=False)["comparison_model"].first().to_dict()
    assert models == {"ranks": "plackett_luce", "choices": "best_worst", "ratings": "davidson"}
    for _, own in table.groupby("answers"):
        assert list(own["model"]) == list(EFFECTS) and list(own["place"]) == [1, 2, 3, 4]
        assert own["strength"].sum() == pytest.approx(0)
        assert own["share"].sum() == pytest.approx(1)
        assert ((own["ci_low"] < own["strength"]) & (own["strength"] < own["ci_high"])).all()
        assert (
            (own["place_ci_low"] <= own["place"]) & (own["place"] <= own["place_ci_high"])
        ).all()


def test_intervals_of_rankings_hold_what_was_planted(
    everything: tuple[DataFrame, DataFrame],
) -> None:
    own = everything[0].query("answers == 'ranks'")
    planted = own["model"].map(EFFECTS).astype(float) - float(np.mean(list(EFFECTS.values())))
    assert ((own["ci_low"] < planted) & (planted < own["ci_high"])).all()


def test_order_is_held_against_that_of_the_ratings(
    everything: tuple[DataFrame, DataFrame],
) -> None:
    strengths, table = everything
    assert list(table["answers"]) == ["ranks", "choices"]
    means = study().groupby("model", observed=True)["rating"].mean()
    own = strengths.query("answers == 'ranks'").set_index("model")["strength"]
    tau = kendalltau(own[means.index], means).statistic
    assert table["tau"][0] == pytest.approx(tau)
    assert (table["ci_low"] <= table["tau"]).all() and set(table["rated"]) == {"quality"}


def test_two_systems_on_a_page_are_pairs() -> None:
    table, _ = made(study(shown=2).assign(choice=""))
    assert set(table["comparison_model"]) == {"bradley_terry"}
    assert list(table["model"]) == list(EFFECTS)
    assert set(table["n_choices"]) == {15 * 6}


def test_equal_ranks_are_ties() -> None:
    data = study().assign(choice="")
    data["rank"] = data["rank"].replace({2.0: 1.0})
    table, _ = made(data)
    assert set(table["comparison_model"]) == {"davidson"}
    assert (table["tie_parameter"] > 0).all() and set(table["n_choices"]) == {15 * 6 * 6}


def test_what_was_left_unranked_says_nothing() -> None:
    data = study().assign(choice="")
    data.loc[data["rank"] == 4, "rank"] = np.nan
    assert set(made(data)[0]["n_choices"]) == {15 * 6 * 2}


def test_rater_who_has_rows_of_the_chosen_alone_saw_the_block() -> None:
    data = study().assign(rank=np.nan)
    chosen = data[(data["choice"] != "") | (data["participant"] == "p00")]
    whole, part = (made(each)[0].set_index("model")["strength"] for each in (data, chosen))
    assert list(part) == pytest.approx(list(whole))


def test_system_that_always_wins_is_said_so_in_one_row() -> None:
    data = study().assign(choice="")
    always = data.assign(rank=data["rank"].mask(data["model"] == "Ant", 0.0))
    (only,) = made(always)[0].to_dict("records")
    assert only["note"].startswith("not estimable, because some systems were always preferred")


def test_one_rater_has_no_interval() -> None:
    data = study(raters=1, scenarios=40).assign(choice="")
    table, _ = made(data)
    assert set(table["note"]) == {"no interval, because there is one rater"}
    assert table["strength"].notna().all() and table["ci_low"].isna().all()


def test_one_response_a_page_compares_nothing() -> None:
    alone = study(shown=1).assign(dimension=pd.Categorical(["quality"] * 90))
    with pytest.raises(NotAvailable, match="no page shows two systems"):
        made(NONE, alone)


def test_pairs_of_a_page_are_all_its_pairs() -> None:
    data = study(raters=4, scenarios=3)
    table, _ = made(NONE, data.assign(dimension=pd.Categorical(["quality"] * len(data))))
    assert set(table["n_choices"]) == {4 * 3 * len(list(combinations(range(4), 2)))}
