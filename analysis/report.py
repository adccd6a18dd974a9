"""Everything that the ratings of one study mean: the one entry point of the analysis.

Tidy tables in, tables and figures out; no database and no settings beside the rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pandas import DataFrame, Series

from analysis.absent import Absent
from analysis.by_recipe import Answers, analyse_by_recipe, replications
from analysis.contrasts import rater_differences
from analysis.definition import QualityRules
from analysis.demographics import demographics
from analysis.figures.ratings import ratings_kde
from analysis.funnel import apply_rules, exclusions
from analysis.items import items, rating_counts
from analysis.quality import rater_quality
from analysis.recipe import Raters, Recipe
from analysis.study_data import Checked, StudyData, check, plain
from analysis.wins import Contrast, wins, wins_summary

__all__ = ["Contrast", "Results", "StudyData", "analyse"]

#: Why there is nothing about ratings in a study that has none.
UNRATED = "the study asks for no ratings"
RATERS = [
    "participant", "n_ratings", "duration_seconds", "sigma", "mae", "included", "exclusion",
    "status", "attention_checks_failed", "n_gold", "note",
]  # fmt: skip


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
    contradict themselves, as `study_data.check` does.
    """
    if not data.scale:
        rules = rules.without("sigma_mae")
    checked = check(data)
    consented, known, ratings = checked.consented, checked.known, checked.ratings
    raters = rater_quality(consented, ratings, ddof=rules.sigma_mae.ddof)
    funnel = apply_rules(raters, rules)
    included = funnel.included
    raters["included"] = included
    raters["exclusion"] = funnel.exclusion

    rater_table = raters[RATERS].astype({"attention_checks_failed": "Int64"})
    tables = {"funnel": funnel.steps, "raters": rater_table}
    absent = _absent_from_filter(raters, known) if data.scale else {"raters.sigma": UNRATED}
    if not rules.order:
        absent["funnel"] = "the study applies no quality rule"
    tables = {name: table for name, table in tables.items() if name not in absent}
    try:
        tables["demographics"] = demographics(consented, included, data.orders)
    except Absent as reason:
        absent["demographics"] = str(reason)
    included_names = raters["participant"][included]
    counts = rating_counts(ratings[ratings["participant"].isin(included_names)])
    figures: dict[str, dict[str, Any]] = {}
    unrated = _no_ratings(included) if data.scale else UNRATED
    if counts.empty:
        absent |= dict.fromkeys(["items", "wins", "wins_summary", "ratings_kde"], unrated)
    else:
        table = items(counts, known)
        tables["items"] = plain(table)
        figures["ratings_kde"] = ratings_kde(
            counts, data.contrast, data.scale, between=data.between
        )
        try:
            won = wins(table, data.contrast)
            tables |= {"wins": plain(won), "wins_summary": plain(wins_summary(won))}
            if data.contrast.reference is None:
                absent["wins.reference_points"] = "the study names no reference"
        except Absent as reason:
            absent |= dict.fromkeys(["wins", "wins_summary"], str(reason))
    try:
        tables["rater_differences"] = rater_differences(ratings, data.contrast)
    except Absent as reason:
        absent["rater_differences"] = str(reason) if data.scale else UNRATED
    if recipes:
        nobody = "nobody gave ratings" if data.scale else UNRATED
        answers: dict[Raters, Answers] = {
            "included": _answers_of(checked, included_names, unrated),
            "all": _answers_of(checked, consented["participant"][~consented["active"]], nobody),
        }
        of_recipes, why = analyse_by_recipe(answers, data.contrast, recipes)
        tables |= of_recipes
        absent |= why
        try:
            tables["replication"] = replications(tables, recipes, absent)
        except Absent as reason:
            absent["replication"] = str(reason)
    left_out = exclusions(raters, funnel.exclusion, rules)
    return Results(tables, figures, left_out, absent)


def _answers_of(checked: Checked, names: "Series[str]", unrated: str) -> Answers:
    ratings, ranks, people = (
        frame[frame["participant"].isin(names)].reset_index(drop=True)
        for frame in (checked.ratings, checked.ranks, checked.consented)
    )
    return Answers(ratings, ranks, people, unrated)


def _absent_from_filter(raters: DataFrame, known: DataFrame) -> dict[str, str]:
    """Why there are no distances to the gold scores."""
    absent: dict[str, str] = {}
    why = ""
    if known["gold"].isna().all():
        why = "there are no gold scores"
    elif raters["n_ratings"].any() and not raters["n_gold"].any():
        why = "no rating has a gold score"
    if why:
        absent["raters.mae"] = f"{why}: sigma is over all ratings, and sigma_mae matches nobody"
    return absent


def _no_ratings(included: "Series[bool]") -> str:
    return "the included raters gave no ratings" if included.any() else "no rater is included"
