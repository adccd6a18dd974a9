"""All that is stored about one rater: what they saw and did, and what was decided about them."""

from dataclasses import dataclass, field
from datetime import datetime

from analysis.labels import labels_of
from analysis.models import AnalysisRun, ManualDecision, RaterQuality
from analysis.rule_sets import current_rules
from dashboard.raters.attempts import (
    AnsweredQuestion,
    TrainingRating,
    comprehension_of,
    training_of,
)
from dashboard.raters.rater_answers import CheckAnswer, RaterAnswer, about, answers_of, checks_of
from dashboard.raters.timeline import SeenPage, timeline
from dashboard.raters.verdicts import Verdict, verdicts
from dashboard.raters.writing import Written, written_by
from dashboard.shared.newest_analysis import newest_analysis
from survey.models import Participant, Study
from survey.tidy import not_counted_among


@dataclass(frozen=True)
class Analysed:
    """What the newest analysis with people of a rater's source says of them, if it does."""

    run: AnalysisRun | None
    quality: RaterQuality | None = None
    #: The step that excluded them; empty for nobody.
    excluded_by: str = ""
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def minutes(self) -> float | None:
        seconds = self.quality.indices["duration_seconds"] if self.quality else None
        return None if seconds is None else float(seconds) / 60


@dataclass(frozen=True)
class RaterRecord:
    """A rater's pages, answers and decisions, in their order; decisions the newest first."""

    person: Participant
    analysed: Analysed
    decisions: list[ManualDecision]
    pages: list[SeenPage]
    comprehension: list[AnsweredQuestion]
    training: list[TrainingRating]
    checks: list[CheckAnswer]
    answers: list[RaterAnswer]
    texts: list[Written]
    about: list[tuple[str, str]]
    #: When a browser that went on with the survey, and brought none of their submissions, came with
    #: their Prolific ID; None if none did. Later pages may be from it.
    other_browser_at: datetime | None

    @property
    def is_excluded(self) -> bool:
        """By a decision, whatever the rules say."""
        return bool(self.decisions) and self.decisions[0].excluded


def rater_record(study: Study, person: Participant) -> RaterRecord:
    """Everything about one of the study's participants."""
    analysed = _analysed(study, person)
    return RaterRecord(
        person=person,
        analysed=analysed,
        decisions=list(person.manual_decisions.select_related("author").order_by("-id")),
        pages=timeline(person),
        comprehension=comprehension_of(person, study),
        training=training_of(person, study),
        checks=checks_of(person, study),
        answers=answers_of(person, study, analysed.run),
        texts=written_by(person, current_rules(study).writing, labels_of(study)),
        about=about(person),
        other_browser_at=_other_browser_at(person),
    )


def _other_browser_at(person: Participant) -> datetime | None:
    others = person.browsers.filter(goes_on=True).order_by("arrived_at")
    return others.values_list("arrived_at", flat=True).first()


def _analysed(study: Study, person: Participant) -> Analysed:
    run = newest_analysis(study, not_counted_among([person.source])).run
    quality = RaterQuality.objects.filter(run=run, participant=person).first() if run else None
    if run is None or quality is None:
        return Analysed(run)
    quality.run = run
    excluded_by = person.exclusions.filter(run=run).values_list("rule", flat=True).first() or ""
    return Analysed(run, quality, excluded_by, verdicts(quality, excluded_by))
