"""Which systems are told apart: planted orders, ties, one system, many, and what cannot be had."""

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import t

from analysis.not_available import NotAvailable
from analysis.recipe import MixedModels, shipped_recipes
from analysis.stats.mixed import MixedFit, contrasts, pairs
from analysis.study_data import ITEM
from analysis.tables.fits import Fits
from analysis.tables.told_apart import ToldApart, told_apart
from tests.oracle.mixed.stored import HERE as ORACLE

PAPER, SOUND = shipped_recipes().values()
LINEAR = SOUND.model_copy(update={"mixed_models": MixedModels(links=["linear"])})


def ratings(
    effects: list[float], raters: int = 12, scenarios: int = 10, seed: int = 3
) -> DataFrame:
    """Systems A, B, … in one condition, everything rated by everybody on a slider."""
    draw = np.random.default_rng(seed)
    shape = (len(effects), raters, scenarios)
    system, rater, scenario = (each.ravel() for each in np.indices(shape))
    by_rater, by_text = draw.normal(0, 6, raters), draw.normal(0, 3, (shape[0], scenarios))
    values = 50 + np.array(effects)[system] + by_rater[rater] + by_text[system, scenario]
    rating = np.round(values + draw.normal(0, 8, len(values))).clip(0, 100).astype(int)
    table = DataFrame(
        {
            "participant": [f"p{each:02}" for each in rater],
            "scenario": [f"S{each:02}" for each in scenario],
            "set": "",
            "model": [chr(65 + each) for each in system],
            "condition": "base",
            "dimension": "quality",
            "rating": rating,
        }
    )
    return table.astype(dict.fromkeys(ITEM, "category"))


@pytest.fixture(scope="module")
def found() -> ToldApart:
    return told_apart(ratings([0, 30, 0, 15, 30]), LINEAR, raters="included")


def test_systems_stand_in_the_order_of_their_means(found: ToldApart) -> None:
    table = found.groups
    assert list(table["place"]) == [1, 2, 3, 4, 5]
    assert table["estimate"].is_monotonic_decreasing
    assert set(table["model"][:2]) == {"B", "E"} and table["model"][2] == "D"


def test_those_that_are_alike_share_a_letter_and_others_do_not(found: ToldApart) -> None:
    assert list(found.groups["letters"]) == ["a", "a", "b", "c", "c"]
    assert list(found.groups["n_above"]) == [3, 3, 2, 0, 0]
    assert list(found.groups["n_below"]) == [0, 0, 2, 3, 3]


def test_pairs_are_those_of_the_model_with_intervals_at_the_level_of_their_test(
    found: ToldApart,
) -> None:
    table = found.pairs
    assert len(table) == 10 and (table["difference"] >= 0).all()
    fit = Fits().of(ratings([0, 30, 0, 15, 30]), "linear")
    assert isinstance(fit, MixedFit)
    names = [f"{model}, base" for model in found.groups["model"]]
    levels = {str(level): level for level in fit.data.term("system").levels}
    direct = contrasts(fit, "system", pairs([levels[name] for name in names]))
    for ours, theirs in (("difference", "estimate"), ("p_adjusted", "p_adjusted"), ("df", "df")):
        assert list(table[ours]) == pytest.approx(list(direct[theirs]))
    told = table["told_apart"].sum()
    rank = table["p"].rank(method="first") - 1  # the first that Holm rejects is tested at 5 % / 10
    left = 10 - np.minimum(rank, told)
    reach = t.ppf(1 - 0.05 / 2 / left, table["df"]) * table["se"]
    assert list(table["ci_high"] - table["difference"]) == pytest.approx(list(reach))


def test_interval_without_zero_is_of_a_pair_that_is_told_apart_and_no_other() -> None:
    """By Bonferroni's intervals beside Holm's tests, some pair would be told apart around zero."""
    spread = told_apart(ratings(list(np.linspace(0, 16, 9))), LINEAR, raters="included").pairs
    without = (spread["ci_low"] > 0) | (spread["ci_high"] < 0)
    assert 0 < without.sum() < len(spread)
    assert list(without) == list(spread["told_apart"])
    bonferroni = t.ppf(1 - 0.05 / 2 / len(spread), spread["df"]) * spread["se"]
    assert (spread["told_apart"] & (spread["difference"] < bonferroni)).any()


def test_places_lie_between_those_of_the_systems_that_are_told_apart(found: ToldApart) -> None:
    assert list(found.groups["place_ci_low"]) == [1, 1, 3, 4, 4]
    assert list(found.groups["place_ci_high"]) == [2, 2, 3, 5, 5]


def test_one_model_supplies_estimate_order_and_how_sure_it_is() -> None:
    """Ant is rated by the strict alone: its ratings are lower than Bee's, and it is better."""
    everything = ratings([6, 0, -30], raters=16)
    strict = everything["participant"] < "p04"
    lower = everything.assign(rating=everything["rating"] - 20 * strict)
    data = lower[strict | (lower["model"] != "A")]
    table = told_apart(data, LINEAR, raters="included").groups
    assert list(table["model"]) == ["A", "B", "C"] and table["observed_mean"].idxmax() == 1
    assert table["share_first"].idxmax() == 0 and table["share_first"].sum() == pytest.approx(1)
    observed = data.groupby("model", observed=True)["rating"].mean()
    assert list(table["observed_mean"]) == pytest.approx(list(observed[table["model"]]))


def test_how_often_a_system_is_first_is_what_t_says_of_two() -> None:
    table = told_apart(ratings([3, 0], raters=8), LINEAR, raters="included")
    (pair,) = table.pairs.to_dict("records")
    assert table.groups["share_first"][0] == pytest.approx(t.cdf(pair["t"], pair["df"]), abs=0.03)


def test_intervals_stay_within_the_scale() -> None:
    near_the_end = ratings([0], raters=4, scenarios=5)
    near_the_end["rating"] = (near_the_end["rating"] + 45).clip(upper=100)
    (row,) = told_apart(
        near_the_end, LINEAR, raters="included", fits=Fits(ends=(0, 100))
    ).groups.to_dict("records")
    (free,) = told_apart(near_the_end, LINEAR, raters="included").groups.to_dict("records")
    assert free["ci_high"] > 100 > row["ci_high"] > row["estimate"] > row["ci_low"]


def test_single_system_has_its_level() -> None:
    """R: lmer(rating ~ 1 + (1|rater) + (1|scenario)), with pbkrtest's degrees of freedom."""
    data = pd.read_csv(ORACLE / "human_mt.csv").rename(columns={"rater": "participant"})
    data = data.assign(set="1", dimension="quality").query("model == 'sysA'")
    data = data.astype(dict.fromkeys(ITEM, "category"))
    table = told_apart(data, LINEAR, raters="included")
    (row,) = table.groups.to_dict("records")
    assert row["place"] == 1 and row["letters"] == "" and row["share_first"] == 1
    assert row["estimate"] == pytest.approx(69.98204, abs=1e-4)
    assert row["se"] == pytest.approx(3.368894, abs=1e-4)
    reach = t.ppf(0.975, 14.14228) * 3.368894
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(
        (69.98204 - reach, 69.98204 + reach), abs=1e-2
    )
    assert table.pairs.empty


def test_level_is_the_recipes() -> None:
    strict = LINEAR.model_copy(update={"confidence": 0.9999})
    data = ratings([0, 6])
    assert told_apart(data, LINEAR, raters="").groups["letters"].tolist() == ["a", "b"]
    assert told_apart(data, strict, raters="").groups["letters"].tolist() == ["a", "a"]


def test_model_that_cannot_be_had_is_one_row_with_the_reason() -> None:
    one = told_apart(ratings([0, 5], raters=1), LINEAR, raters="included")
    (only,) = one.groups.to_dict("records")
    assert only["note"].startswith("not estimable, because ") and one.pairs.empty


def test_absent_tables_say_why() -> None:
    with pytest.raises(NotAvailable, match="no mixed models"):
        told_apart(ratings([0, 1]), PAPER, raters="included")


@pytest.mark.slow
def test_fifty_systems_have_all_their_pairs() -> None:
    many = told_apart(ratings(list(range(50)), raters=3, scenarios=8), LINEAR, raters="included")
    assert len(many.pairs) == 50 * 49 / 2
    assert many.groups["letters"][0] != many.groups["letters"][49]


def test_each_system_has_the_number_of_its_own_ratings() -> None:
    table = ratings([0, 30, 15])
    table = table[(table["model"] != "B") | (table["participant"] > "p03")]
    groups = told_apart(table, LINEAR, raters="").groups
    assert dict(zip(groups["model"], groups["n"], strict=True)) == {"A": 120, "B": 80, "C": 120}
