"""Participants' pages: one address a page, POST-redirect-GET, plain HTML that needs no script."""

from collections.abc import Callable
from functools import wraps
from typing import Protocol

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from survey import access, answers, forms, participants
from survey.content import BlockContent, StudyContent, content_of
from survey.models import AttentionCheck, Participant, Presentation, Rating, Study
from survey.queries import study_for_arrivals
from survey.regions import STATES

Status = Participant.Status


class PageView(Protocol):
    """One page of the survey, shown or sent."""

    def __call__(
        self, request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
    ) -> HttpResponse: ...


def _message(request: HttpRequest, title: str, message: str, status: int) -> HttpResponse:
    return render(
        request, "survey/message.html", {"title": title, "message": message}, status=status
    )


@never_cache
@require_GET
def arrive(request: HttpRequest, slug: str) -> HttpResponse:
    """The participant link: find out who comes, and lead them to where they were."""
    offered = study_for_arrivals(slug)
    if offered is None:
        return _message(
            request,
            "There is no such study",
            "Please check that you used the whole link.",
            404,
        )
    try:
        who = access.arrival_of(request, offered)
        if isinstance(who, participants.Arrival):
            who = participants.arrive(who)
        who = participants.take_newest(participant=who, study=offered)
    except access.Refused as refusal:
        return _message(request, refusal.title, refusal.message, 400)
    except participants.NotAdmitted as refusal:
        return _closed(request, refusal.study)
    response = _to_current_page(who)
    access.remember(response, who, secure=settings.HTTPS)
    return response


def _closed(request: HttpRequest, study: Study) -> HttpResponse:
    definition = content_of(study).definition
    context = {"texts": definition.texts, "study": definition, "state": study.state}
    return render(request, "survey/closed.html", context, status=403)


def _to_current_page(participant: Participant) -> HttpResponse:
    slug = participant.study.slug
    if participant.status == Status.ARRIVED:
        return redirect("survey:consent", slug)
    if participant.status == Status.IN_PROGRESS:
        return redirect("survey:page", slug, participant.pages_done + 1)
    return redirect("survey:end", slug)


def _of_participant(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view its participant, or explain why there is none."""

    @never_cache
    @require_http_methods(["GET", "POST"])  # no HEAD: it would start the clock of a page
    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, **kwargs: int) -> HttpResponse:
        participant = access.participant_of(request, slug)
        if participant is None:
            return _message(
                request,
                "Please open your study link again",
                "This browser does not know you, or not any more: its cookies were cleared or "
                "refused. Nothing that you sent before is lost. Open the link of the study "
                "again, for example from Prolific, and you will continue where you were.",
                403,
            )
        return view(request, participant, **kwargs)

    return wrapped


@_of_participant
def consent(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Information and consent, before anything is asked."""
    if participant.status != Status.ARRIVED:
        return _to_current_page(participant)
    content = content_of(participant.study)
    at = access.time_of(request, participant)
    errors: dict[str, str] = {}
    if request.method == "POST":
        if "decline" in request.POST:
            participants.decline(participant=participant, at=at)
            return redirect("survey:end", participant.study.slug)
        if request.POST.get("agree") == "yes":
            try:
                participants.give_consent(participant=participant, at=at)
            except participants.NotAdmitted as refusal:
                return _closed(request, refusal.study)
            return redirect("survey:page", participant.study.slug, 1)
        errors["agree"] = "Tick the box if you agree to take part"
    context = {
        "study": content.definition,
        "errors": errors,
        "test_person": _test_person(participant),
    }
    return render(request, "survey/consent.html", context, status=422 if errors else 200)


@_of_participant
def page(request: HttpRequest, participant: Participant, number: int) -> HttpResponse:
    """Page `number` of the survey. Pages ahead of the first open one lead back to it."""
    content = content_of(participant.study)
    if (
        participant.status != Status.IN_PROGRESS
        or not 1 <= number <= participant.pages_done + 1
        or number > content.total_pages
    ):
        return _to_current_page(participant)
    show: PageView
    if number == 1:
        show = _instructions
    elif number == content.demographics_page:
        show = _demographics
    else:
        show = _block_or_check
    try:
        return show(request, participant, content, number)
    except answers.OutOfOrder:
        participant.refresh_from_db(fields=["status", "pages_done"])
        return _to_current_page(participant)


def _test_person(participant: Participant) -> str:
    """What to say above the page of somebody whose answers don't count."""
    return participant.source if participant.source in Participant.TEST_SOURCES else ""


def _next(participant: Participant, content: StudyContent, number: int) -> HttpResponse:
    slug = participant.study.slug
    if number == content.total_pages:
        return redirect("survey:end", slug)
    return redirect("survey:page", slug, number + 1)


def _show(
    request: HttpRequest,
    template: str,
    participant: Participant,
    content: StudyContent,
    number: int,
    **values: object,
) -> HttpResponse:
    values |= {
        "study": content.definition,
        "slug": participant.study.slug,
        "number": number,
        "total": content.total_pages,
        "previous": number - 1,
        "test_person": _test_person(participant),
    }
    return render(request, template, values, status=422 if values.get("errors") else 200)


def _instructions(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
) -> HttpResponse:
    if request.method == "POST":
        at = access.time_of(request, participant)
        answers.record_instructions(participant=participant, total=content.total_pages, at=at)
        return _next(participant, content, number)
    resume_link = ""
    if participant.source == Participant.Source.LINK:
        address = f"/s/{participant.study.slug}/?resume={participant.secret}"
        resume_link = request.build_absolute_uri(address)
    return _show(
        request,
        "survey/instructions.html",
        participant,
        content,
        number,
        resume_link=resume_link,
    )


def _block_or_check(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
) -> HttpResponse:
    try:
        presentation = Presentation.objects.get(participant=participant, page=number)
    except Presentation.DoesNotExist:
        check = AttentionCheck.objects.get(participant=participant, page=number)
        return _check(request, participant, content, check)
    return _block(request, participant, content, presentation)


def _block(
    request: HttpRequest,
    participant: Participant,
    content: StudyContent,
    presentation: Presentation,
) -> HttpResponse:
    block, number = content.blocks[presentation.block_id], presentation.page
    assert number is not None and presentation.response_order is not None
    task = content.definition.likert
    responses = [block.responses[response_id] for response_id in presentation.response_order]
    sent: dict[str, object] = {}
    errors: dict[str, str] = {}
    if request.method == "POST":
        checked = forms.read_block(request.POST, responses, task)
        sent, errors = checked.sent, checked.errors
        if not errors:
            answers.record_block(
                participant=participant,
                presentation=presentation,
                values=checked.values,
                total=content.total_pages,
                at=access.time_of(request, participant),
            )
            return _next(participant, content, number)
    elif presentation.shown_at is None:
        shown_at = access.time_of(request, participant)
        Presentation.objects.filter(pk=presentation.pk).update(shown_at=shown_at)
    elif presentation.answered_at is not None:
        sent = _given_ratings(presentation, block)
    items = [
        {
            "text": response.text,
            "questions": [
                {
                    "question": dimension.question,
                    "name": (name := forms.cell_name(response, dimension.name)),
                    "value": sent.get(name),
                    "error": errors.get(f"{name}-{task.scale[0].value}"),
                }
                for dimension in task.dimensions
            ],
        }
        for response in responses
    ]
    return _show(
        request,
        "survey/block.html",
        participant,
        content,
        number,
        prompt=block.prompt,
        above=block.context,
        items=items,
        scale=[(point.value, point.label) for point in task.scale],
        errors=errors,
    )


def _given_ratings(presentation: Presentation, block: BlockContent) -> dict[str, object]:
    return {
        forms.cell_name(block.responses[rating.response_id], rating.dimension): rating.value
        for rating in Rating.objects.filter(presentation=presentation)
    }


def _check(
    request: HttpRequest, participant: Participant, content: StudyContent, check: AttentionCheck
) -> HttpResponse:
    item = next(c for c in content.definition.attention_checks if c.name == check.name)
    task = content.definition.likert
    errors: dict[str, str] = {}
    value = check.answer
    if request.method == "POST":
        checked = forms.read_check(request.POST, task)
        value, errors = checked.values, checked.errors
        if value is not None:
            answers.record_check(
                participant=participant,
                check=check,
                answer=value,
                right_answer=item.answer,
                total=content.total_pages,
                at=access.time_of(request, participant),
            )
            return _next(participant, content, check.page)
    elif check.shown_at is None:
        shown_at = access.time_of(request, participant)
        AttentionCheck.objects.filter(pk=check.pk).update(shown_at=shown_at)
    return _show(
        request,
        "survey/check.html",
        participant,
        content,
        check.page,
        item=item,
        value=value,
        scale=task.scale,
        errors=errors,
        error=next(iter(errors.values()), ""),
    )


def _demographics(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
) -> HttpResponse:
    questions = content.definition.demographics
    sent: dict[str, object] = {}
    errors: dict[str, str] = {}
    if request.method == "POST":
        checked = forms.read_demographics(request.POST, questions)
        sent, errors = checked.sent, checked.errors
        if not errors:
            answers.record_demographics(
                participant=participant,
                values=checked.values,
                total=number,
                at=access.time_of(request, participant),
            )
            return _next(participant, content, number)
    items = [
        {
            "question": question,
            "value": sent.get(question.name),
            "error": errors.get(f"q-{question.name}"),
        }
        for question in questions
    ]
    return _show(
        request,
        "survey/demographics.html",
        participant,
        content,
        number,
        items=items,
        states=list(STATES),
        errors=errors,
    )


@_of_participant
def end(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Thanks and the completion code, or a goodbye to somebody who declined."""
    if participant.status in (Status.ARRIVED, Status.IN_PROGRESS):
        return _to_current_page(participant)
    study = participant.study
    content = content_of(study)
    completed = participant.status == Status.COMPLETED
    prolific = study.settings["prolific"] if participant.source != Participant.Source.LINK else None
    code = prolific and prolific["completion_code" if completed else "declined_code"]
    context = {
        "study": content.definition,
        "completed": completed,
        "test_person": _test_person(participant),
        "code": code,
        "return_url": f"{prolific['return_url']}?cc={code}" if prolific and code else "",
        "return_without_code": bool(prolific and not code),
    }
    return render(request, "survey/end.html", context)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without its token: cookies are refused, or it came from elsewhere."""
    return _message(
        request,
        "Your browser did not send its cookie",
        "Nothing was saved from this page, and nothing that you sent before is lost. Please "
        "allow cookies for this site (they only tell us that it is you), open the link of the "
        "study again, and you will continue where you were.",
        403,
    )
