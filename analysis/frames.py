"""From the database to the tidy tables that the analysis takes, with their hash."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pandas import DataFrame

from analysis.protocol import ProtocolData
from analysis.report import Contrast, StudyData
from judge.queries import GoldScores, gold_scores
from judge.tidy import gold_rows
from survey.csv_text import csv_lines
from survey.definition import StudyDefinition
from survey.definition.questions import ChoiceQuestion
from survey.models import Study
from survey.regions import OTHER, REGIONS
from survey.tidy import (
    COMMENT_COLUMNS,
    GOLD_COLUMNS,
    PRESENTATION_COLUMNS,
    RANK_COLUMNS,
    RANK_SHOWN_COLUMNS,
    RATING_COLUMNS,
    SHOWN_COLUMNS,
    Row,
    active_participants,
    comment_rows,
    definition_of,
    dimensions_of,
    participant_columns,
    participant_rows,
    presentation_rows,
    rank_rows,
    rating_rows,
)

NUMBERS = ("duration_seconds", "attention_checks_failed", *SHOWN_COLUMNS)


@dataclass(frozen=True)
class Snapshot:
    """A study's data at a moment. `hashes` are the SHA-256 of each table as CSV."""

    data: StudyData
    gold: GoldScores
    hashes: dict[str, str]

    @property
    def hash(self) -> str:
        """SHA-256 of the tables' hashes, one per line in the order of their names."""
        lines = "".join(f"{name} {digest}\n" for name, digest in sorted(self.hashes.items()))
        return hashlib.sha256(lines.encode()).hexdigest()


def read_snapshot(study: Study, sources: Sequence[str], *, seen_since: datetime) -> Snapshot:
    """The data of everybody from `sources`; who was seen since then and goes on is active.

    Call it inside `survey.tidy.reading()`, so that the tables agree.
    """
    definition = definition_of(study)
    active = active_participants(study, sources, seen_since=seen_since)
    gold = gold_scores(study)
    tables = {
        "participants": _Table(
            (*participant_columns(definition), "active"),
            ((*row, row[0] in active) for row in participant_rows(study, sources)),
        ),
        "ratings": _Table(RATING_COLUMNS + SHOWN_COLUMNS, rating_rows(study, sources)),
        "gold": _Table(GOLD_COLUMNS, (row for row, _ in gold_rows(study, gold))),
    }
    reference = definition.reference
    contrast = Contrast(
        definition.condition_a,
        definition.condition_b,
        (reference.model, reference.condition) if reference else None,
    )
    systems = study.systems.order_by("id").values_list("model", flat=True)
    last = reference.model if reference else None
    data = StudyData(
        **{name: table.frame for name, table in tables.items()},
        contrast=contrast,
        scenarios=list(study.scenarios.order_by("position").values_list("name", flat=True)),
        models=sorted(dict.fromkeys(systems), key=lambda model: model == last),
        scale=[(point.value, point.label) for point in definition.rating.scale]
        if definition.rating
        else [],
        between=definition.rating is not None and definition.rating.kind == "slider",
        orders=_orders(definition),
    )
    return Snapshot(data, gold, {name: table.hash for name, table in tables.items()})


def read_protocol(study: Study, sources: Sequence[str], data: StudyData) -> ProtocolData:
    """What tells how the protocol worked out, beside `data`. Call it inside `reading()` too."""
    return ProtocolData(
        data.participants,
        data.ratings,
        _frame(RANK_COLUMNS + RANK_SHOWN_COLUMNS, rank_rows(study, sources)),
        _frame(PRESENTATION_COLUMNS, presentation_rows(study, sources)),
        _frame(COMMENT_COLUMNS, comment_rows(study, sources)),
    )


def _frame(columns: Sequence[str], rows: Iterable[Row]) -> DataFrame:
    return DataFrame(list(rows), columns=list(columns))


class _Table:
    """Rows as a DataFrame, hashed as CSV while they stream in."""

    def __init__(self, columns: Sequence[str], rows: Iterable[Row]) -> None:
        cells: dict[str, list[Any]] = {name: [] for name in columns}
        digest = hashlib.sha256()
        for text in csv_lines(columns, _collected(rows, list(cells.values()))):
            digest.update(text.encode())
        self.hash = digest.hexdigest()
        frame = DataFrame(cells)
        numbers = {name: "float64" for name in NUMBERS if name in cells}
        self.frame = frame.astype(numbers | {n: "int64" for n in ("rating",) if n in cells})


def _collected(rows: Iterable[Row], columns: list[list[Any]]) -> Iterator[Row]:
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            column.append(value)
        yield row


def _orders(definition: StudyDefinition) -> dict[str, list[str]]:
    """The study's order of the values of columns."""
    orders = {
        "condition": definition.conditions,
        "dimension": dimensions_of(definition),
        "region": [*REGIONS, OTHER],
    }
    if definition.sets is not None:
        orders["set"] = list(definition.sets)
    for question in definition.demographics:
        if isinstance(question, ChoiceQuestion):
            orders[question.name] = question.categories
    return orders
