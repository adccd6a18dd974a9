"""Attempts before the first block: comprehension.csv and training.csv. None is a rating."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, IntegerField, OuterRef, QuerySet, Subquery, Value, When

from survey.content import content_of
from survey.files.csv_text import time_text
from survey.models import ComprehensionAttempt, PageTime, Participant, Study, TrainingAttempt
from survey.tidy.study import Row, definition_of, people_of
from survey.tidy.times import seconds_between

COMPREHENSION_COLUMNS = (
    *("participant", "attempt", "name", "answer", "passed", "answered_at", "seconds"),
)
TRAINING_COLUMNS = (
    *("participant", "name", "attempt", "response", "dimension", "rating"),
    *("expected_least", "expected_most", "within", "answered_at", "seconds"),
)


@dataclass(frozen=True)
class ComprehensionOutcomes:
    """How many people passed the comprehension check at which attempt, and how many failed it."""

    passed_first: int
    passed_second: int
    failed: int

    @property
    def as_json(self) -> dict[str, int]:
        """As a manifest has it."""
        return asdict(self)


def comprehension_outcomes(study: Study, sources: Sequence[str]) -> ComprehensionOutcomes | None:
    """The outcomes of people from `sources`; None if the study has no comprehension check."""
    if definition_of(study).comprehension is None:
        return None
    people = people_of(study, sources)
    attempts = ComprehensionAttempt.objects.filter(participant__in=people, passed=True)
    return ComprehensionOutcomes(
        passed_first=attempts.filter(number=1).count(),
        passed_second=attempts.filter(number=2).count(),
        failed=people.filter(status=Participant.Status.FAILED_COMPREHENSION).count(),
    )


def comprehension_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Each answer of each attempt (COMPREHENSION_COLUMNS), in the order of the questions."""
    check = definition_of(study).comprehension
    if check is None:
        return
    page = Value(content_of(study).comprehension_page, IntegerField())
    attempts = ComprehensionAttempt.objects.filter(participant__in=people_of(study, sources))
    for attempt, seconds in _timed(attempts.order_by("participant_id", "number"), page):
        wrong = check.wrong(attempt.answers)
        for question in check.questions:
            yield (
                *(attempt.participant.pseudonym, attempt.number, question.name),
                *(attempt.answers[question.name], question.name not in wrong),
                *(time_text(attempt.answered_at), seconds),
            )


def training_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Each rating of each try at a training item (TRAINING_COLUMNS), in the order of the pages."""
    content = content_of(study)
    items = {content.training_item(page).name: page for page in content.training_pages}
    if not items:
        return
    page = Case(
        *(When(name=name, then=Value(number)) for name, number in items.items()),
        output_field=IntegerField(),
    )
    attempts = TrainingAttempt.objects.filter(participant__in=people_of(study, sources))
    for attempt, seconds in _timed(attempts.order_by("participant_id", "id"), page):
        item = content.training_item(items[attempt.name])
        pairs = zip(item.responses, attempt.ratings, strict=True)
        for number, (response, ratings) in enumerate(pairs, start=1):
            outside = response.outside(ratings)
            for dimension, (least, most) in response.expected.items():
                yield (
                    *(attempt.participant.pseudonym, attempt.name, attempt.number, number),
                    *(dimension, ratings[dimension], least, most, dimension not in outside),
                    *(time_text(attempt.answered_at), seconds),
                )


def _timed(attempts: QuerySet[Any], page: Any) -> Iterator[tuple[Any, float | None]]:
    """Each attempt with its seconds: since its `page` was shown, or since the attempt before."""
    shown = PageTime.objects.filter(participant=OuterRef("participant"), page=OuterRef("on_page"))
    rows = attempts.select_related("participant").annotate(on_page=page)
    before: datetime | None = None
    for attempt in rows.annotate(page_shown_at=Subquery(shown.values("shown_at"))).iterator():
        began = before if attempt.number > 1 else attempt.page_shown_at
        yield attempt, seconds_between(began, attempt.answered_at)
        before = attempt.answered_at
