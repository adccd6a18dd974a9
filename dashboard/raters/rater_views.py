"""One rater: their pages, answers and verdicts, decisions about them, and who they are."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation

from analysis.quality_rules import LONGEST_REASON
from dashboard.raters.forms import DecisionForm
from dashboard.raters.identity import look_up
from dashboard.raters.rater_record import rater_record
from dashboard.raters.timeline import COMPARED
from dashboard.raters.views import decide
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.newest_analysis import include_query
from dashboard.shared.pages import asked_for, study_page
from dashboard.shared.roles import Permission
from survey.content import content_of
from survey.definition import StudyDefinition
from survey.models import AttentionCheck, Participant, Presentation, Study
from survey.tidy import definition_of
from survey.views.block import block_context, given_answers
from survey.views.pages import check_context


def _missing(request: ResearcherRequest, study: Study, what: str) -> HttpResponse:
    """A page that says what is missing (404)."""
    answer = study_page(request, study, "raters", "raters/missing", what=what)
    answer.status_code = 404
    return answer


def _no_rater(request: ResearcherRequest, study: Study, number: int) -> HttpResponse:
    return _missing(
        request,
        study,
        f"{study} has no rater with the number {number}. If they withdrew, everything about them "
        "was deleted.",
    )


@needs(Permission.READ, Permission.CHANGE)
def rater(request: ResearcherRequest, name: str, participant: int) -> HttpResponse:
    """What one rater saw and did, and the decisions about them. A sent form records a decision
    and requests an analysis.
    """
    study = study_or_404(name)
    person = study.participants.filter(pk=participant).first()
    if person is None:
        return _no_rater(request, study, participant)
    form = DecisionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        decide(request, study, [person], form.chosen)
        back = reverse("rater", args=[study, person.pk])
        return redirect(back + include_query(asked_for(request)))
    problem = form.problem if form.is_bound else ""
    return _rater_page(request, study, person, problem=problem)


@needs(Permission.READ)
def rater_called(request: ResearcherRequest, name: str, pseudonym: str) -> HttpResponse:
    """The page of the rater whom files call so."""
    study = study_or_404(name)
    person = study.participants.filter(pseudonym=pseudonym).first()
    if person is None:
        return _missing(request, study, f"{study} has no rater called {pseudonym}.")
    return redirect(reverse("rater", args=[study, person.pk]) + include_query(asked_for(request)))


@needs(change=Permission.IDENTIFY)
def identity(request: ResearcherRequest, name: str, participant: int) -> HttpResponse:
    """The rater's page with their identity, once; the request is recorded."""
    study = study_or_404(name)
    person = study.participants.filter(pk=participant).first()
    if person is None:
        return _no_rater(request, study, participant)
    known_as = look_up(person, request.user)
    instead = reverse("rater", args=[study, person.pk])
    return _rater_page(request, study, person, known_as=known_as, instead=instead)


def _rater_page(
    request: ResearcherRequest, study: Study, person: Participant, **context: Any
) -> HttpResponse:
    about = rater_record(study, person)
    return study_page(
        request,
        study,
        "raters",
        "raters/rater",
        person=person,
        decisions=about.decisions,
        is_excluded=about.is_excluded,
        is_expert=person.source == Participant.Source.PANEL,
        rated=definition_of(study).rating is not None,
        query=include_query(asked_for(request)),
        longest_reason=LONGEST_REASON,
        pages=about.pages,
        compared=COMPARED,
        checks=about.checks,
        comprehension=about.comprehension,
        training=about.training,
        answers=about.answers,
        texts=about.texts,
        has_writing=any(text.is_recorded for text in about.texts),
        about=about.about,
        other_browser_at=about.other_browser_at,
        run=about.analysed.run,
        quality=about.analysed.quality,
        minutes=about.analysed.minutes,
        excluded_by=about.analysed.excluded_by,
        verdicts=about.analysed.verdicts,
        **context,
    )


@needs(Permission.READ)
def replay(request: ResearcherRequest, name: str, participant: int, page: int) -> HttpResponse:
    """A page as the rater saw it, with what they answered last; nothing can be changed or sent."""
    study = study_or_404(name)
    person = study.participants.filter(pk=participant).first()
    if person is None:
        return _no_rater(request, study, participant)
    definition = content_of(study).in_language(person.language)
    with translation.override(definition.language):
        shown = _page_as_shown(person, study, definition, page)
        if shown is not None:
            template, values = shown
            values |= {
                "study": definition,
                "language": definition.language,
                "number": page,
                "total": content_of(study).total_pages,
                "read_only": True,
                "researchers_bar": "dashboard/raters/_replay.html",
                "person": person,
            }
            return render(request, template, values)
    return _missing(
        request,
        study,
        f"Page {page} of rater {person.pseudonym} can't be replayed. Only blocks and attention "
        "checks with a stored order can.",
    )


def _page_as_shown(
    person: Participant, study: Study, definition: StudyDefinition, page: int
) -> tuple[str, dict[str, Any]] | None:
    """Template and context of a block, or of an attention check with a page of its own."""
    content = content_of(study)
    shown = Presentation.objects.filter(participant=person, page=page).first()
    check = AttentionCheck.objects.filter(participant=person, page=page).first()
    if shown is not None and shown.response_order is not None:
        block, order = content.blocks[shown.block_id], shown.response_order
        sent = given_answers(definition, shown, block, check)
        values = block_context(content, definition, block, order, check=check, sent=sent)
        return "survey/block.html", values
    if shown is None and check is not None and check.place is None:
        item = definition.check(check.name)
        return "survey/check.html", check_context(definition, item, check.answer)
    return None
