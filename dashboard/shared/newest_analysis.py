"""The newest analysis of the people that an address asks for: what pages and API read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from analysis.models import AnalysisRun, RaterQuality, Result
from analysis.queries import IN_WORDS, latest_run
from analysis.recipe_sets import current_recipe_set
from analysis.rule_sets import current_rule_set
from analysis.runs import fingerprint
from dashboard.shared import gold_warnings
from dashboard.shared.access import first_or_404
from dashboard.shared.stored_tables import StoredTable
from survey.definition.labels import Labels
from survey.models import Participant, Study
from survey.refusals import Conflict
from survey.tidy import counted_sources, not_counted_among

State = AnalysisRun.State


#: In an address, in place of names to include: those who count and nobody else.
NOBODY = "none"
#: In place of a rule: raters whom any rule or decision excluded.
ANY_RULE = "any"
NONE_YET = "No analysis yet: press “Compute” first."
REMOVED = "The analysis was removed meanwhile: press “Compute” first."


def only_not_counted(study: Study) -> list[str]:
    """The sources of those who took part so far, if there is no rater among them."""
    people = study.participants.order_by()
    if people.filter(source__in=counted_sources()).exists():
        return []
    return sorted(set(people.values_list("source", flat=True).distinct()))


def include_query(include: Sequence[str] | None) -> str:
    """What an address ends with to choose the same people: those included by name, or nobody but
    those who count. None chooses nothing.
    """
    if include is None:
        return ""
    return "?" + urlencode({"include": include or [NOBODY]}, doseq=True)


def included_by_default(study: Study) -> list[str]:
    """Who a page includes if its address does not say: only those who count.

    While none of them has finished, these are the test people of the newest finished analysis
    that has some, so that a study that was only tried shows what its results will look like.
    """
    counted = study.participants.exclude(source__in=Participant.NOT_COUNTED)
    finished = Q(status=Participant.Status.COMPLETED) | Q(source=Participant.Source.IMPORT)
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


def tables_of(run: AnalysisRun | None, *names: str) -> dict[str, StoredTable]:
    """A run's tables called `names`; one that it lacks is empty."""
    tables = {name: StoredTable([], []) for name in names}
    if run is not None:
        stored = run.results.filter(kind=Result.Kind.TABLE, name__in=names)
        tables |= {result.name: StoredTable.from_content(result.content) for result in stored}
    return tables


@dataclass(frozen=True)
class NewestAnalysis:
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
    def finished_run(self) -> AnalysisRun:
        """The run. Raises Conflict where there is none yet."""
        if self.run is None:
            raise Conflict(NONE_YET)
        return self.run

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
        """Why a table or figure is not available, by its name."""
        reasons: dict[str, str] = self.run.manifest.get("absent", {}) if self.run else {}
        return reasons

    @cached_property
    def n_raters(self) -> int:
        return self.run.rater_quality.count() if self.run else 0

    @cached_property
    def n_included(self) -> int:
        return self.run.rater_quality.filter(included=True).count() if self.run else 0

    @property
    def stand_in(self) -> str:
        """The stand-in that the run's gold scores came from, if it was one."""
        if self.run is None:
            return ""
        return self.run.rater_quality.values_list("indices__gold_by", flat=True).first() or ""

    @cached_property
    def warnings(self) -> dict[str, str]:
        """The kinds of warnings about judges and gold scores for readers of the results, and a
        sentence for each.
        """
        rows = self.tables("guard_warnings")["guard_warnings"].rows
        told = {row["kind"]: row["text"] for row in rows}
        return {
            kind: gold_warnings.IN_WORDS.get(kind, text)
            for kind, text in told.items()
            if kind not in gold_warnings.NO_WARNING
        }

    def tables(self, *names: str) -> dict[str, StoredTable]:
        """The run's tables called `names`; one that it lacks is empty."""
        return tables_of(self.run, *names)

    def labelled_tables(self, labels: Labels, *names: str) -> dict[str, StoredTable]:
        """The same as people read them, with labels for names of the study."""
        return {name: table.labelled(labels, name) for name, table in self.tables(*names).items()}

    @cached_property
    def in_words(self) -> dict[str, Any]:
        """What the run's tables say: its findings, and how each table was made by each recipe."""
        if self.run is None:
            return {}
        stored = self.run.results.filter(kind=Result.Kind.PAGE, name=IN_WORDS).first()
        return stored.content if stored else {}

    def figure_names(self) -> list[str]:
        """The run's figures, without their data."""
        if self.run is None:
            return []
        figures = self.run.results.filter(kind=Result.Kind.FIGURE)
        return list(figures.values_list("name", flat=True))


def run_or_404(study: Study, run: int) -> AnalysisRun:
    """The analysis of a study that an address names."""
    return first_or_404(study.analysis_runs.filter(pk=run), f"{study} has no analysis {run}.")


def newest_analysis(study: Study, include: list[str] | None) -> NewestAnalysis:
    """The newest finished run of the sources that count and those to `include`; None leaves it to
    `included_by_default`.
    """
    chosen = include is not None
    include = included(study, include)
    sources = counted_sources(include)
    runs = study.analysis_runs.filter(sources=sources)
    done = latest_run(study, sources)
    newest = runs.first()
    pending = newest if newest and newest.is_under_way else None
    failed = newest if newest and newest.state in newest.WITHOUT_RESULT else None
    changed = done is not None and done.fingerprint != fingerprint(
        study, sources, current_rule_set(study), current_recipe_set(study), at=timezone.now()
    )
    return NewestAnalysis(include, chosen, done, pending, failed, changed)


def newest_of_ratings(study: Study, include: list[str] | None) -> NewestAnalysis:
    """The same for pages of nothing but ratings: an analysis without raters would be all zeros."""
    analysis = newest_analysis(study, include)
    if analysis.run is None or analysis.include or analysis.n_raters:
        return analysis
    return replace(analysis, run=None, of_nobody=True)
