"""Everything that the ratings of one study mean: the one entry point of the analysis.

Tidy tables in, tables and figures out; no database and no settings beside the rules.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from pandas import DataFrame, Series

from analysis.absent import Absent
from analysis.definition import QualityRules
from analysis.demographics import demographics
from analysis.figures import ratings_kde
from analysis.funnel import apply_rules, exclusions, in_funnel
from analysis.items import ITEM, items, rating_counts
from analysis.quality import rater_quality
from analysis.wins import Contrast, wins, wins_summary

__all__ = ["Contrast", "Results", "StudyData", "analyse"]

#: Why there is nothing about ratings in a study that has none.
UNRATED = "the study asks for no ratings"
RATERS = [
    "participant", "n_ratings", "duration_seconds", "sigma", "mae", "included", "exclusion",
    "status", "attention_checks_failed", "n_gold", "note",
]  # fmt: skip


@dataclass(frozen=True)
class StudyData:
    """One study's data as tidy tables (the columns of participants.csv, ratings.csv, gold.csv).

    `participants` may have `active`: still taking the survey. `ratings` are whole numbers.
    `scenarios` and `models` are in study order. `scale` is empty where the study rates nothing; a
    slider's has its two ends, and ratings lie `between` them. `orders` gives the study's order of
    the values of other columns (`condition`, `set`, `dimension`, and demographic ones); values
    that it does not name follow, sorted.
    """

    participants: DataFrame
    ratings: DataFrame
    gold: DataFrame
    contrast: Contrast
    scenarios: list[str]
    models: list[str]
    scale: list[tuple[int, str]]
    between: bool = False
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)


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
    ValueError when `data` contradict themselves: a participant or a gold score twice, a rating
    of an unknown participant, a rating that is no whole number.
    """
    if not data.scale:
        rules = _without_ratings(rules)
    people = _people(data.participants)
    known, ratings = _items_and_ratings(data)
    unknown = set(ratings["participant"].unique()) - set(people["participant"])
    if unknown:
        raise ValueError(f"ratings of {min(unknown)!r}, who is not among the participants")
    consented = people[people["status"].isin(["completed", "in_progress"])].reset_index(drop=True)
    raters = rater_quality(consented, ratings, ddof=rules.sigma_mae.ddof)
    funnel = apply_rules(raters, rules)
    entered = in_funnel(raters)
    included = entered & (funnel.exclusion == "")
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
        tables["items"] = _plain(table)
        figures["ratings_kde"] = ratings_kde(
            counts, data.contrast, data.scale, between=data.between
        )
        try:
            won = wins(table, data.contrast)
            tables |= {"wins": _plain(won), "wins_summary": _plain(wins_summary(won))}
            if data.contrast.reference is None:
                absent["wins.reference_points"] = "the study names no reference"
        except Absent as reason:
            absent |= dict.fromkeys(["wins", "wins_summary"], str(reason))
    left_out = exclusions(raters, funnel.exclusion, rules)
    return Results(tables, figures, left_out, absent)


def _without_ratings(rules: QualityRules) -> QualityRules:
    """The rules that a study without ratings can apply."""
    return rules.model_copy(update={"order": [r for r in rules.order if r != "sigma_mae"]})


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


def _plain(table: DataFrame) -> DataFrame:
    """Categories as the text they stand for."""
    categories = table.select_dtypes("category")
    return table.assign(**{str(name): categories[name].astype("str") for name in categories})


def _people(participants: DataFrame) -> DataFrame:
    """Participants by name, with numbers as numbers and a yes or no in `active`."""
    people = participants.assign(participant=_text(participants["participant"]))
    if people["participant"].duplicated().any():
        twice = people["participant"][people["participant"].duplicated()].min()
        raise ValueError(f"participant {twice!r} stands twice")
    for column in ("duration_seconds", "attention_checks_failed"):
        people[column] = pd.to_numeric(people[column]).astype("float64")
    active = people["active"] if "active" in people else Series(False, index=people.index)
    people["active"] = active.astype(bool)
    return people.sort_values("participant", ignore_index=True)


def _items_and_ratings(data: StudyData) -> tuple[DataFrame, DataFrame]:
    """Every item with its gold score, and all ratings with theirs; both in study order.

    An item is known when it has a rating or a place in the gold table. The columns of `ITEM`
    are categories in study order, which every grouping keeps.
    """
    gold, ratings = (
        frame.assign(**{column: _text(frame[column]) for column in ITEM})
        for frame in (data.gold, data.ratings)
    )
    gold["gold"] = pd.to_numeric(gold["gold"]).astype("float64")
    ratings["rating"] = pd.to_numeric(ratings["rating"])
    ratings = ratings[ratings["rating"].notna()]
    if (ratings["rating"] % 1 != 0).any():
        raise ValueError("a rating is not a whole number")
    if gold.duplicated(ITEM).any():
        raise ValueError("an item has two gold scores")
    for column in ITEM:
        values = {*gold[column].unique(), *ratings[column].unique()}
        kind = pd.CategoricalDtype(_in_order(values, _study_order(data, column)), ordered=True)
        gold[column], ratings[column] = gold[column].astype(kind), ratings[column].astype(kind)
    known = pd.concat([gold[[*ITEM, "gold"]], ratings[ITEM].drop_duplicates()])
    known = known.drop_duplicates(ITEM).sort_values(ITEM, ignore_index=True)
    scored = DataFrame(
        {
            "participant": _text(ratings["participant"]),
            **{column: ratings[column] for column in ITEM},
            "rating": ratings["rating"].astype("int64"),
        }
    ).merge(known, on=ITEM, how="left")
    return known, scored.sort_values(["participant", *ITEM, "rating"], ignore_index=True)


def _text(values: Series) -> "Series[str]":
    """Values as text, nothing as an empty one: 1 → "1", NaN → ""."""
    return values.astype("str").fillna("")


def _study_order(data: StudyData, column: str) -> Sequence[str]:
    a_and_b = [c for c in (data.contrast.condition_a, data.contrast.condition_b) if c is not None]
    orders = {"condition": a_and_b, **data.orders, "scenario": data.scenarios, "model": data.models}
    return orders.get(column, [])


def _in_order(values: Iterable[str], first: Sequence[str]) -> list[str]:
    """`values` in the order of `first`; those not in it follow, numbers in them as numbers."""
    found = set(values)
    known = [value for value in first if value in found]
    return [*known, *sorted(found - set(first), key=_natural)]


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """ "2" before "10" and "S2" before "S10"; equal numbers, such as 1 and 01, by their text."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts], name
