"""Who counts as the data are now, and what that was decided from. Nothing is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from analysis.frames import Snapshot, SnapshotInChunks, read_snapshot
from analysis.models import RuleSet
from analysis.queries import Decision
from analysis.raters.filtering import filtered
from analysis.rule_sets import rules_of
from analysis.versions import software
from survey.files.csv_text import time_text
from survey.models import Study
from survey.tidy import not_counted_among


@dataclass(frozen=True)
class Decided:
    """What the filter decided of each rater, by pseudonym, and what a manifest says of it."""

    decisions: dict[str, Decision]
    manifest: dict[str, Any]


def decide(study: Study, sources: Sequence[str], rule_set: RuleSet, *, at: datetime) -> Decided:
    """Filter everybody from `sources` as the data are, some people at a time. Call it inside
    `survey.tidy.reading()`. Raises ValueError where the data contradict themselves.
    """
    data = SnapshotInChunks(study, sources, seen_since=_seen_since(rule_set, at))
    has_gold, decisions = data.any_rating_has_gold(), {}
    columns = ["participant", *Decision._fields]
    for chunk in data:
        raters = filtered(chunk, rules_of(rule_set), has_gold=has_gold).raters[columns]
        rows = raters.astype(object).where(raters.notna(), None).itertuples(index=False)
        decisions.update({name: Decision(*decided) for name, *decided in rows})
    return Decided(decisions, about(study, sources, rule_set, data))


def snapshot_at(
    study: Study, sources: Sequence[str], rule_set: RuleSet, *, at: datetime
) -> Snapshot:
    """The data, read at that time. Call it inside `survey.tidy.reading()`."""
    return read_snapshot(study, sources, seen_since=_seen_since(rule_set, at))


def _seen_since(rule_set: RuleSet, at: datetime) -> datetime:
    """Who was seen since then is still taking the survey at `at`."""
    return at - timedelta(minutes=rules_of(rule_set).early_exit.inactive_minutes)


def about(
    study: Study, sources: Sequence[str], rule_set: RuleSet, snapshot: Snapshot | SnapshotInChunks
) -> dict[str, Any]:
    """What a manifest says of the data and the rules."""
    return {
        "study": str(study),
        "title": study.title,
        "content_hash": study.content_hash,
        "snapshot_hash": snapshot.hash,
        "sources": list(sources),
        "included_by_name": not_counted_among(sources),
        "gold": snapshot.gold.source,
        "rule_set": {
            "version": rule_set.version,
            "created_at": time_text(rule_set.created_at),
            "author": str(rule_set.author) if rule_set.author else None,
            "rules": rule_set.rules,
        },
        "software": software(),
    }
