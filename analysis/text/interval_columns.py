"""Which columns of a table are the two ends of one interval. Pure."""

from collections.abc import Sequence


def with_intervals(columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Columns, the two ends of an interval together."""
    partners = {name: _high(name) for name in columns if _high(name) in columns}
    highs = partners.values()
    return [
        (name, partners[name]) if name in partners else (name,)
        for name in columns
        if name not in highs
    ]


def _high(low: str) -> str:
    """The other end of the interval that a column begins: `ci_low_with` and `ci_high_with`."""
    parts = low.split("_")
    if "low" not in parts:
        return ""
    return "_".join("high" if part == "low" else part for part in parts)
