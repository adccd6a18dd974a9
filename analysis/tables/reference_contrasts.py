"""How is each system rated beside the reference? By the mixed model that has the systems' means."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from pandas import DataFrame
from scipy.special import stdtr

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import MixedFit, against, contrasts
from analysis.study_data import Contrast
from analysis.tables.fits import Fits, SystemLevel
from analysis.tables.group_tests import adjusted, shown
from analysis.tables.mixed_models import LIMITED_BY, LIMITS, OWN_RATINGS, at_level_of_tests, said_of
from analysis.tables.request import AnalysisSpec, Request, Tables

FAMILY = ["recipe", "raters", "dimension", "link"]
REFERENCE_CONTRASTS = TableSpec(
    "reference_contrasts",
    "Systems against the reference, raters and items at once",
    (
        c.RECIPE, c.RATERS, c.DIMENSION, c.LINK, c.UNIT, OWN_RATINGS, c.MODEL, c.CONDITION,
        *c.REFERENCE_SYSTEM,
        c.DIFFERENCE.but(meaning="Mean of the system minus mean of the reference",
            label="system minus reference", signed=False),
        c.SE, c.T.csv_only(), c.DF.but(latex=False), c.P, c.p_holm("systems"),
        *c.interval("difference", note="at the level of its test"),
        LIMITED_BY,
        c.MARGIN,
        Column("p_non_inferior", "One-sided p that the system is not worse by the margin",
            form="p", page=False, report=False, latex=False),
        Column("p_non_inferior_adjusted", "The same, adjusted by Holm's method over systems",
            form="p", label="p non-inferior (Holm)"),
        Column("approaches", "Whether the system is shown to be non-inferior (at 5 %, by the "
            "adjusted p)", kind="flag"),
        c.P_EQUIVALENT.but(page=False),
        c.P_EQUIVALENT_ADJUSTED.but(page=False,
            meaning="The p of equivalence, adjusted by Holm's method over systems"),
        c.EQUIVALENT,
        c.NOTE,
    ),
    question="Which systems are rated below the reference, and which above?",
    observations="ratings in raters × items",
    says="System minus reference, for other raters and other texts at once, tested by Student's t "
        "with Satterthwaite's degrees of freedom. p is adjusted by Holm's method over systems, and "
        "each interval has the level at which that method tests its system (Serlin 1993). A system "
        "approaches the reference if it is shown to be non-inferior: worse by less than the "
        "margin. Set the margin in advance.",
    section="Systems",
    subject="systems",
    counts="n counts the unit: the ratings of the system.",
    leads=True,
    leads_without=("contrasts", "mixed_contrasts"),
)  # fmt: skip


def reference_contrasts(
    ratings: DataFrame, contrast: Contrast, recipe: Recipe, *, raters: str, fits: Fits | None = None
) -> DataFrame:
    """Each system less the reference, by the recipe's models of each dimension, in points.

    `ratings` has `participant`, `rating` and the columns of an item. A model that cannot be had is
    one row with the reason in `note`. Without a margin of the recipe, its columns are empty. Raises
    NotAvailable.
    """
    if contrast.reference is None:
        raise NotAvailable("the study names no reference")
    reference = SystemLevel(*contrast.reference)
    rows: list[dict[str, Any]] = []
    for keys, _, fit in (fits or Fits()).each(ratings, recipe, raters):
        front = {**keys, "reference_model": reference.model}
        front["reference_condition"] = reference.condition
        if isinstance(fit, Inestimable):
            rows.append({**front, "model": "", "condition": "", "note": str(fit)})
            continue
        levels = list(fit.data.term("system").levels)
        if reference in levels and len(levels) > 1:
            rows += [{**front, **row} for row in _beside(fit, levels, reference, recipe)]
    if not rows:
        raise NotAvailable("no system was rated beside the reference")
    table = DataFrame(rows, columns=REFERENCE_CONTRASTS.names).astype({"n": "Int64"})
    for p in ("p_non_inferior", "p_equivalent"):
        table[f"{p}_adjusted"] = adjusted(table.assign(p=table[p]), FAMILY)["p_adjusted"]
    return table.assign(
        approaches=shown(table["p_non_inferior_adjusted"]),
        equivalent=shown(table["p_equivalent_adjusted"]),
    )


def _beside(
    fit: MixedFit, levels: list[SystemLevel], reference: SystemLevel, recipe: Recipe
) -> Iterator[dict[str, Any]]:
    table = contrasts(fit, "system", against(levels, reference), confidence=recipe.confidence)
    table = at_level_of_tests(table, recipe.confidence)
    margin = recipe.margins.in_points("reference")
    others = [level for level in levels if level != reference]
    n = fit.data.counts("system")
    for system, row in zip(others, table.to_dict("records"), strict=True):
        yield {
            **asdict(system),
            "n": n[system],
            "difference": row["estimate"],
            **{name: row[name] for name in ("se", "t", "df", "p", "p_adjusted")},
            "ci_low": row["low"],
            "ci_high": row["high"],
            "limited_by": LIMITS[row["source"]],
            **_near(row, margin),
            "note": said_of(fit),
        }


def _near(row: dict[Any, Any], margin: float | None) -> dict[str, Any]:
    """One-sided tests against −margin and against +margin."""
    if margin is None:
        return {"margin": np.nan, "p_non_inferior": np.nan, "p_equivalent": np.nan}
    lower = stdtr(row["df"], -(row["estimate"] + margin) / row["se"])
    upper = stdtr(row["df"], (row["estimate"] - margin) / row["se"])
    return {"margin": margin, "p_non_inferior": lower, "p_equivalent": max(lower, upper)}


def _make(request: Request) -> Tables:
    table = reference_contrasts(
        request.answers.ratings,
        request.study.contrast,
        request.recipe,
        raters=request.raters,
        fits=request.study.fits,
    )
    return {"reference_contrasts": table}


ANALYSIS = AnalysisSpec((REFERENCE_CONTRASTS,), _make)
