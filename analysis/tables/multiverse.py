"""The main contrasts under every combination of choices that could be defended.

A specification is a choice of exclusion rules (those of `sensitivity`), of an analysis, and of the
scale on which the difference stands. Rules that include the same raters are one choice, so that
nothing is counted twice. S. Steegen, F. Tuerlinckx, A. Gelman & W. Vanpaemel (2016), Increasing
transparency through a multiverse analysis, Perspectives on Psychological Science 11(5);
U. Simonsohn, J. P. Simmons & L. D. Nelson (2020), Specification curve analysis, Nature Human
Behaviour 4.
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
from analysis.recipe import FittedLink, Recipe, Scale
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import DECIMALS
from analysis.stats.min_f_prime import ByRatersAndItems, min_f_prime
from analysis.tables.contrasts import PairedMeans, compared
from analysis.tables.fits import SYSTEM, Fits
from analysis.tables.group_tests import ALL
from analysis.tables.mixed_models import said_of, system_contrasts
from analysis.tables.request import StudyInput
from analysis.tables.sensitivity import IN_FORCE, included_under
from analysis.tables.signed_ranks import signed_ranks
from survey.definition.contrast import comparison_of

#: Analyses by name, with what counts as one observation in each.
ANALYSES = {
    "mixed_linear": "rating",
    "mixed_probit": "rating",
    "mixed_logit": "rating",
    "by_raters": "participant",
    "by_scenarios": "scenario",
    "min_f": "both",
    "signed_ranks": "participant",
}
#: Those of raters' means.
OF_MEANS = ("by_raters", "by_scenarios", "min_f", "signed_ranks")
POINTS = "ratings"
NO_RATINGS = Inestimable("no_values", "the included raters gave no ratings")
SCALE = c.SCALE.but(part=False, first=POINTS)
#: What is told of the progress: how many steps are done, and how many there are.
Progress = Callable[[int, int], None]

MULTIVERSE = TableSpec(
    "multiverse",
    "{a} against {b} under other choices",
    (
        c.RECIPE, c.UNIT, c.MODEL, c.DIMENSION, c.CONDITION_A, c.CONDITION_B,
        Column("variant", "Exclusion rules used: the study's own, or others", is_key=True,
            labels="within_rules"),
        Column("same_as", "Other exclusion rules that include the same raters", kind="text",
            labels="within_rules", page=False, report=False, latex=False),
        c.N_RATERS, c.N_RATINGS.csv_only(),
        Column("analysis", "Mixed model (linear or ordinal), by raters (F1), by scenarios (F2), "
            "min F′, or signed ranks within raters", is_key=True, choice=True, labels="analyses"),
        SCALE,
        c.DIFFERENCE.but(meaning="Condition a minus b. Of min F′ and signed ranks, which estimate "
            "none, the mean difference by raters"),
        *c.interval("difference"), c.P,
        Column("significant", "Whether p is below 1 minus the recipe's confidence", kind="flag"),
        Column("sign_changed", "Whether the difference has the opposite sign of the main result",
            kind="flag"),
        Column("is_main", "Whether this is the main result: the study's rules, and the recipe's "
            "mixed model on the scale of the ratings or, without one, min F′", kind="flag",
            page=False, report=False, latex=False),
        c.NOTE,
    ),
    question="What would other defensible choices have found?",
    observations="ratings; raters; scenarios; both",
    says="Each row is one specification: a choice of exclusion rules, an analysis and a scale. "
        "Rules that include the same raters are one choice. Differences are {a} minus {b}.",
    section="Sensitivity",
    subject="order",
    counts="The unit is that of the analysis.",
    appendix=True,
)  # fmt: skip
MULTIVERSE_SUMMARY = TableSpec(
    "multiverse_summary",
    "{a} against {b} over all specifications",
    (
        c.RECIPE, c.MODEL, c.DIMENSION, SCALE.but(part=False),
        Column("specifications", "Number of specifications with an estimate", kind="count"),
        Column("not_estimable", "Number of specifications without an estimate", kind="count"),
        Column("significant", "How many of them are significant", kind="count"),
        Column("significant_share", "Share of significant specifications, from 0 to 1"),
        Column("sign_changed", "How many have the opposite sign of the main result", kind="count"),
        Column("sign_changed_share", "Share with the opposite sign, from 0 to 1"),
        Column("significant_against", "How many are significant with the opposite sign of the main "
            "result", kind="count", latex=False),
        Column("median", "Median difference over the specifications", signed=True),
        Column("smallest", "Smallest difference", latex=False, signed=True),
        Column("largest", "Largest difference", latex=False, signed=True),
        c.DIFFERENCE.but(meaning="Difference of the main result; empty where it stands on another "
            "scale or cannot be estimated", label="main result"),
        c.P.but(meaning="p value of the main result, two-sided", label="p of main result"),
    ),
    question="How many defensible choices agree with the main result?",
    observations="specifications",
    says="Summary of the multiverse. Differences are {a} minus {b}. The specifications rest on "
        "largely the same ratings: shares describe how far the result depends on choices, and are "
        "no test.",
    section="Sensitivity",
    subject="order",
    counts="A specification is one choice of exclusion rules, analysis and scale.",
)  # fmt: skip


@dataclass(frozen=True)
class RaterSet:
    """Raters whom some exclusion rules include: `variant` names the first, `same_as` the others."""

    variant: str
    same_as: tuple[str, ...]
    names: frozenset[str]


def multiverse(
    study: StudyInput, recipe: Recipe, scale: Scale, progress: Progress = lambda done, of: None
) -> DataFrame:
    """Every specification's contrasts, of each model and over all of them, per dimension.

    `study` has everybody's ratings; its `fits` keep each mixed model, so that no set of raters is
    fitted twice. The analyses are those of `ANALYSES`: mixed models linear and, where ratings are
    ordered categories, ordinal with the recipe's links (probit where it names none). `progress` is
    told after each of the steps: a set of raters × dimension × mixed model. Intervals and
    significance are at the recipe's confidence; p values are of each by itself. Raises
    NotAvailable.
    """
    if study.ratings.empty:
        raise NotAvailable("there are no ratings")
    a, b = study.contrast.conditions
    sets = rater_sets(study)
    links = _links(recipe, scale)
    rated = study.ratings.astype({"participant": "category"})  # categories compare faster
    dimensions = _dimensions(study)
    fitted = {each: list(dict.fromkeys(study.fits.links(each, links))) for each in dimensions}
    total = len(sets) * sum(len(of) for of in fitted.values())
    done, rows = 0, list[dict[str, Any]]()
    for of in sets:
        of_these = rated[rated["participant"].isin(of.names)]
        front = {
            "recipe": recipe.name, "condition_a": a, "condition_b": b, "variant": of.variant,
            "same_as": ", ".join(of.same_as), "n_raters": len(of.names),
        }  # fmt: skip
        for dimension, model in dimensions.items():
            ratings = of_these[of_these["dimension"] == dimension]
            about = front | {"dimension": dimension, "model": model, "n_ratings": len(ratings)}
            for link in fitted[dimension]:
                rows += [about | row for row in _mixed(ratings, link, study, recipe)]
                done += 1
                progress(done, total)
            rows += [about | row for row in _by_means(ratings, study, recipe)]
    table = DataFrame(rows).reindex(columns=MULTIVERSE.names)
    return _compared_with_main(table, recipe, study.fits)


def rater_sets(study: StudyInput) -> list[RaterSet]:
    """The different sets of raters that count under some rules, those of the rules in force first;
    one without raters is left out.
    """
    variants: dict[frozenset[str], list[str]] = {}
    for variant, names in included_under(study.ratings, study.people, study.rules):
        if names:
            variants.setdefault(names, []).append(variant)
    return [RaterSet(first, tuple(rest), names) for names, (first, *rest) in variants.items()]


def _dimensions(study: StudyInput) -> dict[str, str]:
    """The dimensions with a contrast, each with what its main result is about: all models, or the
    only one. Raises NotAvailable where a condition has no system.
    """
    systems = study.known[["dimension", *SYSTEM]].drop_duplicates().astype("str")
    main = {}
    for dimension, of in systems.groupby("dimension", sort=False):
        names = list(of[SYSTEM].itertuples(index=False, name=None))
        comparison = comparison_of(names, *study.contrast.conditions)
        if comparison is not None:
            is_single = comparison.is_within and len(comparison.models) == 1
            main[str(dimension)] = comparison.models[0] if is_single else ALL
    if not main:
        raise NotAvailable("no system is in one of the compared conditions")
    return main


def _links(recipe: Recipe, scale: Scale) -> list[FittedLink]:
    """The mixed models: linear, and ordinal ones where there are ordered categories."""
    named = recipe.mixed_models.fitted if recipe.mixed_models else []
    ordinal = [link for link in named if link != "linear"] or ["probit"]
    return ["linear", *(ordinal if scale.is_ordinal else [])]


def _mixed(
    ratings: DataFrame, link: FittedLink, study: StudyInput, recipe: Recipe
) -> Iterator[dict[str, Any]]:
    front = _front(f"mixed_{link}")
    fit = study.fits.of(ratings, link) if len(ratings) else NO_RATINGS
    if isinstance(fit, Inestimable):
        yield front | {"note": str(fit)}
        return
    for row in system_contrasts(fit, study.contrast, recipe):
        names = ("model", "scale", "difference", "ci_low", "ci_high", "p")
        yield front | {name: row[name] for name in names} | {"note": said_of(fit)}


def _by_means(ratings: DataFrame, study: StudyInput, recipe: Recipe) -> Iterator[dict[str, Any]]:
    """F1, F2, min F′ and signed ranks of the raters' means."""
    if not ratings["condition"].isin(study.contrast.conditions).any():
        yield from (_front(analysis) | {"note": str(NO_RATINGS)} for analysis in OF_MEANS)
        return
    items = study.known[study.known["dimension"] == ratings["dimension"].iloc[0]]
    try:
        pairs = list(compared(ratings, study.contrast, items))
    except NotAvailable as reason:
        note = f"not estimable, because {reason}"
        yield from (_front(analysis) | {"note": note} for analysis in OF_MEANS)
        return
    for each in pairs:
        rows = [_front(analysis) | {"note": each.why_not} for analysis in OF_MEANS]
        if not each.why_not:
            units = ("rater", "scenario")
            tests = min_f_prime(each.differences, confidence=recipe.confidence, units=units)
            rows = [*_of_tests(tests), _signed_ranks(each, recipe)]
        for row in rows:
            yield row | {"model": each.model, "note": each.noted(row.get("note", ""))}


def _of_tests(tests: ByRatersAndItems) -> Iterator[dict[str, Any]]:
    for analysis, test in (("by_raters", tests.by_raters), ("by_scenarios", tests.by_items)):
        if isinstance(test, Inestimable):
            yield _front(analysis) | {"note": str(test)}
            continue
        low, high = test.interval
        numbers = {"difference": test.difference, "ci_low": low, "ci_high": high, "p": test.p}
        yield _front(analysis) | numbers
    both, raters = tests.min_f, tests.by_raters
    if isinstance(both, Inestimable) or isinstance(raters, Inestimable):
        yield _front("min_f") | {"note": str(both)}
        return
    yield _front("min_f") | {"difference": raters.difference, "p": both.p}


def _signed_ranks(each: PairedMeans, recipe: Recipe) -> dict[str, Any]:
    means = each.both.groupby("participant", observed=True)[["a", "b"]].mean()
    nobody = "no rater rated both conditions side by side"
    row = signed_ranks(means["a"], means["b"], confidence=recipe.confidence, nobody=nobody)
    if row.get("p") is None:
        return _front("signed_ranks") | {"note": row["note"]}
    difference = row["mean_a"] - row["mean_b"]
    return _front("signed_ranks") | {"difference": difference, "p": row["p"]}


def _front(analysis: str) -> dict[str, Any]:
    return {"analysis": analysis, "unit": ANALYSES[analysis], "scale": POINTS}


# ── Held against the main result ──────────────────────────────────────────────────────────────────


def _compared_with_main(table: DataFrame, recipe: Recipe, fits: Fits) -> DataFrame:
    """With what is significant, and what has the opposite sign of the main result of its model;
    by dimension and model, all models first.
    """
    level = round(1 - recipe.confidence, 12)
    numbers = ["difference", "ci_low", "ci_high", "p"]
    table = table.astype(dict.fromkeys(numbers, "float64"))
    estimated = table["p"].notna() & table["difference"].notna()
    keys = table["dimension"] + "/" + table["model"]
    main = _is_main(table, keys, recipe, fits)
    sign = np.sign(table["difference"].round(DECIMALS))
    of_main = keys.map(dict(zip(keys[main], sign[main], strict=True)))
    known = estimated & of_main.notna()
    table["significant"] = (table["p"] < level).astype(object).where(estimated, None)
    table["sign_changed"] = (sign * of_main < 0).astype(object).where(known, None)
    table["is_main"] = main
    table["note"] = table["note"].fillna("")
    place = {name: at for at, name in enumerate(dict.fromkeys(table["model"]), start=1)} | {ALL: 0}
    dimensions = {name: at for at, name in enumerate(dict.fromkeys(table["dimension"]))}
    order = DataFrame(
        {"dimension": table["dimension"].map(dimensions), "model": table["model"].map(place)}
    )
    by = order.sort_values(["dimension", "model"], kind="stable").index
    return table.loc[by].reset_index(drop=True)


def _is_main(
    table: DataFrame, keys: "pd.Series[str]", recipe: Recipe, fits: Fits
) -> "pd.Series[bool]":
    """Which rows are the main result of their model and dimension, as `keys` tell these apart."""
    eligible = (table["variant"] == IN_FORCE) & (table["scale"] == POINTS) & table["p"].notna()
    ranked = pd.Series(np.nan, index=table.index)
    asked = recipe.mixed_models.fitted if recipe.mixed_models else []
    for dimension, part in table.groupby("dimension", sort=False):
        led = [f"mixed_{link}" for link in fits.links(str(dimension), asked)] if asked else []
        ranks = {analysis: place for place, analysis in enumerate([*led, "min_f"])}
        ranked[part.index] = part["analysis"].map(ranks)
    ranked = ranked.where(eligible)
    return ranked.notna() & (ranked == ranked.groupby(keys).transform("min"))


def summary(table: DataFrame) -> DataFrame:
    """A multiverse in a row per model, dimension and scale; `table` is of `multiverse`."""
    by = ["recipe", "model", "dimension", "scale"]
    rows = [
        dict(zip(by, keys, strict=True)) | _summarised(part)
        for keys, part in table.groupby(by, sort=False)
    ]
    counts = ["specifications", "not_estimable", "significant", "sign_changed"]
    kinds = dict.fromkeys([*counts, "significant_against"], "Int64")
    return DataFrame(rows).reindex(columns=MULTIVERSE_SUMMARY.names).astype(kinds)


def _summarised(part: DataFrame) -> dict[str, Any]:
    estimated = part[part["significant"].notna()]
    n = len(estimated)
    significant = estimated["significant"].astype(bool)
    known = estimated["sign_changed"].notna().all() and n > 0
    changed = estimated["sign_changed"].eq(True)
    main = part[part["is_main"]]
    differences = estimated["difference"].to_numpy()
    return {
        "specifications": n,
        "not_estimable": len(part) - n,
        "significant": int(significant.sum()),
        "significant_share": significant.mean() if n else np.nan,
        "sign_changed": int(changed.sum()) if known else None,
        "sign_changed_share": changed.mean() if known else np.nan,
        "significant_against": int((changed & significant).sum()) if known else None,
        "median": float(np.median(differences)) if n else np.nan,
        "smallest": min(differences, default=np.nan),
        "largest": max(differences, default=np.nan),
        "difference": main["difference"].iloc[0] if len(main) else np.nan,
        "p": main["p"].iloc[0] if len(main) else np.nan,
    }
