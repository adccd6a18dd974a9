"""Everything that the ratings of one study mean: the one entry point of the analysis.

Tidy tables in, tables and figures out; no database and no settings beside the rules.
"""

from dataclasses import dataclass
from typing import Any

from pandas import DataFrame, Series

from analysis.absent import Absent
from analysis.definition import QualityRules
from analysis.demographics import demographics
from analysis.figures.ratings import ratings_kde
from analysis.funnel import apply_rules, exclusions
from analysis.items import items, rating_counts
from analysis.quality import quality_under
from analysis.study_data import StudyData, check, plain
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


def analyse(data: StudyData, rules: QualityRules) -> Results:
    """Filter the raters, and compute every table and figure from those who are left.

    The results depend on the content of `data` alone, not on the order of its rows. Raises
    ValueError when `data` contradict themselves, as `study_data.check` does.
    """
    if not data.scale:
        rules = rules.without("sigma_mae")
    checked = check(data)
    consented, known, ratings = checked.consented, checked.known, checked.ratings
    raters = quality_under(rules, consented, ratings)
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
    if counts.empty:
        of_ratings = ["items", "wins", "wins_summary", "ratings_kde"]
        absent |= dict.fromkeys(of_ratings, _no_ratings(included) if data.scale else UNRATED)
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
    left_out = exclusions(raters, funnel.exclusion, rules)
    return Results(tables, figures, left_out, absent)


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
