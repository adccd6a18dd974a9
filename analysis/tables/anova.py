"""Do several groups of raters, such as regions, rate differently? One table a question.

The unit is the rating, as the first published study has it (Pursuit of Empathy, Figure 3), or the
participant: the mean of a rater's ratings.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.anova import OneWay, games_howell, one_way_anova, welch_anova
from analysis.stats.inestimable import Inestimable
from analysis.tables.group_tests import ALL, adjusted, answered, called, why_unanswered
from analysis.tables.groups import as_written
from analysis.tables.request import EVERY_UNIT, AnalysisSpec, Request, Tables

KEYS = ["recipe", "unit", "raters", "factor", "scenario", "dimension"]
ANOVA = TableSpec(
    "anova",
    "Several groups of raters",
    (
        *c.FRONT, c.FACTOR, c.SCENARIO, c.DIMENSION,
        c.TEST.but(labels="tests_of_variance"), c.F, c.DF1, c.DF2,
        c.P.but(meaning="p value of F: the probability of at least this much variation between "
            "groups by chance"),
        c.p_holm("models; here the same as p, because there are none").csv_only(),
        Column("eta_squared", "Share of the variance between groups, η²", decimals=3, label="η²"),
        Column("omega_squared", "Less biased estimate of that share, ω²", decimals=3, label="ω²",
            latex=False, report=False),
        Column("groups", "Number of groups compared", kind="count"),
        c.N,
        Column("p_adjusted_scenarios", "p value adjusted by Holm's method over scenarios", form="p",
            label="p (Holm over scenarios)"),
        Column("p_bh_scenarios", "p value adjusted by Benjamini and Hochberg's method over "
            "scenarios", form="p", label="p (BH over scenarios)"),
        c.NOTE,
    ),
    question="Do several groups of raters rate differently?",
    observations="ratings in `paper`, raters in `sound`",
    says="One-way analyses of variance, Fisher's and Welch's.",
    section="Groups of raters",
    subject="groups",
    counts="n counts the unit.",
)  # fmt: skip
GAMES_HOWELL = TableSpec(
    "games_howell",
    "Several groups, pair by pair",
    (
        *c.FRONT, c.FACTOR, c.SCENARIO, c.DIMENSION, c.GROUP_A, c.GROUP_B, c.N_A, c.N_B, c.MEAN_A,
        c.MEAN_B, c.DIFFERENCE, *c.interval("difference"), c.T, c.DF,
        c.P.but(meaning="p value: the probability of a difference at least this large between any "
            "two of the groups by chance"),
        c.NOTE,
    ),
    question="Which of several groups differ?",
    observations="ratings in `paper`, raters in `sound`",
    says="Games–Howell tests of each pair of groups, with p values adjusted for all pairs. "
        "Differences are group a minus group b of the row.",
    section="Groups of raters",
    subject="groups",
    counts="n counts the unit.",
    folded=True,
    sides="group",
)  # fmt: skip

Samples = dict[str, np.ndarray]
#: What sentences call each test.
TESTS = {"anova": "analysis of variance", "welch": "Welch's analysis of variance"}


def main_test(recipe: Recipe) -> str:
    """Which test sentences quote: of raters Welch's, which asks for no equal spreads; of ratings
    Fisher's, as the first published study has it.
    """
    return "welch" if recipe.unit == "participant" else "anova"


def anova(ratings: DataFrame, people: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """Fisher's and Welch's one-way analysis of variance per factor, scenario and dimension.

    `ratings` and `people` as for `tables.group_tests`. Groups are the answers that raters gave;
    who gave none is left out. There are no models here, so `p_adjusted`, which is over models, is
    p; over the single scenarios, `p_adjusted_scenarios` is Holm's and `p_bh_scenarios` Benjamini
    and Hochberg's. Raises NotAvailable.
    """
    rows, one = [], called(recipe)
    for keys, samples in _cells(ratings, people, recipe, raters):
        for test, compute in (("anova", one_way_anova), ("welch", welch_anova)):
            rows.append({**keys, "test": test, **_row(compute(samples, one=one), samples)})
    table = DataFrame(rows, columns=ANOVA.names)
    table = adjusted(table, [*KEYS, "test"]).drop(columns="p_bh")
    single = table[~table["scenario"].isin([ALL, *recipe.scenario_groups])]
    family = [key for key in [*KEYS, "test"] if key != "scenario"]
    over_scenarios = adjusted(single, family).reindex(table.index)
    return table.assign(
        p_adjusted_scenarios=over_scenarios["p_adjusted"], p_bh_scenarios=over_scenarios["p_bh"]
    )[ANOVA.names]


def pairwise(ratings: DataFrame, people: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """Which groups differ: Games and Howell's comparison of every two groups.

    `p` and the interval hold for all pairs of a factor, scenario and dimension together. Raises
    NotAvailable, as `anova` does.
    """
    rows: list[dict[str, Any]] = []
    for keys, samples in _cells(ratings, people, recipe, raters):
        pairs = games_howell(samples, confidence=recipe.confidence, one=called(recipe))
        if isinstance(pairs, Inestimable):
            rows.append({**keys, "note": str(pairs)})
            continue
        for pair in pairs:
            a, b = samples[pair.a], samples[pair.b]
            rows.append(
                {
                    **keys,
                    "group_a": pair.a,
                    "group_b": pair.b,
                    "n_a": len(a),
                    "n_b": len(b),
                    "mean_a": float(a.mean()),
                    "mean_b": float(b.mean()),
                    "difference": pair.difference,
                    "ci_low": pair.interval[0],
                    "ci_high": pair.interval[1],
                    "t": pair.t,
                    "df": pair.df,
                    "p": pair.p,
                    "note": "",
                }
            )
    table = DataFrame(rows, columns=GAMES_HOWELL.names)
    return table.astype({"n_a": "Int64", "n_b": "Int64"})


def _cells(
    ratings: DataFrame, people: DataFrame, recipe: Recipe, raters: str
) -> Iterator[tuple[dict[str, str], Samples]]:
    """What is compared: each factor within all scenarios pooled, within those of each group of the
    recipe that were rated, and within each.
    """
    if ratings.empty:
        raise NotAvailable("there are no ratings")
    if not recipe.anova:
        raise NotAvailable("the recipe names no factor for an analysis of variance")
    factors = [factor for factor in recipe.anova if answered(people, factor)]
    if not factors:
        raise NotAvailable(why_unanswered(people, recipe.anova))
    used = ratings["scenario"].cat.remove_unused_categories()
    rated = [str(name) for name in used.cat.categories]
    pooled = {ALL: rated} | recipe.scenario_groups
    parts = pooled | ({name: [name] for name in rated} if recipe.each_scenario else {})
    for factor in factors:
        groups = as_written(people.set_index("participant")[factor])
        for scenario, names in parts.items():
            part = ratings[ratings["scenario"].isin(names)]
            for dimension, of_dimension in part.groupby("dimension", observed=True):
                values = _units(of_dimension, recipe.unit)
                keys = (recipe.name, recipe.unit, raters, factor, scenario, str(dimension))
                yield dict(zip(KEYS, keys, strict=True)), _samples(values, groups)


def _units(ratings: DataFrame, unit: str) -> "Series[float]":
    """Ratings by participant, or the mean of each participant."""
    values = ratings.set_index("participant")["rating"].astype("float64")
    if unit == "rating":
        return values
    means: Series[float] = values.groupby(level=0, observed=True).mean()
    return means


def _samples(values: "Series[float]", groups: "Series[str]") -> Samples:
    group = groups.reindex(values.index).to_numpy()
    known = sorted({str(name) for name in groups if name})
    array = values.to_numpy()
    return {name: array[group == name] for name in known}


def _row(test: OneWay | Inestimable, samples: Samples) -> dict[str, Any]:
    counted = [len(values) for values in samples.values() if len(values)]
    sizes = {"groups": len(counted), "n": sum(counted)}
    if isinstance(test, Inestimable):
        return {**sizes, "note": str(test)}
    return {
        **sizes,
        "F": test.F,
        "df1": test.df1,
        "df2": test.df2,
        "p": test.p,
        "eta_squared": test.eta_squared,
        "omega_squared": test.omega_squared,
        "note": "",
    }


def _make_anova(request: Request) -> Tables:
    answers = request.answers
    table = anova(answers.ratings, answers.people, request.recipe, raters=request.raters)
    return {"anova": table}


def _make_games_howell(request: Request) -> Tables:
    answers = request.answers
    table = pairwise(answers.ratings, answers.people, request.recipe, raters=request.raters)
    return {"games_howell": table}


OF_ANOVA = AnalysisSpec((ANOVA,), _make_anova, of_units=EVERY_UNIT)
OF_PAIRS = AnalysisSpec((GAMES_HOWELL,), _make_games_howell)
