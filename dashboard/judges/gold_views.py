"""Judges: the gold scores, where they come from, and what another choice changes."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.defaultfilters import pluralize
from django.urls import reverse

from analysis.labels import labels_of
from analysis.models import AnalysisRun
from analysis.quality_rules import SigmaMae
from analysis.rule_sets import current_rules
from dashboard.judges.agreement import in_short
from dashboard.judges.forms import BeforeForm, DrawForm, GoldFileForm
from dashboard.judges.gold_changes import changes, earlier_run
from dashboard.judges.gold_choice import make_gold
from dashboard.judges.gold_rows import gold_rows
from dashboard.judges.gold_sets import import_gold_set
from dashboard.judges.label_drawing import (
    USUAL_NUMBER,
    USUAL_SEED,
    drawn_response,
)
from dashboard.judges.sources import FileState, JudgeState, JuryState, PanelState, key, sources_of
from dashboard.shared.access import (
    ResearcherRequest,
    needs,
    study_or_404,
)
from dashboard.shared.newest_analysis import (
    include_query,
    included,
    newest_analysis,
    only_not_counted,
    run_or_404,
    tables_of,
)
from dashboard.shared.pages import (
    asked_for,
    live_part,
    note,
    refusals_told,
    study_page,
    wake_worker,
)
from dashboard.shared.roles import Permission
from dashboard.shared.stored_tables import StoredTable
from judge.asking import outcomes_in_words
from judge.models import GoldDecision
from judge.queries import (
    gold_scores,
)
from judge.queueing import queue_missing_calls
from survey.models import Participant, Response, Study
from survey.tidy import definition_of, not_counted_among

GOLD_SHOWN = 100


DECISIONS_SHOWN = 50


Source = JudgeState | FileState | PanelState | JuryState


def back(include: list[str] | None, page: str, *of: Any) -> HttpResponse:
    """To a page of judges again, with the same test people as before."""
    return redirect(reverse(page, args=of) + include_query(include))


@needs(Permission.READ)
def gold(request: ResearcherRequest, name: str) -> HttpResponse:
    """Every source of gold scores, which of them is gold, and what they cost."""
    study = study_or_404(name)
    pages = Paginator(gold_rows(study), GOLD_SHOWN)
    page = pages.get_page(request.GET.get("page"))
    decisions = GoldDecision.objects.filter(study=study).order_by("-id")
    n_responses = Response.objects.filter(scenario__study=study).count()
    return study_page(
        request,
        study,
        "gold",
        "judges/gold",
        **_sources(request, study),
        gold=gold_scores(study),
        filtered_by_gold=SigmaMae.name in current_rules(study).order,
        page=page,
        n_drawn=min(USUAL_NUMBER, n_responses),
        n_responses=n_responses,
        seed=USUAL_SEED,
        page_numbers=pages.get_elided_page_range(page.number),
        decisions=decisions.select_related("judge", "gold_set", "author")[:DECISIONS_SHOWN],
        only_not_counted=only_not_counted(study),
        not_counted=Participant.NOT_COUNTED,
    )


@needs(Permission.READ)
def gold_progress(request: ResearcherRequest, name: str) -> HttpResponse:
    """The live part of that page alone; says when the page has to be loaded again."""
    study = study_or_404(name)
    context = {"study": study, **_sources(request, study)}
    finished = not context["sources"].is_working
    return live_part(request, "dashboard/judges/_sources.html", context, is_finished=finished)


def _sources(request: HttpRequest, study: Study) -> dict[str, Any]:
    definition = definition_of(study)
    analysis = newest_analysis(study, asked_for(request))
    newest, consistency = _newest_consistency(study)
    labels = labels_of(study)
    consistency = consistency.labelled(labels, "judge_consistency")
    agreement = analysis.labelled_tables(labels, "judge_agreement")["judge_agreement"]
    sources = sources_of(study, definition)
    kinds: dict[str, Sequence[Source]] = {
        "judges": sources.judges,
        "files": sources.files,
        "panels": sources.panels,
        "juries": sources.juries,
    }
    return {
        "sources": sources,
        "rows": {
            kind: [(each, in_short(consistency, agreement, each.source.name)) for each in of_kind]
            for kind, of_kind in kinds.items()
        },
        "rated": definition.rating is not None,
        "analysis": analysis,
        "analysed": newest is not None,
    }


def _newest_consistency(study: Study) -> tuple[AnalysisRun | None, StoredTable]:
    """The newest run and its tables about judges alone, which do not depend on raters."""
    newest = study.analysis_runs.filter(state=AnalysisRun.State.DONE).first()
    return newest, tables_of(newest, "judge_consistency")["judge_consistency"]


@needs(change=Permission.CHANGE)
def score(request: ResearcherRequest, name: str) -> HttpResponse:
    """Queue the missing calls of all judges, or of one, and wake a worker. Lifts their stops."""
    study = study_or_404(name)
    include = asked_for(request)
    wanted = request.POST.get("judge", "")
    queued = queue_missing_calls(study, [wanted] if wanted else [], author=request.user)
    for problem in queued.problems:
        messages.error(request, problem)
    if queued.calls:
        messages.success(request, _queued(queued.calls))
        for judge in queued.ready:
            wake_worker(request, "judge.run", judge.pk)
    elif queued.ready and not queued.incomplete:
        messages.success(request, "Nothing was queued: no scores are missing.")
    if left := queued.incomplete.total():
        outcomes = outcomes_in_words(queued.incomplete)
        messages.warning(
            request,
            f"{left} call{pluralize(left)} ended without a score ({outcomes}) "
            f"and {pluralize(left, 'is,are')} not asked again. “Retry all” on the judge's page "
            "asks again.",
        )
    if wanted and queued.ready:
        return back(include, "judge", study, key(queued.ready[0]))
    return back(include, "gold", study)


def _queued(calls: int) -> str:
    return f"{calls} call{pluralize(calls)} {pluralize(calls, 'is,are')} queued."


@needs(change=Permission.CHANGE)
def choose(request: ResearcherRequest, name: str) -> HttpResponse:
    """Make a source's scores the gold ones, and lead to what that changes."""
    study = study_or_404(name)
    include = asked_for(request)
    with refusals_told(request):
        name, people = request.POST.get("source", ""), included(study, include)
        choice = make_gold(study, name, request.user, include=people)
        messages.success(request, f"{choice.source.name} is now gold.")
        if not choice.after.is_done:
            wake_worker(request, choice.after.TASK, choice.after.pk)
        address = reverse("gold-changes", args=[study, choice.after.pk])
        return redirect(f"{address}?before={choice.before.pk}" if choice.before else address)
    return back(include, "gold", study)


@needs(Permission.READ)
def gold_changes(request: ResearcherRequest, name: str, run: int) -> HttpResponse:
    """What other gold scores changed, once their analysis has finished."""
    study = study_or_404(name)
    after = run_or_404(study, run)
    form = BeforeForm(request.GET)
    asked = form.cleaned_data["before"] if form.is_valid() else None
    before = earlier_run(after, asked) if asked else None
    return study_page(
        request,
        study,
        "gold",
        "judges/changes",
        before=before,
        after=after,
        pending={"pending": after},
        changes=changes(before, after) if before and after.is_done else None,
        include=not_counted_among(after.sources),
        query=include_query(not_counted_among(after.sources) or None),
    )


@needs(Permission.READ)
def run_state(request: ResearcherRequest, name: str, run: int) -> HttpResponse:
    """How far an analysis has come; says when it has ended."""
    study = study_or_404(name)
    after = run_or_404(study, run)
    context = {"analysis": {"pending": after}}
    finished = not after.is_under_way
    return live_part(request, "dashboard/_pending.html", context, is_finished=finished)


@needs(Permission.READ, is_download=True)
def drawn_responses(request: ResearcherRequest, name: str) -> HttpResponseBase:
    """A random draw of responses as CSV, blind, for labels by the authors."""
    study = study_or_404(name)
    with refusals_told(request):
        return drawn_response(study, DrawForm(request.GET).asked, for_excel=True)
    return back(asked_for(request), "gold", study)


@needs(change=Permission.CHANGE)
def upload(request: ResearcherRequest, name: str) -> HttpResponse:
    """Import a file of gold scores as another source: all of it, or nothing."""
    study = study_or_404(name)
    include = asked_for(request)
    form = GoldFileForm(request.POST, request.FILES)
    with refusals_told(request):
        added, notices = import_gold_set(study, form.asked, request.user)
        n = added.scores.count()
        note(request, notices)
        messages.success(
            request,
            f"Imported {n} gold score{pluralize(n)} as {added.name}. To use "
            f"{pluralize(n, 'it,them')}, press “Use as gold”.",
        )
    return back(include, "gold", study)
