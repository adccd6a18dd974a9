"""Which columns of a table are the two ends of one interval, and of what. Pure."""

from collections.abc import Collection, Sequence

#: What a plain `ci_low` and `ci_high` enclose: the first that a table has.
ESTIMATES = (
    "difference", "estimate", "value", "share", "mean_rank", "mean", "elbow", "bias",
    "rank_biserial",
)  # fmt: skip
#: What others enclose, where their names do not begin with it.
ENCLOSED = {
    "d": "cohen_d", "best": "share_best", "worst": "share_worst", "w_within": "w_within_blocks",
    "with": "difference_with",
}  # fmt: skip


def with_intervals(columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Columns, the two ends of an interval together behind the number that they enclose."""
    partners = {name: _high(name) for name in columns if _high(name) in columns}
    highs = partners.values()
    groups = [
        (name, partners[name]) if name in partners else (name,)
        for name in columns
        if name not in highs
    ]
    places = {name: place for place, name in enumerate(columns)}

    def place(group: tuple[str, ...]) -> tuple[int, bool]:
        owner = enclosed(group[0], columns) if len(group) > 1 else ""
        return places[owner or group[0]], bool(owner)

    return sorted(groups, key=place)


def enclosed(low: str, columns: Collection[str]) -> str:
    """The number around which an interval lies that begins with `low`; "" where none is known."""
    if low == "ci_low":
        return next((name for name in ESTIMATES if name in columns), "")
    owner = ENCLOSED.get(stem(low), stem(low))
    return owner if owner in columns else ""


def stem(low: str) -> str:
    """The name of an interval without what says that it is one: d of `d_ci_low`."""
    return "_".join(part for part in low.split("_") if part not in ("ci", "low"))


def _high(low: str) -> str:
    """The other end of the interval that a column begins: `ci_low_with` and `ci_high_with`."""
    parts = low.split("_")
    if "low" not in parts:
        return ""
    return "_".join("high" if part == "low" else part for part in parts)
