"""The responses to one scenario whose mean ratings differ most."""

from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame
from scipy.stats import t

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.catalogue.subjects import DIFFERENCES
from analysis.not_available import NotAvailable
from analysis.recipe import USUAL_CONFIDENCE
from analysis.tables.items import ROUNDING
from analysis.tables.mean_interval import BEYOND

#: Of each pair of systems, on each dimension.
CASES_KEPT = 10
LEAST_RATERS = 2
NO_PAIR = "no two included raters rated the same two responses of a page"
LARGEST_DIFFERENCES = TableSpec(
    "largest_differences",
    "Largest differences of responses",
    (
        c.DIMENSION.but(choice=False), c.SCENARIO.but(first="", choice=False),
        c.SET.but(choice=False), *c.SYSTEM_A, *c.SYSTEM_B,
        c.N.but(meaning="Number of raters who rated both responses"),
        c.MEAN_A, *c.interval("mean_a", "mean_a"), c.MEAN_B, *c.interval("mean_b", "mean_b"),
        c.DIFFERENCE, *c.interval("difference"),
        Column("cases", "Cases of this pair and dimension, of which these differ most",
            kind="count"),
    ),
    question="Which responses to one scenario differ most?",
    observations="raters",
    says="Means of the included raters who rated both responses on one page; t intervals over "
        "these raters. Of each pair of systems and dimension, the ten largest differences. The "
        "largest of many differences is overestimated: chance helped to make it the largest, so "
        "expect a smaller one if the case is rated again, and read its interval as too narrow. "
        f"An interval may leave the scale: {BEYOND}. The cases illustrate; they test nothing.",
    section="Systems",
    subject=DIFFERENCES,
    sides="system",
    appendix=True,
    folded=True,
)  # fmt: skip
_PAGE = ["dimension", "scenario", "set"]


def largest_differences(
    ratings: DataFrame, known: DataFrame, *, confidence: float = USUAL_CONFIDENCE
) -> DataFrame:
    """The cases (scenario × set × dimension × pair of systems) that differ most.

    `ratings` has `participant`, `rating` and the columns of an item; `known` every item, in the
    order that pairs have. Raters are paired: n rated both responses, at least two. By dimension,
    the largest first. Raises NotAvailable where there is no case.
    """
    place = {
        system: number
        for number, system in enumerate(
            known[["model", "condition"]].drop_duplicates().itertuples(index=False, name=None)
        )
    }
    pages = []
    for page, of_page in ratings.groupby(_PAGE, observed=True, sort=False):
        about: dict[str, Any] = dict(zip(_PAGE, page, strict=True))
        pages.append(_cases(of_page, place, confidence).assign(**about))
    pages = [page for page in pages if len(page)]
    if not pages:
        raise NotAvailable(NO_PAIR)
    table = pd.concat(pages, ignore_index=True)
    pair = ["dimension", "model_a", "condition_a", "model_b", "condition_b"]
    table["cases"] = table.groupby(pair, observed=True)["n"].transform("size")
    # equal ones in the order of their names, so that the order of ratings changes nothing
    table["size"] = -table["difference"].abs().round(9)
    names = [name for name in [*_PAGE, *pair] if name != "dimension"]
    dimensions = {name: at for at, name in enumerate(dict.fromkeys(known["dimension"]))}
    table["place"] = table["dimension"].map(dimensions)
    table = table.sort_values(["place", "size", *names], ignore_index=True)
    kept = table.groupby(pair, observed=True).cumcount() < CASES_KEPT
    return table[kept][LARGEST_DIFFERENCES.names].reset_index(drop=True)


def _cases(ratings: DataFrame, place: dict[Any, int], confidence: float) -> DataFrame:
    """Every pair of the systems of one page, on one dimension: sums over those who rated both, for
    all pairs at once.
    """
    wide = ratings.pivot_table(
        index="participant", columns=["model", "condition"], values="rating", observed=True
    )
    systems = sorted(wide.columns, key=lambda system: place[system])
    values = wide[systems].to_numpy(dtype=float)
    rated = ~np.isnan(values)
    centre = np.round(values[rated].mean())  # a whole number, so that sums stay exact
    x = np.where(rated, values - centre, 0.0)
    n, sums, squares = rated.T.astype(float) @ rated, x.T @ rated, (x**2).T @ rated
    i, j = np.triu_indices(len(systems), k=1)
    enough = n[i, j] >= LEAST_RATERS
    i, j = i[enough], j[enough]
    pairs = n[i, j]
    quantile = t.ppf((1 + confidence) / 2, pairs - 1)
    columns: dict[str, Any] = {"n": pairs.astype(int)}
    for side, own in (("a", i), ("b", j)):
        columns[f"model_{side}"] = [systems[number][0] for number in own]
        columns[f"condition_{side}"] = [systems[number][1] for number in own]
    for name, ends, total, of_squares, shift in (
        ("mean_a", "mean_a", sums[i, j], squares[i, j], centre),
        ("mean_b", "mean_b", sums[j, i], squares[j, i], centre),
        (
            "difference",
            "ci",
            sums[i, j] - sums[j, i],
            squares[i, j] + squares[j, i] - 2 * (x.T @ x)[i, j],
            0.0,
        ),
    ):
        mean = total / pairs
        variance = (of_squares - total * mean) / (pairs - 1)
        half = quantile * np.sqrt(np.where(variance < ROUNDING, 0.0, variance) / pairs)
        columns |= {
            name: mean + shift,
            f"{ends}_low": mean + shift - half,
            f"{ends}_high": mean + shift + half,
        }
    return DataFrame(columns)
