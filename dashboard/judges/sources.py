"""Where a study's gold scores may come from, in numbers: what pages and API show of judges."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from dashboard.shared.access import first_or_404
from judge.advice import advice
from judge.configuration import JudgeConfiguration
from judge.definition import on_scale_of_study
from judge.endpoints import JudgeNotReady, check_endpoint, endpoint_here
from judge.models import Attempt, Call, GoldSet, Judge, Judging, Jury
from judge.money import Budget
from judge.prompts import FORMAT
from judge.queries import (
    GoldSource,
    gold_source,
    judges_of,
    juries_of,
    n_verdicts,
    newer_than_gold,
    wanted_calls,
)
from judge.spending import Spent, spent_by_judges, spent_on
from survey.definition import StudyDefinition
from survey.models import Participant, Response, Study
from survey.tidy import panels_of

CallState = Call.State
NOTHING_SPENT = Spent(0, Decimal(0), Decimal(0), 0)


@dataclass(frozen=True)
class JudgeState:
    """One version of a judge: its progress, its cost, and its last problem."""

    judge: Judge
    configuration: JudgeConfiguration
    is_gold: bool
    #: On the study's own scale, so that its scores may be the gold ones.
    comparable: bool
    #: Of the calls that its scores rest on, by state.
    calls: Counter[str]
    #: Calls that do not exist yet: of responses or replicates that came since it was last asked.
    not_asked: int
    spent: Spent
    #: What the last request that failed reported, while nothing has been answered since.
    last_error: str
    #: What to do about it.
    advice: str
    #: Why this installation can't ask it, if so.
    not_ready: str

    @property
    def source(self) -> GoldSource:
        return GoldSource(judge=self.judge)

    @property
    def total(self) -> int:
        return self.calls.total()

    @property
    def valid(self) -> int:
        return self.calls[CallState.ANSWERED]

    @property
    def failed(self) -> int:
        return self.calls[CallState.FAILED]

    @property
    def running(self) -> int:
        return self.calls[CallState.RUNNING]

    @property
    def waiting(self) -> int:
        return self.calls[CallState.WAITING]

    @property
    def may_be_gold(self) -> bool:
        return self.comparable and self.valid > 0

    @property
    def is_working(self) -> bool:
        """Whether the numbers may change by themselves."""
        return not self.judge.stopped and bool(self.waiting or self.running)

    @property
    def state(self) -> str:
        """In one or two words."""
        if not self.judge.is_current:
            return "earlier version"
        if self.judge.stopped:
            return "stopped"
        if self.is_working:
            return "working"
        if not self.total:
            return "not asked yet"
        return "incomplete" if self.failed or self.not_asked else "complete"

    @property
    def waits_until(self) -> datetime | None:
        """Until when its endpoint is left alone, where that is still to come."""
        until = [self.judge.not_before, self.judge.endpoint.not_before]
        later = [at for at in until if at is not None and at > timezone.now()]
        return max(later, default=None) if self.is_working else None


@dataclass(frozen=True)
class FileState:
    """A gold set from a file."""

    gold_set: GoldSet
    is_gold: bool
    scores: int

    @property
    def source(self) -> GoldSource:
        return GoldSource(gold_set=self.gold_set)


@dataclass(frozen=True)
class PanelState:
    """A panel of experts, with how many of them have completed the study."""

    name: str
    is_gold: bool
    experts: int

    @property
    def source(self) -> GoldSource:
        return GoldSource(panel=self.name)


@dataclass(frozen=True)
class JuryState:
    """A jury, its judges, and how many scores it has: of what all of them have scored."""

    jury: Jury
    is_gold: bool
    judges: list[GoldSource]
    scores: int

    @property
    def source(self) -> GoldSource:
        return GoldSource(jury=self.jury)

    @property
    def may_be_gold(self) -> bool:
        return self.scores > 0


@dataclass(frozen=True)
class Sources:
    """Every source of gold scores that a study has, side by side."""

    judges: list[JudgeState]
    files: list[FileState]
    panels: list[PanelState]
    juries: list[JuryState]
    gold: GoldSource | None
    newer: GoldSource | None
    budget: Budget
    spent: Spent

    @property
    def is_working(self) -> bool:
        return any(judge.is_working for judge in self.judges)

    @property
    def newer_than_gold(self) -> JudgeState | JuryState | None:
        """The present version of the judge or jury whose earlier version's scores are gold."""
        states: list[JudgeState | JuryState] = [*self.judges, *self.juries]
        key = self.newer.key if self.newer else ""
        return next((state for state in states if state.source.key == key), None)

    @property
    def has_stand_in(self) -> bool:
        return any(judge.judge.is_stand_in and judge.judge.is_current for judge in self.judges)


def sources_of(study: Study, definition: StudyDefinition) -> Sources:
    """Everything that could be gold in a study, in a fixed number of queries."""
    gold = gold_source(study)
    key = gold.key if gold else ""
    sets = GoldSet.objects.filter(study=study).annotate(n=Count("scores")).order_by("name")
    completed = Counter(
        study.participants.filter(
            source=Participant.Source.PANEL, status=Participant.Status.COMPLETED
        ).values_list("panel", flat=True)
    )
    judging = Judging.objects.filter(study=study).first()
    return Sources(
        judges=judge_states(study, _judges(study), definition, gold=key),
        files=[FileState(each, GoldSource(gold_set=each).key == key, each.n) for each in sets],
        panels=[
            PanelState(name, GoldSource(panel=name).key == key, completed[name])
            for name in panels_of(study)
        ],
        juries=[_jury(jury, key) for jury in juries_of(study)],
        gold=gold,
        newer=newer_than_gold(study),
        budget=judging.read_definition().budget if judging else Budget(),
        spent=spent_on(study),
    )


def _jury(jury: Jury, gold: str) -> JuryState:
    judges = [GoldSource(judge=judge) for judge in judges_of(jury)]
    return JuryState(jury, GoldSource(jury=jury).key == gold, judges, n_verdicts(jury))


def judge_states(
    study: Study, judges: Iterable[Judge], definition: StudyDefinition, *, gold: str
) -> list[JudgeState]:
    """How far each of these judges of a study has come; `gold` is the key of the gold source."""
    shown = {
        "single": Response.objects.filter(scenario__study=study).count(),
        "block": study.blocks.count(),
        "pair": sum(n * (n - 1) // 2 for n in _sizes(study)),
    }
    by_key = {judge.pk: judge for judge in judges}
    read = {key: judge.read_configuration() for key, judge in by_key.items()}
    replicates = {key: configuration.replicates for key, configuration in read.items()}
    calls, spent = _calls(replicates), spent_by_judges(by_key)
    errors = {a.call.judge_id: a for a in _last_errors(by_key)}
    states = []
    for key, judge in by_key.items():
        error = errors.get(key)
        matters = error is not None and _still_matters(judge, error)
        asked = len(read[key].dimensions_of_calls) * replicates[key]
        wanted = shown[read[key].presentation] * asked
        states.append(
            JudgeState(
                judge=judge,
                configuration=read[key],
                is_gold=GoldSource(judge=judge).key == gold,
                comparable=on_scale_of_study(read[key], definition),
                calls=calls[key],
                not_asked=wanted - calls[key].total() if judge.is_current else 0,
                spent=spent.get(key, NOTHING_SPENT),
                last_error=error.error if error and matters else "",
                advice=advice(error, read[key].endpoint) if error and matters else "",
                not_ready=_not_ready(read[key]) if judge.is_current else "",
            )
        )
    return states


def _sizes(study: Study) -> list[int]:
    """How many responses each block has."""
    sizes = study.blocks.annotate(n=Count("responses"))
    return list(sizes.values_list("n", flat=True))


def judge_state(judge: Judge, definition: StudyDefinition) -> JudgeState:
    """How far one judge has come."""
    gold = gold_source(judge.study)
    key = gold.key if gold else ""
    (state,) = judge_states(judge.study, [judge], definition, gold=key)
    return state


def _judges(study: Study) -> QuerySet[Judge]:
    """Judges of the study's file, then earlier versions that answered something."""
    shown = Q(is_current=True) | Q(pk__in=_answered(study))
    judges = Judge.objects.filter(shown, study=study).select_related("study", "endpoint")
    return judges.order_by("-is_current", "name", "-version")


def _answered(study: Study) -> QuerySet[Call, int]:
    calls = Call.objects.filter(judge__study=study, state=CallState.ANSWERED)
    return calls.order_by().values_list("judge_id", flat=True).distinct()


def _calls(replicates: dict[int, int]) -> dict[int, Counter[str]]:
    rows = (
        Call.objects.filter(judge__in=replicates)
        .exclude(response=None, block=None)
        .order_by()
        .values_list("judge", "state", "replicate")
        .annotate(n=Count("id"))
    )
    calls: dict[int, Counter[str]] = defaultdict(Counter)
    for judge, state, replicate, n in rows:
        if replicate <= replicates[judge]:  # those asked for before are kept, and left out
            calls[judge][state] += n
    return calls


def _last_errors(judges: Iterable[int]) -> QuerySet[Attempt]:
    """The newest attempt of each judge that reported something."""
    newest = (
        Attempt.objects.filter(call__judge=OuterRef("pk"))
        .exclude(error="")
        .order_by(F("ended_at").desc(nulls_last=True), "-id")
        .values("id")[:1]
    )
    chosen = Judge.objects.filter(pk__in=judges).annotate(last=Subquery(newest))
    return Attempt.objects.filter(pk__in=chosen.values("last")).select_related("call")


def _still_matters(judge: Judge, last: Attempt) -> bool:
    """Whether a judge's last error is recent and still delays it."""
    return last.error in judge.stopped if judge.stopped else judge.failures_in_a_row > 0


def _not_ready(configuration: JudgeConfiguration) -> str:
    """Why a judge can't be asked from here; asked elsewhere or in other words so far, it moves
    when it is asked.
    """
    try:
        here = endpoint_here(configuration.endpoint)
        moved = {"base_url": here.identity, "prompt_format": FORMAT}
        check_endpoint(configuration.model_copy(update=moved))
    except JudgeNotReady as problem:
        return str(problem)
    return ""


def models_that_answered(judge: Judge) -> list[tuple[str, int]]:
    """What the models that answered call themselves, with how often each did."""
    answered = Attempt.objects.filter(call__judge=judge, outcome=Attempt.Outcome.ANSWERED)
    counted = answered.order_by().values_list("returned_model").annotate(n=Count("id"))
    return list(counted.order_by("-n", "returned_model"))


def failed_calls(judge: Judge, *, limit: int) -> QuerySet[Call]:
    """Calls that failed, each with the last text that came back (`raw_text`)."""
    last = Attempt.objects.filter(call=OuterRef("pk")).order_by("-number").values("raw_text")[:1]
    failed = wanted_calls(judge).filter(state=CallState.FAILED).annotate(raw_text=Subquery(last))
    about = ("response__scenario", "response__system", "block__scenario")
    return failed.select_related(*about).order_by("id")[:limit]


def judge_or_404(study: Study, key: str) -> Judge:
    """The version of a judge that an address names, such as `llama@2`."""
    name, _, version = key.rpartition("@")
    known = Judge.objects.select_related("study", "endpoint")
    rows = known.filter(study=study, name=name, version=int(version))
    return first_or_404(rows, f"{study} has no judge {key}.")


def key(judge: Judge) -> str:
    """What a version of a judge is called in addresses and commands: `llama@2`."""
    return GoldSource(judge=judge).key
