"""One rater: their pages, answers and verdicts, decisions about them, and who they are."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from analysis.models import RaterQuality
from analysis.quality_rules import LONGEST_REASON
from dashboard.raters.attempts import comprehension_of, training_of
from dashboard.raters.forms import DecisionForm
from dashboard.raters.identity import look_up
from dashboard.raters.rater_answers import about, answers_of, checks_of
from dashboard.raters.timeline import COMPARED, timeline
from dashboard.raters.verdicts import verdicts
from dashboard.raters.views import decide
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.newest_analysis import include_query, newest_analysis
from dashboard.shared.pages import asked_for, study_page
from survey.content import content_of
from survey.definition import StudyDefinition
from survey.models import AttentionCheck, Participant, Presentation, Study
from survey.tidy import definition_of, not_counted_among
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


@require_http_methods(["GET", "POST"])
@researcher_required
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
        excluded = form.cleaned_data["excluded"] == "true"
        decide(request, study, [person], excluded=excluded, reason=form.cleaned_data["reason"])
        back = reverse("rater", args=[study, person.pk])
        return redirect(back + include_query(asked_for(request)))
    problem = form.problem if form.is_bound else ""
    return _rater_page(request, study, person, problem=problem)


@require_GET
@researcher_required
def rater_called(request: ResearcherRequest, name: str, pseudonym: str) -> HttpResponse:
    """The page of the rater whom files call so."""
    study = study_or_404(name)
    person = study.participants.filter(pseudonym=pseudonym).first()
    if person is None:
        return _missing(request, study, f"{study} has no rater called {pseudonym}.")
    return redirect(reverse("rater", args=[study, person.pk]) + include_query(asked_for(request)))


@require_POST
@researcher_required
def identity(request: ResearcherRequest, name: str, participant: int) -> HttpResponse:
    """The rater's page with their identity, once; the request is recorded."""
    study = study_or_404(name)
    person = study.participants.filter(pk=participant).first()
    if person is None:
        return _no_rater(request, study, participant)
    known_as = look_up(participant=person, author=request.user, at=timezone.now())
    instead = reverse("rater", args=[study, person.pk])
    return _rater_page(request, study, person, known_as=known_as, instead=instead)


def _rater_page(
    request: ResearcherRequest, study: Study, person: Participant, **context: Any
) -> HttpResponse:
    decisions = list(person.manual_decisions.select_related("author").order_by("-id"))
    return study_page(
        request,
        study,
        "raters",
        "raters/rater",
        person=person,
        decisions=decisions,
        is_excluded=bool(decisions) and decisions[0].excluded,
        is_expert=person.source == Participant.Source.PANEL,
        rated=definition_of(study).rating is not None,
        query=include_query(asked_for(request)),
        longest_reason=LONGEST_REASON,
        pages=timeline(person),
        compared=COMPARED,
        checks=checks_of(person, study),
        comprehension=comprehension_of(person, study),
        training=training_of(person, study),
        texts=person.free_answers.select_related("presentation").order_by("id"),
        about=about(person),
        **_analysed(study, person),
        **context,
    )


def _analysed(study: Study, person: Participant) -> dict[str, Any]:
    """What the newest analysis with people of this source says of the rater."""
    run = newest_analysis(study, not_counted_among([person.source])).run
    quality = run and RaterQuality.objects.filter(run=run, participant=person).first()
    context: dict[str, Any] = {"run": run, "answers": answers_of(person, study, run)}
    if run is None or not quality:
        return context
    quality.run = run
    exclusions = person.exclusions.filter(run=run).values_list("rule", flat=True)
    exclusion = exclusions.first() or ""
    seconds = quality.indices["duration_seconds"]
    return context | {
        "quality": quality,
        "minutes": None if seconds is None else seconds / 60,
        "excluded_by": exclusion,
        "verdicts": verdicts(quality, exclusion),
    }


@require_GET
@researcher_required
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
        sent = given_answers(shown, block, check)
        values = block_context(content, definition, block, order, check=check, sent=sent)
        return "survey/block.html", values
    if shown is None and check is not None and check.place is None:
        item = definition.check(check.name)
        return "survey/check.html", check_context(definition, item, check.answer)
    return None
