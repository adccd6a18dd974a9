"""Which systems are chosen as best, and which as worst? (Haleas, Figure 3, with its test.)

A page is a block as one rater answered it. Everything is per dimension, over all scenarios and in
each; `dimension` is empty where the study asks about none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.choices import (
    PERMUTATIONS,
    ChoiceTest,
    Kind,
    best_worst_scores,
    choice_shares,
    goodness_of_fit,
    permutation_test,
)
from analysis.stats.inestimable import Inestimable
from analysis.tables.group_tests import ALL, adjusted
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.resampling import Resampling, resampling

FRONT = ["recipe", "unit", "raters"]
CHOICES = TableSpec(
    "choices",
    "Best and worst",
    (
        *c.FRONT, c.DIMENSION, c.SCENARIO, c.MODEL, c.CONDITION, c.N.but(page=False),
        Column("shown", "Pages that showed the system", kind="count"),
        Column("best", "Times chosen as best", kind="count"),
        Column("worst", "Times chosen as worst", kind="count"),
        Column("share_best", "Times best, as a share of its pages that have a best response"),
        *c.interval("share_best", "best_ci"),
        Column("share_worst", "Times worst, as a share of its pages that have a worst response"),
        *c.interval("share_worst", "worst_ci"),
        Column("score", "(best − worst) / shown"),
        *c.interval("score", "score_ci"), c.NOTE.but(latex=False, report=False),
    ),
    question="Which systems are chosen as best and worst?",
    observations="raters, choices",
    says="How often each system was chosen as best and as worst, relative to how often it was "
        "shown.",
    section="Rankings and choices",
    subject="rankings",
    counts="n counts raters; shown counts the pages with a choice that showed the system; score "
        "is (best − worst) / shown.",
    keep=lambda row: bool(row["scenario"] == ALL),
    leads=True,
    kept="all scenarios together",
)  # fmt: skip
CHOICE_TESTS = TableSpec(
    "choice_tests",
    "Are the choices more than chance?",
    (
        *c.FRONT, c.DIMENSION, c.SCENARIO,
        Column("choice", "Chosen as best or worst of the block; empty for its other responses",
            choice=True, is_key=True),
        c.TEST, c.SYSTEMS, c.N_RATERS,
        Column("n_choices", "Number of choices", kind="count"),
        c.STATISTIC.but(is_key=False), c.DF.but(behind="statistic"),
        c.P.but(meaning="p value of the statistic: the probability of at least this much variation "
            "in choices by chance"),
        c.p_holm("scenarios"),
        Column("permutations", "Number of random permutations for p; empty for other tests",
            kind="count").csv_only(),
        Column("because", "Why Pearson's χ² does not apply", kind="text"),
        c.P_BH.csv_only(), c.NOTE,
    ),
    question="Are the choices more than chance?",
    observations="raters or choices",
    says="The test that fits the design, and the reason for it.",
    section="Rankings and choices",
    subject="rankings",
    counts="The unit shows whether raters or choices are the observations.",
)  # fmt: skip
KINDS: tuple[Kind, Kind] = ("best", "worst")
#: Raters whose labels are permuted, times permutations: from there on there are fewer of these.
MOST_PERMUTED = 4_000_000
FEWEST_PERMUTATIONS = 999


@dataclass(frozen=True)
class ChoicePages:
    """The pages on one dimension that have a choice, in one scenario or in all.

    `rows` has a row per page and system: `rater`, `block` and `system` are numbers, `choice` is
    `best`, `worst` or empty. `systems` are the models and conditions that the numbers stand for.
    """

    dimension: str
    scenario: str
    rows: DataFrame
    systems: DataFrame


def choices(ranks: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """How often each system was chosen as best and as worst of those on its page.

    `ranks` has `participant`, `choice` and the columns of an item. `shown` counts pages, `n` their
    raters. `share_best` is `best` of the pages that have a best response,
    `share_worst` is `worst` of those that have a worst one;
    `score` is (best − worst) / shown over the pages that have both, from −1 to 1. Intervals are
    over raters: Wilson's where each could choose a system once, else a bootstrap, which the
    recipe's settings (or, if it has none, their defaults) draw. Raises NotAvailable.
    """
    settings = resampling(recipe)
    front = {"recipe": recipe.name, "unit": "participant", "raters": raters}
    tables = [
        DataFrame(_shares(pages, settings)).assign(
            **front, dimension=pages.dimension, scenario=pages.scenario
        )
        for pages in _pages(ranks)
    ]
    return pd.concat(tables, ignore_index=True)[CHOICES.names]


def choice_tests(ranks: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """Are all systems chosen alike? A row per scenario (and `all`), kind of choice and test.

    `chi_squared` is Pearson's test, where raters chose once among the same systems and 5 choices
    of each are expected. Where not, `because` says why, and systems' labels are permuted instead:
    `permuted_within_pages` if each choice is made blindly under the null, and, where raters chose
    several times, `permuted_by_rater` too, which lets raters have likings of their own that even
    out. p values are Holm's over the single scenarios (an only one stands as `all`), within
    dimension, choice and unit: `choice`, where the choices of one rater count as independent, or
    `participant`. Raises NotAvailable.
    """
    front = {"recipe": recipe.name, "raters": raters}
    seed = resampling(recipe)["seed"]
    rows = [
        {**front, "dimension": pages.dimension, "scenario": pages.scenario, "choice": kind, **row}
        for pages in _pages(ranks)
        for kind in KINDS
        for row in _tested(pages.rows, kind, seed)
    ]
    table = DataFrame(rows, columns=CHOICE_TESTS.names)
    several = table.groupby("dimension")["scenario"].transform("nunique") > 1
    tested = table[(table["scenario"] != ALL) | ~several]
    single = adjusted(tested, [*FRONT, "dimension", "choice"])
    p = {name: single[name].reindex(table.index) for name in ("p_adjusted", "p_bh")}
    whole = ["systems", "n_raters", "n_choices", "df", "permutations"]
    table = table.assign(p=table["p"].astype(float), **p)[CHOICE_TESTS.names]
    return table.astype(dict.fromkeys(whole, "Int64"))


def _pages(ranks: DataFrame) -> Iterator[ChoicePages]:
    """Pages with a choice, per dimension: of all scenarios, then of each if there are several."""
    chosen = ranks[ranks["choice"].isin(KINDS)]
    if chosen.empty:
        raise NotAvailable("there are no choices of a best or a worst response")
    for name, own in chosen.groupby("dimension", observed=True):
        rows, systems, scenarios = _shown(own, ranks[ranks["dimension"] == name])
        yield ChoicePages(str(name), ALL, rows, systems)
        names = scenarios.cat.remove_unused_categories().cat.categories
        for scenario in names if len(names) > 1 else []:
            part = rows[(scenarios == scenario).to_numpy()]
            yield ChoicePages(str(name), str(scenario), part, systems)


def _shown(chosen: DataFrame, ranks: DataFrame) -> tuple[DataFrame, DataFrame, "Series[str]"]:
    """Every system of every page with a choice, also those for which a rater has no row.

    The rows, what their systems are, and their scenarios.
    """
    block, cell = ["scenario", "set"], ["model", "condition"]
    shown = ranks[[*block, *cell]].drop_duplicates().sort_values([*block, *cell])
    shown["block"] = shown.groupby(block, observed=True).ngroup()
    shown["system"] = shown.groupby(cell, observed=True).ngroup()
    systems = shown.drop_duplicates("system").sort_values("system")[["system", *cell]]
    made = chosen[["participant", *block, *cell, "choice"]].merge(shown, on=[*block, *cell])
    made["rater"] = pd.factorize(made["participant"], sort=True)[0]
    key = ["rater", "block", "system"]
    pages = made[["rater", "block"]].drop_duplicates()
    rows = pages.merge(shown[["block", "system", "scenario"]], on="block")
    rows = rows.merge(made[[*key, "choice"]], on=key, how="left").sort_values(key)
    # Categories are compared far faster than text.
    choice = pd.Categorical(rows["choice"].fillna(""), categories=["", *KINDS])
    rows = rows.assign(choice=choice).reset_index(drop=True)
    return rows[[*key, "choice"]], systems, rows["scenario"]


def _shares(pages: ChoicePages, settings: Resampling) -> dict[str, Any]:
    """The columns of one scenario's rows, a row per system that was shown."""
    # In the order of the systems, so that theirs is that of the rows.
    rows = pages.rows.sort_values(["system", "rater", "block"])
    best, worst = (choice_shares(rows, kind, **settings) for kind in KINDS)
    score = best_worst_scores(rows, **settings)
    systems = pages.systems.set_index("system").loc[best["system"]]
    of_system = rows.groupby("system")
    notes = [
        _together({"best": b, "worst": w, "score": s})
        for b, w, s in zip(best["note"], worst["note"], score["note"], strict=True)
    ]
    return {
        "model": systems["model"].astype("str").to_numpy(),
        "condition": systems["condition"].astype("str").to_numpy(),
        "n": of_system["rater"].nunique().to_numpy(),
        "shown": of_system.size().to_numpy(),
        "best": best["chosen"],
        "worst": worst["chosen"],
        "share_best": best["share"],
        "best_ci_low": best["ci_low"],
        "best_ci_high": best["ci_high"],
        "share_worst": worst["share"],
        "worst_ci_low": worst["ci_low"],
        "worst_ci_high": worst["ci_high"],
        "score": score["score"],
        "score_ci_low": score["ci_low"],
        "score_ci_high": score["ci_high"],
        "note": notes,
    }


def _together(notes: dict[str, str]) -> str:
    """What is said of all three once, other notes with what they are about."""
    if len(set(notes.values())) == 1:
        return notes["best"]
    return "; ".join(f"{of}: {note}" for of, note in notes.items() if note)


def _tested(rows: DataFrame, kind: Kind, seed: int) -> Iterator[dict[str, Any]]:
    goodness = goodness_of_fit(rows, kind)
    chi_squared = {"unit": "participant", "test": "chi_squared", "because": ""}
    if not isinstance(goodness, Inestimable):
        yield {**chi_squared, **_row(goodness)}
        return
    if goodness.kind not in ("not_independent", "too_few"):
        yield {**chi_squared, "note": str(goodness)}
        return
    because = goodness.because.partition(":")[0]
    made = rows.loc[rows["choice"] == kind, "rater"]
    once = made.is_unique
    blindly = permutation_test(rows, kind, seed=seed)
    unit = "participant" if once else "choice"
    within = {"unit": unit, "test": "permuted_within_pages", "because": because}
    yield {**within, **_row(blindly)}
    if not once:
        times = max(FEWEST_PERMUTATIONS, MOST_PERMUTED // made.nunique())
        times = min(PERMUTATIONS, times)
        by_rater = permutation_test(rows, kind, seed=seed, within="rater", permutations=times)
        test = {"unit": "participant", "test": "permuted_by_rater", "because": because}
        yield {**test, **_row(by_rater)}


def _row(test: ChoiceTest | Inestimable) -> dict[str, Any]:
    if isinstance(test, Inestimable):
        return {"note": str(test)}
    return {
        "systems": test.systems,
        "n_raters": test.raters,
        "n_choices": test.choices,
        "statistic": test.statistic,
        "df": test.df,
        "p": test.p,
        "permutations": test.permutations,
        "note": "",
    }


def _make_choices(request: Request) -> Tables:
    return {"choices": choices(request.answers.ranks, request.recipe, raters=request.raters)}


def _make_tests(request: Request) -> Tables:
    table = choice_tests(request.answers.ranks, request.recipe, raters=request.raters)
    return {"choice_tests": table}


ANALYSES = [
    AnalysisSpec((CHOICES,), _make_choices, of_ratings=False),
    AnalysisSpec((CHOICE_TESTS,), _make_tests, of_ratings=False),
]
