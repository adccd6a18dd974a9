"""How sure are the wins? Each with its paired difference, and their number with its interval.

`tables.wins` counts them as published; here, each comes with the difference within raters who
rated both conditions, all of them beside the sign test, and both beside how often they come out
so when raters are resampled (`tables.wins_bootstrap`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pandas import DataFrame, Index

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import DECIMALS
from analysis.stats.paired import paired_t, sign_test
from analysis.study_data import Contrast
from analysis.tables.group_tests import ALL, adjusted
from analysis.tables.pages import sides
from analysis.tables.request import EVERY_UNIT, AnalysisSpec, Request, Tables
from analysis.tables.win_counts import Outcomes, Truths
from analysis.tables.wins import KEYS, WINNERS, percent
from analysis.tables.wins_bootstrap import Comparisons, comparisons

FRONT = ["recipe", "unit", "raters"]
WINS_TESTS = TableSpec(
    "wins_tests",
    "Certainty of the wins",
    (
        *c.FRONT, c.SCENARIO, c.DIMENSION, c.CONDITION_A, c.CONDITION_B,
        Column("n_cells", "Number of comparisons of a model in a scenario", kind="count"),
        c.A_WINS, *c.interval("a_wins", "a_wins", form="whole"),
        c.B_WINS, *c.interval("b_wins", "b_wins", form="whole"),
        c.TIES,
        Column("ties_count", "How a tie counts: for neither side, or half for each",
            kind="text").csv_only(),
        Column("a_share", "Share of the comparisons without ties that condition a wins",
            label="share of wins of {a}"),
        *c.interval("a_share", "a_share", note="exact, for independent comparisons"), c.P,
        Column("reference", "Ratings of the reference: the model's own set, or all sets pooled",
            kind="text", labels="words").csv_only(),
        c.REFERENCE_POINTS, *c.interval("reference_points", "reference_points"),
        c.REFERENCE_POINTS_MAX, c.NOT_COMPARED.csv_only(),
        Column("drawn_from", "Number of raters in each resample", kind="count").csv_only(),
        Column("resamples", "Number of bootstrap resamples for the intervals; 0 if none",
            kind="count"),
        c.A_PERCENT.csv_only(), c.B_PERCENT.csv_only(), c.REFERENCE_PERCENT.csv_only(), c.NOTE,
    ),
    question="How sure are the wins?",
    observations="resampled raters, comparisons",
    says="Wins and reference points, with intervals from resampled raters. Where the filter "
        "applies, each resample is filtered again. The sign test and the exact interval of {a}'s "
        "share of the wins treat all comparisons of model × scenario as independent and equally "
        "weighted.",
    section="Wins",
    subject="wins",
    counts="n cells counts comparisons.",
)  # fmt: skip
WIN_DIFFERENCES = TableSpec(
    "win_differences",
    "The difference in each comparison",
    (
        *c.FRONT, c.MODEL, c.SCENARIO, c.DIMENSION, c.CONDITION_A, c.CONDITION_B, c.N, c.DIFFERENCE,
        *c.interval("difference"), c.T.csv_only(), c.DF.csv_only(), c.P,
        c.p_holm("all comparisons of a dimension"), c.WINNER,
        Column("share_a", "Share of resamples in which a wins",
            label="share of resamples won by {a}"),
        Column("share_tie", "Share of resamples with a tie", label="share of resamples with a tie"),
        Column("share_b", "Share of resamples in which b wins",
            label="share of resamples won by {b}"),
        c.LEFT_OUT.csv_only(), c.P_BH.csv_only(), c.NOTE,
    ),
    question="Would other raters see the same winners?",
    observations="raters",
    says="{a} minus {b} within raters who saw both, and how often each side wins when raters are "
        "resampled.",
    section="Wins",
    subject="wins",
    counts="n counts raters.",
    folded=True,
)  # fmt: skip


@dataclass(frozen=True)
class WinTables:
    """`differences` is win_differences.csv, `tests` is wins_tests.csv."""

    differences: DataFrame
    tests: DataFrame


@dataclass(frozen=True)
class ResampledWins:
    """Comparisons, what came of them, and what came of them in resamples; or why in none."""

    comparisons: Comparisons
    observed: Outcomes
    resamples: Outcomes | None
    why_none: str


def wins_tests(
    ratings: DataFrame,
    people: DataFrame,
    known: DataFrame,
    contrast: Contrast,
    recipe: Recipe,
    *,
    raters: str,
) -> WinTables:
    """Paired differences of every comparison, and tests and intervals of how many each side won.

    `ratings` are those of the raters who count, `people` everyone who consented, excluded ones
    included, with `active`: who is not active is drawn from. `known` are all items, as wins.csv
    goes by them. Raises NotAvailable, and ValueError for ratings by others than `people`.

    `differences`: a − b within the `n` raters who rated both on one page; `left_out` others rated
    either. `winner`
    is by that difference, `share_a`, `share_tie` and `share_b` say in which part of the resamples a
    comparison as in wins.csv ends so. p values are adjusted over all comparisons of a dimension.

    `tests`, per scenario and over all: wins with percentile intervals, ties counted as the recipe
    says (`ties_count`: for neither side or half for each), `p` of the exact sign test, `a_share`
    of the untied comparisons with its exact interval. Both of these take comparisons for
    independent, which they are not as far as raters are the same. Percentages are of all
    comparisons made, and of the points that there are. The intervals of wins and points
    speak of other raters of these texts; resampling adds chance to chance, so that where means
    are close they lie nearer to an even count than the count itself. `reference` is the recipe's.
    """
    if ratings.empty:
        raise NotAvailable("there are no ratings")
    names = people.loc[~people["active"], "participant"]
    drawn = _draw(comparisons(ratings, names, known, contrast, recipe.wins), recipe)
    differences = _differences(ratings, known, drawn, contrast, recipe)
    tests = DataFrame(list(_tests(drawn, contrast, recipe)))
    front = {"recipe": recipe.name, "raters": raters}
    counts = ["n_cells", "ties", "reference_points", "reference_points_max", "not_compared"]
    kinds = dict.fromkeys(counts, "Int64")
    if recipe.wins.ties == "neither":
        sides = [f"{side}_wins{end}" for side in "ab" for end in ("", "_low", "_high")]
        kinds |= dict.fromkeys(sides, "Int64")
    kinds |= dict.fromkeys(["reference_points_low", "reference_points_high"], "Int64")
    family = [*FRONT, "dimension"]
    return WinTables(
        adjusted(differences.assign(**front, unit="participant")[WIN_DIFFERENCES.names], family),
        tests.assign(**front, unit="comparison").reindex(columns=WINS_TESTS.names).astype(kinds),
    )


def _draw(compared: Comparisons, recipe: Recipe) -> ResampledWins:
    why = ""
    if recipe.bootstrap is None:
        why = "no resamples, because the recipe asks for no bootstrap"
    elif compared.rated < 2:
        why = "no resamples, because one rater's ratings count"
    resamples = None if why or recipe.bootstrap is None else compared.resampled(recipe.bootstrap)
    return ResampledWins(compared, compared.observed(), resamples, why)


def _differences(
    ratings: DataFrame, known: DataFrame, drawn: ResampledWins, contrast: Contrast, recipe: Recipe
) -> DataFrame:
    pages = sides(ratings, contrast, known)
    both = pages.dropna().groupby([*KEYS, "participant"], observed=True).mean()
    pages_of, both_of = _by_cell(pages), _by_cell(both)
    nothing = DataFrame(columns=["a", "b"], index=Index([], name="participant"), dtype=float)
    rows = []
    for at, key in enumerate(drawn.comparisons.keys.astype("str").to_numpy().tolist()):
        of_cell = pages_of.get(tuple(key), nothing)
        row = _paired(of_cell, both_of.get(tuple(key), nothing), contrast, recipe.confidence)
        shares, about_shares = _shares(drawn, at)
        by_all = WINNERS[int(drawn.observed.higher[at, 0])]
        notes = [row.pop("note"), about_shares if of_cell.notna().any().all() else ""]
        if (row["winner"] or by_all) != by_all:
            names = {"a": f"{contrast.condition_a} wins", "b": f"{contrast.condition_b} wins"}
            notes.append(f"by the means of all ratings, {names.get(by_all, 'it is a tie')}")
        named = dict(zip(KEYS, key, strict=True))
        rows.append({**named, **row, **shares, "note": "; ".join(filter(None, notes))})
    table = DataFrame(rows).reindex(columns=WIN_DIFFERENCES.names)
    return table.astype({"n": "Int64", "left_out": "Int64"})


def _named(contrast: Contrast) -> dict[str, Any]:
    return dict(zip(("condition_a", "condition_b"), contrast.conditions, strict=True))


def _by_cell(table: DataFrame) -> dict[tuple[str, ...], DataFrame]:
    return {tuple(map(str, key)): group for key, group in table.groupby(KEYS, observed=True)}


def _paired(
    pages: DataFrame, both: DataFrame, contrast: Contrast, confidence: float
) -> dict[str, Any]:
    """The difference within raters, of the `pages` of one comparison and the means of those raters
    who rated `both` conditions side by side.
    """
    row: dict[str, Any] = dict(
        zip(("condition_a", "condition_b"), contrast.conditions, strict=True)
    )
    missing = [
        name
        for name, side in zip(contrast.conditions, "ab", strict=True)
        if pages[side].isna().all()
    ]
    left_out = pages.index.get_level_values("participant").nunique() - len(both)
    if both.empty:
        lacking = f"there are no ratings of {' and '.join(missing)}"
        reason = f"not estimable, because {lacking if missing else 'no rater rated both'}"
        return {**row, "n": 0, "left_out": left_out, "winner": "", "note": reason}
    difference = float((both["a"] - both["b"]).mean())
    row |= {
        "n": len(both),
        "left_out": left_out,
        "difference": difference,
        "winner": WINNERS[int(np.sign(round(difference, DECIMALS)))],
    }
    if row["n"] == 1:
        return {**row, "note": "not estimable, because one rater rated both"}
    test = paired_t(both["a"], both["b"], confidence=confidence)
    if isinstance(test, Inestimable):
        return {**row, "note": str(test)}
    low, high = test.interval
    tested = {"ci_low": low, "ci_high": high, "t": test.t, "df": test.df, "p": test.p}
    return {**row, **tested, "note": ""}


def _shares(drawn: ResampledWins, at: int) -> tuple[dict[str, float], str]:
    """In which part of the resamples a comparison ends how, and what must be said of it."""
    if drawn.resamples is None:
        return {}, drawn.why_none
    compared = drawn.resamples.compared[at]
    higher = drawn.resamples.higher[at, compared]
    note = _count("not compared", ~compared)
    if not len(higher):
        return {}, note
    parts = {"share_a": 1, "share_tie": 0, "share_b": -1}
    return {name: float(np.mean(higher == way)) for name, way in parts.items()}, note


def _count(what: str, resamples: Truths) -> str:
    """What happened in some resamples; nothing where in none."""
    n = int(resamples.sum())
    return f"{what} in {n} of {len(resamples)} resamples" if n else ""


def _tests(drawn: ResampledWins, contrast: Contrast, recipe: Recipe) -> Iterator[dict[str, Any]]:
    keys = drawn.comparisons.keys
    shared = {
        **_named(contrast),
        "ties_count": recipe.wins.ties,
        "reference": recipe.wins.reference,
        "drawn_from": drawn.comparisons.drawn_from,
        "resamples": 0 if drawn.resamples is None else drawn.resamples.higher.shape[1],
    }
    for table in (keys, keys.assign(scenario=ALL)):
        for (scenario, dimension), group in table.groupby(["scenario", "dimension"], observed=True):
            rows = np.isin(np.arange(len(keys)), group.index)
            yield {
                **shared,
                "scenario": str(scenario),
                "dimension": str(dimension),
                **_test(drawn, rows, contrast, recipe),
            }


def _test(drawn: ResampledWins, rows: Truths, contrast: Contrast, recipe: Recipe) -> dict[str, Any]:
    """Wins and points of some comparisons, in the data and in resamples."""
    observed = drawn.observed.of(rows)
    counts = observed.counted()
    a, b, ties = (int(n[0]) for n in (counts.a, counts.b, counts.ties))
    points = int(counts.reference_points[0])
    compared, with_points = a + b + ties, int(observed.has_points.sum())
    half = ties / 2 if recipe.wins.ties == "half" else 0
    row: dict[str, Any] = {
        "n_cells": compared,
        "not_compared": int(counts.not_compared[0]),
        "a_wins": a + half,
        "b_wins": b + half,
        "ties": ties,
        "reference_points": points if with_points else None,
        "reference_points_max": 2 * with_points,
        "a_percent": percent(a + half, compared),
        "b_percent": percent(b + half, compared),
        "reference_percent": percent(points, 2 * with_points),
    }
    notes = []
    tested = sign_test(a, b, ties=ties, confidence=recipe.confidence)
    if isinstance(tested, Inestimable):
        notes.append(f"sign test {tested}")
    else:
        low, high = tested.interval
        row |= {"p": tested.p, "a_share": tested.share, "a_share_low": low, "a_share_high": high}
    if compared and not with_points:
        beside = "the reference was not rated beside these"
        why = beside if contrast.reference else "the study names no reference"
        notes.append(f"no reference points, because {why}")
    if drawn.resamples is None:
        notes.append(drawn.why_none)
    elif compared:
        intervals, note = _intervals(drawn.resamples.of(rows), observed, recipe)
        row |= intervals
        notes.append(note)
    return {**row, "note": "; ".join(filter(None, notes))}


def _intervals(
    resamples: Outcomes, observed: Outcomes, recipe: Recipe
) -> tuple[dict[str, float], str]:
    """Percentile intervals over the resamples in which anything was compared.

    Their ends are values that occurred, outside of which lies no more than the rest on each side.
    """
    counts = resamples.counted()
    half = counts.ties / 2 if recipe.wins.ties == "half" else 0
    any_compared = resamples.compared.any(axis=0)
    ends: dict[str, npt.NDArray[Any]] = {
        "a_wins": (counts.a + half)[any_compared],
        "b_wins": (counts.b + half)[any_compared],
    }
    if observed.has_points.any():
        ends["reference_points"] = counts.reference_points[resamples.has_points.any(axis=0)]
    tail = round((1 - recipe.confidence) / 2, 12)
    intervals: dict[str, float] = {}
    for name, values in ends.items():
        if len(values):
            low, high = np.quantile(values, [tail, 1 - tail], method="inverted_cdf")
            intervals |= {f"{name}_low": float(low), f"{name}_high": float(high)}
    gone: Truths = (observed.compared & ~resamples.compared) | (
        observed.has_points & ~resamples.has_points
    )
    return intervals, _count("not all compared", np.any(gone, axis=0))


def _make(request: Request) -> Tables:
    study = request.study
    tables = wins_tests(
        request.answers.ratings,
        study.people,
        study.known,
        study.contrast,
        request.recipe,
        raters=request.raters,
    )
    if request.recipe.unit == "rating":  # counts of means, and no differences within raters
        return {"wins_tests": tables.tests}
    return {"wins_tests": tables.tests, "win_differences": tables.differences}


ANALYSIS = AnalysisSpec((WINS_TESTS, WIN_DIFFERENCES), _make, of_units=EVERY_UNIT)
