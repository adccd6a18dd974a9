"""Everything that the ratings of one study mean: the one entry point of the analysis.

Tidy tables in, tables and figures out; no database and no settings beside the rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pandas import DataFrame, Series

from analysis.by_recipe import analyse_by_recipe
from analysis.collected import Collected
from analysis.definition import QualityRules
from analysis.figures.funnel import consort_flow
from analysis.figures.quality import distribution, durations, sigma_against_mae
from analysis.figures.ratings import ratings_kde
from analysis.figures.shares import category_shares
from analysis.raters.demographics import demographics
from analysis.raters.filtering import Filtered, filtered
from analysis.raters.funnel import exclusions, not_entered
from analysis.raters.rater_table import rater_table
from analysis.raters.thresholds import thresholds
from analysis.recipe import Raters, Recipe, Scale
from analysis.study_data import Checked, Contrast, StudyData, plain
from analysis.tables.contrasts import rater_differences
from analysis.tables.items import items, rating_counts
from analysis.tables.request import Answers, StudyInput
from analysis.tables.wins import wins, wins_summary

__all__ = ["Contrast", "Results", "StudyData", "analyse"]

#: Why there is nothing about ratings in a study that has none.
UNRATED = "the study asks for no ratings"
OF_RATINGS = ["items", "wins", "wins_summary", "shares", "ratings_kde"]
OF_DISTANCES = ["thresholds", "sigma_mae", "sigma", "mae"]
FIGURES = ["consort", "durations", "sigma_mae", "sigma", "mae", "shares", "ratings_kde"]
#: Of the bootstrap that says how sure the elbows are.
THRESHOLDS_SEED = 1


@dataclass(frozen=True)
class Results:
    """Tables and figures by name, who was excluded and why, and why something is not there.

    `absent` maps a table, a figure, or `table.column` to the reason to show in its place.
    """

    tables: dict[str, DataFrame]
    figures: dict[str, dict[str, Any]]
    exclusions: DataFrame
    absent: dict[str, str]


def analyse(data: StudyData, rules: QualityRules, recipes: Sequence[Recipe] = ()) -> Results:
    """Filter the raters, and compute every table and figure from those who are left.

    What depends on no recipe comes first, then what the recipes ask for. The results depend on
    the content of `data` alone, not on the order of its rows. Raises ValueError when `data`
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
    found = Collected()
    _about_raters(found, who, rated=bool(data.scale))
    everyone = who.checked.consented
    found.table("demographics", lambda: demographics(everyone, funnel.included, data.orders))
    _about_systems(found, data, checked, counted["included"])
    if checked.ratings.empty:
        found.absent["rater_differences"] = counted["all"].unrated
    else:
        found.table(
            "rater_differences",
            lambda: rater_differences(checked.ratings, data.contrast, checked.known),
        )
    if recipes:
        study = StudyInput(checked.ratings, people, checked.known, data.contrast, rules)
        scale = Scale(data.scale, data.between)
        analyse_by_recipe(found, counted, study, scale, recipes)
    left_out = exclusions(raters, funnel.exclusion, rules)
    return Results(found.tables, found.figures, left_out, found.absent)


def _answers_of(checked: Checked, names: "Series[str]", unrated: str) -> Answers:
    ratings, ranks, people = (
        frame[frame["participant"].isin(names)].reset_index(drop=True)
        for frame in (checked.ratings, checked.ranks, checked.consented)
    )
    return Answers(ratings, ranks, people, unrated)


def _about_raters(found: Collected, who: Filtered, *, rated: bool) -> None:
    """The funnel, each rater's indices, and the limits beside their elbows."""
    checked, rules, raters, funnel = who.checked, who.rules, who.raters, who.funnel
    if len(funnel.steps):
        found.tables["funnel"] = funnel.steps
    else:
        found.absent["funnel"] = "the study applies no quality rule"
    found.tables["raters"] = rater_table(checked, raters, rated=rated)
    found.figure("consort", lambda: consort_flow(funnel.steps, rules, not_entered(checked.people)))
    found.figure("durations", lambda: durations(raters, rules))
    if not rated:
        found.absent |= dict.fromkeys(["raters.sigma", "raters.mae", *OF_DISTANCES], UNRATED)
        return
    found.absent |= _absent_from_filter(raters, checked.known, rules)
    limits = thresholds(raters, rules, seed=THRESHOLDS_SEED)
    found.table("thresholds", lambda: limits)
    found.figure("sigma_mae", lambda: sigma_against_mae(raters, rules))
    for measure in ("sigma", "mae"):
        found.figure(measure, partial(distribution, raters, limits, measure))


def _about_systems(found: Collected, data: StudyData, checked: Checked, included: Answers) -> None:
    """Means of responses, wins, and how ratings are spread."""
    counts = rating_counts(included.ratings)
    if counts.empty:
        found.absent |= dict.fromkeys(OF_RATINGS, included.unrated)
        return
    table = items(counts, checked.known)
    found.tables["items"] = plain(table)
    draw = {"between": data.between}
    found.figure("shares", lambda: category_shares(counts, data.scale, **draw))
    found.figure("ratings_kde", lambda: ratings_kde(counts, data.contrast, data.scale, **draw))
    found.table("wins", lambda: wins(table, data.contrast))
    if "wins" in found.tables:
        # not from the table found, whose names have lost the order of the study
        found.table("wins_summary", lambda: wins_summary(wins(table, data.contrast)))
        if data.contrast.reference is None:
            found.absent["wins.reference_points"] = "the study names no reference"
    else:
        found.absent["wins_summary"] = found.absent["wins"]


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
