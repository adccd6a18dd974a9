"""One study's data as tidy tables, checked and put in the study's order."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from pandas import DataFrame, Series

from analysis.composites import IS_COMPOSITE, Composites, with_composites
from analysis.not_available import NotAvailable
from analysis.repeats import Repeats

CELL = ["scenario", "set", "model", "condition"]
#: What identifies a row of items.csv. A response that is shown in several sets, such as the
#: reference, is one item in each of them.
ITEM = ["scenario", "set", "model", "condition", "dimension"]
#: How an answer was shown and given; empty where it came from elsewhere without that.
SHOWN = ["block_position", "response_position", "block_seconds", "revisions"]


@dataclass(frozen=True)
class Contrast:
    """What the study says it is about: two conditions, and a reference as (model, condition)."""

    condition_a: str | None
    condition_b: str | None
    reference: tuple[str, str] | None

    @property
    def conditions(self) -> tuple[str, str]:
        """Both conditions. Raises NotAvailable where the study names none."""
        if self.condition_a is None or self.condition_b is None:
            raise NotAvailable("the study names no two conditions to compare")
        return self.condition_a, self.condition_b


@dataclass(frozen=True)
class StudyData:
    """One study's data as tidy tables (the columns of participants.csv, ratings.csv, gold.csv).

    `participants` may have `active`: still taking the survey, and `excluded_by_decision`: why
    researchers excluded the person, empty of all others. A question that they have no column for
    was not asked. `ratings` are points of the scale, or numbers `between` its ends.
    `scenarios` and `models` are in study order. `scale` is empty where the study rates nothing; a
    slider's has its two ends, and ratings lie `between` them. `orders` gives the study's order of
    the values of other columns (`condition`, `set`, `dimension`, and demographic ones); values
    that it does not name follow, sorted.

    `ratings` and `ranks` (the columns of ranks.csv) may have the columns of `SHOWN`. `responses`
    names the text that each cell shows, in `response`: cells with one name show one text, such as
    a reference that is repeated in several sets; `words` is its length. A cell that it lacks shows
    a text of its own, of unknown length. `whole_blocks` is whether a page shows all responses of
    its block. `writing` has how free answers were written (the columns of comments.csv without the
    text), of those of which it is known; it is None where the study does not record it.
    `composites` are dimensions that nobody rates: the means of others. `parameters` is
    the size of models of which it is known. `repeats` says which of several judgments of a response
    `ratings` and `ranks` have, where raters gave several.
    """

    participants: DataFrame
    ratings: DataFrame
    gold: DataFrame
    contrast: Contrast
    scenarios: list[str]
    models: list[str]
    scale: Sequence[tuple[float, str]]
    between: bool = False
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ranks: DataFrame = field(default_factory=DataFrame)
    responses: DataFrame = field(default_factory=DataFrame)
    whole_blocks: bool = True
    writing: DataFrame | None = None
    composites: Composites = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    repeats: Repeats | None = None


@dataclass(frozen=True)
class ProtocolData:
    """Tidy tables: participants.csv, ratings.csv and ranks.csv (each with `revisions`),
    presentations.csv (with `shown_at`, empty where answers are imported, and `changes`),
    comments.csv, and which responses each participant was shown (the columns of `CELL`).
    """

    participants: DataFrame
    ratings: DataFrame
    ranks: DataFrame
    presentations: DataFrame
    comments: DataFrame
    shown: DataFrame


@dataclass(frozen=True)
class CheckedData:
    """The data of a study, found to be consistent, as the analysis reads them.

    `people` is sorted by participant; `known` has every item that was rated or has a place in the
    gold table, with its `gold`; `ratings` have theirs. `ranks` have a row for each response on a
    page with ranks or choices: `rank` and `choice` (either may be empty), and `on_page`, how many
    the page has, where pages show some responses of a block. Where the same text was shown,
    `response` is the same number in both, and `words` its length, if known. The columns of `ITEM`
    are categories in study order, which every grouping keeps. Of a study with `composites`, `known`
    and `ratings` have their rows too, and `is_composite` says which ratings are theirs.
    """

    people: DataFrame
    known: DataFrame
    ratings: DataFrame
    ranks: DataFrame
    composites: Composites = field(default_factory=dict)

    @property
    def consented(self) -> DataFrame:
        """Everyone who consented, whether they finished or left."""
        took_part = self.people["status"].isin(["completed", "in_progress"])
        return self.people[took_part].reset_index(drop=True)

    def without_decided(self) -> "CheckedData":
        """Without people excluded by a decision, and without their answers."""
        decided = self.people["excluded_by_decision"] != ""
        if not decided.any():
            return self
        left = self.people["participant"][~decided]
        people, ratings, ranks = (
            frame[frame["participant"].isin(left)].reset_index(drop=True)
            for frame in (self.people, self.ratings, self.ranks)
        )
        return CheckedData(people, self.known, ratings, ranks, self.composites)


def check(data: StudyData) -> CheckedData:
    """The data as the analysis reads them, whatever the order of their rows.

    Raises ValueError when they contradict themselves: a participant or a gold score twice, a
    rating of an unknown participant.
    """
    people = _people(data.participants)
    known, ratings, ranks = _items_and_answers(data)
    for what, answers in (("ratings", ratings), ("ranks", ranks)):
        unknown = set(answers["participant"].unique()) - set(people["participant"])
        if unknown:
            raise ValueError(f"{what} of {min(unknown)!r}, who is not among the participants")
    return CheckedData(people, known, ratings, ranks, data.composites)


def plain(table: DataFrame) -> DataFrame:
    """Categories as the text they stand for."""
    categories = table.select_dtypes("category")
    return table.assign(**{str(name): categories[name].astype("str") for name in categories})


def records(table: DataFrame) -> list[dict[str, Any]]:
    """The rows by names of columns, which are texts in all our tables."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _people(participants: DataFrame) -> DataFrame:
    """Participants by name, with numbers as numbers, a yes or no in `active` and a text in
    `excluded_by_decision`.
    """
    people = participants.assign(participant=text(participants["participant"]))
    if people["participant"].duplicated().any():
        twice = people["participant"][people["participant"].duplicated()].min()
        raise ValueError(f"participant {twice!r} is repeated")
    for column in ("duration_seconds", "attention_checks_failed"):
        people[column] = pd.to_numeric(people[column]).astype("float64")
    active = people["active"] if "active" in people else Series(False, index=people.index)
    people["active"] = active.astype(bool)
    decided = people.get("excluded_by_decision", "")
    people["excluded_by_decision"] = text(Series(decided, index=people.index))
    return people.sort_values("participant", ignore_index=True)


def _items_and_answers(data: StudyData) -> tuple[DataFrame, DataFrame, DataFrame]:
    """Every item with its gold score, all ratings with theirs, all ranks; in study order."""
    gold, ratings, ranks = (
        frame.assign(**{column: text(frame[column]) for column in ITEM})
        for frame in (data.gold, data.ratings, data.ranks.reindex(columns=_columns(data.ranks)))
    )
    gold["gold"] = pd.to_numeric(gold["gold"]).astype("float64")
    ratings["rating"] = pd.to_numeric(ratings["rating"])
    ratings = ratings[ratings["rating"].notna()]
    if gold.duplicated(ITEM).any():
        raise ValueError("an item has two gold scores")
    gold = with_composites(gold[[*ITEM, "gold"]], data.composites, value="gold", by=CELL)
    ratings = with_composites(
        ratings,
        data.composites,
        value="rating",
        by=["participant", *CELL],
        same=[name for name in SHOWN[:3] if name in ratings],
        summed=[name for name in SHOWN[3:] if name in ratings],
    )
    unrated = _every_item(data.responses, ratings)
    frames = (gold, ratings, ranks, unrated)
    for column in ITEM:
        values = {value for frame in frames for value in frame[column].unique()}
        kind = pd.CategoricalDtype(in_order(values, _study_order(data, column)), ordered=True)
        for frame in frames:
            frame[column] = frame[column].astype(kind)
    known = pd.concat([gold[[*ITEM, "gold"]], ratings[ITEM].drop_duplicates(), unrated])
    known = known.drop_duplicates(ITEM).sort_values(ITEM, ignore_index=True)
    cells = _cells(data.responses, [known, ranks])
    scored = _answers(ratings, exact(ratings["rating"]), cells).merge(known, on=ITEM, how="left")
    placed = _answers(ranks, pd.to_numeric(ranks["rank"]).astype("float64"), cells)
    placed["choice"] = text(ranks["choice"]).to_numpy()
    if not data.whole_blocks:
        placed["on_page"] = _most_on_page(placed)
    by_person = ["participant", *ITEM]
    return (
        known,
        scored.sort_values([*by_person, "rating"], ignore_index=True),
        placed.sort_values([*by_person, "rank"], ignore_index=True),
    )


def _every_item(responses: DataFrame, ratings: DataFrame) -> DataFrame:
    """Every response on each dimension that was rated, also those that nobody rated."""
    dimensions = DataFrame({"dimension": ratings["dimension"].astype(str).unique()})
    cells = DataFrame({column: text(responses[column]) for column in CELL if column in responses})
    if cells.empty or dimensions.empty:
        return DataFrame(columns=ITEM)
    return cells.drop_duplicates().merge(dimensions, how="cross")[ITEM]


def _columns(ranks: DataFrame) -> list[str]:
    """The columns that ranks have, and those that they need."""
    return list(dict.fromkeys([*ranks.columns, "participant", *ITEM, "rank", "choice"]))


def _answers(frame: DataFrame, values: Series, cells: DataFrame) -> DataFrame:
    """Whose answer it is, to what, the answer itself, and how that was shown; in the same order."""
    shown = {
        name: pd.to_numeric(frame[name]).astype("float64") if name in frame else float("nan")
        for name in SHOWN
    }
    answers = DataFrame(
        {
            "participant": text(frame["participant"]),
            **{column: frame[column] for column in ITEM},
            str(values.name): values,
            **shown,
            **{name: frame[name] for name in [IS_COMPOSITE] if name in frame},
        }
    )
    return answers.merge(cells, on=CELL, how="left")


def _most_on_page(placed: DataFrame) -> "Series[int]":
    """The most responses that anybody placed on a page of the same block: pages of a block show
    equally many, and a survey takes no page that is placed in part.
    """
    block = ["scenario", "set", "dimension"]
    n = placed.groupby([*block, "participant"], observed=True)["model"].transform("size")
    most: Series[int] = n.groupby([placed[column] for column in block], observed=True).transform(
        "max"
    )
    return most


def _cells(responses: DataFrame, frames: Iterable[DataFrame]) -> DataFrame:
    """Each cell with the number of the text that it shows, in `response`: from 0, in order; and
    the text's length in `words`.
    """
    cells = pd.concat([frame[CELL] for frame in frames]).drop_duplicates()
    cells = cells.sort_values(CELL, ignore_index=True)
    by_name = cells.astype("str")
    names = by_name.agg("/".join, axis=1) if len(cells) else Series(dtype="str")
    words: Any = float("nan")
    if not responses.empty:
        given = responses.assign(**{column: text(responses[column]) for column in CELL})
        shown = by_name.merge(given.drop_duplicates(CELL), on=CELL, how="left")
        names = shown["response"].where(shown["response"].notna(), names)
        words = shown.get("words", words)
    return cells.assign(response=pd.factorize(names)[0].astype("int64"), words=words)


def exact(values: Series) -> Series:
    """Whole numbers as int64, and where there are decimals all as float64. Sums of whole numbers
    and halves, of their squares and products are exact; sums of other decimals differ by rounding,
    far less than by a step of the scale.
    """
    return values.astype("int64" if (values % 1 == 0).all() else "float64")


def text(values: Series) -> "Series[str]":
    """Values as text, nothing as an empty one: 1 → "1", NaN → ""."""
    return values.astype("str").fillna("")


def _study_order(data: StudyData, column: str) -> Sequence[str]:
    a_and_b = [c for c in (data.contrast.condition_a, data.contrast.condition_b) if c is not None]
    orders = {"condition": a_and_b, **data.orders, "scenario": data.scenarios, "model": data.models}
    order = orders.get(column, [])
    return list(dict.fromkeys([*order, *data.composites])) if column == "dimension" else order


def in_order(values: Iterable[str], first: Sequence[str]) -> list[str]:
    """`values` in the order of `first`; those not in it follow, numbers in them as numbers."""
    present = set(values)
    known = [value for value in first if value in present]
    return [*known, *sorted(present - set(first), key=_natural)]


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """ "2" before "10" and "S2" before "S10"; equal numbers, such as 1 and 01, by their text."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts], name
