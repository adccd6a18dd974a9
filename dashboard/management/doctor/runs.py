"""Analyses: whom they count, what they are from, and that they are being worked on."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from statistics import fmean
from typing import Any

from django.apps import apps
from django.db.models import F
from django.utils import timezone

from analysis.models import AnalysisRun, Exclusion, LockedPlan, RaterQuality
from dashboard.management.doctor.violation import Violation, row_of
from jobs.models import Job
from judge.models import GoldScore, QueuedCall
from survey.models import Withdrawal

AGAIN = "Delete this run and analyse again: manage.py analyze"
#: A sweep gives work back within a minute; after so long nobody sweeps.
LONG_AGO = timedelta(hours=1)


def exclusions_belong_to_their_run() -> Iterator[Violation]:
    """An exclusion is about a rater of its run's study, who is then not included in it."""
    rows = Exclusion.objects.select_related("run__study", "participant")
    for one in rows.exclude(participant__study=F("run__study")):
        yield _of_run(one.run, Exclusion, one.pk, "excludes a participant of another study", AGAIN)
    excluded = set(Exclusion.objects.values_list("run_id", "participant_id"))
    rated = RaterQuality.objects.filter(included=True).select_related("run__study", "participant")
    for rater in rated.iterator():
        if (rater.run_id, rater.participant_id) in excluded:
            what = f"includes participant {rater.participant}, whom the same run excludes"
            yield _of_run(rater.run, RaterQuality, rater.pk, what, AGAIN)


def no_result_counts_a_withdrawn_person() -> Iterator[Violation]:
    """No finished analysis is older than the withdrawal of someone whom it counted."""
    done = AnalysisRun.objects.filter(state=Job.State.DONE).select_related("study")
    withdrawals = list(Withdrawal.objects.values_list("study_id", "source", "withdrawn_at"))
    for run in done.iterator():
        since = [
            at
            for study, source, at in withdrawals
            if study == run.study_id
            and source in run.sources
            and run.finished_at is not None
            and run.finished_at < at
        ]
        if since:
            yield _of_run(
                run,
                AnalysisRun,
                run.pk,
                f"its results are from before a withdrawal on {min(since):%Y-%m-%d %H:%M} UTC, and "
                "count this person",
                AGAIN,
            )


def runs_count_their_sources_only() -> Iterator[Violation]:
    """An analysis counts people from its sources only: no test people unless asked for by name."""
    rows = RaterQuality.objects.select_related("run__study", "participant").iterator()
    for one in rows:
        if one.participant.source not in one.run.sources:
            what = f"counts participant {one.participant}, who is {one.participant.source}"
            yield _of_run(one.run, RaterQuality, one.pk, what, AGAIN)


def finished_runs_say_what_they_are_from() -> Iterator[Violation]:
    """A finished analysis has the hash of its data, its software, and rules and recipes of its
    study.
    """
    done = AnalysisRun.objects.filter(state=Job.State.DONE)
    for run in done.select_related("study", "rule_set", "recipe_set").iterator():
        missing = [
            name
            for name, value in {
                "the hash of its data": run.snapshot_hash,
                "its software": run.manifest.get("software"),
                "rules of its study": run.rule_set.study_id == run.study_id,
                "recipes of its study": run.recipe_set.study_id == run.study_id,
            }.items()
            if not value
        ]
        if missing:
            yield _of_run(run, AnalysisRun, run.pk, f"lacks {', '.join(missing)}", AGAIN)


def hashes_fit() -> Iterator[Violation]:
    """A locked plan is as it was locked: its text has the stored hash."""
    for plan in LockedPlan.objects.select_related("study"):
        if hashlib.sha256(plan.content.encode()).hexdigest() != plan.sha256:
            yield Violation(
                str(plan.study),
                f"plan {plan.version} ({row_of(LockedPlan, plan.pk)})",
                "its text was changed after it was locked",
                "Restore it from a backup; deviations from it can't be told until then",
            )


def gold_is_the_mean_of_its_calls() -> Iterator[Violation]:
    """A stored gold score is the mean of the single scores beside it. Those of judges are computed
    from the calls each time.
    """
    for gold in GoldScore.objects.exclude(calls=[]).select_related("gold_set__study").iterator():
        known = [score for score in gold.calls if score is not None]
        if known and not _is_mean(gold.value, fmean(known)):
            yield Violation(
                str(gold.gold_set.study),
                f"gold scores {gold.gold_set.name} ({row_of(GoldScore, gold.pk)})",
                f"the score {gold.value} is not the mean of its single scores, {fmean(known):.6g}",
                "Import these gold scores again: manage.py import_gold",
            )


def _is_mean(value: float, mean: float) -> bool:
    """Whether a number that may have been rounded is this mean."""
    digits = Decimal(repr(value)).as_tuple().exponent
    assert isinstance(digits, int)
    return abs(value - mean) <= 0.5 * 10.0**digits + 1e-9


def no_lease_ran_out_long_ago() -> Iterator[Violation]:
    """No work is claimed by a worker that has been silent for an hour."""
    before = timezone.now() - LONG_AGO
    kinds: list[Any] = [model for model in apps.get_models() if issubclass(model, Job | QueuedCall)]
    for model in kinds:
        stuck = model._default_manager.filter(state="running", lease_until__lt=before)
        for one in stuck:
            yield Violation(
                "",
                f"{one} ({row_of(model, one.pk)})",
                f"its worker has been silent since {one.lease_until:%Y-%m-%d %H:%M} UTC, and no "
                "other one has taken it",
                "Start a worker: it takes such work within a minute",
            )


def _of_run(run: AnalysisRun, model: type[Any], pk: int, what: str, todo: str) -> Violation:
    return Violation(str(run.study), f"analysis {run.pk} ({row_of(model, pk)})", what, todo)
