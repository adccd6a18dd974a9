"""Gold scores, and how far a judge has come."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from django.db.models import Count, Q

from judge.models import STAND_IN, Attempt, Call, GoldScore, Judge
from survey.models import Study


@dataclass(frozen=True)
class Gold:
    """The gold score of one response on one dimension, and the single scores behind it."""

    response_id: int
    dimension: str
    value: float
    calls: list[float]


@dataclass(frozen=True)
class GoldScores:
    """All gold scores of a study, and where they come from."""

    #: The judge's name and version, or what an imported file says; empty where nobody is named.
    made_by: str
    is_imported: bool
    scores: list[Gold]

    @property
    def is_stand_in(self) -> bool:
        """Whether there are scores, and no language model made them."""
        return bool(self.scores) and STAND_IN in self.made_by

    @property
    def source(self) -> str:
        """Who made the scores, for people; a stand-in is called one."""
        if not self.scores:
            return "none"
        return self.made_by or "imported"


@dataclass(frozen=True)
class Progress:
    """Counts of a judge's calls by state, of its attempts, and what holds it up, for people.

    `unknown` attempts may have been answered and paid for without our knowing.
    """

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
    imported = list(GoldScore.objects.filter(study=study).order_by("response_id", "dimension"))
    if imported:
        makers = sorted({gold.gold_by for gold in imported} - {""})
        scores = [Gold(g.response_id, g.dimension, g.value, g.calls) for g in imported]
        return GoldScores(", ".join(makers), True, scores)
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
    return GoldScores(str(judge), False, scores)


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
        n=Count("id"), unknown=Count("id", filter=Q(outcome__in=Attempt.POSSIBLY_PAID))
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
