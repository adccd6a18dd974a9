"""Judges: one judge with its scores and calls."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse

from dashboard.judges import sources
from dashboard.judges.agreement import with_flags
from dashboard.judges.forms import RetryForm
from dashboard.judges.gold_views import _newest_consistency, _queued, back
from dashboard.judges.judge_record import JudgeRecord, judge_record
from dashboard.judges.scores import as_json, call_or_404, call_to_retry, scored_responses, shown_to
from dashboard.shared.access import (
    ResearcherRequest,
    needs,
    study_or_404,
)
from dashboard.shared.newest_analysis import include_query
from dashboard.shared.pages import asked_for, live_part, refusals_told, study_page, wake_worker
from dashboard.shared.roles import Permission
from judge.queries import keeps_shared_seeds
from judge.queueing import ask_again
from judge.seeds import KEPT, shares_seeds
from judge.traits import Trait
from survey.models import Response

FAILURES_SHOWN = 50


RESPONSES_SHOWN = 25


@needs(Permission.READ)
def judge(request: ResearcherRequest, name: str, judge: str) -> HttpResponse:
    """How a judge is configured, how far it has come, its failures, and each of its scores."""
    study = study_or_404(name)
    asked = sources.judge_or_404(study, judge)
    record = judge_record(asked)
    configuration = record.configuration
    responses = Response.objects.filter(scenario__study=study).select_related("scenario", "system")
    pages = Paginator(responses.order_by("scenario__position", "id"), RESPONSES_SHOWN)
    page = pages.get_page(request.GET.get("page"))
    return study_page(
        request,
        study,
        "gold",
        "judges/judge",
        **_progress(record),
        query=include_query(asked_for(request)),
        configuration=configuration,
        dimensions=[
            (name, question, configuration.rubrics[name])
            for name, question in configuration.questions.items()
        ],
        example_scenarios=list(dict.fromkeys(each.scenario for each in configuration.drawn)),
        options=as_json(configuration.options) if configuration.options else "",
        structured=record.structured,
        traits=record.traits,
        no_temperature=any(each.trait is Trait.NO_TEMPERATURE for each in record.traits),
        no_seed=any(each.trait is Trait.NO_SEED for each in record.traits),
        probe=asked.calls.filter(response=None, block=None).first(),
        flagged=[
            row
            for row in with_flags(_newest_consistency(study)[1])
            if row["judge"] == record.state.source.name and row["flag_list"]
        ],
        shares_seeds=shares_seeds(configuration),
        seeds_kept=KEPT if keeps_shared_seeds(asked) else "",
        example=record.example,
        why_not_gold=record.why_not_gold,
        reasons=record.failures,
        failures=list(sources.failed_calls(asked, limit=FAILURES_SHOWN)),
        page=page,
        page_numbers=pages.get_elided_page_range(page.number),
        rows=scored_responses(asked, configuration, list(page)),
    )


@needs(Permission.READ)
def judge_progress(request: ResearcherRequest, name: str, judge: str) -> HttpResponse:
    """The live part of that page alone; says when the page has to be loaded again."""
    study = study_or_404(name)
    progress = _progress(judge_record(sources.judge_or_404(study, judge)))
    finished = not progress["state"].is_working
    context = {"study": study, **progress}
    return live_part(request, "dashboard/_progress.html", context, is_finished=finished)


def _progress(record: JudgeRecord) -> dict[str, Any]:
    return {
        "judge": record.judge,
        "key": record.key,
        "state": record.state,
        "progress": record.progress,
        "answered_by": record.answered_by,
        "outcomes": record.outcomes,
    }


@needs(change=Permission.CHANGE)
def retry(request: ResearcherRequest, name: str, judge: str) -> HttpResponse:
    """Have one failed call of a judge asked again, or all that it lacks."""
    study = study_or_404(name)
    include = asked_for(request)
    asked = sources.judge_or_404(study, judge)
    form = RetryForm(request.POST)
    if not form.is_valid():
        raise Http404(f"{asked} has no such call.")
    call = call_to_retry(asked, form.chosen)
    with refusals_told(request):
        calls = ask_again(asked, call, author=request.user)
        messages.success(request, "The call is queued." if call else _queued(calls))
        wake_worker(request, "judge.run", asked.pk)
    return back(include, "judge", study, judge)


@needs(Permission.READ)
def call(request: ResearcherRequest, name: str, call: int) -> HttpResponse:
    """One call with the exact text of every attempt."""
    study = study_or_404(name)
    asked = call_or_404(study, call)
    attempts = [
        {
            "attempt": attempt,
            "messages": attempt.request.get("messages", []),
            "rest": as_json({k: v for k, v in attempt.request.items() if k != "messages"}),
            "provenance": attempt.provenance,
        }
        for attempt in asked.attempts.order_by("number")
    ]
    return study_page(
        request,
        study,
        "gold",
        "judges/call",
        call=asked,
        key=sources.key(asked.judge),
        attempts=attempts,
        shown=shown_to(asked),
        query=include_query(asked_for(request)),
    )
