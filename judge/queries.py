"""Gold scores, and how far a judge has come."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from django.db.models import Count, Q

from judge.models import Attempt, Call, GoldScore, Judge
from survey.models import Study


@dataclass(frozen=True)
class Gold:
    """The gold score of one response on one dimension, and the single scores behind it."""

    response_id: int
    dimension: str
    value: float
    calls: list[float]

    @property
    def n_valid(self) -> int:
        """How many answered calls it rests on (0: an imported value given without its calls)."""
        return len(self.calls)


@dataclass(frozen=True)
class GoldScores:
    """All gold scores of a study, and where they come from."""

    #: `imported`, the judge's name and version, or empty where there is no source.
    source: str
    is_stand_in: bool
    scores: list[Gold]


@dataclass(frozen=True)
class Progress:
    """Counts of a judge's calls by state, of its attempts, and what holds it up, for people."""

    total: int
    answered: int
    failed: int
    waiting: int
    running: int
    attempts: int
    unknown: int
    stopped: str
    not_before: datetime | None
    last_error: str

    @property
    def is_over(self) -> bool:
        """Whether every call is answered or failed."""
        return self.answered + self.failed == self.total


def gold_judge(study: Study) -> Judge | None:
    """The judge whose scores are the study's gold scores, unless some were imported."""
    return Judge.objects.filter(study=study, is_gold=True).first()


def gold_scores(study: Study) -> GoldScores:
    """A study's gold scores, by response and dimension.

    One source a study: gold scores that were imported, if there are any; else the gold judge,
    each score being the mean of its answered replicates. Two sources are never mixed.
    """
    imported = GoldScore.objects.filter(study=study).order_by("response_id", "dimension")
    scores = [Gold(g.response_id, g.dimension, g.value, g.calls) for g in imported]
    if scores:
        return GoldScores("imported", False, scores)
    judge = gold_judge(study)
    if judge is None:
        return GoldScores("", False, [])
    answered = judge.calls.filter(state=Call.State.ANSWERED).order_by(
        "response_id", "dimension", "replicate"
    )
    by_item: dict[tuple[int, str], list[float]] = defaultdict(list)
    for response_id, dimension, score in answered.values_list("response_id", "dimension", "score"):
        assert score is not None, "the database forbids an answered call without a score"
        by_item[response_id, dimension].append(score)
    scores = [Gold(*item, fmean(calls), calls) for item, calls in by_item.items()]
    return GoldScores(str(judge), judge.is_stand_in, scores)


def progress(judge: Judge) -> Progress:
    """How far a judge has come."""
    judge = Judge.objects.get(pk=judge.pk)
    states = dict(
        judge.calls.order_by()
        .values_list("state")
        .annotate(n=Count("id"))
        .values_list("state", "n")
    )
    attempts = Attempt.objects.filter(call__judge=judge)
    sent = attempts.aggregate(
        n=Count("id"), unknown=Count("id", filter=Q(outcome=Attempt.Outcome.UNKNOWN))
    )
    last = attempts.exclude(error="").order_by("-ended_at").first()
    return Progress(
        total=sum(states.values()),
        answered=states.get(Call.State.ANSWERED, 0),
        failed=states.get(Call.State.FAILED, 0),
        waiting=states.get(Call.State.WAITING, 0),
        running=states.get(Call.State.RUNNING, 0),
        attempts=sent["n"],
        unknown=sent["unknown"],
        stopped=judge.stopped,
        not_before=judge.not_before,
        last_error=last.error if last else "",
    )


def failure_reasons(judge: Judge) -> list[tuple[str, int]]:
    """Why calls failed, and how many for each reason, the most frequent first."""
    return list(
        judge.calls.filter(state=Call.State.FAILED)
        .order_by()
        .values_list("error")
        .annotate(n=Count("id"))
        .order_by("-n", "error")
    )
