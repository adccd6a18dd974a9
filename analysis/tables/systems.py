"""How each system was rated, and whether it comes near the reference.

A mean over raters speaks of other raters of these very texts, a mean over scenarios of other
scenarios before these raters; each has its own interval.
"""

from collections.abc import Iterator
from typing import Any

from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.equivalence import equivalence, lower_bound
from analysis.stats.inestimable import Inestimable
from analysis.stats.paired import PairedT, paired_t
from analysis.study_data import Contrast
from analysis.tables.group_tests import adjusted, shown
from analysis.tables.mean_interval import mean_interval
from analysis.tables.request import AnalysisSpec, Request, Tables

FRONT = ["recipe", "unit", "raters"]
SYSTEMS = TableSpec(
    "systems",
    "Means of the systems",
    (
        *c.FRONT, c.MODEL, c.CONDITION, c.DIMENSION, c.N, c.MEAN, c.SD, *c.interval("mean"),
        c.N_RATINGS, c.NOTE,
    ),
    question="How good is each system?",
    observations="raters; scenarios",
    says="As observed: the mean of raters' means (unit participant), with intervals for other "
        "raters, and of scenarios' means (unit scenario), with intervals for other scenarios. The "
        "two means differ where ratings are missing.",
    section="Systems",
    subject="systems",
    counts="n counts the unit.",
    leads=True,
    leads_without=("contrasts", "system_groups"),
)  # fmt: skip
TO_REFERENCE = TableSpec(
    "to_reference",
    "Does a system approach the reference?",
    (
        *c.FRONT, c.MODEL, c.CONDITION, c.DIMENSION,
        *c.REFERENCE_SYSTEM, c.MARGIN, c.N, c.DIFFERENCE.but(
            meaning="Mean of the system minus mean of the reference",
            label="system minus reference", signed=False,
        ), *c.interval("difference"),
        Column("t_non_inferior", "t statistic of the non-inferiority test", latex=False,
            report=False),
        c.DF.but(behind="t_non_inferior", latex=False, report=False),
        Column("p_non_inferior", "One-sided p that the system is not worse by the margin",
            form="p"),
        c.p_holm("systems; of p_non_inferior"),
        Column("lower_bound", "Lower end of the one-sided interval of the difference", page=False),
        Column("approaches", "Whether the system is shown to be non-inferior (at 5 %, by the "
            "adjusted p)", kind="flag"),
        c.P_EQUIVALENT.but(page=False), c.P_EQUIVALENT_ADJUSTED.but(page=False), c.EQUIVALENT,
        c.NOTE,
    ),
    question="Does a system come near the reference, for other raters or for other scenarios?",
    observations="raters; scenarios",
    says="As observed: system minus reference, on pages on which a rater rated both. A system "
        "approaches the reference if it is shown to be non-inferior: worse by less than the "
        "margin. It is equivalent if the difference is shown to be smaller than the margin in both "
        "directions. Both tests are at 5 %, adjusted by Holm's method over systems. Set the margin "
        "in advance.",
    section="Systems",
    subject="systems",
    counts="n counts the unit; p (Holm) is of non-inferiority, p equivalent of equivalence; "
        "lower bound is the end of a one-sided 95 % interval.",
)  # fmt: skip
#: What names a system on a dimension.
SYSTEM = ["model", "condition", "dimension"]
#: The columns whose values are the units.
UNITS = ("participant", "scenario")
#: What one of them is called.
NAMES = {"participant": "rater", "scenario": "scenario"}
#: What there is none or one of, where a system is not compared with the reference.
FEW = {
    "participant": "rater rated both on one page",
    "scenario": "scenario has a page on which somebody rated both",
}


def systems(
    ratings: DataFrame,
    recipe: Recipe,
    *,
    raters: str,
    known: DataFrame | None = None,
    ends: tuple[float, float] | None = None,
) -> DataFrame:
    """Mean of each system with its interval, over raters' means and over scenarios' means.

    `ratings` has `participant`, `rating` and the columns of an item, `known` every item of the
    study (by default those that were rated): a system without ratings says so. `ends` are those of
    the scale. `n` counts the unit, `sd` is the standard deviation of its means. Raises
    NotAvailable.
    """
    if ratings.empty:
        raise NotAvailable("there are no ratings")
    rows = []
    for unit in UNITS:
        front = {"recipe": recipe.name, "unit": unit, "raters": raters}
        for system, of_system in _systems(ratings, known):
            row: dict[str, Any] = {"n": 0, "note": "not estimable, because there are no ratings"}
            if len(of_system):
                means = of_system.groupby(unit, observed=True)["rating"].mean()
                row = mean_interval(
                    means, confidence=recipe.confidence, unit=NAMES[unit], ends=ends
                )
            rows.append({**front, **_named(system), **row, "n_ratings": len(of_system)})
    return DataFrame(rows, columns=SYSTEMS.names)


def to_reference(
    ratings: DataFrame,
    contrast: Contrast,
    recipe: Recipe,
    *,
    raters: str,
    known: DataFrame | None = None,
) -> DataFrame:
    """Is a system worse than the reference by less than the recipe's margin? By both units.

    `ratings` and `known` are as for `systems`. The difference is the system's mean less that of the
    reference, within the unit, over the pages on which a rater rated both. `approaches` where the
    system is not inferior, `equivalent` where it is neither worse nor better by the margin (TOST),
    both at 5 % after Holm's adjustment over the systems: `p_adjusted` is of `p_non_inferior`,
    `p_equivalent_adjusted` of `p_equivalent`. Raises NotAvailable.
    """
    margin = recipe.margins.in_points("reference")
    if margin is None:
        raise NotAvailable("the recipe sets no margin to the reference")
    if contrast.reference is None:
        raise NotAvailable("the study names no reference")
    if ratings.empty:
        raise NotAvailable("there are no ratings")
    model, condition = contrast.reference
    front = {
        "recipe": recipe.name,
        "raters": raters,
        "reference_model": model,
        "reference_condition": condition,
        "margin": margin,
    }
    beside = _beside_reference(ratings, contrast.reference)
    rows = [
        {
            **front,
            "unit": unit,
            **_named(system),
            **_near(beside[unit].get(system), unit, margin, recipe),
        }
        for unit in UNITS
        for system, _ in _systems(ratings, known)
        if system[:2] != contrast.reference
    ]
    if not rows:
        raise NotAvailable("no system was rated beside the reference")
    table = DataFrame(rows, columns=TO_REFERENCE.names)
    one, two = (
        adjusted(table.assign(p=table[p]), [*FRONT, "dimension"])["p_adjusted"]
        for p in ("p_non_inferior", "p_equivalent")
    )
    flags = {"approaches": shown(one), "equivalent": shown(two)}
    return table.assign(p_adjusted=one, p_equivalent_adjusted=two, **flags)


def _systems(
    ratings: DataFrame, known: DataFrame | None
) -> Iterator[tuple[tuple[str, ...], DataFrame]]:
    """Each system of the study on each dimension, with its ratings, of which there may be none."""
    rated = dict(iter(ratings.groupby(SYSTEM, observed=True)))
    items = ratings if known is None else known
    for key in items.groupby(SYSTEM, observed=True).size().index:
        yield tuple(map(str, key)), rated.get(key, ratings.iloc[:0])


def _named(system: tuple[str, ...]) -> dict[str, str]:
    return dict(zip(SYSTEM, system, strict=True))


def _beside_reference(
    ratings: DataFrame, reference: tuple[str, str]
) -> dict[str, dict[tuple[str, ...], DataFrame]]:
    """By unit and system, means of the `system` and of the `reference` on the pages on which a
    rater rated both.
    """
    page = ["dimension", "participant", "scenario", "set"]
    pages = ratings.groupby([*SYSTEM[:2], *page], observed=True)["rating"].mean().reset_index()
    is_reference = (pages["model"] == reference[0]) & (pages["condition"] == reference[1])
    own = pages[~is_reference].rename(columns={"rating": "system"})
    beside = pages.loc[is_reference, [*page, "rating"]].rename(columns={"rating": "reference"})
    both = own.merge(beside, on=page)
    by_unit: dict[str, dict[tuple[str, ...], DataFrame]] = {}
    for unit in UNITS:
        means = both.groupby([*SYSTEM, unit], observed=True)[["system", "reference"]].mean()
        by_system = means.groupby(SYSTEM, observed=True)
        by_unit[unit] = {tuple(map(str, key)): of_system for key, of_system in by_system}
    return by_unit


def _near(means: DataFrame | None, unit: str, margin: float, recipe: Recipe) -> dict[str, Any]:
    n = 0 if means is None else len(means)
    if means is None or n < 2:
        return {"n": n, "note": f"not estimable, because {'one' if n else 'no'} {FEW[unit]}"}
    test = paired_t(means["system"], means["reference"], confidence=recipe.confidence)
    if isinstance(test, Inestimable):
        return {"n": n, "note": str(test)}
    return _tested(test, margin)


def _tested(test: PairedT, margin: float) -> dict[str, Any]:
    near = equivalence(test, margin)
    low, high = test.interval
    return {
        "n": test.n,
        "difference": test.difference,
        "ci_low": low,
        "ci_high": high,
        "t_non_inferior": near.t_lower,
        "df": test.df,
        "p_non_inferior": near.p_lower,
        "lower_bound": lower_bound(test),
        "p_equivalent": near.p,
        "note": "",
    }


def _make_systems(request: Request) -> Tables:
    study = request.study
    table = systems(
        request.answers.ratings,
        request.recipe,
        raters=request.raters,
        known=study.known,
        ends=study.fits.ends,
    )
    return {"systems": table}


def _make_to_reference(request: Request) -> Tables:
    study = request.study
    table = to_reference(
        request.answers.ratings,
        study.contrast,
        request.recipe,
        raters=request.raters,
        known=study.known,
    )
    return {"to_reference": table}


OF_SYSTEMS = AnalysisSpec((SYSTEMS,), _make_systems)
OF_REFERENCE = AnalysisSpec((TO_REFERENCE,), _make_to_reference)
