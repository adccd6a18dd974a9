"""A column of points of scales."""

from typing import Any

from django.db import models


class PointField(models.FloatField):  # type: ignore[type-arg]  # its values are numbers either way
    """Points of a scale. Whole numbers are read as int, so files and pages show 4 and not 4.0;
    others are the floats that study.yaml has.
    """

    def from_db_value(self, value: float | None, *_: Any) -> float | None:
        """The stored number."""
        return int(value) if value is not None and value % 1 == 0 else value
