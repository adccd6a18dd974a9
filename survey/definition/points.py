"""Points of scales."""

from decimal import Decimal
from math import isfinite
from typing import Annotated

from pydantic import PlainSerializer, PlainValidator

from survey.definition.parts import Part, Text

MOST_DECIMALS = 4


def point_value(value: float) -> float:
    """A point of a scale: a number with up to four decimals, as an int if it is whole: 2, 2.25.
    Raises ValueError for what is none.
    """
    is_number = type(value) in (int, float) and isfinite(value)
    if not is_number or round(value, MOST_DECIMALS) != value:
        raise ValueError(
            f"must be a number with at most {MOST_DECIMALS} decimals, such as 2 or 2.5"
        )
    return int(value) if value % 1 == 0 else value


#: Stored as it is: as a float, a whole number would become another one in a study's hash.
AsItIs = PlainSerializer(lambda value: value)
PointValue = Annotated[float, PlainValidator(point_value), AsItIs]


class Point(Part):
    """One point of a scale; every point is labelled."""

    value: PointValue
    label: Text


def exact(value: float) -> Decimal:
    """The decimal number as which a value is written: .1, not the nearest binary one."""
    return Decimal(str(value))
