"""In which order do raters put the systems?

A rank speaks of the systems that stood on the page. So only ranks on pages with the same systems
are averaged: where all blocks show the same, `set` is `all`; else each set stands by itself, and
no system of one is compared with a system of another. Equal ranks share their middle. A page that
is ranked in part is left out. Where pages show some systems of a block, a mean rank depends on the
other systems on the pages. Friedman's test does not fit them; pairs are tested on the pages that
show both, and `strengths` uses all comparisons at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.rankings import concordance_interval, concordance_within_blocks, friedman
from analysis.tables.group_tests import ALL, adjusted
from analysis.tables.mean_interval import mean_interval
from analysis.tables.pages import responses_shown
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.resampling import Resampling, resampling
from analysis.tables.signed_ranks import signed_ranks

FRONT = ["recipe", "unit", "raters"]
RANKINGS = TableSpec(
    "rankings",
    "Mean ranks",
    (
        *c.FRONT, c.DIMENSION, c.SET, c.MODEL, c.CONDITION, c.SYSTEMS, c.N,
        Column("mean_rank", "Mean of the raters' mean ranks; 1 is best"),
        c.SD.but(behind="mean_rank"), *c.interval("mean_rank"),
        Column("share_first", "Share of rankings with the system first"),
        Column("share_last", "Share of rankings with the system last"),
        Column("n_ranks", "Number of ranks", kind="count").csv_only(),
        c.NOTE,
    ),
    question="How are systems ranked?",
    observations="raters",
    says="Rank 1 is best. Means of raters' mean ranks, each among the systems on its page.",
    section="Rankings and choices",
    subject="rankings",
    counts="n counts raters.",
    leads=True,
)  # fmt: skip
RANKING_TESTS = TableSpec(
    "ranking_tests",
    "Are the systems ranked alike?",
    (
        *c.FRONT, c.DIMENSION, c.SET, c.SYSTEMS, c.N, c.LEFT_OUT, c.CHI_SQUARED,
        c.DF.but(behind="chi_squared"),
        c.P.but(meaning="p value of χ²: the probability of at least this much variation in mean "
            "ranks by chance"),
        c.p_holm("sets"), c.METHOD,
        Column("w", "Kendall's W", label="Kendall's W"),
        *c.interval("w", "w_ci"),
        Column("w_within_blocks", "Mean over blocks of Kendall's W of single rankings",
            label="W within blocks"),
        *c.interval("w_within_blocks", "w_within_ci"),
        Column("blocks", "Number of blocks", kind="count"),
        c.PAGES, c.PAGES_LEFT_OUT.csv_only(), c.P_BH.csv_only(), c.NOTE,
    ),
    question="Are the systems ranked alike?",
    observations="raters",
    says="Friedman's test and Kendall's W. p of up to 50 raters is over permutations of their "
        "ranks (all, or 9,999 random ones), else by the χ² distribution. W is 1 if all raters give "
        "the same ranking and 0 if their ranks cancel out; chance gives about 1 divided by the "
        "number of raters.",
    section="Rankings and choices",
    subject="rankings",
    counts="n counts raters.",
)  # fmt: skip
RANKING_PAIRS = TableSpec(
    "ranking_pairs",
    "Ranks by pairs",
    (
        *c.FRONT, c.DIMENSION, c.SET,
        *c.SYSTEM_A, *c.SYSTEM_B, c.N, c.MEAN_A,
        c.MEAN_B, c.WILCOXON, c.P, c.RANK_BISERIAL, c.p_holm("all pairs of a dimension"),
        *c.interval("rank_biserial"), c.T_PLUS.csv_only(), c.ZEROS.csv_only(),
        c.LEFT_OUT.but(meaning="Raters who ranked only one of the two").csv_only(), c.METHOD,
        c.P_BH.csv_only(), c.NOTE,
    ),
    question="Which systems are ranked above which?",
    observations="raters",
    says="Wilcoxon's signed-rank test of raters' mean ranks, for each pair of systems. The "
        "rank-biserial correlation is 1 if every rater ranked system a above system b, −1 if every "
        "rater ranked b above a. The interval is that of the correlation.",
    section="Rankings and choices",
    subject="rankings",
    counts="n counts raters.",
    folded=True,
    sides="system",
)  # fmt: skip
BLOCK, CELL = ["scenario", "set"], ["model", "condition"]
PARTIAL = "no page was ranked in full"
#: Of one page: a block as a participant ranked it on a dimension.
PAGE = ["rater", "block"]


@dataclass(frozen=True)
class Ranked:
    """Pages whose ranks can be averaged, on one dimension.

    `rows` has a row per rank: `rater`, `block`, `system` (numbers), `value` (the rank, ties
    sharing their middle), `first` and `last` (alone or not), `shown` (how many the page has).
    `systems` are the models and conditions that the numbers stand for. `differ` says which pages
    show different ones, empty where all show the same. `left_out` pages were ranked in part.
    """

    dimension: str
    set: str
    rows: DataFrame
    systems: DataFrame
    differ: str
    left_out: int

    @property
    def alike(self) -> bool:
        """Whether all pages show the same systems."""
        return not self.differ

    @property
    def keys(self) -> dict[str, str]:
        return {"dimension": self.dimension, "set": self.set}

    def means(self, systems: list[int]) -> DataFrame:
        """Raters' mean ranks of these systems (raters × systems), on the pages that show all."""
        rows = self.rows[self.rows["system"].isin(systems)]
        if not self.alike:
            shown = rows.groupby(PAGE)["system"].transform("size")
            rows = rows[shown == len(systems)]
        means: DataFrame = rows.groupby(["rater", "system"])["value"].mean().unstack()
        return means.reindex(columns=systems)


def rankings(ranks: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """Each system's mean rank over raters, whose ranks are averaged over pages first; 1 is best.

    `ranks` has `participant`, `rank` and the columns of an item. `systems` stood on a page, `n`
    raters ranked this one. The interval is Student's t over raters. `share_first` and `share_last`
    are means of raters' shares of pages, first or last places that are shared among them. Raises
    NotAvailable.
    """
    rows = [
        {**_front(recipe, raters), **ranked.keys, **row}
        for ranked in _ranked(ranks)
        for row in _systems(ranked, recipe.confidence)
    ]
    if not rows:
        raise NotAvailable(PARTIAL)
    return DataFrame(rows, columns=RANKINGS.names)


def ranking_tests(ranks: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """Friedman's test of raters' mean ranks with Kendall's W, over the `n` raters of all systems.

    `w` says whether raters order the systems alike on average over their pages; its interval is a
    bootstrap over raters, with the recipe's settings or, if it has none, their defaults.
    `w_within_blocks` is the mean over blocks of the W of single rankings, as the field reports it;
    its interval is a bootstrap over blocks. `left_out` raters and pages lack a rank. p values are
    Holm's over the sets of a dimension. Raises NotAvailable.
    """
    settings = resampling(recipe)
    rows = [
        {**_front(recipe, raters), **ranked.keys, **_test(ranked, settings)}
        for ranked in _ranked(ranks)
    ]
    table = adjusted(DataFrame(rows, columns=RANKING_TESTS.names), [*FRONT, "dimension"])
    whole = ["systems", "n", "left_out", "df", "blocks", "pages", "pages_left_out"]
    return table[RANKING_TESTS.names].astype(dict.fromkeys(whole, "Int64"))


def ranking_pairs(ranks: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """Wilcoxon's signed-rank test of raters' mean ranks of every two systems that share a page.

    Over the pages that show both. `wilcoxon` is T, the smaller of both sums of ranks, `t_plus`
    that of the raters who placed a above b; `rank_biserial` is 1 where every rater did. `method`
    as in `paired`. p values are adjusted over all pairs of a dimension. Raises NotAvailable.
    """
    rows = [
        {**_front(recipe, raters), **ranked.keys, **row}
        for ranked in _ranked(ranks)
        for row in _pairs(ranked, recipe.confidence)
    ]
    if not rows:
        raise NotAvailable("no two systems were ranked on one page that was ranked in full")
    table = adjusted(DataFrame(rows, columns=RANKING_PAIRS.names), [*FRONT, "dimension"])
    whole = ["n", "zeros", "left_out"]
    return table[RANKING_PAIRS.names].astype(dict.fromkeys(whole, "Int64"))


def _front(recipe: Recipe, raters: str) -> dict[str, str]:
    return {"recipe": recipe.name, "unit": "participant", "raters": raters}


def _ranked(ranks: DataFrame) -> Iterator[Ranked]:
    """Per dimension, all pages or those of each set."""
    placed = ranks[ranks["rank"].notna()]
    if placed.empty:
        raise NotAvailable("there are no ranks")
    for dimension, own in placed.groupby("dimension", observed=True):
        rows = own.assign(
            rater=pd.factorize(own["participant"], sort=True)[0],
            block=own.groupby(BLOCK, observed=True).ngroup(),
            system=own.groupby(CELL, observed=True).ngroup(),
        )
        names = rows.drop_duplicates("system").set_index("system")[CELL].sort_index()
        whole, left_out = _whole_pages(rows)
        if len(_compositions(whole)) < 2 or whole["set"].nunique() == 1:
            yield Ranked(str(dimension), ALL, whole, names, _differ(whole), len(left_out))
            continue
        for name, part in whole.groupby("set", observed=True):
            gone = int((left_out == name).sum())
            yield Ranked(str(dimension), str(name), part, names, _differ(part), gone)


def _differ(rows: DataFrame) -> str:
    """What shows different systems: blocks, or the pages of one block."""
    if len(_compositions(rows)) > 1:
        return "blocks"
    in_part = rows["shown"] < rows.groupby("block")["system"].transform("nunique")
    return "pages" if in_part.any() else ""


def _whole_pages(rows: DataFrame) -> tuple[DataFrame, "Series[str]"]:
    """The pages on which everything was ranked, with mid-ranks; the sets of the other pages."""
    page = rows.groupby(PAGE, sort=False).ngroup()
    ranks = rows["rank"].groupby(page)
    shown = responses_shown(rows)
    partial = ranks.transform("size") < shown
    rows = rows.assign(
        shown=shown,
        value=ranks.rank(),
        first=rows["rank"] == ranks.transform("min"),
        last=rows["rank"] == ranks.transform("max"),
    )
    left_out = rows[partial].drop_duplicates(PAGE)["set"]
    kept = [*PAGE, "system", "set", "value", "first", "last", "shown"]
    return rows.loc[~partial, kept], left_out


def _compositions(rows: DataFrame) -> set[tuple[int, ...]]:
    """Which systems stand in one block."""
    shown = rows[["block", "system"]].drop_duplicates().sort_values(["block", "system"])
    return {tuple(systems) for _, systems in shown.groupby("block")["system"]}


def _named(ranked: Ranked) -> dict[int, dict[str, str]]:
    """The systems that were ranked, by number, in study order."""
    systems = ranked.systems.loc[np.sort(ranked.rows["system"].unique())]
    return {
        int(number): {"model": str(model), "condition": str(condition)}
        for number, model, condition in zip(
            systems.index, systems["model"], systems["condition"], strict=True
        )
    }


def _systems(ranked: Ranked, confidence: float) -> Iterator[dict[str, Any]]:
    mixed = "" if ranked.alike else f"mean over {ranked.differ} that show different systems"
    for number, name in _named(ranked).items():
        own = ranked.rows[ranked.rows["system"] == number]
        by_rater = own.groupby("rater")[["value", "first", "last"]].mean()
        means = by_rater["value"]
        shown = int(ranked.rows["shown"].max())
        row = mean_interval(
            means, confidence=confidence, unit="rater", name="mean_rank", ends=(1, shown)
        )
        yield {
            **name,
            "systems": shown,
            **row,
            "share_first": float(by_rater["first"].mean()),
            "share_last": float(by_rater["last"].mean()),
            "n_ranks": len(own),
            "note": "; ".join(part for part in (mixed, row["note"]) if part),
        }


def _test(ranked: Ranked, settings: Resampling) -> dict[str, Any]:
    rows = ranked.rows
    within = concordance_within_blocks(rows, **settings)
    row: dict[str, Any] = {
        "systems": rows["system"].nunique(),
        "blocks": 0,
        "pages": len(rows.drop_duplicates(PAGE)),
        "pages_left_out": ranked.left_out,
    }
    if rows.empty:
        return {**row, "note": f"not estimable, because {PARTIAL}"}
    if not isinstance(within, Inestimable):
        low, high = within.interval or (None, None)
        row |= {"w_within_blocks": within.w, "blocks": within.blocks}
        row |= {"w_within_ci_low": low, "w_within_ci_high": high}
    means = ranked.means(list(_named(ranked)))
    if means.empty:
        instead = "pairs are tested where they meet, and strengths compare all systems at once"
        because = f"its {ranked.differ} show different systems; {instead}"
        return {**row, "note": f"not estimable, because {because}"}
    test = friedman(means, seed=settings["seed"])
    if isinstance(test, Inestimable):
        return {**row, "n": int(means.notna().all(axis=1).sum()), "note": str(test)}
    low, high = concordance_interval(means, **settings) or (None, None)
    return {
        **row,
        "n": test.n,
        "left_out": test.left_out,
        "chi_squared": test.chi_squared,
        "df": test.df,
        "p": test.p,
        "method": test.method,
        "w": test.w,
        "w_ci_low": low,
        "w_ci_high": high,
        "note": "" if ranked.alike else _of_complete_pages(rows, row["systems"]),
    }


def _of_complete_pages(rows: DataFrame, systems: int) -> str:
    """What a test is over where some pages lack a system."""
    sizes = rows.groupby(PAGE).size()
    return f"over the {int((sizes == systems).sum())} of {len(sizes)} pages that show all systems"


def _pairs(ranked: Ranked, confidence: float) -> Iterator[dict[str, Any]]:
    named = _named(ranked)
    means = ranked.means(list(named)) if ranked.alike else None
    numbers = list(named)
    for place, a in enumerate(numbers):
        for b in numbers[place + 1 :]:
            both = ranked.means([a, b]) if means is None else means[[a, b]]
            yield {
                **{f"{key}_a": value for key, value in named[a].items()},
                **{f"{key}_b": value for key, value in named[b].items()},
                **signed_ranks(
                    both[a],
                    both[b],
                    confidence=confidence,
                    nobody="no page shows both systems",
                    lower=True,
                ),
            }


def _make(table: Callable[..., DataFrame]) -> Callable[[Request], Tables]:
    """What makes a table of ranks that is called as its function."""

    def made(request: Request) -> Tables:
        ranks = request.answers.ranks
        return {table.__name__: table(ranks, request.recipe, raters=request.raters)}

    return made


ANALYSES = [
    AnalysisSpec((RANKINGS,), _make(rankings), of_ratings=False),
    AnalysisSpec((RANKING_TESTS,), _make(ranking_tests), of_ratings=False),
    AnalysisSpec((RANKING_PAIRS,), _make(ranking_pairs), of_ratings=False),
]
