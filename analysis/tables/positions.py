"""Does the place on the page matter to what is ranked first, or chosen as best or worst?

Every page of every rater has an order of its own, drawn at random or from a Williams square. So the
place of what a rater chose, or ranked first, is random if places do not matter, whatever the rater
thinks of the systems, and pages count as independent here even where they are of one rater.
Friedman's test over pages is then, for ranks, the usual one, and for choices Pearson's χ² of how
often each place was chosen.

It is of pages of which everything is known: the place of each response, and the answer to each.
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
from analysis.stats.choices import choice_shares
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import DECIMALS
from analysis.stats.rankings import Friedman, friedman
from analysis.tables.group_tests import ALL, adjusted
from analysis.tables.mean_interval import mean_interval
from analysis.tables.pages import responses_shown
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.resampling import Resampling, resampling

KEYS = ["recipe", "unit", "raters", "dimension"]
POSITION_EFFECTS = TableSpec(
    "position_effects",
    "Choices and ranks at each place",
    (
        *c.FRONT, c.DIMENSION, c.ANSWER, c.SET,
        Column("response_position", "Place of the response on the page, from 1", form="short",
            is_key=True, kind="count"),
        c.N_RATERS, c.PAGES, c.VALUE.but(meaning="Share of pages, or mean of raters' mean ranks"),
        *c.interval("value"),
        Column("evenly", "Expected value if places did not matter"),
        c.NOTE,
    ),
    question="How often was each place chosen, and how was it ranked?",
    observations="pages; intervals over raters",
    says="Shares of pages on which the response at that place was chosen, and mean ranks, "
        "compared with the expected value if places did not matter.",
    section="Order",
    subject="order",
    counts="Intervals are over raters; n raters counts the unit.",
    appendix=True,
)  # fmt: skip
POSITION_TESTS = TableSpec(
    "position_tests",
    "Does the place on the page matter?",
    (
        *c.FRONT, c.DIMENSION, c.ANSWER, c.SET,
        Column("positions", "Number of places on a page", kind="count"),
        c.N_RATERS, c.PAGES, c.PAGES_LEFT_OUT, c.CHI_SQUARED, c.DF.but(behind="chi_squared"),
        c.P.but(meaning="p value of χ²: the probability of at least this much variation between "
            "places by chance"),
        c.p_holm("answers and sets"), c.METHOD, c.P_BH.csv_only(), c.NOTE,
    ),
    question="Does the place on the page matter to choices and ranks?",
    observations="pages",
    says="Friedman's test over pages, because each page has its own order; p of up to 50 pages "
        "is over permutations. For choices it equals "
        "Pearson's χ² of how often each place was chosen.",
    section="Order",
    subject="order",
    counts="pages counts the unit.",
)  # fmt: skip
POSITION_CONCLUSIONS = TableSpec(
    "position_conclusions",
    "Do choices and ranks depend on the place on the page?",
    (
        *c.FRONT, c.DIMENSION, c.ANSWER, c.SET, c.MODEL, c.CONDITION, c.PAGES,
        c.VALUE.but(meaning="Share of its pages, or mean rank over them"),
        Column("value_evened", "Value if the system had been equally often at every place"),
        c.MOVES.but(meaning="Whether the system is first by only one of the two values"),
        c.NOTE,
    ),
    question="Do conclusions depend on the place on the page?",
    observations="pages",
    says="Each system's share of choices or mean rank, as observed and as if the system had been "
        "equally often at every place on the page.",
    section="Order",
    subject="order",
    counts="pages counts the unit.",
)  # fmt: skip
KINDS = ("best", "worst")
RANK = "rank"
KEPT = ("model", "condition", "set", "rank", "choice", "on_page")
BLOCK, CELL, PAGE = ["scenario", "set"], ["model", "condition"], ["rater", "block"]


@dataclass(frozen=True)
class PositionTables:
    """`effects` is position_effects.csv, and so on."""

    effects: DataFrame
    tests: DataFrame
    conclusions: DataFrame


@dataclass(frozen=True)
class PositionPages:
    """Pages with equally many responses, on one dimension, of which one answer is known.

    `rows` has a row per response: `rater`, `block`, `system` (numbers), `place` (from 1) and
    `value`: the rank, ties sharing their middle, or whether it was chosen. `systems` are the models
    and conditions that the numbers stand for. `left_out` pages lack a place or an answer.
    """

    dimension: str
    answer: str
    set: str
    rows: DataFrame
    systems: DataFrame
    left_out: int

    @property
    def keys(self) -> dict[str, str]:
        return {"dimension": self.dimension, "answer": self.answer, "set": self.set}

    @property
    def size(self) -> int:
        """Responses on a page."""
        return int(self.rows["place"].max())


def positions(ranks: DataFrame, recipe: Recipe, *, raters: str) -> PositionTables:
    """What was chosen, or ranked, at each place on the page, and what the systems would be if each
    had stood at every place equally often.

    `ranks` has `participant`, `rank`, `choice`, `response_position` (from 1) and the columns of an
    item. The unit is the page; that of `effects`, which have intervals, the participant. `answer`
    is `best`, `worst` or `rank`; `set` is `all` where all blocks show the same systems.

    `effects`: the share of pages on which the response at that place was chosen, with an interval
    over raters as in `choices`, or the mean rank of raters' means, with Student's; `evenly` is what
    it would be if places did not matter. `tests`: p values are adjusted over answers and sets.
    `conclusions`: a system's share, or mean rank, over pages, and evened: the mean over places of
    those at each. It `moves` where it is first by one and not by the other. Raises NotAvailable.
    """
    front = {"recipe": recipe.name, "raters": raters, "unit": "page"}
    settings = resampling(recipe)
    effects: list[dict[str, Any]] = []
    tests: list[dict[str, Any]] = []
    conclusions: list[dict[str, Any]] = []
    for pages in _pages(ranks):
        keys = {**front, **pages.keys}
        effects += [{**keys, "unit": "participant", **row} for row in _effects(pages, settings)]
        tests.append({**keys, **_test(pages, settings["seed"])})
        conclusions += [{**keys, **row} for row in _conclusions(pages)]
    if not tests:
        raise NotAvailable(_why_none(ranks))
    whole = dict.fromkeys(["positions", "n_raters", "pages", "pages_left_out", "df"], "Int64")
    table = adjusted(DataFrame(tests).reindex(columns=POSITION_TESTS.names), KEYS)
    return PositionTables(
        DataFrame(effects, columns=POSITION_EFFECTS.names),
        table.astype(whole),
        DataFrame(conclusions, columns=POSITION_CONCLUSIONS.names).astype({"moves": "boolean"}),
    )


def _why_none(ranks: DataFrame) -> str:
    if not (ranks["rank"].notna() | ranks["choice"].isin(KINDS)).any():
        return "there are neither ranks nor choices"
    if ranks["response_position"].isna().all():
        return "the places on the page are not known of any response"
    return "of no page all places and answers are known, of two responses or more"


def _pages(ranks: DataFrame) -> Iterator[PositionPages]:
    for dimension, own in ranks.groupby("dimension", observed=True):
        rows = DataFrame(
            {
                "rater": pd.factorize(own["participant"], sort=True)[0],
                "block": own.groupby(BLOCK, observed=True).ngroup().to_numpy(),
                "system": own.groupby(CELL, observed=True).ngroup().to_numpy(),
                "place": own["response_position"].to_numpy(),
                **{name: own[name].to_numpy() for name in KEPT if name in own},
            }
        )
        systems = rows.drop_duplicates("system").set_index("system")[CELL].sort_index()
        rows["placed"] = _all_placed(rows)
        page = [rows[name] for name in PAGE]
        for answer in (*KINDS, RANK):
            given = rows["rank"].notna() if answer == RANK else rows["choice"] == answer
            has_answer = given.groupby(page).transform("any")
            whole = given.groupby(page).transform("all") if answer == RANK else has_answer
            value = rows["rank"].groupby(page).rank() if answer == RANK else given.astype(float)
            known = rows.assign(value=value, whole=whole & rows["placed"])[has_answer]
            for name, of_set in _alike(known):
                part = of_set[of_set["whole"]]
                left_out = of_set[~of_set["whole"]].drop_duplicates(PAGE)
                if not part.empty and part["place"].max() > 1:
                    chosen = part[[*PAGE, "system", "place", "value"]].astype({"place": int})
                    yield PositionPages(
                        str(dimension), answer, name, chosen, systems, len(left_out)
                    )


def _all_placed(rows: DataFrame) -> "Series[bool]":
    """Whether every response of the page has a place of its own on it, from 1."""
    shown = responses_shown(rows)
    place = rows.groupby(PAGE)["place"]
    there = (place.transform("count") == shown) & (place.transform("nunique") == shown)
    placed: Series[bool] = there & (place.transform("max") == shown)
    return placed


def _alike(rows: DataFrame) -> Iterator[tuple[str, DataFrame]]:
    """Pages that show equally many responses: all of them where all show the same systems, else
    those of each set, and within a set those of each length.
    """
    if rows.empty:
        return
    shown = rows[["block", "system"]].drop_duplicates().sort_values(["block", "system"])
    systems = shown.groupby("block")["system"].agg(tuple)
    if systems.nunique() == 1:
        yield ALL, rows
        return
    lengths = rows["block"].map(systems.map(len))
    for (name, length), part in rows.groupby(["set", lengths], observed=True):
        several = lengths[rows["set"] == name].nunique() > 1
        yield f"{name} ({length} responses)" if several else str(name), part


def _effects(pages: PositionPages, settings: Resampling) -> Iterator[dict[str, Any]]:
    k, rows = pages.size, pages.rows
    counted = {"n_raters": rows["rater"].nunique(), "pages": len(rows) // k}
    if pages.answer == RANK:
        effects, evenly = _mean_ranks(rows, k, settings["confidence"]), (k + 1) / 2
    else:
        effects, evenly = _shares(rows, settings), 1 / k
    for place, row in enumerate(effects, start=1):
        yield {"response_position": place, **row, **counted, "evenly": evenly}


def _mean_ranks(rows: DataFrame, k: int, confidence: float) -> list[dict[str, Any]]:
    """Of raters' means, place by place."""
    means = rows.groupby(["place", "rater"])["value"].mean()
    of_place = (means.loc[place] for place in means.index.unique("place"))
    return [
        mean_interval(each, confidence=confidence, unit="rater", name="value", ends=(1, k))
        for each in of_place
    ]


def _shares(rows: DataFrame, settings: Resampling) -> list[dict[str, Any]]:
    """How often each place was chosen, as best or as worst, which is all one here."""
    choice = rows["value"].map({1.0: "best", 0.0: ""})
    shares = choice_shares(rows.assign(system=rows["place"], choice=choice), "best", **settings)
    shares = shares.rename(columns={"share": "value"}).sort_values("system")
    return [
        {name: row[name] for name in ("value", "ci_low", "ci_high", "note")}
        for row in shares.to_dict("records")
    ]


def _test(pages: PositionPages, seed: int) -> dict[str, Any]:
    rows, k = pages.rows, pages.size
    row = {
        "positions": k,
        "n_raters": rows["rater"].nunique(),
        "pages": len(rows) // k,
        "pages_left_out": pages.left_out,
        "note": "",
    }
    test = _friedman(rows, seed)
    if isinstance(test, Inestimable):
        return {**row, "note": str(test)}
    of_test = {"chi_squared": test.chi_squared, "df": test.df, "p": test.p, "method": test.method}
    return {**row, **of_test}


def _friedman(rows: DataFrame, seed: int) -> Friedman | Inestimable:
    """Over pages, for which `friedman` has raters, and places, for which it has systems."""
    table = rows.pivot(index=PAGE, columns="place", values="value")
    if len(table) == 1:
        return Inestimable("too_few", "there is one page")
    if _is_fixed(rows):
        return Inestimable("confounded", "everybody saw the responses in the same order")
    test = friedman(table, seed=seed)
    if isinstance(test, Inestimable):
        return Inestimable(test.kind, "on every page all ranks are the same")
    return test


def _is_fixed(rows: DataFrame) -> bool:
    """Whether the order of a block, or of the systems, was the same on all pages that tell."""
    of_block = rows.groupby(["block", "system"])["place"]
    again = of_block.nunique()[of_block.size() > 1]
    return bool((rows.groupby("system")["place"].nunique() if again.empty else again).max() == 1)


def _conclusions(pages: PositionPages) -> list[dict[str, Any]]:
    rows, answer = pages.rows, pages.answer
    by_system = rows.groupby("system")["value"]
    at_place: DataFrame = rows.groupby(["system", "place"])["value"].mean().unstack()
    never = at_place.reindex(columns=range(1, pages.size + 1)).isna()
    value, n = by_system.mean(), by_system.size()
    evened = at_place.mean(axis=1).mask(never.any(axis=1))
    moves = _first(value, answer) != _first(evened, answer)
    rows_of_systems = []
    for system in map(int, value.index):
        name = pages.systems.loc[system]
        missing = [place for place in never if never[place][system]]
        row = {
            "model": str(name["model"]),
            "condition": str(name["condition"]),
            "pages": int(n[system]),
            "value": float(value[system]),
            "value_evened": float(evened[system]),
            "note": "",
        }
        if missing:
            places = " or ".join(map(str, missing))
            row["note"] = f"not estimable, because it never stood at place {places}"
        elif never.any(axis=None):
            row["note"] = "who would be first is not estimable, because others lack a place"
        else:
            row["moves"] = bool(moves[system])
        rows_of_systems.append(row)
    return rows_of_systems


def _first(values: "Series[float]", answer: str) -> "Series[bool]":
    """Who has the best mean rank, or is chosen most often."""
    rounded = values.round(DECIMALS)
    first: Series[bool] = rounded == (rounded.min() if answer == RANK else rounded.max())
    return first


def _make(request: Request) -> Tables:
    tables = positions(request.answers.ranks, request.recipe, raters=request.raters)
    return {
        "position_conclusions": tables.conclusions,
        "position_tests": tables.tests,
        "position_effects": tables.effects,
    }


ANALYSIS = AnalysisSpec(
    (POSITION_CONCLUSIONS, POSITION_TESTS, POSITION_EFFECTS), _make, of_ratings=False
)
