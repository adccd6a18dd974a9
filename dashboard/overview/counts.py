"""How many people arrived, take part, have finished or were excluded, as of now."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from analysis.models import AnalysisRun, Exclusion
from analysis.rule_sets import current_rules
from survey.models import Participant, Study
from survey.tidy import counted_sources

Status = Participant.Status


def people_counted(**which: object) -> Coalesce:
    """How many people of a study these filters choose. A join would read all people each time."""
    people = Participant.objects.filter(study=OuterRef("pk"), **which).order_by()
    return Coalesce(Subquery(people.values("study").annotate(n=Count("*")).values("n")), 0)


def listed_studies() -> QuerySet[Study]:
    """Every version of every study."""
    return Study.objects.defer("definition").order_by("slug", "-version")


def with_counts(studies: Iterable[Study]) -> list[Study]:
    """The studies, each with its number of raters (`arrived`, `in_progress`, `completed`), of other
    people (`not_counted`) and of imported ones (`imports`). People are read once.
    """
    listed = list(studies)
    raters = counted_sources()
    counted = {study.pk: Counter[str]() for study in listed}
    people = Participant.objects.filter(study__in=listed).order_by("study", "source", "status")
    rows = people.values_list("study", "source", "status").annotate(n=Count("*"))
    for study, source, status, n in rows:
        counts = counted[study]
        counts["arrived" if source in raters else "not_counted"] += n
        if source in raters and status in (Status.IN_PROGRESS, Status.COMPLETED):
            counts[status] += n
        if source == Participant.Source.IMPORT:
            counts["imports"] += n
    for each in listed:
        names = ("arrived", "in_progress", "completed", "not_counted", "imports")
        vars(each).update({name: counted[each.pk][name] for name in names})
    return listed


@dataclass
class SourceCounts:
    """The people of one source by status. Everyone arrived; the statuses add up to that."""

    source: str
    statuses: Counter[str] = field(default_factory=Counter)
    active: int = 0
    excluded: dict[str, int] = field(default_factory=dict)
    #: When the analysis that excluded them had finished; None without one.
    analysed_at: datetime | None = None

    @property
    def is_counted(self) -> bool:
        return self.source not in Participant.NOT_COUNTED

    @property
    def arrived(self) -> int:
        return self.statuses.total()

    @property
    def excluded_by_any(self) -> int:
        return sum(self.excluded.values())

    @property
    def reading(self) -> int:
        """Came, but have neither agreed nor declined yet."""
        return self.statuses[Status.ARRIVED]

    @property
    def completed(self) -> int:
        return self.statuses[Status.COMPLETED]

    @property
    def declined(self) -> int:
        return self.statuses[Status.DECLINED]

    @property
    def failed_comprehension(self) -> int:
        return self.statuses[Status.FAILED_COMPREHENSION]

    @property
    def screened_out(self) -> int:
        return self.statuses[Status.SCREENED_OUT]

    @property
    def silent(self) -> int:
        """In progress, but not seen for longer than the study's rules allow."""
        return self.statuses[Status.IN_PROGRESS] - self.active

    def add(self, other: "SourceCounts") -> None:
        """Count the people of another source, too."""
        self.statuses += other.statuses
        self.active += other.active
        for rule, n in other.excluded.items():
            self.excluded[rule] = self.excluded.get(rule, 0) + n
        known = [at for at in (self.analysed_at, other.analysed_at) if at is not None]
        self.analysed_at = max(known, default=None)


@dataclass(frozen=True)
class LiveCounts:
    """A study's people at a moment. `real` adds up the sources that count."""

    at: datetime
    inactive_minutes: float
    analysed_at: datetime | None
    real: SourceCounts
    sources: list[SourceCounts]

    @property
    def test_sources(self) -> list[str]:
        """The sources of test people who came."""
        return [one.source for one in self.sources if one.source in Participant.TEST_SOURCES]

    @property
    def not_counted(self) -> list[SourceCounts]:
        return [counts for counts in self.sources if not counts.is_counted]

    def together(self, include: Sequence[str]) -> SourceCounts:
        """Those who count, and the people of the sources to `include`."""
        whole = SourceCounts("together")
        for counts in self.sources:
            if counts.is_counted or counts.source in include:
                whole.add(counts)
        return whole


def live_counts(study: Study) -> LiveCounts:
    """People by source: arrived, in progress, finished, and excluded by the newest run."""
    now = timezone.now()
    minutes = current_rules(study).early_exit.inactive_minutes
    # Active people apart: the others are counted from the index `participant_counts` alone.
    rows = study.participants.order_by("source", "status").values_list("source", "status")
    here = [source for source in Participant.Source.values if source != Participant.Source.IMPORT]
    seen = rows.filter(
        source__in=here,
        status=Status.IN_PROGRESS,
        last_seen_at__gte=now - timedelta(minutes=minutes),
    )
    active_of = {source: n for source, _, n in seen.annotate(n=Count("*"))}
    sources: dict[str, SourceCounts] = {}
    real = SourceCounts("real")
    for source, status, n in rows.annotate(n=Count("*")):
        active = active_of.get(source, 0) if status == Status.IN_PROGRESS else 0
        counts = sources.setdefault(source, SourceCounts(source))
        for part in (counts, real) if counts.is_counted else (counts,):
            part.statuses[status] += n
            part.active += active
    newest = _newest_runs(study)
    for source, rule, n in _excluded(newest):
        counts = sources[source]
        for part in (counts, real) if counts.is_counted else (counts,):
            part.excluded[rule] = part.excluded.get(rule, 0) + n
    for source, (_, at) in newest.items():
        if source in sources:
            sources[source].analysed_at = at
    finished = [at for source, (_, at) in newest.items() if source not in Participant.NOT_COUNTED]
    ordered = sorted(sources.values(), key=lambda counts: (not counts.is_counted, counts.source))
    return LiveCounts(now, minutes, max(finished, default=None), real, ordered)


def _newest_runs(study: Study) -> dict[str, tuple[int, datetime]]:
    """The newest finished run that each source took part in: its id, and when it finished."""
    newest: dict[str, tuple[int, datetime]] = {}
    runs = (
        study.analysis_runs.filter(state=AnalysisRun.State.DONE, finished_at__isnull=False)
        .order_by()
        .values_list("sources")
        .annotate(run=Max("id"), at=Max("finished_at"))
    )
    for sources, run, at in runs:
        for source in sources:
            newest[source] = max((run, at), newest.get(source, (run, at)))
    return newest


def _excluded(newest: dict[str, tuple[int, datetime]]) -> Iterator[tuple[str, str, int]]:
    """(source, rule, n) of the exclusions in each source's newest run."""
    for run, at in set(newest.values()):
        for source, rule, n in _excluded_in(run, at):
            if newest[source][0] == run:
                yield source, rule, n


@lru_cache(maxsize=100)
def _excluded_in(run: int, _finished_at: datetime) -> list[tuple[str, str, int]]:
    """(source, rule, n) of a finished run's exclusions, which never change: a withdrawal deletes
    the run.
    """
    rows = Exclusion.objects.filter(run=run).order_by("rule")
    return list(rows.values_list("participant__source", "rule").annotate(n=Count("*")))
