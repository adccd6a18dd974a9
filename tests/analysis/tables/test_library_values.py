"""Stored columns of closed-form statistics are what scipy, pingouin and statsmodels say.

One case a statistic of docs/decisions/libraries.md: the library is called here on raw values.
"""

import itertools
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pingouin as pg
import pytest
from pandas import DataFrame, Series
from scipy import stats
from statsmodels.stats.inter_rater import fleiss_kappa
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from analysis.recipe import Margins, Recipe, shipped_recipes
from analysis.study_data import ITEM, Contrast
from analysis.tables.agreement import agreement
from analysis.tables.anova import anova, pairwise
from analysis.tables.choices import choice_tests, choices
from analysis.tables.contrasts import contrasts, paired
from analysis.tables.group_tests import group_tests
from analysis.tables.positions import positions
from analysis.tables.rankings import ranking_pairs, ranking_tests, rankings
from analysis.tables.systems import systems, to_reference
from analysis.tables.wins_tests import wins_tests
from tests.analysis.written import FIVE_POINTS

pytestmark = pytest.mark.slow

SOUND = shipped_recipes()["sound"].model_copy(update={"margins": Margins(reference=1, groups=1.5)})
SOUND = SOUND.on(FIVE_POINTS)
BY_RATING = SOUND.model_copy(update={"unit": "rating"})
CONTRAST = Contrast("plain", "tuned", ("Owl", "reference"))
RATERS = [f"r{number:02}" for number in range(26)]
PEOPLE = DataFrame(
    {
        "participant": RATERS,
        "age": [70 if number % 3 else 30 for number in range(26)],
        "region": [["South", "West", "Midwest"][number % 7 % 3] for number in range(26)],
        "active": False,
    }
)
SYSTEMS = [("Ant", "plain"), ("Ant", "tuned"), ("Bee", "plain"), ("Bee", "tuned"),
           ("Owl", "reference")]  # fmt: skip
Expected = dict[Any, Any]
Case = Callable[[], tuple["Series[Any]", Expected]]


@cache
def study() -> DataFrame:
    """Every rater's rating, rank and choice of every system in three scenarios."""
    draw = random.Random(5)
    rows: list[tuple[Any, ...]] = []
    for rater, scenario in itertools.product(RATERS, ["S1", "S2", "S3"]):
        taste = draw.gauss(0, 0.5)
        order = sorted(range(5), key=lambda system: draw.gauss(system / 4, 1))
        for at, system in enumerate(SYSTEMS):
            rating = min(max(round(3 + at / 6 + taste + draw.gauss(0, 1)), 1), 5)
            choice = {0: "best", 4: "worst"}.get(order.index(at), "")
            place = 1.0 + (at + len(rows) // 5 * 2) % 5
            cell = (rater, scenario, "", *system, "warmth", rating, order.index(at) + 1.0, choice)
            rows.append((*cell, place, f"{scenario} {at}"))
    columns = [
        "participant", *ITEM, "rating", "rank", "choice", "response_position", "response",
    ]  # fmt: skip
    return DataFrame(rows, columns=columns).astype(dict.fromkeys(ITEM, "category"))


def of(table: DataFrame, **wanted: Any) -> "Series[Any]":
    for column, value in wanted.items():
        table = table[table[column] == value]
    (only,) = (row for _, row in table.iterrows())
    return only


def means(by: str = "participant", value: str = "rating", **wanted: str) -> "Series[float]":
    data = study()
    for column, name in wanted.items():
        data = data[data[column] == name]
    found: Series[float] = data.groupby(by, observed=True)[value].mean()
    return found


@cache
def groups(by_rating: bool = False) -> tuple[Any, Any]:
    """What the old and the young gave to Ant: raters' means, or all ratings."""
    old = set(PEOPLE.loc[PEOPLE["age"] > 60, "participant"])
    data = study().query("model == 'Ant'").set_index("participant")["rating"].astype(float)
    values = data if by_rating else data.groupby(level=0).mean()
    is_old = values.index.isin(old)
    return values[is_old].to_numpy(), values[~is_old].to_numpy()


def group_row(test: str, recipe: Recipe = SOUND) -> "Series[Any]":
    table = group_tests(study(), PEOPLE, recipe, raters="all")
    return of(table, model="Ant", condition="all", scenario="all", test=test, group_a="60+")


def t_test(test: str) -> Case:
    def case() -> tuple["Series[Any]", Expected]:
        a, b = groups()
        found = stats.ttest_ind(a, b, equal_var=test == "student")
        usevar = "pooled" if test == "student" else "unequal"
        ends = found.confidence_interval(0.95)
        return group_row(test), {
            "t": found.statistic, "df": found.df, "p": found.pvalue,
            "ci_low": ends.low, "ci_high": ends.high,
            "cohen_d": pg.compute_effsize(a, b, eftype="cohen"),
            "p_equivalent": ttost_ind(a, b, -1.5, 1.5, usevar=usevar)[0],
        }  # fmt: skip

    return case


def effect_interval() -> tuple["Series[Any]", Expected]:
    a, b = groups()
    row, scale = group_row("student"), np.sqrt(1 / len(a) + 1 / len(b))
    tails = [stats.nct.cdf(row.t, row.df, row[end] / scale) for end in ("d_ci_low", "d_ci_high")]
    assert tails == pytest.approx([0.975, 0.025])
    # pingouin's g has Hedges' approximation of J, which is close where there are 24 df.
    roughly = pg.compute_effsize(a, b, eftype="hedges")
    assert row.hedges_g == pytest.approx(roughly, rel=1e-3)
    exact = stats.nct.mean(24, 1) ** -1
    return row, {"hedges_g": row.cohen_d * exact}


def ranks_of_groups() -> tuple["Series[Any]", Expected]:
    a, b = groups(by_rating=True)
    found = stats.mannwhitneyu(a, b, use_continuity=False, method="asymptotic")
    effect = 2 * found.statistic / (len(a) * len(b)) - 1
    assert abs(effect) == pytest.approx(abs(pg.mwu(a, b)["RBC"].iloc[0]))
    expected = {"u": found.statistic, "p": found.pvalue, "rank_biserial": effect}
    return group_row("mann_whitney", BY_RATING), expected


def adjusted(column: str, library: Callable[["Series[float]"], Any]) -> Case:
    def case() -> tuple["Series[Any]", Expected]:
        table = group_tests(study(), PEOPLE, SOUND, raters="all")
        family = table[
            (table["condition"] == "all")
            & (table["scenario"] == "all")
            & (table["test"] == "welch")
        ]
        assert len(family) == 3
        return family[column].reset_index(drop=True), dict(enumerate(library(family["p"])))

    return case


def regions() -> DataFrame:
    values = means().rename("value").reset_index()
    return values.merge(PEOPLE, on="participant")[["region", "value"]]


def one_way(test: str) -> Case:
    def case() -> tuple["Series[Any]", Expected]:
        library = pg.anova if test == "anova" else pg.welch_anova
        found = library(data=regions(), dv="value", between="region").iloc[0]
        row = of(anova(study(), PEOPLE, SOUND, raters="all"), scenario="all", test=test)
        samples = [part["value"] for _, part in regions().groupby("region")]
        other = stats.f_oneway(*samples, equal_var=test == "anova")
        assert (row.F, row.p) == pytest.approx((other.statistic, other.pvalue))
        return row, {
            "F": found["F"], "df1": found["ddof1"], "df2": found["ddof2"], "p": found["p_unc"],
            "eta_squared": found["np2"],
        }  # fmt: skip

    return case


def pairs_of_regions() -> tuple["Series[Any]", Expected]:
    samples = [part["value"] for _, part in regions().groupby("region")]
    of_all = stats.tukey_hsd(*samples, equal_var=False)
    pair = pg.pairwise_gameshowell(data=regions(), dv="value", between="region").iloc[1]
    half = stats.studentized_range.ppf(0.95, 3, pair["df"]) * pair["se"] / np.sqrt(2)
    table = pairwise(study(), PEOPLE, SOUND, raters="all")
    row = of(table, scenario="all", group_a="Midwest", group_b="West")
    return row, {
        "difference": of_all.statistic[0, 2], "p": of_all.pvalue[0, 2],
        "ci_low": pair["diff"] - half, "ci_high": pair["diff"] + half,
        "t": pair["T"], "df": pair["df"],
    }  # fmt: skip


def mean_of_system() -> tuple["Series[Any]", Expected]:
    ends = stats.ttest_1samp(means(model="Owl"), 0).confidence_interval()
    row = of(systems(study(), SOUND, raters="all"), model="Owl", unit="participant")
    return row, {"ci_low": ends.low, "ci_high": ends.high}


def near_reference() -> tuple["Series[Any]", Expected]:
    a, b = means(model="Bee", condition="plain"), means(model="Owl")
    p, lower, _ = ttost_paired(a.to_numpy(), b.to_numpy(), -1, 1)
    ends = stats.ttest_rel(a, b).confidence_interval()
    one_sided = stats.ttest_rel(a, b, alternative="greater").confidence_interval()
    table = to_reference(study(), CONTRAST, SOUND, raters="all")
    row = of(table, model="Bee", condition="plain", unit="participant")
    return row, {
        "t_non_inferior": lower[0], "p_non_inferior": lower[1], "p_equivalent": p,
        "lower_bound": one_sided.low, "ci_low": ends.low, "ci_high": ends.high,
    }  # fmt: skip


def contrast(to: str, by: str) -> Case:
    def case() -> tuple["Series[Any]", Expected]:
        a, b = (means(by, model="Ant", condition=each) for each in ("plain", "tuned"))
        found = stats.ttest_rel(a, b)
        ends = found.confidence_interval()
        table = contrasts(study(), CONTRAST, SOUND, raters="all")
        expected = {"F": found.statistic**2, "df2": found.df, "p": found.pvalue}
        expected |= {"ci_low": ends.low, "ci_high": ends.high}
        return of(table, model="Ant", generalises_to=to), expected

    return case


def signed_ranks() -> tuple["Series[Any]", Expected]:
    """Of more than 50 raters, for whom p is asymptotic."""
    data = pd.concat(
        [study().assign(participant=study()["participant"] + copy) for copy in ("a", "b", "c")]
    )
    a, b = (means(model="Ant", condition=each) for each in ("plain", "tuned"))
    differences = np.tile((a - b).round(9).to_numpy(), 3)
    found = stats.wilcoxon(differences, method="asymptotic")  # type: ignore[call-overload]
    effect = pg.wilcoxon(differences)["RBC"].iloc[0]
    row = of(paired(data, CONTRAST, SOUND, raters="all"), model="Ant")
    return row, {"wilcoxon": found.statistic, "p": found.pvalue, "rank_biserial": effect}


def paired_ranks_of_systems() -> tuple["Series[Any]", Expected]:
    """Of ten raters, by all signs: scipy permutes them, which it can of so few."""
    few = study()["participant"].isin(RATERS[:10])
    a, b = (
        study()[few & (study()["model"] == "Bee") & (study()["condition"] == each)]
        .groupby("participant")["rank"].mean()
        for each in ("plain", "tuned")
    )  # fmt: skip
    found = stats.wilcoxon((b - a).round(9), method=stats.PermutationMethod(n_resamples=2**10))
    table = ranking_pairs(study()[few], SOUND, raters="all")
    row = of(table, model_a="Bee", condition_a="plain", model_b="Bee", condition_b="tuned")
    return row, {"wilcoxon": found.statistic, "p": found.pvalue}


def wins_row() -> tuple["Series[Any]", Expected]:
    known = study()[ITEM].drop_duplicates().sort_values(ITEM)
    recipe = SOUND.model_copy(update={"bootstrap": None})
    found = wins_tests(study(), PEOPLE, known, CONTRAST, recipe, raters="included").tests
    row = of(found, scenario="all")
    test = stats.binomtest(int(row.a_wins), int(row.a_wins + row.b_wins))
    ends = test.proportion_ci(0.95, method="exact")
    return row, {"p": test.pvalue, "a_share_low": ends.low, "a_share_high": ends.high}


def win_difference() -> tuple["Series[Any]", Expected]:
    known = study()[ITEM].drop_duplicates().sort_values(ITEM)
    recipe = SOUND.model_copy(update={"bootstrap": None})
    table = wins_tests(study(), PEOPLE, known, CONTRAST, recipe, raters="all").differences
    a, b = (means(model="Bee", scenario="S2", condition=each) for each in ("plain", "tuned"))
    found = stats.ttest_rel(a, b)
    ends = found.confidence_interval()
    return of(table, model="Bee", scenario="S2"), {
        "t": found.statistic, "df": found.df, "p": found.pvalue, "ci_low": ends.low,
        "ci_high": ends.high,
    }  # fmt: skip


def ranking_test() -> tuple["Series[Any]", Expected]:
    wide = study().groupby(["participant", "model", "condition"], observed=True)["rank"].mean()
    table = wide.round(9).unstack(["model", "condition"])
    found = pg.friedman(DataFrame(table.to_numpy())).iloc[0]
    other = stats.friedmanchisquare(*table.to_numpy().T)
    assert (found["Q"], found["p_unc"]) == pytest.approx((other.statistic, other.pvalue))
    ranks = stats.rankdata(table.to_numpy(), axis=1)
    permuted = stats.permutation_test(
        tuple(ranks.T), lambda *systems, axis: sum(each.sum(axis=axis) ** 2 for each in systems),
        permutation_type="samples", vectorized=True, alternative="greater", n_resamples=9_999,
        batch=1_000, rng=1,
    )  # fmt: skip
    row = of(ranking_tests(study(), SOUND, raters="all"))
    return row, {
        "chi_squared": found["Q"], "df": found["ddof1"], "p": permuted.pvalue, "w": found["W"],
    }  # fmt: skip


def w_within_blocks() -> tuple["Series[Any]", Expected]:
    """The mean of each scenario's W, all scenarios at once."""
    of_block = [
        pg.friedman(
            DataFrame(part.pivot(index="participant", columns=["model", "condition"],
                                 values="rank").to_numpy())
        )["W"].iloc[0]
        for _, part in study().groupby("scenario", observed=True)
    ]  # fmt: skip
    row = of(ranking_tests(study(), SOUND, raters="all"))
    return row, {"w_within_blocks": np.mean(of_block)}


def mean_rank() -> tuple["Series[Any]", Expected]:
    ends = stats.ttest_1samp(means(value="rank", model="Owl"), 0).confidence_interval()
    row = of(rankings(study(), SOUND, raters="all"), model="Owl")
    return row, {"ci_low": ends.low, "ci_high": ends.high}


def places() -> tuple["Series[Any]", Expected]:
    table = study().pivot(
        index=["participant", "scenario"], columns="response_position", values="rank"
    )
    found = stats.friedmanchisquare(*table.to_numpy().T)
    row = of(positions(study(), SOUND, raters="all").tests, answer="rank")
    return row, {"chi_squared": found.statistic, "p": found.pvalue}


def in_one_scenario() -> DataFrame:
    return study()[study()["scenario"] == "S1"]


def best_of() -> "Series[int]":
    """How often each system was best in the first scenario, and of how many."""
    data = in_one_scenario()
    best = data[data["choice"] == "best"]
    return best.groupby(["model", "condition"], observed=True).size().reindex(SYSTEMS, fill_value=0)


def choice_test() -> tuple["Series[Any]", Expected]:
    found = stats.chisquare(best_of())
    row = of(choice_tests(in_one_scenario(), SOUND, raters="all"), choice="best")
    return row, {"statistic": found.statistic, "p": found.pvalue, "df": 4}


def choice_share() -> tuple["Series[Any]", Expected]:
    low, high = proportion_confint(best_of().loc["Owl", "reference"], 26, method="wilson")
    row = of(choices(in_one_scenario(), SOUND, raters="all"), model="Owl")
    return row, {"best_ci_low": low, "best_ci_high": high}


def agreement_row(statistic: str) -> "Series[Any]":
    return of(agreement(study(), study(), SOUND, raters="all"), statistic=statistic)


def intraclass(name: str, kind: str) -> Case:
    def case() -> tuple["Series[Any]", Expected]:
        data = study().assign(item=study()["response"].astype(str))
        rounding, pg.options["round.column.CI95"] = pg.options["round.column.CI95"], None
        try:
            found = pg.intraclass_corr(data, "item", "participant", "rating").set_index("Type")
        finally:
            pg.options["round.column.CI95"] = rounding
        low, high = found.loc[kind, "CI95"]
        expected = {"value": found.loc[kind, "ICC"], "ci_low": low, "ci_high": high}
        return agreement_row(name), expected

    return case


def kappa() -> tuple["Series[Any]", Expected]:
    best = study()[study()["choice"] == "best"]
    counts = pd.crosstab(best["scenario"], [best["model"], best["condition"]], dropna=False)
    counts = counts.reindex(columns=SYSTEMS, fill_value=0)
    expected = {"value": fleiss_kappa(counts.to_numpy(), method="randolph")}
    return agreement_row("randolphs_kappa_best"), expected


CASES: dict[str, Case] = {
    "Student's t": t_test("student"),
    "Welch's t": t_test("welch"),
    "interval of d, and g": effect_interval,
    "Mann and Whitney's U": ranks_of_groups,
    "Holm": adjusted("p_adjusted", lambda p: pg.multicomp(p.to_numpy(), method="holm")[1]),
    "Benjamini and Hochberg": adjusted("p_bh", stats.false_discovery_control),
    "analysis of variance": one_way("anova"),
    "Welch's analysis of variance": one_way("welch"),
    "Games and Howell": pairs_of_regions,
    "interval of a mean": mean_of_system,
    "TOST and non-inferiority": near_reference,
    "F1": contrast("raters", "participant"),
    "F2": contrast("scenarios", "scenario"),
    "Wilcoxon's signed ranks": signed_ranks,
    "Wilcoxon's signed ranks, exact": paired_ranks_of_systems,
    "sign test": wins_row,
    "paired t": win_difference,
    "Friedman's test and Kendall's W": ranking_test,
    "Kendall's W within blocks": w_within_blocks,
    "interval of a mean rank": mean_rank,
    "Friedman's test of places": places,
    "chi-squared": choice_test,
    "Wilson's interval": choice_share,
    "ICC(A,1)": intraclass("icc_2_1", "ICC(A,1)"),
    "ICC(A,k)": intraclass("icc_2_k", "ICC(A,k)"),
    "ICC(C,1)": intraclass("icc_3_1", "ICC(C,1)"),
    "ICC(C,k)": intraclass("icc_3_k", "ICC(C,k)"),
    "Randolph's kappa": kappa,
}


@pytest.mark.parametrize("name", CASES)
def test_stored_column_is_the_librarys_value(name: str) -> None:
    row, expected = CASES[name]()
    assert {column: float(row[column]) for column in expected} == {
        column: pytest.approx(float(value), rel=1e-9) for column, value in expected.items()
    }
