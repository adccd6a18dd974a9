"""What a check of live data finds."""

from dataclasses import dataclass
from typing import Any

from django.db import models


@dataclass(frozen=True)
class Violation:
    """A broken rule: in which study, in which row, what is wrong, and what to do."""

    study: str
    row: str
    what: str
    todo: str

    def __str__(self) -> str:
        place = f"{self.study}, {self.row}" if self.study else self.row
        return f"{place}: {self.what}. {self.todo}."


def row_of(model: type[models.Model], pk: Any) -> str:
    """A row, as one finds it with any tool: its table and number."""
    return f"row {pk} of {model._meta.db_table}"


RESTORE = "Restore a backup from before this happened"
REPORT = (
    "Fivefold writes no such rows: keep a backup, find out who changed the database, and exclude "
    "the participant or restore"
)
