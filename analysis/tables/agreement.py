"""Do raters agree? Krippendorff's α, intraclass correlations and Kendall's W, per dimension.

An item is a response in its set, as it was rated. A text that is shown in several sets is several
items, which do not speak independently: intervals of α resample texts with all their items.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.agreement import Level, alpha_over_clusters
from analysis.stats.bootstrap import affordable
from analysis.stats.choices import Concord, free_marginal_kappa
from analysis.stats.crossed_reliability import CrossedReliability, crossed_reliability
from analysis.stats.inestimable import Inestimable
from analysis.stats.intraclass_correlation import (
    Form,
    IntraclassCorrelations,
    intraclass_correlations,
)
from analysis.stats.rankings import (
    WithinBlocks,
    concordance_interval,
    concordance_within_blocks,
    friedman,
)
from analysis.tables.request import NOBODY, AnalysisSpec, Request, Tables
from analysis.tables.resampling import Resampling, resampling

AGREEMENT = TableSpec(
    "agreement",
    "Do raters agree?",
    (
        c.RECIPE, c.RATERS, c.DIMENSION, c.STATISTIC, c.VALUE, *c.interval("value"), c.N_RATERS,
        c.N_ITEMS.but(meaning="Number of items: responses as shown, on a dimension; for choices, "
            "blocks"),
        Column("of", "What the value refers to: one rater, or the mean of several", kind="text"),
        Column("interval", "How the interval was computed", label="interval from", kind="text"),
        c.NOTE,
    ),
    question="Do raters agree?",
    observations="raters and items",
    says="Krippendorff's α, intraclass correlations (single rater, and mean of as many raters as "
        "rate an item), "
        "Kendall's W and, for choices, Randolph's κ. 1 is full agreement. Chance gives about 0; "
        "for W, about 1 divided by the number of raters.",
    section="Agreement of raters",
    subject="raters",
    counts="n items counts responses as shown; for choices, it counts blocks.",
)  # fmt: skip
#: How intervals of intraclass correlations were computed where some rating is missing.
DELTA_METHOD = "delta method"
BLOCK, CELL = ["scenario", "set"], ["model", "condition"]
LEVELS: tuple[Level, Level] = ("ordinal", "interval")
#: P. E. Shrout & J. L. Fleiss (1979) call A, absolute agreement, 2, and C, consistency, 3.
FORMS: dict[str, Form] = {
    "icc_2_1": "ICC(A,1)",
    "icc_2_k": "ICC(A,k)",
    "icc_3_1": "ICC(C,1)",
    "icc_3_k": "ICC(C,k)",
}
Row = dict[str, Any]


@dataclass(frozen=True)
class Complete:
    """Ratings without a gap, raters × items, and why some raters or items are `left_out`."""

    table: DataFrame
    left_out: str


def agreement(ratings: DataFrame, ranks: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """A row per dimension and statistic, with the raters and items that it rests on.

    `ratings` has `participant`, `rating`, `response` and the columns of an item, `ranks` the same
    with `rank` and `choice`; either may be empty. `value` is empty where `note` says why.
    `interval` says what was resampled, or where else the bounds come from.

    - `krippendorff_alpha_ordinal`, `krippendorff_alpha_interval`: over all items that two raters or
      more rated; needs no complete data.
    - `icc_2_1`, `icc_2_k` (absolute agreement), `icc_3_1`, `icc_3_k` (consistency): over all raters
      and items, by mean squares where every rater rated every item, else by a mixed model. `of`
      says whether it is the reliability of a single rater, or of the mean of as many as rate an
      item.
    - `kendalls_w_ratings`: of orderings of the same items, over the raters who rated every item or,
      if that keeps more ratings, the items that every rater rated.
    - `kendalls_w_ratings_within_blocks`, `kendalls_w_ranks_within_blocks`: means over blocks of W
      of the responses on one page, over the raters who judged all of it.
    - `randolphs_kappa_best`, `randolphs_kappa_worst`: on which system of a block is chosen, against
      guessing; items are blocks.

    Raises NotAvailable.
    """
    kinds = [kind for kind in ("best", "worst") if (ranks["choice"] == kind).any()]
    if ratings.empty and not kinds and not ranks["rank"].notna().any():
        raise NotAvailable("these raters gave neither ratings nor ranks nor choices")
    settings = resampling(recipe)
    front = {"recipe": recipe.name, "raters": raters, "of": "", "interval": "", "note": ""}
    rows = [
        {**front, "dimension": dimension, **row}
        for values, of_dimension in (
            (ratings.rename(columns={"rating": "value"}), _of_ratings),
            (ranks[ranks["rank"].notna()].rename(columns={"rank": "value"}), _of_ranks),
            *((ranks.assign(value=ranks["choice"] == kind), _of_choices(kind)) for kind in kinds),
        )
        for dimension, numbered in _numbered(values)
        for row in of_dimension(numbered, settings)
    ]
    table = DataFrame(rows, columns=AGREEMENT.names)
    return table.astype(dict.fromkeys(["value", "ci_low", "ci_high"], float))


def _numbered(values: DataFrame) -> Iterator[tuple[str, DataFrame]]:
    """Per dimension: `rater`, `unit` (item), `cluster` (text), `block`, `system`, `value`."""
    for dimension, own in values.groupby("dimension", observed=True):
        yield (
            str(dimension),
            DataFrame(
                {
                    "rater": pd.factorize(own["participant"], sort=True)[0],
                    "unit": own.groupby([*BLOCK, *CELL], observed=True).ngroup(),
                    "cluster": own.groupby("response").ngroup(),
                    "block": own.groupby(BLOCK, observed=True).ngroup(),
                    "system": own.groupby(CELL, observed=True).ngroup(),
                    "value": own["value"].astype(float),
                }
            ),
        )


def _of_ratings(ratings: DataFrame, settings: Resampling) -> Iterator[Row]:
    for level in LEVELS:
        yield {"statistic": f"krippendorff_alpha_{level}", **_alpha(ratings, level, settings)}
    yield from _iccs(ratings, settings)
    complete = _complete(ratings)
    yield {"statistic": "kendalls_w_ratings", **_concordance(complete, settings)}
    yield {"statistic": "kendalls_w_ratings_within_blocks", **_within_blocks(ratings, settings)}


def _of_ranks(ranks: DataFrame, settings: Resampling) -> Iterator[Row]:
    yield {"statistic": "kendalls_w_ranks_within_blocks", **_within_blocks(ranks, settings)}


def _of_choices(kind: str) -> Callable[[DataFrame, Resampling], Iterator[Row]]:
    def rows(pages: DataFrame, settings: Resampling) -> Iterator[Row]:
        if pages["value"].any():
            yield {"statistic": f"randolphs_kappa_{kind}", **_kappa(pages, settings)}

    return rows


def _kappa(pages: DataFrame, settings: Resampling) -> Row:
    chosen = pages.groupby(["block", "system"])["value"].sum().unstack()
    counts = {"n_raters": pages.loc[pages["value"] > 0, "rater"].nunique(), "n_items": len(chosen)}
    kappa = free_marginal_kappa(chosen, **settings)
    if isinstance(kappa, Inestimable):
        return {**counts, "note": str(kappa)}
    few = f"{kappa.left_out} of {len(chosen)} blocks left out, in which fewer than two raters chose"
    row = {**counts, "n_items": kappa.blocks, "value": kappa.kappa}
    return _over_blocks(row, kappa, few)


def _over_blocks(row: Row, concordance: Concord | WithinBlocks, left_out: str) -> Row:
    """The row with its interval over blocks, and in `note` what is missing; `left_out` says which
    blocks, if any.
    """
    notes = [left_out] if concordance.left_out else []
    if concordance.interval is None:
        notes.append("no interval, because there is one block")
        return {**row, "note": "; ".join(notes)}
    low, high = concordance.interval
    drawn = f"bootstrap of {concordance.blocks} blocks, {concordance.resamples} resamples"
    return {**row, "ci_low": low, "ci_high": high, "interval": drawn, "note": "; ".join(notes)}


def _alpha(ratings: DataFrame, level: Level, settings: Resampling) -> Row:
    shared = ratings[ratings.groupby("unit")["rater"].transform("size") >= 2]
    counts = {"n_raters": shared["rater"].nunique(), "n_items": shared["unit"].nunique()}
    alpha = alpha_over_clusters(ratings, level, **settings)
    if isinstance(alpha, Inestimable):
        return {**counts, "note": str(alpha)}
    row = {**counts, "value": alpha.estimate}
    if alpha.interval is None:
        return {**row, "note": "no interval, because all items show one text"}
    low, high = alpha.interval
    drawn = f"bootstrap of {alpha.clusters} texts, {alpha.resamples} resamples"
    return {**row, "ci_low": low, "ci_high": high, "interval": drawn}


def _complete(ratings: DataFrame) -> Complete:
    """The raters who rated every item or, if that keeps more ratings, every item that all rated."""
    of_rater, of_item = (ratings.groupby(by)["value"].transform("size") for by in ("rater", "unit"))
    raters, items = ratings["rater"].nunique(), ratings["unit"].nunique()
    by_rater, by_item = ratings[of_rater == items], ratings[of_item == raters]
    kept = by_rater if len(by_rater) >= len(by_item) else by_item
    table = kept.set_index(["rater", "unit"])["value"].unstack()
    left_out = ""
    if kept.empty:
        left_out = f"nobody rated all {items} items, and no item was rated by all {raters} raters"
    elif len(table) < raters:
        left_out = f"over the {len(table)} of {raters} raters who rated all {items} items"
    elif table.shape[1] < items:
        left_out = f"over the {table.shape[1]} of {items} items that all {raters} raters rated"
    return Complete(table, left_out)


def _iccs(ratings: DataFrame, settings: Resampling) -> Iterator[Row]:
    raters, items = ratings["rater"].nunique(), ratings["unit"].nunique()
    confidence = settings["confidence"]
    found: IntraclassCorrelations | CrossedReliability | Inestimable
    if len(ratings) == raters * items:
        table = ratings.set_index(["unit", "rater"])["value"].unstack()
        found = intraclass_correlations(table, confidence=confidence)
        k, interval, note = f"{raters}", "F distribution", ""
    else:
        found = crossed_reliability(ratings, confidence=confidence)
        k = "k" if isinstance(found, Inestimable) else f"{found.k:.1f}".removesuffix(".0")
        interval, note = DELTA_METHOD, "by a mixed model: not every rater rated every item"
    for name, form in FORMS.items():
        of = "single rater" if form.endswith("1)") else f"mean of {k} raters"
        row = {"statistic": name, "of": of, "n_raters": raters, "n_items": items}
        each = found if isinstance(found, Inestimable) else found.forms[form]
        if isinstance(each, Inestimable):
            yield {**row, "note": str(each)}
            continue
        row |= {"value": each.estimate, "note": note}
        if each.interval is None:
            why = "no error is left" if each.estimate else "items differ no more than by chance"
            yield {**row, "note": _joined(f"no interval, because {why}", note)}
            continue
        low, high = each.interval
        row |= {"ci_high": high, "interval": interval}
        if np.isinf(low):
            yield {**row, "note": _joined("the interval has no lower bound", note)}
        else:
            yield {**row, "ci_low": low}


def _joined(first: str, second: str) -> str:
    return "; ".join(part for part in (first, second) if part)


def _concordance(complete: Complete, settings: Resampling) -> Row:
    raters, items = complete.table.shape
    row: Row = {"n_raters": raters, "n_items": items}
    if complete.table.empty:
        return {**row, "note": f"not estimable, because {complete.left_out}"}
    test = friedman(complete.table)
    if isinstance(test, Inestimable):
        return {**row, "note": _joined(str(test), complete.left_out)}
    row |= {"value": test.w, "note": complete.left_out}
    bounds = concordance_interval(complete.table, **settings)
    if bounds is None:
        return {
            **row,
            "note": _joined("no interval, because all raters are alike", complete.left_out),
        }
    times = affordable(raters, settings["resamples"])
    drawn = f"bootstrap of {raters} raters, {times} resamples"
    return {**row, "ci_low": bounds[0], "ci_high": bounds[1], "interval": drawn}


def _within_blocks(judged: DataFrame, settings: Resampling) -> Row:
    concordance = concordance_within_blocks(judged, **settings)
    if isinstance(concordance, Inestimable):
        counts = {"n_raters": judged["rater"].nunique(), "n_items": judged["unit"].nunique()}
        return {**counts, "note": str(concordance)}
    row = {"value": concordance.w, "n_raters": concordance.raters, "n_items": concordance.things}
    blocks = concordance.blocks + concordance.left_out
    few = "left out, in which no two raters told systems apart"
    return _over_blocks(row, concordance, f"{concordance.left_out} of {blocks} blocks {few}")


def _make(request: Request) -> Tables:
    answers = request.answers
    if request.raters == "included" and answers.people.empty:
        raise NotAvailable(NOBODY)
    table = agreement(answers.ratings, answers.ranks, request.recipe, raters=request.raters)
    return {"agreement": table}


ANALYSIS = AnalysisSpec((AGREEMENT,), _make, of_recipes=False, of_ratings=False)
