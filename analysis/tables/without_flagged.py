"""What the results are without the raters whose writing is flagged.

A flag is no proof, so nobody is excluded by it: the two results stand side by side instead. Both
are of raters' means, as in `contrasts` (F1) and `systems`.
"""

from collections.abc import Iterator
from typing import Any

from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.raters.writing import flagged_among
from analysis.recipe import Recipe
from analysis.study_data import Contrast, records
from analysis.tables.contrasts import contrasts
from analysis.tables.group_tests import ALL
from analysis.tables.mean_interval import BEYOND
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.systems import systems

#: What a row compares.
DIFFERENCE, MEAN = "difference", "mean"
KEYS = ("result", "model", "condition", "dimension")
NUMBERS = ("n", "value", "ci_low", "ci_high")

WITHOUT_FLAGGED = TableSpec(
    "without_flagged",
    "Results without flagged raters",
    (
        c.RECIPE,
        Column("result", "Difference of the conditions, or mean of a system", is_key=True,
            choice=True, labels="words"),
        c.MODEL.but(choice=False, first=""), c.CONDITION.but(choice=False, first=""), c.DIMENSION,
        c.N.but(meaning="Included raters with such ratings", label="n, included"),
        c.VALUE.but(meaning="The result of all included raters", form="decimals",
            label="all included", signed=True),
        *c.interval("value"),
        Column("n_unflagged", "Included raters with such ratings whose writing is not flagged",
            kind="count", label="n, not flagged"),
        Column("unflagged", "The result without the flagged raters", label="without flagged",
            signed=True),
        *c.interval("unflagged", "unflagged"),
        Column("change", "What leaving them out adds to the result", signed=True),
        c.NOTE,
    ),
    question="What are the results without the raters whose writing is flagged?",
    observations="raters",
    says="Means of raters' means. The difference is {a} minus {b} over all models (F1). Raters who "
        "wrote nothing, or whose browser ran no script, are not flagged. The main results by other "
        f"ways are in the table sensitivity. An interval may leave the scale: {BEYOND}.",
    section="Participants",
    subject="raters",
    counts="n counts raters.",
)  # fmt: skip


def without_flagged(
    ratings: DataFrame,
    known: DataFrame,
    contrast: Contrast,
    recipe: Recipe,
    flagged: frozenset[str],
) -> DataFrame:
    """The main difference and the means of systems, of all `ratings` of the included raters and of
    those who are not `flagged`; per dimension. Raises NotAvailable.
    """
    kept = ratings[~ratings["participant"].isin(flagged)]
    if kept.empty:
        raise NotAvailable("the writing of every included rater is flagged")
    every, others = (
        {tuple(row[key] for key in KEYS): row for row in _results(of, known, contrast, recipe)}
        for of in (ratings, kept)
    )
    rows = [_side_by_side(recipe, row, others.get(key, {})) for key, row in every.items()]
    table = DataFrame(rows, columns=WITHOUT_FLAGGED.names)
    return table.astype({"n": "Int64", "n_unflagged": "Int64"})


def _side_by_side(recipe: Recipe, row: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    low, high = other.get("ci_low"), other.get("ci_high")
    left = other.get("note", "not estimable, because no such rater is left")
    change = None if not other else other["value"] - row["value"]
    return {
        "recipe": recipe.name,
        **row,
        "n_unflagged": other.get("n", 0),
        "unflagged": other.get("value"),
        "unflagged_low": low,
        "unflagged_high": high,
        "change": change,
        "note": "; ".join(dict.fromkeys(filter(None, [row["note"], left]))),
    }


def _results(
    ratings: DataFrame, known: DataFrame, contrast: Contrast, recipe: Recipe
) -> Iterator[dict[str, Any]]:
    """The rows of some raters: the differences, then the means of systems."""
    try:
        table = contrasts(ratings, contrast, recipe, raters="included", known=known)
    except NotAvailable:  # the study compares no two conditions, or nobody rated them
        pass
    else:
        by_raters = table[table["generalises_to"] == "raters"]
        over_all = by_raters[by_raters["model"] == ALL]
        for row in records(by_raters if over_all.empty else over_all):  # there may be one model
            yield _row(DIFFERENCE, row, "difference", model=row["model"], condition=ALL)
    means = systems(ratings, recipe, raters="included", known=known)
    for row in records(means[means["unit"] == "participant"]):
        yield _row(MEAN, row, "mean", model=row["model"], condition=row["condition"])


def _row(result: str, row: dict[str, Any], value: str, **system: str) -> dict[str, Any]:
    numbers = {name: row[value if name == "value" else name] for name in NUMBERS}
    return {
        "result": result,
        **system,
        "dimension": row["dimension"],
        **numbers,
        "note": row["note"],
    }


def _make(request: Request) -> Tables:
    study = request.study
    flagged = flagged_among(study.people)
    if flagged is None or request.raters != "included":
        return {}
    table = without_flagged(
        request.answers.ratings,
        study.known,
        study.contrast,
        request.recipe,
        flagged,
    )
    return {"without_flagged": table}


ANALYSIS = AnalysisSpec((WITHOUT_FLAGGED,), _make)
