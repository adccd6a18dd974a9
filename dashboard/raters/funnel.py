"""The funnel's bars, and a rater's row in words."""

from dataclasses import dataclass

from dashboard.shared.stored_tables import Row, Table, in_words


@dataclass(frozen=True)
class FunnelBar:
    """A step of the funnel with what it took and left, in percent of everybody before it all."""

    step: str
    excluded: int
    remaining: int
    alone: int
    excluded_share: float
    remaining_share: float


def funnel_bars(funnel: Table) -> list[FunnelBar]:
    """The funnel's steps in order, everybody before them, with the widths of a drawing."""
    if not funnel.rows:
        return []
    first = funnel.rows[0]
    start = (first["excluded"] or 0) + first["remaining"]
    everybody = FunnelBar("start", 0, start, 0, 0, 100 if start else 0)
    return [
        everybody,
        *(
            FunnelBar(
                row["step"],
                row["excluded"] or 0,
                row["remaining"],
                row["alone"] or 0,
                100 * (row["excluded"] or 0) / start if start else 0,
                100 * row["remaining"] / start if start else 0,
            )
            for row in funnel.rows
        ),
    ]


def shown_rater(rater: Row) -> Row:
    """A rater's row with minutes, and in words what their exclusion measured and allows."""
    seconds = rater["duration_seconds"]
    return rater | {
        "minutes": None if seconds is None else seconds / 60,
        "measured": in_words(rater["value"]),
        "allowed": in_words(rater["threshold"]),
    }
