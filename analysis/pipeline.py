"""Everything that the ratings of one study mean: the one entry point of the analysis.

Tidy tables in, tables and figures out; no database and no settings beside the rules.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from pandas import DataFrame, Series

from analysis.by_recipe import analyse_by_recipe
from analysis.figures.funnel import consort_flow
from analysis.figures.labelled import labelled, labelled_contrast
from analysis.figures.multiverse import specification_curve
from analysis.figures.quality import distribution, durations, sigma_against_mae
from analysis.figures.ratings import ratings_kde
from analysis.figures.shares import category_shares
from analysis.not_available import NotAvailable
from analysis.quality_rules import USUAL_LABELS, QualityRules
from analysis.raters.demographics import demographics
from analysis.raters.filtering import Filtered, filtered
from analysis.raters.funnel import exclusions, not_entered, under_rules
from analysis.raters.gold_distance import gold_distance
from analysis.raters.rater_table import rater_table
from analysis.raters.thresholds import thresholds
from analysis.raters.writing import flagged_writing, with_flagged
from analysis.recipe import Raters, Recipe, Scale
from analysis.results import Results
from analysis.size import AnalysisSize
from analysis.stats.threads import on_one_thread
from analysis.study_data import CheckedData, Contrast, StudyData, in_order, plain
from analysis.tables.contrasts import rater_differences
from analysis.tables.fits import Fits
from analysis.tables.flags import POINTS, flags
from analysis.tables.items import items, rating_counts
from analysis.tables.largest_differences import largest_differences
from analysis.tables.multiverse import Progress, multiverse, summary
from analysis.tables.request import Answers, StudyInput
from analysis.tables.self_agreement import self_agreement
from analysis.tables.wins import wins, wins_summary
from survey.definition.labels import Labels

__all__ = ["Contrast", "Results", "StudyData", "analyse"]

#: Why there is nothing about ratings in a study that has none.
UNRATED = "the study asks for no ratings"
OF_RATINGS = ["items", "largest_differences", "wins", "wins_summary", "shares", "ratings_kde"]
OF_DISTANCES = ["thresholds", "gold_distance", "sigma_mae", "sigma", "mae"]
FIGURES = ["consort", "durations", "sigma_mae", "sigma", "mae", "shares", "ratings_kde"]
#: Of the bootstrap that says how sure the elbows are.
THRESHOLDS_SEED = 1


@on_one_thread
def analyse(
    data: StudyData,
    rules: QualityRules,
    recipes: Sequence[Recipe] = (),
    labels: Labels = USUAL_LABELS,
    *,
    size: AnalysisSize | None = None,
) -> Results:
    """Filter the raters, and compute every table and figure from those who are left, but those that
    an analysis of this `size` leaves for later (default: that of the ratings in `data`).

    What depends on no recipe comes first, then what the recipes ask for. The results depend on
    the content of `data` alone, not on the order of its rows. Figures have `labels` for names,
    tables keep names. Raises ValueError when `data`
    contradict themselves, as `study_data.check` does, and MarginOutsideScale.
    """
    who = filtered(data, rules)
    rules, raters, funnel = who.rules, who.raters, who.funnel
    checked = who.checked.without_decided()
    people = checked.consented
    counted: dict[Raters, Answers] = {
        "included": _answers_of(
            checked,
            raters["participant"][funnel.included],
            _no_ratings(funnel.included) if data.scale else UNRATED,
        ),
        "all": _answers_of(
            checked,
            people["participant"][~people["active"]],
            "nobody gave ratings" if data.scale else UNRATED,
        ),
    }
    results = Results()
    _about_raters(results, who, labels, rated=bool(data.scale), writing=data.writing)
    everyone = who.checked.consented
    results.table("demographics", lambda: demographics(everyone, funnel.included, data.orders))
    _about_systems(results, data, checked, counted["included"], labels)
    if checked.ratings.empty:
        results.not_available["rater_differences"] = counted["all"].unrated
    else:
        results.table(
            "rater_differences",
            lambda: rater_differences(checked.ratings, data.contrast, checked.known),
        )
    if recipes:
        study = _study_input(who, data)
        scale = Scale(data.scale, data.between)
        size = size or AnalysisSize(len(data.ratings), everything=False)
        analyse_by_recipe(results, counted, study, scale, recipes, labels, size)
    results.exclusions = exclusions(raters, funnel.exclusion, rules)
    return results


@on_one_thread
def analyse_multiverse(
    data: StudyData,
    rules: QualityRules,
    recipes: Sequence[Recipe],
    labels: Labels = USUAL_LABELS,
    progress: Progress = lambda done, of: None,
) -> Results:
    """The multiverse of each recipe whose units are raters, which takes longer than `analyse`: its
    table, their summary and the specification curve, or why there is none.

    `progress` is told how many of the mixed models' fits are done. Raises as `analyse` does.
    """
    scale = Scale(data.scale, data.between)
    study = _study_input(filtered(data, rules), data)
    chosen = [recipe.on(scale) for recipe in recipes if recipe.unit == "participant"]
    results = Results()
    results.table("multiverse", lambda: _multiverses(study, chosen, scale, progress))
    if "multiverse" not in results.tables:
        results.not_available["multiverse_summary"] = results.not_available["multiverse"]
        return results
    table = results.tables["multiverse"]
    results.table("multiverse_summary", lambda: summary(table))
    results.figure("multiverse", lambda: specification_curve(labelled(table, labels), labels))
    return results


def _multiverses(
    study: StudyInput, recipes: Sequence[Recipe], scale: Scale, progress: Progress
) -> DataFrame:
    if not recipes:
        raise NotAvailable("no recipe counts raters")
    tables = []
    for place, recipe in enumerate(recipes):

        def told(done: int, of: int, before: int = place) -> None:
            progress(before * of + done, of * len(recipes))

        tables.append(multiverse(study, recipe, scale, told))
    return pd.concat(tables, ignore_index=True)


def _study_input(who: Filtered, data: StudyData) -> StudyInput:
    """What analyses with other raters start from: everybody but those excluded by a decision."""
    checked = who.checked.without_decided()
    scale = Scale(data.scale, data.between)
    return StudyInput(
        checked.ratings,
        with_flagged(checked.consented, who.raters, recorded=data.writing is not None),
        checked.known,
        data.contrast,
        who.rules,
        Fits(frozenset(data.composites), scale.ends if scale.points else None),
        data.parameters,
    )


def _answers_of(checked: CheckedData, names: "Series[str]", unrated: str) -> Answers:
    ratings, ranks, people = (
        frame[frame["participant"].isin(names)].reset_index(drop=True)
        for frame in (checked.ratings, checked.ranks, checked.consented)
    )
    return Answers(ratings, ranks, people, unrated)


def _about_raters(
    results: Results, who: Filtered, labels: Labels, *, rated: bool, writing: DataFrame | None
) -> None:
    """The funnel, each rater's indices, whose writing is flagged, and the limits beside their
    elbows.
    """
    checked, rules, raters, funnel = who.checked, who.rules, who.raters, who.funnel
    if len(funnel.steps):
        results.tables["funnel"] = funnel.steps
    else:
        results.not_available["funnel"] = "the study applies no quality rule"
    results.tables["raters"] = rater_table(checked, raters, rated=rated)
    results.figure(
        "consort", lambda: consort_flow(funnel.steps, rules, not_entered(checked.people), labels)
    )
    results.figure("durations", lambda: durations(raters, rules))
    if writing is not None:
        entered = raters[under_rules(raters)]
        results.table("flagged_writing", lambda: flagged_writing(writing, entered, rules.writing))
        if why := results.not_available.get("flagged_writing"):
            results.not_available["without_flagged"] = why
    if not rated:
        results.not_available |= dict.fromkeys(
            ["raters.sigma", "raters.mae", *OF_DISTANCES], UNRATED
        )
        return
    results.not_available |= _absent_from_filter(raters, checked.known, rules)
    limits = thresholds(raters, rules, seed=THRESHOLDS_SEED)
    results.table("thresholds", lambda: limits)
    results.table("gold_distance", lambda: gold_distance(raters, checked.ratings))
    results.figure("sigma_mae", lambda: sigma_against_mae(raters, rules, labels))
    for measure in ("sigma", "mae"):
        results.figure(measure, partial(distribution, raters, limits, measure))


def _of_included(again: DataFrame, data: StudyData, included: Answers) -> DataFrame:
    """The first and second ratings of the included raters, in the study's order of dimensions."""
    own = again[again["participant"].isin(included.ratings["participant"].unique())]
    order = in_order(own["dimension"], data.orders.get("dimension", ()))
    return own.sort_values(
        ["dimension", "participant"],
        key=lambda values: values.map(order.index) if values.name == "dimension" else values,
        kind="stable",
    )


def _about_systems(
    results: Results, data: StudyData, checked: CheckedData, included: Answers, labels: Labels
) -> None:
    """Means of responses, wins, and how ratings are spread."""
    counts = rating_counts(included.ratings)
    if counts.empty:
        results.not_available |= dict.fromkeys(OF_RATINGS, included.unrated)
        return
    table = items(counts, checked.known)
    results.tables["items"] = plain(table)
    results.table(
        "largest_differences", lambda: plain(largest_differences(included.ratings, checked.known))
    )
    if data.repeats is not None and not data.repeats.again.empty:
        again = _of_included(data.repeats.again, data, included)
        results.table("self_agreement", lambda: self_agreement(again))
    if len(data.scale) == POINTS and not data.between:
        points = [float(value) for value, _ in data.scale]
        of_scale = counts[~counts["dimension"].isin(list(data.composites))]
        results.tables["flags"] = plain(flags(of_scale, points))
    draw = {"between": data.between}
    of_points = counts[~counts["dimension"].isin(list(data.composites))]
    drawn, contrast = labelled(counts, labels), labelled_contrast(data.contrast, labels)
    results.figure(
        "shares", lambda: category_shares(labelled(of_points, labels), data.scale, **draw)
    )
    results.figure("ratings_kde", lambda: ratings_kde(drawn, contrast, data.scale, **draw))
    results.table("wins", lambda: wins(table, data.contrast))
    if "wins" in results.tables:
        # not from the table results, whose names have lost the order of the study
        results.table("wins_summary", lambda: wins_summary(wins(table, data.contrast)))
        if data.contrast.reference is None:
            results.not_available["wins.reference_points"] = "the study names no reference"
            nothing = dict.fromkeys(["reference_points", "reference_points_max"], np.nan)
            results.tables["wins_summary"] = results.tables["wins_summary"].assign(**nothing)
    else:
        results.not_available["wins_summary"] = results.not_available["wins"]


def _absent_from_filter(raters: DataFrame, known: DataFrame, rules: QualityRules) -> dict[str, str]:
    """Why there are no distances to the gold scores."""
    absent: dict[str, str] = {}
    why = ""
    if known["gold"].isna().all():
        why = "there are no gold scores"
    elif raters["n_ratings"].any() and not raters["n_gold"].any():
        why = "no rating has a gold score"
    if why:
        nobody = ", and sigma_mae matches nobody" if "sigma_mae" in rules.order else ""
        absent["raters.mae"] = f"{why}: sigma is over all ratings{nobody}"
    return absent


def _no_ratings(included: "Series[bool]") -> str:
    return "the included raters gave no ratings" if included.any() else "no rater is included"
