"""The numbered pages: screening, instructions, blocks and checks, closing, demographics."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from django.db import transaction
from django.http import HttpRequest, HttpResponse

from survey import access, answers, paradata, participants
from survey.content import StudyContent, content_of
from survey.definition import StudyDefinition
from survey.definition.attention_checks import AttentionItem
from survey.definition.questions import ChoiceQuestion, Question, ScreeningQuestion
from survey.forms.attention_check import read_check
from survey.forms.block import text_name
from survey.forms.questions import read_closing, read_demographics, read_screening
from survey.models import AttentionCheck, FreeAnswer, PageTime, Participant, Presentation
from survey.regions import STATES
from survey.views.block import show_block, text_items
from survey.views.participant import (
    last_page,
    of_participant,
    resume_link,
    show_page,
    to_current_page,
    to_next_page,
)

Status = Participant.Status


class PageView(Protocol):
    """One page of the survey, shown or sent."""

    def __call__(
        self, request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
    ) -> HttpResponse: ...


@of_participant
def page(request: HttpRequest, participant: Participant, number: int) -> HttpResponse:
    """Page `number` of the survey. Pages after the first unanswered one redirect to it."""
    content = content_of(participant.study)
    if (
        participant.status != Status.IN_PROGRESS
        or not 1 <= number <= participant.pages_done + 1
        or number > content.total_pages
    ):
        return to_current_page(participant)
    views: dict[int | None, PageView] = {
        content.screening_page: _screening,
        content.instructions_page: _instructions,
        content.closing_page: _closing,
        content.demographics_page: _demographics,
    }
    kinds = {
        content.screening_page: PageTime.Kind.SCREENING,
        content.instructions_page: PageTime.Kind.INSTRUCTIONS,
        content.closing_page: PageTime.Kind.CLOSING,
        content.demographics_page: PageTime.Kind.DEMOGRAPHICS,
    }
    if request.method == "GET" and number > participant.pages_done and number in kinds:
        at = access.time_of(request, participant)
        answers.record_shown(participant=participant, kind=kinds[number], page=number, at=at)
    view = views.get(number, _block_or_check)
    try:
        if access.is_own(request, participant):
            return view(request, participant, content, number)
        return _in_another_browser(view, request, participant, content, number)
    except answers.OutOfOrder:
        participant.refresh_from_db(fields=["status", "pages_done"])
        return to_current_page(participant)


def _in_another_browser(
    view: PageView,
    request: HttpRequest,
    participant: Participant,
    content: StudyContent,
    number: int,
) -> HttpResponse:
    """Only the next unanswered page: earlier answers may belong to another person.

    The browser that sends the last page gets the code; both are stored together.
    """
    if number != participant.pages_done + 1:
        return to_current_page(participant)
    with transaction.atomic():
        response = view(request, participant, content, number)
        browser = access.browser_of(request, participant.study.slug)
        if request.method == "POST" and browser is not None:
            participants.note_end(participant=participant, browser=browser)
        return response


def _screening(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
) -> HttpResponse:
    if participant.pages_done >= number:
        return to_current_page(participant)
    questions = content.definition.screening
    shown = content.in_language(participant.language).screening
    sent: dict[str, object] = {}
    errors: dict[str, str] = {}
    if request.method == "POST":
        checked = read_screening(request.POST, questions, shown)
        sent, errors = checked.sent, checked.errors
        if not errors:
            eligible = all(checked.values[q.name] in q.eligible for q in questions)
            answers.record_screening(
                participant=participant,
                values=checked.values,
                eligible=eligible,
                page=number,
                last=last_page(participant.study, content),
                at=access.time_of(request, participant),
            )
            if not eligible:
                participant.status = Status.SCREENED_OUT
                return to_current_page(participant)
            return to_next_page(participant, content, number)
    values = {
        "items": question_items(questions, shown, sent, errors),
        "errors": errors,
        "screening": True,
    }
    return show_page(request, "survey/questions.html", participant, content, number, values)


def question_items(
    questions: Sequence[Question | ScreeningQuestion],
    shown: Sequence[Question | ScreeningQuestion],
    sent: dict[str, object],
    errors: dict[str, str],
) -> list[dict[str, Any]]:
    """Questions as a page shows them; an option is stored in the study's main language."""
    items = []
    for question, translated in zip(questions, shown, strict=True):
        item: dict[str, Any] = {
            "question": translated,
            "kind": getattr(question, "kind", "single"),
            "value": sent.get(question.name),
            "error": errors.get(f"q-{question.name}"),
        }
        if isinstance(question, ChoiceQuestion | ScreeningQuestion):
            assert isinstance(translated, ChoiceQuestion | ScreeningQuestion)
            item["options"] = list(zip(question.offered, translated.offered, strict=True))
        items.append(item)
    return items


def _instructions(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
) -> HttpResponse:
    if request.method == "POST":
        answers.record_instructions(
            participant=participant,
            device=paradata.read_device(request.POST.get("device", "")),
            page=number,
            last=last_page(participant.study, content),
            at=access.time_of(request, participant),
        )
        return to_next_page(participant, content, number)
    values = {"resume_link": resume_link(request, participant)}
    return show_page(request, "survey/instructions.html", participant, content, number, values)


def _block_or_check(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
) -> HttpResponse:
    try:
        presentation = Presentation.objects.get(participant=participant, page=number)
    except Presentation.DoesNotExist:
        check = AttentionCheck.objects.get(participant=participant, page=number)
        return _check(request, participant, content, check)
    return show_block(request, participant, content, presentation)


def _check(
    request: HttpRequest, participant: Participant, content: StudyContent, check: AttentionCheck
) -> HttpResponse:
    definition = content.in_language(participant.language)
    item = definition.check(check.name)
    options = definition.check_scale(item)
    errors: dict[str, str] = {}
    value = check.answer
    if request.method == "POST":
        checked = read_check(request.POST, options)
        value, errors = checked.values, checked.errors
        if value is not None:
            answers.record_check(
                participant=participant,
                check=check,
                answer=value,
                right_answer=content.definition.check(check.name).right_answer,
                last=last_page(participant.study, content),
                at=access.time_of(request, participant),
            )
            return to_next_page(participant, content, check.page)
    elif check.shown_at is None:
        shown_at = access.time_of(request, participant)
        AttentionCheck.objects.filter(pk=check.pk).update(shown_at=shown_at)
    values = check_context(definition, item, value, errors)
    return show_page(request, "survey/check.html", participant, content, check.page, values)


def check_context(
    definition: StudyDefinition,
    item: AttentionItem,
    value: int | None = None,
    errors: Mapping[str, str] = {},
) -> dict[str, Any]:
    """What survey/check.html shows of an attention check with a page of its own."""
    return {
        "item": item,
        "value": value,
        "scale": tuple((point.value, point.label) for point in definition.check_scale(item)),
        "errors": errors,
        "wrong": bool(errors),
        "error": next(iter(errors.values()), ""),
    }


def _closing(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
) -> HttpResponse:
    tasks = content.in_language(participant.language).closing
    errors: dict[str, str] = {}
    if request.method == "POST":
        checked = read_closing(request.POST, tasks)
        sent, errors = checked.sent, checked.errors
        if not errors:
            answers.record_closing(
                participant=participant,
                texts=checked.values,
                page=number,
                last=last_page(participant.study, content),
                at=access.time_of(request, participant),
            )
            return to_next_page(participant, content, number)
    else:
        given = FreeAnswer.objects.filter(participant=participant, presentation=None)
        sent = {text_name(answer.name): answer.text for answer in given}
    values = {"texts": text_items(tasks, sent, errors), "errors": errors}
    return show_page(request, "survey/closing.html", participant, content, number, values)


def _demographics(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
) -> HttpResponse:
    questions = content.definition.asked_demographics
    shown = content.in_language(participant.language).asked_demographics
    sent: dict[str, object] = {}
    errors: dict[str, str] = {}
    if request.method == "POST":
        checked = read_demographics(request.POST, questions, shown)
        sent, errors = checked.sent, checked.errors
        if not errors:
            answers.record_demographics(
                participant=participant,
                values=checked.values,
                page=number,
                last=last_page(participant.study, content),
                at=access.time_of(request, participant),
            )
            return to_next_page(participant, content, number)
    values = {
        "items": question_items(questions, shown, sent, errors),
        "states": list(STATES),
        "errors": errors,
    }
    return show_page(request, "survey/questions.html", participant, content, number, values)
