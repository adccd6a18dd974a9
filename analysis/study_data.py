"""One study's data as tidy tables, checked and put in the study's order."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd
from pandas import DataFrame, Series

from analysis.items import ITEM
from analysis.wins import Contrast


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
class Checked:
    """The data of a study, found to be consistent, as the analysis reads them.

    `people` is sorted by participant; `known` has every item that was rated or has a place in the
    gold table, with its `gold`; `ratings` have theirs. The columns of `ITEM` are categories in
    study order, which every grouping keeps.
    """

    people: DataFrame
    known: DataFrame
    ratings: DataFrame

    @property
    def consented(self) -> DataFrame:
        """Everybody who agreed to take part, and either finished or not."""
        took_part = self.people["status"].isin(["completed", "in_progress"])
        return self.people[took_part].reset_index(drop=True)


def check(data: StudyData) -> Checked:
    """The data as the analysis reads them, whatever the order of their rows.

    Raises ValueError when they contradict themselves: a participant or a gold score twice, a
    rating of an unknown participant, a rating that is no whole number.
    """
    people = _people(data.participants)
    known, ratings = _items_and_ratings(data)
    unknown = set(ratings["participant"].unique()) - set(people["participant"])
    if unknown:
        raise ValueError(f"ratings of {min(unknown)!r}, who is not among the participants")
    return Checked(people, known, ratings)


def plain(table: DataFrame) -> DataFrame:
    """Categories as the text they stand for."""
    categories = table.select_dtypes("category")
    return table.assign(**{str(name): categories[name].astype("str") for name in categories})


def _people(participants: DataFrame) -> DataFrame:
    """Participants by name, with numbers as numbers and a yes or no in `active`."""
    people = participants.assign(participant=text(participants["participant"]))
    if people["participant"].duplicated().any():
        twice = people["participant"][people["participant"].duplicated()].min()
        raise ValueError(f"participant {twice!r} stands twice")
    for column in ("duration_seconds", "attention_checks_failed"):
        people[column] = pd.to_numeric(people[column]).astype("float64")
    active = people["active"] if "active" in people else Series(False, index=people.index)
    people["active"] = active.astype(bool)
    return people.sort_values("participant", ignore_index=True)


def _items_and_ratings(data: StudyData) -> tuple[DataFrame, DataFrame]:
    """Every item with its gold score, and all ratings with theirs; both in study order."""
    gold, ratings = (
        frame.assign(**{column: text(frame[column]) for column in ITEM})
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
        kind = pd.CategoricalDtype(in_order(values, _study_order(data, column)), ordered=True)
        gold[column], ratings[column] = gold[column].astype(kind), ratings[column].astype(kind)
    known = pd.concat([gold[[*ITEM, "gold"]], ratings[ITEM].drop_duplicates()])
    known = known.drop_duplicates(ITEM).sort_values(ITEM, ignore_index=True)
    scored = DataFrame(
        {
            "participant": text(ratings["participant"]),
            **{column: ratings[column] for column in ITEM},
            "rating": ratings["rating"].astype("int64"),
        }
    ).merge(known, on=ITEM, how="left")
    return known, scored.sort_values(["participant", *ITEM, "rating"], ignore_index=True)


def text(values: Series) -> "Series[str]":
    """Values as text, nothing as an empty one: 1 → "1", NaN → ""."""
    return values.astype("str").fillna("")


def _study_order(data: StudyData, column: str) -> Sequence[str]:
    a_and_b = [c for c in (data.contrast.condition_a, data.contrast.condition_b) if c is not None]
    orders = {"condition": a_and_b, **data.orders, "scenario": data.scenarios, "model": data.models}
    return orders.get(column, [])


def in_order(values: Iterable[str], first: Sequence[str]) -> list[str]:
    """`values` in the order of `first`; those not in it follow, numbers in them as numbers."""
    found = set(values)
    known = [value for value in first if value in found]
    return [*known, *sorted(found - set(first), key=_natural)]


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """ "2" before "10" and "S2" before "S10"; equal numbers, such as 1 and 01, by their text."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts], name
