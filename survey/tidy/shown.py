"""What participants saw, in which order and for how long: presentations.csv,
shown_responses.csv.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Q

from survey.files.csv_text import time_text
from survey.models import Presentation, Study
from survey.tidy.study import CELL_COLUMNS, Row, cells_of, people_of, whole_pages
from survey.tidy.times import is_backwards, seconds_between

#: Measured by the page's script; empty if it did not run.
MEASURED_COLUMNS = (
    "visible_seconds",
    "hidden_seconds",
    "unfocused_seconds",
    "focus_losses",
    "first_answer_seconds",
    "last_answer_seconds",
    "changes",
)
PRESENTATION_COLUMNS = (
    "participant",
    "scenario",
    "set",
    "block_position",
    "shown_at",
    "answered_at",
    "submitted_at",
    "block_seconds",
    *MEASURED_COLUMNS,
    "clock_stepped",
    "interface",
    "repeat",
)
SHOWN_RESPONSE_COLUMNS = (
    "participant",
    *CELL_COLUMNS,
    "block_position",
    "response_position",
    "seconds_on_screen",
    "repeat",
)


def presentation_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Each block shown to a participant (PRESENTATION_COLUMNS), in the order of their pages."""
    times = ("shown_at", "answered_at", "submitted_at")
    rows = _shown(study, sources).values_list(
        *("participant__pseudonym", "block__scenario__name", "block__set_name", "position"),
        *(*times, "imported_seconds", *MEASURED_COLUMNS),
        *("interface", "repeat"),
    )
    for row in rows.iterator():
        shown_at, answered_at, submitted_at = row[4:7]
        stepped = is_backwards(shown_at, answered_at)
        yield (
            *row[:4],
            *map(time_text, (shown_at, answered_at, submitted_at)),
            row[7] if stepped is None else seconds_between(shown_at, answered_at),
            *row[8:-2],
            stepped,
            *row[-2:],
        )


def shown_response_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Each response of these blocks (SHOWN_RESPONSE_COLUMNS), from the top of the page down."""
    cells = cells_of(study)
    members = whole_pages(study, cells)
    rows = _shown(study, sources).values_list(
        *("participant__pseudonym", "block_id", "position", "response_order", "response_seconds"),
        "repeat",
    )
    for person, block, position, order, seconds, repeat in rows.iterator():
        on_screen = seconds or {}
        for place, response in enumerate(order or members.get(block, ()), start=1):
            yield (
                person,
                *cells[block, response].names,
                position,
                place if order else None,
                on_screen.get(str(response)),
                repeat,
            )


def _shown(study: Study, sources: Sequence[str]) -> Any:
    """Presentations that participants saw, or that were imported."""
    return (
        Presentation.objects.filter(participant__in=people_of(study, sources))
        .filter(Q(shown_at__isnull=False) | Q(answered_at__isnull=False) | Q(page=None))
        .order_by("participant_id", "position", "id")
    )
