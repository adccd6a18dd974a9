"""The funnel's bars, and a rater's row in words."""

from dataclasses import dataclass

from analysis.quality_rules import DECISION, QualityRules
from analysis.writing_rules import WRITING_LABELS
from dashboard.raters.verdicts import measured_in_words
from dashboard.shared.stored_tables import Row, StoredTable


@dataclass(frozen=True)
class FunnelBar:
    """A step of the funnel with what it took and left, in percent of all who finished or left; the
    first bar is these, and no step.
    """

    step: str
    excluded: int
    remaining: int
    alone: int
    excluded_share: float
    remaining_share: float


def funnel_bars(funnel: StoredTable) -> list[FunnelBar]:
    """The funnel's steps in order, everybody before them, with the widths of a drawing."""
    if not funnel.rows:
        return []
    first = funnel.rows[0]
    start = (first["excluded"] or 0) + first["remaining"]
    everybody = FunnelBar("", 0, start, 0, 0, 100 if start else 0)
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


def shown_rater(rater: Row, rules: QualityRules) -> Row:
    """A rater's row with minutes, and in words: what the one of these `rules` that excluded them
    measured, the part of it that did so, and how the writing of their free answers is flagged.
    """
    seconds, step = rater["duration_seconds"], rater["exclusion"]
    flags = rater.get("flags") or ""  # a run from before there were flags has none
    is_rule = bool(step) and step != DECISION
    return rater | {
        "minutes": None if seconds is None else seconds / 60,
        "measured": measured_in_words(rater["value"] or {}),
        "excludes": rules.rule(step).against(rater["value"]) if is_rule else "",
        "flagged_as": [WRITING_LABELS[name] for name in flags.split(", ") if name],
    }
