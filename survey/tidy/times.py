"""Times of the server's clock. It may be set back while a participant answers."""

from datetime import datetime


def seconds_between(start: datetime | None, end: datetime | None) -> float | None:
    """The duration; None if a time is unknown, or the clock was set back between them."""
    if start is None or end is None or end < start:
        return None
    return (end - start).total_seconds()


def is_backwards(start: datetime | None, end: datetime | None) -> bool | None:
    """Whether the clock was set back between them; None if a time is unknown."""
    return None if start is None or end is None else end < start
