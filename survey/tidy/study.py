"""Shared by all tidy tables: one snapshot of the database, the sources that count, the study's
terms.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from survey.definition import ResponseRow, StudyDefinition
from survey.definition.contrast import ComparedGroups, comparison_of
from survey.models import BlockResponse, Participant, Study

Row = tuple[Any, ...]

#: A response in a block: the key of a study's cell.
CELL_COLUMNS = ("scenario", "set", "model", "condition")
GOLD_COLUMNS = (*CELL_COLUMNS, "dimension", "gold")


@contextmanager
def reading() -> Iterator[None]:
    """One snapshot of the database for several queries, as of the first; it does not block
    writers.
    """
    if connection.in_atomic_block:
        yield
        return
    with ExitStack() as stack:
        if connection.vendor == "sqlite":
            # Other transactions start by locking out writers; this one only reads.
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
    """Sources that count: those of raters, and experts or test people included by name.

    Raises ValueError for a name that is not a source.
    """
    asked = set(include)
    unknown = sorted(asked - set(Participant.Source.values))
    if unknown:
        known = ", ".join(Participant.NOT_COUNTED)
        raise ValueError(f"{unknown[0]!r} is not a source; you can include {known}")
    return [
        source
        for source in Participant.Source.values
        if source not in Participant.NOT_COUNTED or source in asked
    ]


def not_counted_among(sources: Iterable[str]) -> list[str]:
    """Those of `sources` that count only because they were included by name: experts, test
    people.
    """
    return [source for source in sources if source in Participant.NOT_COUNTED]


def definition_of(study: Study) -> StudyDefinition:
    """What raters of the study see."""
    return StudyDefinition.model_validate(study.definition)


def comparison_in(study: Study) -> ComparedGroups | None:
    """The systems that the study compares, by its two conditions; None where it names none."""
    definition = definition_of(study)
    systems = study.systems.values_list("model", "condition")
    return comparison_of(systems, definition.condition_a, definition.condition_b)


def response_rows(study: Study, *, as_loaded: bool = False) -> list[ResponseRow]:
    """The rows of its responses.csv, in the order of the study, or of the file that was loaded.
    Line numbers are not stored: they are 0.
    """
    order = ["pk"] if as_loaded else ["block__position", "position"]
    shown = BlockResponse.objects.filter(block__study=study).order_by(*order)
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
            "response__language",
        )
    ]


def dimensions_of(definition: StudyDefinition) -> list[str]:
    """The dimensions that responses are rated on, in the order of the study."""
    return [d.name for d in definition.rating.dimensions] if definition.rating else []


def people_of(study: Study, sources: Sequence[str]) -> Any:
    """All participants from `sources` after the consent page."""
    return Participant.objects.filter(study=study, source__in=sources).exclude(
        status=Participant.Status.ARRIVED
    )


@dataclass(frozen=True)
class NamedResponse:
    """A response in a block by its names, and its position in the order of the study."""

    place: int
    names: tuple[str, str, str, str]


def cells_of(study: Study) -> dict[tuple[int, int], NamedResponse]:
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
        (block, response): NamedResponse(place, (scenario, set_name, model, condition))
        for place, (block, response, scenario, set_name, model, condition) in enumerate(rows)
    }


def whole_pages(study: Study, cells: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """The responses on a page of each block, whatever its order; nothing where pages show some of
    them, as only the stored order then says which.
    """
    members: dict[int, list[int]] = {}
    if definition_of(study).shows_whole_blocks:
        for block, response in cells:
            members.setdefault(block, []).append(response)
    return members
