"""The numbered pages, from screening to demographics. Blocks, the comprehension check and training
items have modules of their own.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from django.db import transaction
from django.http import HttpRequest, HttpResponse

from survey import access, answers, paradata, participants
from survey.content import StudyContent, content_of
from survey.definition import StudyDefinition
from survey.definition.attention_checks import AttentionItem
from survey.forms.attention_check import read_check
from survey.forms.questions import question_items, read_choices, read_closing, read_demographics
from survey.forms.texts import read_writing, text_items, text_name
from survey.models import AttentionCheck, FreeAnswer, PageTime, Participant, Presentation
from survey.notices import ai_policy
from survey.views.block import show_block, written_before
from survey.views.comprehension import show_comprehension
from survey.views.participant import (
    last_page,
    of_participant,
    resume_link,
    show_page,
    to_current_page,
    to_next_page,
)
from survey.views.training import show_training

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
    views: dict[str, PageView] = {
        PageTime.Kind.SCREENING: _screening,
        PageTime.Kind.INSTRUCTIONS: _instructions,
        PageTime.Kind.COMPREHENSION: show_comprehension,
        PageTime.Kind.TRAINING: show_training,
        PageTime.Kind.CLOSING: _closing,
        PageTime.Kind.DEMOGRAPHICS: _demographics,
    }
    kind = content.kinds.get(number, "")
    if request.method == "GET" and kind and number > participant.pages_done:
        at = access.time_of(request, participant)
        answers.record_shown(participant=participant, kind=kind, page=number, at=at)
    view = views.get(kind, _block_or_check)
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
        checked = read_choices(request.POST, questions, shown)
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
    policy = ai_policy(content.in_language(participant.language))
    values = {"resume_link": resume_link(request, participant), "ai_policy": policy}
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
    definition = content.in_language(participant.language)
    tasks = definition.closing
    errors: dict[str, str] = {}
    writing: answers.Writing = {}
    if request.method == "POST":
        checked = read_closing(request.POST, tasks)
        sent, errors = checked.sent, checked.errors
        writing = read_writing(request.POST, definition, tasks)
        if not errors:
            answers.record_closing(
                participant=participant,
                texts=checked.values,
                writing=writing,
                page=number,
                last=last_page(participant.study, content),
                at=access.time_of(request, participant),
            )
            return to_next_page(participant, content, number)
    else:
        given = FreeAnswer.objects.filter(participant=participant, presentation=None)
        sent = {text_name(answer.name): answer.text for answer in given}
        writing = written_before(participant, None)
    values = closing_context(definition, sent, errors, writing)
    return show_page(request, "survey/closing.html", participant, content, number, values)


def closing_context(
    definition: StudyDefinition,
    sent: Mapping[str, object] = {},
    errors: Mapping[str, str] = {},
    writing: Mapping[str, Any] = {},
) -> dict[str, Any]:
    """What survey/closing.html shows: the free-text questions at the end."""
    return {
        "texts": text_items(definition, definition.closing, sent, errors, writing),
        "ai_policy": ai_policy(definition),
        "errors": errors,
    }


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
        "errors": errors,
    }
    return show_page(request, "survey/questions.html", participant, content, number, values)
