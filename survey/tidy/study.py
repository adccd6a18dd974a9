"""What all tidy tables share: one moment of the database, who counts, and the study's terms."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from survey.definition import ResponseRow, StudyDefinition
from survey.models import BlockResponse, Participant, Study

Row = tuple[Any, ...]

#: Which response, in which block: what names a cell of a study.
CELL_COLUMNS = ("scenario", "set", "model", "condition")
GOLD_COLUMNS = (*CELL_COLUMNS, "dimension", "gold")


@contextmanager
def reading() -> Iterator[None]:
    """One view of the database for several queries, as of the first; writers are not held up."""
    if connection.in_atomic_block:
        yield
        return
    with ExitStack() as stack:
        if connection.vendor == "sqlite":
            # The product's transactions begin by locking out other writers; this one reads.
            sqlite: Any = connection
            sqlite.ensure_connection()  # connecting sets the mode, so it comes first
            usual, sqlite.transaction_mode = sqlite.transaction_mode, "DEFERRED"
            try:
                stack.enter_context(transaction.atomic())
            finally:
                sqlite.transaction_mode = usual
        else:
            stack.enter_context(transaction.atomic())
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def counted_sources(include: Iterable[str] = ()) -> list[str]:
    """Sources that count: those of raters, and the experts or test people asked for by name.

    Raises ValueError for a name that is no source.
    """
    asked = set(include)
    unknown = sorted(asked - set(Participant.Source.values))
    if unknown:
        known = ", ".join(Participant.NOT_COUNTED)
        raise ValueError(f"{unknown[0]!r} is no source; those to include by name are {known}")
    return [
        source
        for source in Participant.Source.values
        if source not in Participant.NOT_COUNTED or source in asked
    ]


def not_counted_among(sources: Iterable[str]) -> list[str]:
    """Those of `sources` that count only because they were asked for: experts and test people."""
    return [source for source in sources if source in Participant.NOT_COUNTED]


def definition_of(study: Study) -> StudyDefinition:
    """What raters of the study see."""
    return StudyDefinition.model_validate(study.definition)


def response_rows(study: Study) -> list[ResponseRow]:
    """What its responses.csv said, in the order of the study. Lines are not kept: they are 0."""
    shown = BlockResponse.objects.filter(block__study=study).order_by("block__position", "position")
    return [
        ResponseRow(0, *cells)
        for cells in shown.values_list(
            "block__scenario__name",
            "block__set_name",
            "block__scenario__prompt",
            "block__scenario__context",
            "response__system__model",
            "response__system__condition",
            "response__text",
        )
    ]


def dimensions_of(definition: StudyDefinition) -> list[str]:
    """The dimensions that responses are rated on, in the order of the study."""
    return [d.name for d in definition.rating.dimensions] if definition.rating else []


def people_of(study: Study, sources: Sequence[str]) -> Any:
    """Everybody from `sources` who went past the consent page."""
    return Participant.objects.filter(study=study, source__in=sources).exclude(
        status=Participant.Status.ARRIVED
    )


@dataclass(frozen=True)
class Cell:
    """A response in a block by its names, and its place in the order of the study."""

    place: int
    names: tuple[str, str, str, str]


def cells_of(study: Study) -> dict[tuple[int, int], Cell]:
    """The study's cells by (block id, response id), in study order."""
    rows = (
        BlockResponse.objects.filter(block__study=study)
        .order_by("block__position", "position")
        .values_list(
            "block_id",
            "response_id",
            "block__scenario__name",
            "block__set_name",
            "response__system__model",
            "response__system__condition",
        )
    )
    return {
        (block, response): Cell(place, (scenario, set_name, model, condition))
        for place, (block, response, scenario, set_name, model, condition) in enumerate(rows)
    }
