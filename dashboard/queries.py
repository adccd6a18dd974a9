"""What pages and API read: the same functions for both."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from analysis.models import AnalysisRun, Exclusion, RaterQuality, Result
from analysis.queries import latest_run
from analysis.recipe_sets import current_recipe_set
from analysis.rules import current_rule_set, current_rules
from analysis.runs import fingerprint
from dashboard.tables import Table
from judge.queries import gold_scores
from survey.access import names_of_parameters
from survey.content import content_of
from survey.models import Participant, Rating, Response, Study
from survey.participants import admits
from survey.tidy import RATING_TASKS, counted_sources, dimensions_of, not_counted_among

Status = Participant.Status
State = AnalysisRun.State
#: In an address, in place of names to include: those who count and nobody else.
NOBODY = "none"


def studies_with_counts() -> QuerySet[Study]:
    """Every version of every study with how many raters it has, and other people."""
    real = ~Q(participants__source__in=Participant.NOT_COUNTED)
    counted = Study.objects.defer("definition").annotate(
        arrived=Count("participants", filter=real),
        in_progress=Count("participants", filter=real & Q(participants__status="in_progress")),
        completed=Count("participants", filter=real & Q(participants__status="completed")),
        not_counted=Count("participants", filter=~real),
    )
    return counted.order_by("slug", "-version")  # grouping drops the usual order


@dataclass(frozen=True)
class Link:
    """An address that leads participants into a study."""

    way: str
    url: str
    note: str


#: What Prolific fills in, by what it is.
PLACEHOLDERS = {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}


def _places(study: Study) -> str:
    """The query by which Prolific says who comes, under the study's own names. What stands
    between its double braces must arrive unescaped.
    """
    names = names_of_parameters(study)
    return "&".join(f"{names[part]}={{{{%{name}%}}}}" for part, name in PLACEHOLDERS.items())


def participant_links(study: Study) -> list[Link]:
    """The links to give out, one for each way in, and the preview of this very version."""
    address = settings.SITE_URL + reverse("survey:arrive", args=[study.slug])
    notes = {
        "prolific": "Paste it into Prolific.",
        "link": "Anybody who has it may take part.",
    }
    if study.is_rehearsing:
        notes = {
            "prolific": "Not yet: a rehearsal admits nobody from Prolific.",
            "link": "Anybody who has it may take part in the rehearsal, as a test person.",
        }
    links = {
        "prolific": Link("Prolific", f"{address}?{_places(study)}", notes["prolific"]),
        "link": Link("Open link", address, notes["link"]),
    }
    ways_in = study.settings.get("ways_in", [])
    chosen = [links[way] for way in links if way in ways_in]
    note = "For you, when logged in. A preview never counts."
    if not admits(study, Participant.Source.PREVIEW):
        note += f" While the study is {study.state}, none can begin."
    return [*chosen, Link("Preview", f"{address}?preview&version={study.version}", note)]


@dataclass
class SourceCounts:
    """Where the people of one source stand. Everybody arrived; the statuses are parts of that."""

    source: str
    statuses: Counter[str] = field(default_factory=Counter)
    active: int = 0
    excluded: dict[str, int] = field(default_factory=dict)

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


@dataclass(frozen=True)
class LiveCounts:
    """A study's people at a moment. `real` adds up the sources that count."""

    at: datetime
    inactive_minutes: float
    analysed_at: datetime | None
    real: SourceCounts
    sources: list[SourceCounts]

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
    """Who arrived, is at it, has finished, and whom the newest finished run excluded, by source."""
    now = timezone.now()
    minutes = current_rules(study).early_exit.inactive_minutes
    seen = Q(status=Status.IN_PROGRESS, last_seen_at__gte=now - timedelta(minutes=minutes))
    rows = (
        study.participants.order_by("source")
        .values_list("source", "status")
        .annotate(n=Count("id"), active=Count("id", filter=seen & ~Q(source="import")))
    )
    sources: dict[str, SourceCounts] = {}
    real = SourceCounts("real")
    for source, status, n, active in rows:
        counts = sources.setdefault(source, SourceCounts(source))
        for part in (counts, real) if counts.is_counted else (counts,):
            part.statuses[status] += n
            part.active += active
    newest = _newest_runs(study)
    for source, rule, n in _excluded(newest):
        counts = sources[source]
        for part in (counts, real) if counts.is_counted else (counts,):
            part.excluded[rule] = part.excluded.get(rule, 0) + n
    finished = [at for source, (_, at) in newest.items() if source not in Participant.NOT_COUNTED]
    ordered = sorted(sources.values(), key=lambda counts: (not counts.is_counted, counts.source))
    return LiveCounts(now, minutes, max(finished, default=None), real, ordered)


def only_not_counted(study: Study) -> list[str]:
    """The sources of those who took part so far, if there is no rater among them."""
    present = set(study.participants.order_by().values_list("source", flat=True).distinct())
    return sorted(present) if present <= set(Participant.NOT_COUNTED) else []


def _newest_runs(study: Study) -> dict[str, tuple[int, datetime]]:
    """The newest finished run that each source took part in: its id, and when it finished."""
    newest: dict[str, tuple[int, datetime]] = {}
    runs = (
        study.analysis_runs.filter(state=State.DONE, finished_at__isnull=False)
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
    rows = (
        Exclusion.objects.filter(run__in={run for run, _ in newest.values()})
        .order_by("rule")
        .values_list("run", "participant__source", "rule")
        .annotate(n=Count("id"))
    )
    for run, source, rule, n in rows:
        if newest[source][0] == run:
            yield source, rule, n


def include_query(include: Sequence[str] | None) -> str:
    """What an address ends with to choose the same people: those included by name, or nobody but
    those who count. None chooses nothing.
    """
    if include is None:
        return ""
    return "?" + urlencode({"include": include or [NOBODY]}, doseq=True)


def included_by_default(study: Study) -> list[str]:
    """Whom a page includes where its address says nothing: nobody but those who count.

    While none of them has finished, these are the test people of the newest finished analysis
    that has some, so that a study that was only tried shows what its results will look like.
    """
    counted = study.participants.exclude(source__in=Participant.NOT_COUNTED)
    finished = Q(status=Status.COMPLETED) | Q(source=Participant.Source.IMPORT)
    if counted.filter(finished).exists():
        return []
    runs = study.analysis_runs.filter(state=State.DONE).order_by("-id")
    with_raters = runs.filter(Exists(RaterQuality.objects.filter(run=OuterRef("pk"))))
    for sources in with_raters.values_list("sources", flat=True):
        included = not_counted_among(sources)
        if included and set(included) <= set(Participant.TEST_SOURCES):
            return included
    return []


def included(study: Study, asked: list[str] | None) -> list[str]:
    """The experts or test people on a page whose address has `asked` for them, or says nothing."""
    return included_by_default(study) if asked is None else asked


def tables_of(run: AnalysisRun | None, *names: str) -> dict[str, Table]:
    """A run's tables called `names`; one that it lacks is empty."""
    found = {name: Table([], []) for name in names}
    if run is not None:
        stored = run.results.filter(kind=Result.Kind.TABLE, name__in=names)
        found |= {result.name: Table.from_content(result.content) for result in stored}
    return found


@dataclass(frozen=True)
class Analysis:
    """The newest finished run for the sources asked for, and what has happened since."""

    include: list[str]
    #: Whether these people were chosen; else they are included by default.
    chosen: bool
    run: AnalysisRun | None
    pending: AnalysisRun | None
    failed: AnalysisRun | None
    changed: bool
    #: Whether the run was left out because it has no rater.
    of_nobody: bool = False

    @property
    def by_default(self) -> bool:
        """Whether test people are in it though the address does not ask for them."""
        return bool(self.include) and not self.chosen

    @property
    def query(self) -> str:
        """What leads to the same people on another page."""
        return include_query(self.include if self.chosen or self.include else None)

    @property
    def parameters(self) -> list[str]:
        """The same as values of `include`, for forms."""
        return self.include or ([NOBODY] if self.chosen else [])

    @property
    def not_available(self) -> dict[str, str]:
        """Why a table or figure is not there, by its name."""
        reasons: dict[str, str] = self.run.manifest.get("absent", {}) if self.run else {}
        return reasons

    @cached_property
    def n_raters(self) -> int:
        return self.run.rater_quality.count() if self.run else 0

    @property
    def stand_in(self) -> str:
        """The stand-in that the run's gold scores came from, if it was one."""
        if self.run is None:
            return ""
        return self.run.rater_quality.values_list("indices__gold_by", flat=True).first() or ""

    @property
    def warnings(self) -> list[str]:
        """What a reader of the results has to know about the gold scores."""
        rows = self.tables("guard_warnings")["guard_warnings"].rows
        return [row["text"] for row in rows if row["kind"] != "ways_agree"]

    def tables(self, *names: str) -> dict[str, Table]:
        """The run's tables called `names`; one that it lacks is empty."""
        return tables_of(self.run, *names)

    def figure_names(self) -> list[str]:
        """The run's figures, without their data."""
        if self.run is None:
            return []
        figures = self.run.results.filter(kind=Result.Kind.FIGURE)
        return list(figures.values_list("name", flat=True))


def newest_analysis(study: Study, include: list[str] | None) -> Analysis:
    """The newest finished run of the sources that count and those to `include`; None leaves it to
    `included_by_default`.
    """
    chosen = include is not None
    include = included(study, include)
    sources = counted_sources(include)
    runs = study.analysis_runs.filter(sources=sources)
    done = latest_run(study, sources)
    newest = runs.first()
    pending = newest if newest and newest.state in (State.WAITING, State.RUNNING) else None
    failed = newest if newest and newest.state == State.FAILED else None
    changed = done is not None and done.fingerprint != fingerprint(
        study, sources, current_rule_set(study), current_recipe_set(study), at=timezone.now()
    )
    return Analysis(include, chosen, done, pending, failed, changed)


def newest_of_ratings(study: Study, include: list[str] | None) -> Analysis:
    """The same for pages of nothing but ratings: an analysis without raters would be all zeros."""
    analysis = newest_analysis(study, include)
    if analysis.run is None or analysis.include or analysis.n_raters:
        return analysis
    return replace(analysis, run=None, of_nobody=True)


def ratings(study: Study, sources: list[str]) -> QuerySet[Rating]:
    """Ratings of everybody from `sources`, with all that a row of ratings.csv says."""
    return (
        Rating.objects.filter(
            presentation__participant__study=study,
            presentation__participant__source__in=sources,
            task__in=RATING_TASKS,
        )
        .select_related(
            "presentation__participant",
            "presentation__block",
            "response__scenario",
            "response__system",
        )
        .order_by("presentation__participant_id", "presentation_id", "id")
    )


@dataclass(frozen=True)
class GoldRow:
    """A response on one dimension with its single scores and their mean, if there are any."""

    response: Response
    dimension: str
    calls: Sequence[float | None]
    value: float | None

    @property
    def valid(self) -> int:
        """How many single scores the gold score rests on."""
        return sum(call is not None for call in self.calls)


def gold_rows(study: Study) -> list[GoldRow]:
    """Every distinct response × dimension in study order, scored or not."""
    gold = {(g.response_id, g.dimension): g for g in gold_scores(study).scores}
    dimensions = dimensions_of(content_of(study).definition)
    responses = Response.objects.filter(scenario__study=study).select_related("scenario", "system")
    rows = []
    for response in responses.order_by("scenario__position", "id"):
        for dimension in dimensions:
            score = gold.get((response.pk, dimension))
            calls = score.calls if score else []
            rows.append(GoldRow(response, dimension, calls, score.value if score else None))
    return rows
