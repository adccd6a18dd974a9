"""The responses to one scenario whose mean ratings differ most."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from pandas import DataFrame
from scipy.stats import t

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.catalogue.subjects import DIFFERENCES
from analysis.not_available import NotAvailable
from analysis.recipe import USUAL_CONFIDENCE
from analysis.tables.items import ROUNDING

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
        "The cases illustrate; they test nothing.",
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
    rows = [
        dict(zip(_PAGE, page, strict=True)) | row
        for page, of_page in ratings.groupby(_PAGE, observed=True, sort=False)
        for row in _cases(of_page, place, confidence)
    ]
    if not rows:
        raise NotAvailable(NO_PAIR)
    table = DataFrame(rows)
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


@cache
def _quantile(confidence: float, n: int) -> float:
    """Student's t of an interval of a mean of n."""
    return float(t.ppf((1 + confidence) / 2, n - 1))


def _cases(
    ratings: DataFrame, place: dict[Any, int], confidence: float
) -> Iterator[dict[str, Any]]:
    """Every pair of the systems of one page, on one dimension."""
    wide = ratings.pivot_table(
        index="participant", columns=["model", "condition"], values="rating", observed=True
    )
    systems = sorted(wide.columns, key=lambda system: place[system])
    values = wide[systems].to_numpy(dtype=float)
    for (i, a), (j, b) in combinations(enumerate(systems), 2):
        both = values[:, [i, j]]
        both = both[~np.isnan(both).any(axis=1)]
        if len(both) < LEAST_RATERS:
            continue
        row: dict[str, Any] = {"n": len(both)}
        row |= {"model_a": a[0], "condition_a": a[1], "model_b": b[0], "condition_b": b[1]}
        for name, x, ends in (
            ("mean_a", both[:, 0], "mean_a"),
            ("mean_b", both[:, 1], "mean_b"),
            ("difference", both[:, 0] - both[:, 1], "ci"),
        ):
            mean, variance = float(x.mean()), float(x.var(ddof=1))
            variance = 0.0 if variance < ROUNDING else variance
            half = _quantile(confidence, len(x)) * (variance / len(x)) ** 0.5
            row |= {name: mean, f"{ends}_low": mean - half, f"{ends}_high": mean + half}
        yield row
