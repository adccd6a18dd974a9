"""Whether rows of a table have notes, so that pages show no empty column."""

from collections.abc import Iterable
from typing import Any

from django import template

register = template.Library()


@register.filter
def noted(groups: Iterable[tuple[Any, Iterable[dict[str, Any]]]]) -> bool:
    """Whether a row of any group, each with its key, has a note."""
    return any(row["note"] for _, rows in groups for row in rows)
