"""What each rule of exclusion does to the main results.

The same results from different raters: as the rules in force have them, with no rule, with each
rule alone, with all but each, and with σ taken in the other ways that `sigma_mae` knows; and as in
force, without the raters whose writing is flagged.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, get_args

import numpy as np
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.quality_rules import QualityRules, SigmaOver
from analysis.raters.funnel import apply_rules
from analysis.raters.quality import quality_under
from analysis.raters.writing import flagged_among
from analysis.recipe import Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.min_f_prime import min_f_prime
from analysis.stats.paired import sign_test
from analysis.study_data import Contrast
from analysis.tables.conclusions import TestedDifference, moved
from analysis.tables.contrasts import over_all_models
from analysis.tables.fits import LARGE_MODEL, Fits
from analysis.tables.group_tests import ALL
from analysis.tables.items import items, rating_counts
from analysis.tables.mixed_models import said_of, system_contrasts
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.wins import wins, wins_summary

IN_FORCE, NO_RULE = "rules in force", "no rule"
WITHOUT_FLAGGED = "rules in force, without flagged raters"
#: Ratings of a dimension up to which the mixed model is fitted for each variant: some twelve fits,
#: whose time grows with their number.
REFITTED_UP_TO = LARGE_MODEL
#: The columns of a main result, after its name.
ENDS = ["", "_low", "_high", "_p"]
#: What is counted, in the order of the results: wins, differences by raters and by scenarios, and
#: mixed models.
UNITS = "comparison, participant, scenario, rating"
MAIN = ["by_raters", "by_scenarios", "mixed_latent", "mixed_ratings"]
COUNTS = ["a_wins", "b_wins", "ties", "reference_points", "reference_points_max"]

SENSITIVITY = TableSpec(
    "sensitivity",
    "Effect of each exclusion rule",
    (
        c.RECIPE,
        c.UNIT.but(meaning="What counts as one observation, in the order of the results: the "
            "comparison (wins), the participant (by_raters), the scenario (by_scenarios), the "
            "rating (mixed_latent, mixed_ratings)", report=False),
        Column("variant", "Exclusion rules used: the study's own, and others", is_key=True,
            labels="within_rules"),
        c.DIMENSION, c.N_RATERS, c.N_RATINGS.but(latex=False, page=False), c.A_WINS, c.B_WINS,
        c.TIES,
        Column("wins_p", "p of the sign test of the wins", form="p", label="p of wins"),
        c.REFERENCE_POINTS.but(report=False), c.REFERENCE_POINTS_MAX.csv_only(),
        Column("by_raters", "Mean of condition a minus b over all models, by raters (F1)",
            label="{a} minus {b}, by raters", signed=True),
        *c.interval("by_raters", "by_raters"),
        Column("by_raters_p", "p of that difference by raters", form="p", latex=False),
        Column("by_raters_n", "Number of raters for that difference", latex=False, kind="count"),
        Column("by_scenarios", "Mean of condition a minus b over all models, by scenarios "
            "(F2)", label="{a} minus {b}, by scenarios", signed=True),
        *c.interval("by_scenarios", "by_scenarios"),
        Column("by_scenarios_p", "p of that difference by scenarios", form="p", latex=False),
        Column("by_scenarios_n", "Number of scenarios for that difference", latex=False,
            kind="count"),
        Column("mixed_latent", "Condition a minus b in the mixed model, on the latent scale",
            latex=False, report=False, label="{a} minus {b}, mixed model, latent scale",
            signed=True),
        *c.interval("mixed_latent", "mixed_latent", latex=False, report=False),
        Column("mixed_latent_p", "p of that difference on the latent scale", form="p",
            latex=False, report=False),
        Column("mixed_ratings", "Condition a minus b in the mixed model, on the scale of the "
            "ratings", page=False, label="{a} minus {b}, mixed model", signed=True),
        *c.interval("mixed_ratings", "mixed_ratings", page=False),
        Column("mixed_ratings_p", "p of that difference on the scale of the ratings", form="p",
            latex=False, page=False),
        c.LINK.but(latex=False, report=False),
        Column("same_raters", "Whether these rules include exactly the same raters as the study's "
            "own", latex=False, kind="flag"),
        Column("same_conclusion", "Whether every main result keeps its sign and its significance "
            "at the recipe's level; empty if there are none", latex=False, kind="flag"),
        c.WHAT_MOVES, c.NOTE,
    ),
    question="How does each rule of the filter change the results?",
    observations="comparisons (wins); raters; scenarios; ratings (mixed models)",
    says="The main results with the study's rules, without rules, with each of several rules "
        "alone, without each of them, and, if a rule uses σ, with σ computed in other ways. If the "
        "study records how free answers are written, the last row leaves out the flagged raters. "
        "Differences are {a} minus {b} over all models; those by raters and by scenarios, over the "
        "models with both conditions.",
    section="Sensitivity",
    subject="order",
    counts="n raters counts those included by these rules. The unit of wins is the comparison; of "
        "differences by raters or scenarios, the rater or scenario; of mixed models, the rating.",
)  # fmt: skip


def sensitivity(
    ratings: DataFrame,
    people: DataFrame,
    known: DataFrame,
    contrast: Contrast,
    rules: QualityRules,
    recipe: Recipe,
    *,
    refitted_up_to: int = REFITTED_UP_TO,
    fits: Fits | None = None,
) -> DataFrame:
    """The main results of each variant of the rules, per dimension, those in force first.

    `ratings` are everyone's, `people` everyone who consented, as the funnel takes them, `known`
    all items. Wins and points are those of wins_summary.csv over all scenarios, with the p of the
    sign test; differences are a − b over all models: by raters (F1) and by scenarios (F2) of
    contrasts.csv, and of the recipe's first mixed model, on the latent scale and on that of the
    ratings. p values are of each by itself. `same_raters` says whether the variant includes just
    those that count by the rules in force, so that it can't but agree. `same_conclusion`: sign
    and significance, at 1 − the recipe's confidence, of all of these are as in force; `what_moves`
    names those that are not. People may be `flagged` (`raters.writing.with_flagged`): a variant
    leaves them out.

    The same raters are computed once. Where they gave more than `refitted_up_to` ratings of a
    dimension, no mixed model is fitted, which `note` says. Raises NotAvailable.
    """
    if ratings.empty:
        raise NotAvailable("there are no ratings")
    flagged = flagged_among(people)
    if not rules.order and flagged is None:
        raise NotAvailable("the study applies no quality rule")
    if not known["condition"].isin(contrast.conditions).any():
        raise NotAvailable("no response is in either compared condition")
    each = list(included_under(ratings, people, rules))
    if flagged is not None:
        each.append((WITHOUT_FLAGGED, each[0][1] - flagged))
    dimensions = [
        str(d) for d in ratings["dimension"].cat.remove_unused_categories().cat.categories
    ]
    results = {}
    fits = fits or Fits()
    differences = _Differences(ratings, known, contrast)
    rated = ratings.astype({"participant": "category"})  # categories compare faster
    for names in dict.fromkeys(names for _, names in each):
        of_these = rated[rated["participant"].isin(names)]
        by_dimension = _results(
            of_these, known, contrast, recipe, refitted_up_to, fits, differences
        )
        results[names] = {d: by_dimension.get(d, _nothing(names)) for d in dimensions}
    in_force = results[each[0][1]]
    rows = [
        {
            "recipe": recipe.name,
            "unit": UNITS,
            "variant": variant,
            "dimension": dimension,
            "n_raters": len(names),
            "same_raters": names == each[0][1],
            **results[names][dimension],
            **_compared(in_force[dimension], results[names][dimension], recipe.confidence),
        }
        for variant, names in each
        for dimension in dimensions
    ]
    kinds = dict.fromkeys([*COUNTS, "by_raters_n", "by_scenarios_n"], "Int64")
    return DataFrame(rows).reindex(columns=SENSITIVITY.names).astype(kinds)


def variants(rules: QualityRules) -> Iterator[tuple[str, QualityRules]]:
    """The rules in force and what they might have been, by name."""
    yield IN_FORCE, rules
    if not rules.order:
        return
    yield NO_RULE, rules.model_copy(update={"order": []})
    several = rules.order if len(rules.order) > 1 else []  # one alone is what is in force
    for rule in several:
        yield f"{rule} alone", rules.model_copy(update={"order": [rule]})
    for rule in several:
        yield f"all but {rule}", rules.without(rule)
    if "sigma_mae" not in rules.order:
        return
    for over, ddof in product(get_args(SigmaOver), (1, 0)):
        other = rules.sigma_mae.model_copy(update={"sigma_over": over, "ddof": ddof})
        if other != rules.sigma_mae:
            name = f"sigma over {over}, ddof {ddof}"
            yield name, rules.model_copy(update={"sigma_mae": other})


def included_under(
    ratings: DataFrame, people: DataFrame, rules: QualityRules
) -> Iterator[tuple[str, frozenset[str]]]:
    """Who counts under each variant."""
    quality: dict[tuple[str, int], DataFrame] = {}
    for name, variant in variants(rules):
        limits = variant.sigma_mae
        way = (limits.sigma_over, limits.ddof)
        if way not in quality:
            quality[way] = quality_under(variant, people, ratings)
        raters = quality[way]
        included = apply_rules(raters, variant).included
        yield name, frozenset(raters["participant"][included])


def _nothing(names: frozenset[str]) -> dict[str, Any]:
    because = "the included raters gave no ratings" if names else "no rater is included"
    return {"n_ratings": 0, "note": f"not estimable, because {because}"}


def _results(
    ratings: DataFrame,
    known: DataFrame,
    contrast: Contrast,
    recipe: Recipe,
    refitted_up_to: int,
    fits: Fits,
    differences: "_Differences",
) -> dict[str, dict[str, Any]]:
    """The main results of some raters, per dimension that they rated."""
    parts: list[Callable[[DataFrame], tuple[dict[str, Any], list[str]]]] = [
        lambda of_dimension: _wins(of_dimension, known, contrast, recipe),
        lambda of_dimension: _tested(differences.of(of_dimension), recipe),
        lambda of_dimension: _mixed(of_dimension, contrast, recipe, refitted_up_to, fits),
    ]
    results: dict[str, dict[str, Any]] = {}
    for dimension, of_dimension in ratings.groupby("dimension", observed=True):
        result: dict[str, Any] = {"n_ratings": len(of_dimension)}
        notes: list[str] = []
        absent: dict[str, None] = {}
        for part in parts:
            try:
                numbers, said = part(of_dimension)
            except NotAvailable as reason:
                absent[str(reason)] = None
                continue
            result |= numbers
            notes += said
        # What a design has no results for is no gap in the others.
        missing = "other results are not estimable" if len(result) > 1 else "not estimable"
        notes = [*(f"{missing}, because {reason}" for reason in absent), *notes]
        result["note"] = "; ".join(dict.fromkeys(filter(None, notes)))
        results[str(dimension)] = result
    return results


def _wins(
    ratings: DataFrame, known: DataFrame, contrast: Contrast, recipe: Recipe
) -> tuple[dict[str, Any], list[str]]:
    rated = known[known["dimension"].isin(ratings["dimension"].unique())]
    table = wins_summary(wins(items(rating_counts(ratings), rated), contrast))
    row = table[table["scenario"] == ALL].iloc[0]
    cells: dict[str, Any] = {name: int(row[name]) for name in COUNTS}
    notes = []
    tested = sign_test(cells["a_wins"], cells["b_wins"], ties=cells["ties"])
    if isinstance(tested, Inestimable):
        notes.append(f"sign test {tested}")
    else:
        cells["wins_p"] = tested.p
    if not cells["reference_points_max"]:
        cells["reference_points"] = None
        compared = cells["a_wins"] + cells["b_wins"] + cells["ties"]
        beside = "the reference was not rated beside these"
        why = beside if contrast.reference else "the study names no reference"
        notes.append(f"no reference points, because {why}" if compared else "")
    return cells, notes


class _Differences:
    """a − b of each rater and scenario over all models. Nobody else's ratings change it."""

    def __init__(self, ratings: DataFrame, known: DataFrame, contrast: Contrast) -> None:
        self.ratings, self.known, self.contrast = ratings, known, contrast
        self._of_all: dict[str, DataFrame] = {}

    def of(self, ratings: DataFrame) -> DataFrame:
        """Those of the raters of these ratings of one dimension. Raises NotAvailable."""
        if not ratings["condition"].isin(self.contrast.conditions).any():
            raise NotAvailable("no rating is of either compared condition")
        dimension = str(ratings["dimension"].iloc[0])
        if dimension not in self._of_all:
            rated, items = (t[t["dimension"] == dimension] for t in (self.ratings, self.known))
            (self._of_all[dimension],) = over_all_models(rated, self.contrast, items).values()
        of_all = self._of_all[dimension]
        return of_all[of_all.index.isin(ratings["participant"])].dropna(axis="columns", how="all")


def _tested(differences: DataFrame, recipe: Recipe) -> tuple[dict[str, Any], list[str]]:
    tested = min_f_prime(differences, confidence=recipe.confidence, units=("rater", "scenario"))
    cells: dict[str, Any] = {}
    notes = []
    for of, result in (("raters", tested.by_raters), ("scenarios", tested.by_items)):
        if isinstance(result, Inestimable):
            notes.append(f"by {of} {result}")
            continue
        cells |= _numbers(f"by_{of}", result.difference, *result.interval, result.p)
        cells[f"by_{of}_n"] = result.n
    return cells, notes


def _mixed(
    ratings: DataFrame, contrast: Contrast, recipe: Recipe, refitted_up_to: int, fits: Fits
) -> tuple[dict[str, Any], list[str]]:
    if recipe.mixed_models is None:
        return {}, ["no mixed model, because the recipe asks for none"]
    if len(ratings) > refitted_up_to:
        many = f"{len(ratings)} ratings are more than the {refitted_up_to} up to which it is fitted"
        return {}, [f"no mixed model, because {many} for each variant"]
    link = fits.links(str(ratings["dimension"].iloc[0]), recipe.mixed_models.fitted)[0]
    fit = fits.of(ratings, link)
    if isinstance(fit, Inestimable):
        return {"link": link}, [f"mixed model {fit}"]
    cells: dict[str, Any] = {"link": link}
    for row in system_contrasts(fit, contrast, recipe):  # all models come last
        numbers = (row[name] for name in ("difference", "ci_low", "ci_high", "p"))
        cells |= _numbers(f"mixed_{row['scale']}", *numbers)
    return cells, [said_of(fit)]


def _numbers(name: str, *values: float) -> dict[str, float]:
    return {f"{name}{end}": value for end, value in zip(ENDS, values, strict=True)}


def _compared(before: dict[str, Any], after: dict[str, Any], confidence: float) -> dict[str, Any]:
    """What of the main results is not as in force; nothing is said where there are none."""
    pairs = {name: (_finding(before, name), _finding(after, name)) for name in ["wins", *MAIN]}
    if all(np.isnan(one.difference) for pair in pairs.values() for one in pair):
        return {"same_conclusion": None, "what_moves": ""}
    changes = {name: moved(*pair, confidence=confidence) for name, pair in pairs.items()}
    what = ", ".join(f"{name} ({change})" for name, change in changes.items() if change)
    return {"same_conclusion": not what, "what_moves": what}


def _finding(row: dict[str, Any], name: str) -> TestedDifference:
    if name == "wins":
        lead = row["a_wins"] - row["b_wins"] if "a_wins" in row else np.nan
        return TestedDifference(lead, row.get("wins_p", np.nan))
    return TestedDifference(row.get(name, np.nan), row.get(f"{name}_p", np.nan))


def _make(request: Request) -> Tables:
    study = request.study
    table = sensitivity(
        study.ratings,
        study.people,
        study.known,
        study.contrast,
        study.rules,
        request.recipe,
        fits=study.fits,
    )
    return {"sensitivity": table}


ANALYSIS = AnalysisSpec((SENSITIVITY,), _make, of_all_at_once=True)
