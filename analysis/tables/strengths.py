"""How strong is each system in comparisons with others, and is its order that of the ratings?

Rankings and best and worst choices are what raters compare; ratings of one page are read as pairs,
in which equal ratings tie. Rankings follow Plackett and Luce's model, unless raters rank two
systems on a page or rank some equally: then they are read as pairs, too, by Davidson's model.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.bootstrap import percentiles
from analysis.stats.choice_sets import ChoiceSets, Codes, of_best_and_worst, of_pairs, of_rankings
from analysis.stats.inestimable import Inestimable
from analysis.stats.order import places
from analysis.stats.strengths import Strengths, enough, kendall, shares_of, strengths
from analysis.study_data import records
from analysis.tables.fits import SYSTEM
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.resampling import resampling

ANSWERS = Column(
    "answers",
    "What is compared: ranks, choices (best and worst), or ratings on one page",
    choice=True,
    is_key=True,
    part=True,
)
STRENGTHS = TableSpec(
    "strengths",
    "Strengths of the systems in comparisons on one page",
    (
        *c.FRONT, c.DIMENSION, ANSWERS,
        Column("comparison_model", "Model of the comparisons: Plackett–Luce (rankings), "
            "best–worst, Davidson (pairs with ties) or Bradley–Terry (pairs without)", kind="text",
            is_key=True, part=True, labels="comparison_models", label="model of comparisons"),
        c.PLACE, *c.interval("place", "place_ci", form="whole"), c.MODEL, c.CONDITION,
        c.N_RATERS,
        Column("n_choices", "Number of choices: places given, best and worst choices, or pairs",
            kind="count"),
        Column("strength", "Logarithm of the strength; these sum to 0"), *c.interval("strength"),
        Column("share", "Expected share of first places if all systems were compared at once"),
        *c.interval("share", "share_ci"),
        Column("tie_parameter", "Davidson's ν: how frequent ties are; 0 if there are none")
            .csv_only(),
        Column("resamples", "Number of resamples with finite strengths", kind="count").csv_only(),
        c.NOTE,
    ),
    question="Which systems are preferred to which, all comparisons together?",
    observations="raters",
    says="The strength of each system in all comparisons on one page, also of systems that never "
        "shared a page, if others connect them. A system is preferred to one whose log strength is "
        "lower by d with odds of exp(d). Intervals are of resampled raters, for the same texts; "
        "with few raters they are too narrow.",
    section="Rankings and choices",
    subject="rankings",
    leads=True,
    leads_without=("contrasts", "system_groups", "choices"),
)  # fmt: skip
ORDER_AGREEMENT = TableSpec(
    "order_agreement",
    "Is the order of ranks and choices that of the ratings?",
    (
        *c.FRONT, c.DIMENSION, ANSWERS,
        Column("rated", "Dimension of the ratings", is_key=True, labels="dimensions"),
        c.SYSTEMS, c.N_RATERS,
        Column("tau", "Kendall's τ of strengths and mean ratings: 1 is the same order, −1 the "
            "opposite one", label="Kendall's τ"),
        *c.interval("tau"),
        Column("resamples", "Number of resamples with finite strengths", kind="count").csv_only(),
        c.NOTE,
    ),
    question="Is the order of ranks and choices that of the ratings?",
    observations="raters",
    says="Kendall's tau-b of the strengths and of the systems' mean ratings. The interval is "
        "of resampled raters, whose ranks and ratings stay together.",
    section="Rankings and choices",
    subject="rankings",
)  # fmt: skip
KINDS = ("best", "worst")
PAGE = ["participant", "scenario", "set"]


@dataclass(frozen=True)
class ComparedSystems:
    """The comparisons of a dimension; `systems` and `raters` are what their numbers stand for."""

    dimension: str
    answers: str
    model: str
    systems: list[tuple[str, str]]
    raters: list[str]
    sets: ChoiceSets


def compared(ranks: DataFrame, ratings: DataFrame) -> Iterator[ComparedSystems]:
    """Everything that raters compared, by dimension."""
    for dimension, own in ranks[ranks["rank"].notna()].groupby("dimension", observed=True):
        yield _of_ranks(str(dimension), own.assign(value=-own["rank"]))
    for dimension, own in ranks.groupby("dimension", observed=True):
        if own["choice"].isin(KINDS).any():
            yield _of_choices(str(dimension), own)
    for dimension, own in ratings.groupby("dimension", observed=True):
        pairs = _of_values(str(dimension), "ratings", own.assign(value=own["rating"]))
        if pairs.sets.chosen.sum():  # otherwise a page shows one response
            yield pairs


def _of_ranks(dimension: str, own: DataFrame) -> ComparedSystems:
    rows = DataFrame(own.groupby([*PAGE, *SYSTEM], observed=True, as_index=False)["value"].mean())
    pages = rows.groupby(PAGE, observed=True)["value"]
    if (pages.transform("nunique") < pages.transform("size")).any() or pages.size().max() <= 2:
        return _of_values(dimension, "ranks", rows)
    systems, raters, rows = _numbered(rows)
    ordered = rows.sort_values(["page", "value"], ascending=[True, False])
    starts = np.flatnonzero(np.diff(ordered["page"], prepend=-1))
    orders = np.split(ordered["system"].to_numpy(), starts[1:])
    people = ordered["rater"].to_numpy()[starts]
    sets = of_rankings(
        ((int(person), order.tolist()) for person, order in zip(people, orders, strict=True)),
        systems=len(systems),
        raters=len(raters),
    )
    return ComparedSystems(dimension, "ranks", "plackett_luce", systems, raters, sets)


def _of_values(dimension: str, answers: str, rows: DataFrame) -> ComparedSystems:
    """Every two systems of one page, by the higher `value`."""
    rows = DataFrame(rows.groupby([*PAGE, *SYSTEM], observed=True, as_index=False)["value"].mean())
    systems, raters, rows = _numbered(rows)
    by_page = rows.sort_values(["page", "system"])
    one, other = _pairs_within(by_page["page"].to_numpy())
    of, values = by_page["system"].to_numpy(), by_page["value"].to_numpy()
    sets = of_pairs(
        by_page["rater"].to_numpy()[one],
        of[one],
        of[other],
        np.sign(np.round(values[one] - values[other], 9)).astype(int),
        systems=len(systems),
        raters=len(raters),
    )
    return ComparedSystems(
        dimension, answers, "davidson" if sets.has_ties else "bradley_terry", systems, raters, sets
    )


def _pairs_within(page: Codes) -> tuple[Codes, Codes]:
    """Every two rows of one page, whose numbers are in order: the first of them and the other."""
    place = np.arange(len(page))
    last = np.searchsorted(page, page, side="right")
    later = last - place - 1
    one = np.repeat(place, later)
    within = np.arange(later.sum()) - np.repeat(np.cumsum(later) - later, later)
    return one, one + within + 1


def _numbered(rows: DataFrame) -> tuple[list[tuple[str, str]], list[str], DataFrame]:
    """The systems in study order, the raters, and the rows with numbers for these and for pages."""
    by_system = rows.groupby(SYSTEM, observed=True)
    systems = [(str(model), str(condition)) for (model, condition), _ in by_system]
    rater, raters = pd.factorize(rows["participant"], sort=True)
    page = rows.groupby(PAGE, observed=True).ngroup()
    return (
        systems,
        [str(each) for each in raters],
        rows.assign(system=by_system.ngroup(), rater=rater, page=page),
    )


def _of_choices(dimension: str, own: DataFrame) -> ComparedSystems:
    """Best and worst of what a page showed; a rater with rows of the chosen alone saw all that the
    block has.
    """
    systems, raters, rows = _numbered(own)
    of_block = {
        block: tuple(shown.unique())
        for block, shown in rows.groupby(["scenario", "set"], observed=True)["system"]
    }
    made = []
    for _, page in rows.groupby("page"):
        chosen = {kind: page.loc[page["choice"] == kind, "system"].tolist() for kind in KINDS}
        best, worst = (chosen[kind][0] if chosen[kind] else None for kind in KINDS)
        if best is None and worst is None:
            continue
        shown: Any = page["system"].tolist()
        if set(shown) <= {best, worst}:
            shown = of_block[page["scenario"].iloc[0], page["set"].iloc[0]]
        made.append((int(page["rater"].iloc[0]), shown, best, worst))
    sets = of_best_and_worst(made, systems=len(systems), raters=len(raters))
    return ComparedSystems(dimension, "choices", "best_worst", systems, raters, sets)


def strength_tables(
    ranks: DataFrame, ratings: DataFrame, recipe: Recipe, *, raters: str
) -> tuple[DataFrame, DataFrame]:
    """Strengths by dimension and kind of answers, and how their order agrees with the ratings'.

    `ranks` has `participant`, `rank`, `choice` and the columns of an item, `ratings` has `rating`.
    Resamples are the recipe's or, if it has none, the defaults. Raises NotAvailable.
    """
    front = {"recipe": recipe.name, "unit": "participant", "raters": raters}
    settings = resampling(recipe)
    rows: list[dict[str, Any]] = []
    agreement: list[dict[str, Any]] = []
    for each in compared(ranks, ratings):
        keys = {**front, "dimension": each.dimension, "answers": each.answers}
        found = strengths(each.sets, seed=settings["seed"], resamples=settings["resamples"])
        rows += [{**keys, **row} for row in _rows(each, found, recipe.confidence)]
        if each.answers != "ratings" and isinstance(found, Strengths):
            for rated, own in ratings.groupby("dimension", observed=True):
                if each.dimension in ("", str(rated)):
                    row = _agreement(each, found, own, recipe.confidence)
                    agreement += [{**keys, "rated": str(rated), **row}] if row else []
    if not rows:
        raise NotAvailable("no page shows two systems that a rater compared")
    whole = ["place", "place_ci_low", "place_ci_high", "resamples"]
    return (
        DataFrame(rows, columns=STRENGTHS.names).astype(dict.fromkeys(whole, "Int64")),
        DataFrame(agreement, columns=ORDER_AGREEMENT.names),
    )


def _rows(
    each: ComparedSystems, found: Strengths | Inestimable, confidence: float
) -> Iterator[dict[str, Any]]:
    keys: dict[str, Any] = {
        "comparison_model": each.model,
        "n_raters": len(each.raters),
        "n_choices": int(each.sets.chosen.sum()),
    }
    if isinstance(found, Inestimable):
        yield {**keys, "model": "", "condition": "", "note": str(found)}
        return
    table = DataFrame(each.systems, columns=SYSTEM).assign(
        **keys,
        place=places(found.values).astype(int),
        strength=found.values,
        share=found.shares,
        tie_parameter=0.0 if found.tie is None else np.exp(found.tie),
        resamples=len(found.resampled),
        note="",
    )
    if enough(found):
        resampled = {
            "": found.resampled,
            "share_": shares_of(found.resampled),
            "place_": places(found.resampled),
        }
        for name, values in resampled.items():
            ends = np.array([percentiles(of, confidence) for of in values.T])
            ends = (
                ends
                if name != "place_"
                else np.column_stack([np.floor(ends[:, 0]), np.ceil(ends[:, 1])])
            )
            table[f"{name}ci_low"], table[f"{name}ci_high"] = ends[:, 0], ends[:, 1]
    else:
        table["note"] = _why_no_interval(found, each)
    yield from records(table.sort_values("place", kind="stable"))


def _why_no_interval(found: Strengths, each: ComparedSystems) -> str:
    if len(each.raters) < 2:
        return "no interval, because there is one rater"
    return "no interval, because in most resamples of raters some system always wins or loses"


def _agreement(
    each: ComparedSystems, found: Strengths, ratings: DataFrame, confidence: float
) -> dict[str, Any]:
    """Kendall's τ of strengths and mean ratings, of the systems and the raters that have both."""
    names = zip(ratings["model"].astype(str), ratings["condition"].astype(str), strict=True)
    keyed = ratings.assign(system=Series(list(names), index=ratings.index, dtype=object))
    at = [number for number, system in enumerate(each.systems) if system in set(keyed["system"])]
    if len(at) < 2:
        return {}
    systems = [each.systems[number] for number in at]
    by_rater = keyed.groupby(["participant", "system"])["rating"].agg(["sum", "size"])
    total, n = (
        by_rater[column]
        .unstack(fill_value=0)
        .reindex(each.raters, fill_value=0)[systems]
        .to_numpy(float)
        for column in ("sum", "size")
    )
    means = keyed.groupby("system")["rating"].mean()[systems].to_numpy()
    tau = float(kendall(found.values[at], means))
    row: dict[str, Any] = {
        "systems": len(at),
        "n_raters": len(each.raters),
        "tau": tau,
        "resamples": len(found.resampled),
        "note": "" if np.isfinite(tau) else "not estimable, because all means are equal",
    }
    if enough(found) and np.isfinite(tau):
        with np.errstate(invalid="ignore"):
            resampled = (found.drawn @ total) / (found.drawn @ n)
        low, high = percentiles(kendall(found.resampled[:, at], resampled), confidence) or (
            None,
            None,
        )
        row |= {"ci_low": low, "ci_high": high}
    return row


def _make(request: Request) -> Tables:
    answers = request.answers
    if answers.ranks.empty and answers.ratings.empty:
        raise NotAvailable("there are neither ratings nor ranks")
    tables = strength_tables(answers.ranks, answers.ratings, request.recipe, raters=request.raters)
    return dict(zip(("strengths", "order_agreement"), tables, strict=True))


ANALYSIS = AnalysisSpec((STRENGTHS, ORDER_AGREEMENT), _make, of_ratings=False, for_later=True)
