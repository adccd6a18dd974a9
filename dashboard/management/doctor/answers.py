"""Answers: single, whole, and of the page that was shown."""

from collections.abc import Iterator

from django.apps import apps
from django.db import connection
from django.db.models import CheckConstraint, Count, F, Q, UniqueConstraint

from dashboard.management.doctor.violation import REPORT, RESTORE, Violation, row_of
from survey.definition import StudyDefinition
from survey.definition.tasks import RatingTask
from survey.models import AttentionCheck, Participant, Presentation, Rating, Study

Status = Participant.Status


def no_second_value() -> Iterator[Violation]:
    """Nobody has two values for the same block, response, task and dimension in one repeat."""
    page = ("presentation__participant", "presentation__block", "presentation__repeat")
    same = (*page, "response", "task", "dimension")
    twice = Rating.objects.values(*same).annotate(n=Count("pk")).filter(n__gt=1).order_by()
    for group in twice:
        first = Rating.objects.filter(**{name: group[name] for name in same})
        rating = first.select_related("presentation__participant__study").order_by("pk")[1]
        yield _of_rating(
            rating,
            f"is the second value of {rating.task} {rating.dimension!r} for response "
            f"{rating.response_id} in this block",
            f"{RESTORE}, or delete the row that the participant did not mean",
        )


def constraints_are_there() -> Iterator[Violation]:
    """The database itself forbids what must never be: all its constraints are there."""
    with connection.cursor() as cursor:
        for model in apps.get_models():
            table = model._meta.db_table
            there = connection.introspection.get_constraints(cursor, table)
            for constraint in model._meta.constraints:
                if isinstance(constraint, (UniqueConstraint, CheckConstraint)) and (
                    constraint.name not in there
                ):
                    yield Violation(
                        "",
                        f"table {table}",
                        f"the database lacks the constraint {constraint.name}",
                        "Make a backup, and restore it into a new database made by `migrate`; "
                        "nothing may write until then",
                    )


def answered_pages_are_whole() -> Iterator[Violation]:
    """A page that was answered has a value for every response and dimension that it asked for."""
    for study in Study.objects.all():
        tasks = [
            (task.kind, [dimension.name for dimension in task.dimensions])
            for task in StudyDefinition.model_validate(study.definition).tasks
            if isinstance(task, RatingTask)
        ]
        if not tasks:
            continue
        of_ratings = Count("ratings", filter=Q(ratings__task__in=[kind for kind, _ in tasks]))
        pages = Presentation.objects.filter(participant__study=study).annotate(n=of_ratings)
        pages = pages.exclude(participant__source=Participant.Source.IMPORT)
        per_response = sum(len(dimensions) for _, dimensions in tasks)
        for page in pages.select_related("participant__study").iterator():
            expected = per_response * len(page.response_order or ())
            wanted = expected if page.answered_at else 0
            if page.n != wanted:
                state = "answered" if page.answered_at else "not answered"
                yield _of_page(page, f"is {state} and has {page.n} values instead of {wanted}")


def values_are_of_the_page() -> Iterator[Violation]:
    """Values are about responses that the page showed."""
    ratings = Rating.objects.exclude(presentation__response_order__isnull=True)
    orders = dict(
        Presentation.objects.exclude(response_order__isnull=True).values_list(
            "pk", "response_order"
        )
    )
    wrong = [
        pk
        for pk, page, response in ratings.values_list("pk", "presentation_id", "response_id")
        if response not in (orders[page] or ())
    ]
    for rating in Rating.objects.filter(pk__in=wrong).select_related(
        "presentation__participant__study"
    ):
        yield _of_rating(
            rating, f"is about response {rating.response_id}, which its page did not show", REPORT
        )


def progress_has_answers() -> Iterator[Violation]:
    """Every page up to a participant's progress has its answer, and no later one has."""
    early = Q(page__lte=F("participant__pages_done"), answered_at=None)
    late = Q(page__gt=F("participant__pages_done"), answered_at__isnull=False)
    for model in (Presentation, AttentionCheck):
        pages = model._default_manager.exclude(participant__source=Participant.Source.IMPORT)
        for page in pages.filter(early | late).select_related("participant__study"):
            has = "has an answer" if page.answered_at else "has no answer"
            person = page.participant
            yield Violation(
                str(person.study),
                f"participant {person} ({row_of(model, page.pk)})",
                f"page {page.page} {has}, and their progress is page {person.pages_done}",
                REPORT,
            )


def _of_page(page: Presentation, what: str) -> Violation:
    person = page.participant
    row = f"participant {person}, page {page.page} ({row_of(Presentation, page.pk)})"
    return Violation(str(person.study), row, what, REPORT)


def _of_rating(rating: Rating, what: str, todo: str) -> Violation:
    person = rating.presentation.participant
    row = f"participant {person} ({row_of(Rating, rating.pk)})"
    return Violation(str(person.study), row, what, todo)
