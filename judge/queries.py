"""Gold scores and other scores, and a judge's progress."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from statistics import fmean, median

from django.db.models import Count, F, Q, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf

from judge.models import (
    STAND_IN,
    Attempt,
    Batch,
    Call,
    GoldDecision,
    GoldSet,
    Judge,
    Jury,
    Score,
)
from judge.seeds import shares_seeds
from survey.models import Study
from survey.tidy import panel_ratings, panels_of


@dataclass(frozen=True)
class Gold:
    """The score of one response on one dimension, and the single scores it is the mean of."""

    response_id: int
    dimension: str
    value: float
    #: None if a single score of a file is missing.
    calls: Sequence[float | None]


@dataclass(frozen=True)
class GoldScores:
    """All scores of one source: a judge's, those of a file, a panel's mean ratings, or a jury's."""

    #: The judge's name and version, or the name in an imported file; empty if there is none.
    made_by: str
    is_imported: bool
    scores: list[Gold]
    #: `judge`, `file`, `panel` or `jury`; empty if a study has no gold scores.
    kind: str = ""

    @property
    def is_stand_in(self) -> bool:
        """Whether there are scores, and a stand-in made them."""
        return bool(self.scores) and STAND_IN in self.made_by

    @property
    def source(self) -> str:
        """The source's name for people; a stand-in is labelled as such."""
        if not self.scores:
            return "none"
        return self.made_by or "imported"


@dataclass(frozen=True)
class GoldSource:
    """A source of gold scores: exactly one of a judge, a gold set, a panel and a jury."""

    judge: Judge | None = None
    gold_set: GoldSet | None = None
    jury: Jury | None = None
    panel: str = ""

    @property
    def kind(self) -> str:
        kinds = {"judge": self.judge, "file": self.gold_set, "jury": self.jury}
        return next((kind for kind, source in kinds.items() if source is not None), "panel")

    @property
    def name(self) -> str:
        """Unique in its study, with a stand-in labelled as such: `llama@2`, `jury x@1`, `file
        imported`, `panel y`.
        """
        asked = self.judge or self.jury
        return f"{self.key} ({STAND_IN})" if asked and asked.is_stand_in else self.key

    @property
    def key(self) -> str:
        """Its name on the command line."""
        if self.judge:
            return f"{self.judge.name}@{self.judge.version}"
        if self.jury:
            return f"jury {self.jury.name}@{self.jury.version}"
        return f"file {self.gold_set.name}" if self.gold_set else f"panel {self.panel}"

    def __str__(self) -> str:
        return str(self.judge or self.gold_set or self.name)


#: What a score is about: a call is about one dimension, or its scores say which.
DIMENSION_OF_SCORE = Coalesce(NullIf("dimension", Value("")), F("call__dimension"))
NO_GOLD = GoldScores("", False, [])


def current_judges(study: Study) -> QuerySet[Judge]:
    """The current versions of the judges in the study's file."""
    return Judge.objects.filter(study=study, is_current=True).select_related("study", "endpoint")


def keeps_shared_seeds(judge: Judge) -> bool:
    """Whether its calls share seeds, because it started before each call had its own."""
    shares = judge.is_current and shares_seeds(judge.read_configuration())
    return shares and judge.calls.exists()


def gold_decision(study: Study) -> GoldDecision | None:
    """The current decision for a gold source."""
    decisions = GoldDecision.objects.filter(study=study).select_related("judge", "gold_set", "jury")
    return decisions.order_by("-id").first()


def gold_source(study: Study) -> GoldSource | None:
    """The gold source."""
    decided = gold_decision(study)
    if decided is None or decided.is_for_none:
        return None
    return GoldSource(decided.judge, decided.gold_set, decided.jury, decided.panel)


def newer_than_gold(study: Study) -> GoldSource | None:
    """The current version of the judge or jury whose earlier version is gold, if there is one."""
    gold = gold_source(study)
    if gold is None:
        return None
    if gold.judge is not None and not gold.judge.is_current:
        newer = current_judges(study).filter(name=gold.judge.name).first()
        return GoldSource(judge=newer) if newer else None
    if gold.jury is not None and not gold.jury.is_current:
        jury = study.juries.filter(name=gold.jury.name, is_current=True).first()
        return GoldSource(jury=jury) if jury else None
    return None


def gold_sources(study: Study) -> list[GoldSource]:
    """All possible gold sources: judges and juries (also earlier versions with scores), files,
    panels.
    """
    judges = Judge.objects.filter(study=study).filter(
        Q(is_current=True) | Q(calls__state=Call.State.ANSWERED)
    )
    return [
        *(GoldSource(judge=judge) for judge in judges.distinct().order_by("name", "version")),
        *(GoldSource(jury=jury) for jury in juries_of(study)),
        *(GoldSource(gold_set=gold_set) for gold_set in GoldSet.objects.filter(study=study)),
        *(GoldSource(panel=panel) for panel in panels_of(study)),
    ]


def juries_of(study: Study) -> list[Jury]:
    """The current juries, and earlier versions with scores."""
    return [jury for jury in study.juries.all() if jury.is_current or n_verdicts(jury)]


def gold_judges(study: Study) -> list[Judge]:
    """The judges that the gold scores come from: one, or those of the gold jury."""
    source = gold_source(study)
    if source is None:
        return []
    if source.judge is not None:
        return [source.judge]
    return judges_of(source.jury) if source.jury else []


def judges_of(jury: Jury) -> list[Judge]:
    """The judges of a jury, in the order of their names."""
    return list(jury.judges.order_by("name").select_related("study", "endpoint"))


def gold_scores(study: Study) -> GoldScores:
    """A study's gold scores, by response and dimension."""
    source = gold_source(study)
    return NO_GOLD if source is None else scores_of(study, source)


def scores_of(study: Study, source: GoldSource) -> GoldScores:
    """The scores of a source, by response and dimension."""
    if source.judge is not None:
        values = judge_values(source.judge)
        scores = _means((v.response_id, v.dimension, v.value) for v in values)
        return GoldScores(str(source.judge), False, scores, "judge")
    if source.gold_set is not None:
        stored = source.gold_set.scores.order_by("response_id", "dimension")
        scores = [Gold(g.response_id, g.dimension, g.value, g.calls) for g in stored]
        return GoldScores(source.gold_set.made_by, True, scores, "file")
    if source.jury is not None:
        return GoldScores(str(source.jury), False, _verdicts(source.jury), "jury")
    scores = _means(expert_means(study, source.panel))
    return GoldScores(f"panel {source.panel}", False, scores, "panel")


def _verdicts(jury: Jury) -> list[Gold]:
    """A jury's scores of what every judge of it has scored; `calls` are the judges' means."""
    combined = fmean if jury.combine == Jury.Combine.MEAN else median
    by_judge = [
        {
            (score.response_id, score.dimension): score.value
            for score in _means((v.response_id, v.dimension, v.value) for v in judge_values(judge))
        }
        for judge in judges_of(jury)
    ]
    return [
        Gold(*item, combined(single), single)
        for item in sorted(set.intersection(*map(set, by_judge)))
        if (single := [of[item] for of in by_judge])
    ]


def n_verdicts(jury: Jury) -> int:
    """How many scores a jury has: of what every judge of it has scored."""
    judges = judges_of(jury)
    counted = Q()
    for judge in judges:
        replicates = judge.read_configuration().replicates
        counted |= Q(call__judge=judge, call__replicate__lte=replicates)
    scored = Score.objects.filter(counted).annotate(about=DIMENSION_OF_SCORE).order_by()
    by_item = scored.values("response_id", "about").annotate(n=Count("call__judge", distinct=True))
    return by_item.filter(n=len(judges)).count()


@dataclass(frozen=True)
class JudgeValue:
    """One score of one call."""

    call_id: int
    response_id: int
    #: The block in which the judge saw it; None if it saw the response alone.
    block_id: int | None
    dimension: str
    replicate: int
    #: From 1, among the responses that it saw together; None if it saw the response alone.
    position: int | None
    value: int
    reason: str


def judge_values(judge: Judge) -> Iterator[JudgeValue]:
    """A judge's single scores, by response, dimension and replicate.

    Replicates above the judge's current number are stored, but excluded here.
    """
    replicates = judge.read_configuration().replicates
    rows = (
        Score.objects.filter(call__judge=judge, call__replicate__lte=replicates)
        .annotate(about=DIMENSION_OF_SCORE)
        .order_by("response_id", "about", "call__replicate", "call_id")
        .values_list(
            "call_id",
            "response_id",
            "call__block_id",
            "about",
            "call__replicate",
            "call__order",
            "value",
            "reason",
        )
    )
    for call, response, block, dimension, replicate, order, value, reason in rows.iterator():
        position = order.index(response) + 1 if order else None
        about = (call, response, block, dimension, replicate)
        yield JudgeValue(*about, position, value, reason)


def expert_means(study: Study, panel: str) -> list[tuple[int, str, float]]:
    """Response, dimension and mean of each expert's ratings of it. An expert who saw a response in
    several sets counts once for it, as raters do in comparisons with judges.
    """
    by_expert = groupby(panel_ratings(study, panel), key=itemgetter(0, 1, 2))
    return [
        (response, dimension, fmean(value for _, _, _, value in ratings))
        for (response, dimension, _), ratings in by_expert
    ]


def _means(values: Iterable[tuple[int, str, float]]) -> list[Gold]:
    by_item: dict[tuple[int, str], list[float]] = defaultdict(list)
    for response_id, dimension, value in values:
        by_item[response_id, dimension].append(value)
    return [Gold(*item, fmean(single), single) for item, single in sorted(by_item.items())]


@dataclass(frozen=True)
class Progress:
    """Counts of a judge's calls by state, of its attempts, and what blocks it, for people.

    `unknown` attempts were possibly answered and billed. The probe does not count as a call, but
    its attempts count.
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
    attempts_by_outcome: dict[str, int] = field(default_factory=dict)
    #: Of the running calls.
    in_batch: int = 0
    #: When the oldest batch was sent; None if none has been.
    batch_since: datetime | None = None
    #: How far batches are, as the endpoint says, or the last problem with it.
    batch_said: str = ""

    @property
    def is_over(self) -> bool:
        """Whether every call is answered or failed."""
        return self.answered + self.failed == self.total


def progress(judge: Judge) -> Progress:
    """A judge's progress."""
    judge = Judge.objects.select_related("endpoint").get(pk=judge.pk)
    states = dict(
        wanted_calls(judge)
        .order_by()
        .values_list("state")
        .annotate(n=Count("id"))
        .values_list("state", "n")
    )
    attempts = Attempt.objects.filter(call__judge=judge)
    outcomes = dict(
        attempts.order_by()
        .values_list("outcome")
        .annotate(n=Count("id"))
        .values_list("outcome", "n")
    )
    # Failures before the last answer no longer block anything.
    last = attempts.filter(ended_at__isnull=False).order_by("-ended_at", "-id").first()
    in_flight = Count("attempts", filter=Q(attempts__outcome=Attempt.Outcome.IN_FLIGHT))
    begun = Batch.objects.filter(judge=judge).exclude(state=Batch.State.ENDED)
    batches = list(begun.annotate(in_flight=in_flight).order_by("id"))
    waits = [at for at in (judge.not_before, judge.endpoint.not_before) if at is not None]
    return Progress(
        total=sum(states.values()),
        answered=states.get(Call.State.ANSWERED, 0),
        failed=states.get(Call.State.FAILED, 0),
        waiting=states.get(Call.State.WAITING, 0),
        running=states.get(Call.State.RUNNING, 0),
        attempts=sum(outcomes.values()),
        unknown=sum(outcomes.get(outcome, 0) for outcome in Attempt.POSSIBLY_PAID),
        stopped=judge.stopped,
        not_before=max(waits, default=None),
        last_error=last.error if last else "",
        attempts_by_outcome=outcomes,
        in_batch=sum(each.in_flight for each in batches),
        batch_since=min((each.sent_at for each in batches if each.sent_at), default=None),
        batch_said="; ".join(filter(None, (each.error or each.said for each in batches))),
    )


def asked_calls(judge: Judge) -> QuerySet[Call]:
    """A judge's current calls: its probe, and its current number of replicates."""
    return Call.objects.filter(judge=judge, replicate__lte=judge.read_configuration().replicates)


def wanted_calls(judge: Judge) -> QuerySet[Call]:
    """The calls that a judge's scores are based on: `asked_calls` without the probe."""
    return asked_calls(judge).exclude(response=None, block=None)


def scoring_calls(judge: Judge) -> QuerySet[Call]:
    """A judge's calls without its probe."""
    return Call.objects.filter(judge=judge).exclude(response=None, block=None)


def failure_reasons(judge: Judge) -> list[tuple[str, int]]:
    """The reasons of failed calls with their counts, the most frequent first."""
    return list(
        wanted_calls(judge)
        .filter(state=Call.State.FAILED)
        .order_by()
        .values_list("error")
        .annotate(n=Count("id"))
        .order_by("-n", "error")
    )
