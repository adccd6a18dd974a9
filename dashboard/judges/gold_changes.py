"""What another gold score changed: two finished analyses side by side, from what they stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from analysis.models import AnalysisRun
from analysis.queries import Decision, rater_decisions
from dashboard.shared.newest_analysis import tables_of
from dashboard.shared.stored_tables import Row, StoredTable, in_order

CELL = ("scenario", "set", "model", "condition", "dimension")
TABLES = ("funnel", "wins", "wins_summary", "items")


@dataclass(frozen=True)
class RaterChange:
    """A rater kept by only one of the two analyses."""

    participant: str
    sigma: float | None
    mae_before: float | None
    mae_after: float | None
    #: The rule that takes them out, in the analysis that does; empty for who is still active.
    rule: str


@dataclass(frozen=True)
class Beside:
    """A row of a table as it was and as it is; None where it was not there."""

    name: str
    before: Row | None
    after: Row | None


@dataclass(frozen=True)
class GoldChange:
    """By how much gold scores moved: over places of responses that have one before and after."""

    n: int
    mean: float | None
    largest: float | None


@dataclass(frozen=True)
class Changes:
    """What differs between two analyses."""

    newly_excluded: list[RaterChange]
    included_again: list[RaterChange]
    #: Whether people and their answers are the same, and the rules: else not all that changed
    #: follows from the gold scores.
    same_answers: bool
    same_rules: bool
    kept_before: int
    kept_after: int
    funnel: list[Beside]
    wins: list[Beside]
    conditions: tuple[str, str]
    gold: GoldChange


def earlier_run(after: AnalysisRun, number: int | None) -> AnalysisRun | None:
    """Another finished analysis of the same people: that of this number, or the newest before."""
    done = AnalysisRun.State.DONE
    runs = AnalysisRun.objects.filter(study=after.study_id, state=done, sources=after.sources)
    if number is None:
        return runs.filter(pk__lt=after.pk).first()
    return runs.exclude(pk=after.pk).filter(pk=number).first()


def changes(before: AnalysisRun, after: AnalysisRun) -> Changes:
    """What two finished runs of a study say, side by side."""
    was, now = rater_decisions(before), rater_decisions(after)
    both = [name for name in was if name in now]
    old, new = tables_of(before, *TABLES), tables_of(after, *TABLES)
    wins = new["wins"].rows or old["wins"].rows
    return Changes(
        newly_excluded=[
            _change(name, was[name], now[name], now[name].exclusion)
            for name in both
            if was[name].included and not now[name].included
        ],
        included_again=[
            _change(name, was[name], now[name], was[name].exclusion)
            for name in both
            if now[name].included and not was[name].included
        ],
        same_answers=_answers(before) == _answers(after),
        same_rules=before.rule_set_id == after.rule_set_id,
        kept_before=sum(decision.included for decision in was.values()),
        kept_after=sum(decision.included for decision in now.values()),
        funnel=_beside(_by(old["funnel"], "step"), _by(new["funnel"], "step")),
        wins=_beside(_over_all(old["wins_summary"]), _over_all(new["wins_summary"])),
        conditions=(wins[0]["condition_a"], wins[0]["condition_b"]) if wins else ("", ""),
        gold=_gold_change(old["items"], new["items"]),
    )


def _answers(run: AnalysisRun) -> tuple[Any, Any]:
    hashes = run.manifest["tables_hashed"]
    return hashes["participants"], hashes["ratings"]


def _change(name: str, was: Decision, now: Decision, rule: str) -> RaterChange:
    return RaterChange(name, now.sigma, was.mae, now.mae, rule)


def _by(table: StoredTable, column: str) -> dict[str, Row]:
    return {row[column]: row for row in table.rows}


def _over_all(summary: StoredTable) -> dict[str, Row]:
    return {row["dimension"]: row for row in summary.rows if row["scenario"] == "all"}


def _beside(before: Mapping[str, Row], after: Mapping[str, Row]) -> list[Beside]:
    names = in_order([*before, *after])
    return [Beside(name, before.get(name), after.get(name)) for name in names]


def _gold_change(before: StoredTable, after: StoredTable) -> GoldChange:
    was, now = _gold(before), _gold(after)
    moved = [abs(now[cell] - was[cell]) for cell in was if cell in now]
    if not moved:
        return GoldChange(0, None, None)
    return GoldChange(len(moved), fmean(moved), max(moved))


def _gold(items: StoredTable) -> dict[tuple[Any, ...], float]:
    cells = ((tuple(row[name] for name in CELL), row["gold"]) for row in items.rows)
    return {cell: gold for cell, gold in cells if gold is not None}
