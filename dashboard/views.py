"""Researchers' pages. Each fetches with permission, calls one or two functions, and renders."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    JsonResponse,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from kombu.exceptions import OperationalError
from rest_framework.authtoken.models import Token

from analysis import catalogue
from analysis.catalogue.spec import FigureSpec
from analysis.manual_decisions import exclusions_in_force
from analysis.models import AnalysisRun, Result
from analysis.quality_rules import DECISION
from analysis.runs import request_run
from config.celery import wake
from dashboard import agreement as about_judges
from dashboard import fieldwork, queries, tables
from dashboard.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.downloads import csv_response
from dashboard.exports import filtered_by
from dashboard.forms import IncludeForm, RecomputeForm, StateForm
from dashboard.opening import NotOpened, against, only_stand_in, open_study, refused
from dashboard.raters import TEXTS, RaterFilter, rater_row
from judge.queries import gold_scores
from survey.models import Participant, Study
from survey.studies import StateError, set_state
from survey.tidy import counted_sources

State = Study.State

TABS = [
    ("study", "Overview"),
    ("policy", "Policy"),
    ("order", "Order"),
    ("pilot", "Pilot"),
    ("gold", "Judges"),
    ("agreement", "Agreement"),
    ("raters", "Raters"),
    ("thresholds", "Thresholds"),
    ("results", "Results"),
    ("figures", "Figures"),
    ("downloads", "Downloads"),
]
STATE_MEANINGS = {
    State.DRAFT: "Only previews and simulated raters are admitted.",
    State.OPEN: "Anybody with a link may begin.",
    State.PAUSED: "Nobody new is admitted. Those who have begun finish and get their code.",
    State.CLOSED: "Nobody new is admitted, and the data collection is over. Those who have "
    "begun can still finish.",
}
REHEARSAL = (
    "A rehearsal: anybody with an open link or an invitation may begin, as a test person who never "
    "counts. Nobody from Prolific is admitted."
)
RATERS_SHOWN = 100
RATER_COLUMNS = {
    "participant": "Rater",
    "source": "Source",
    "n_ratings": "Ratings",
    "duration_seconds": "Minutes",
    "sigma": "σ",
    "mae": "MAE",
}


def study_page(
    request: HttpRequest, study: Study, tab: str, template: str = "", **context: Any
) -> HttpResponse:
    """A page of a study, with its head and tabs, which lead to the people chosen by the address."""
    form = IncludeForm(request.GET)
    choice = queries.include_query(form.chosen) if form.is_valid() else ""
    context |= {"study": study, "tab": tab, "tabs": TABS, "choice": choice}
    return render(request, f"dashboard/{template or tab}.html", context)


def asked_for(request: HttpRequest) -> list[str] | None:
    """The experts or test people that an address asks for by name; None where it says nothing."""
    form = IncludeForm(request.GET)
    if not form.is_valid():
        raise Http404(form.errors["include"][0])
    return form.chosen


def wake_worker(request: HttpRequest, task_name: str, row: int) -> None:
    """Wake a worker. The rows are the queue, so a silent broker delays work and loses none."""
    try:
        wake(task_name, row)
    except OperationalError as error:
        messages.error(
            request,
            f"The broker does not answer ({error}). The work is queued all the same: a worker "
            f"looks for it every {settings.SWEEP_SECONDS:.0f} s.",
        )


def locked_out(
    request: HttpRequest, answer: HttpResponse, credentials: dict[str, Any]
) -> HttpResponse:
    """What whoever failed too often to log in gets instead of `answer`."""
    wait: timedelta = settings.AXES_COOLOFF_TIME
    context = {"name": credentials.get("username", ""), "minutes": wait.total_seconds() / 60}
    locked = render(request, "registration/locked.html", context, status=429)
    locked["Retry-After"] = str(int(wait.total_seconds()))
    return locked


@require_GET
@researcher_required
def studies(request: ResearcherRequest) -> HttpResponse:
    return render(request, "dashboard/studies.html", {"studies": queries.studies_with_counts()})


@require_GET
@researcher_required
def study(request: ResearcherRequest, name: str) -> HttpResponse:
    found = study_or_404(name)
    return study_page(
        request,
        found,
        "study",
        **_live(request, found),
        endings=fieldwork.endings(found),
        states=State,
        state_meaning=REHEARSAL if found.is_rehearsing else STATE_MEANINGS[State(found.state)],
        links=queries.participant_links(found),
        invites="invitation" in found.settings["ways_in"],
        events=found.events.select_related("author").order_by("-at", "-id")[:10],
    )


@require_GET
@researcher_required
def counts(request: ResearcherRequest, name: str) -> HttpResponse:
    """The overview's live part alone."""
    found = study_or_404(name)
    return render(request, "dashboard/_counts.html", {"study": found, **_live(request, found)})


def _live(request: HttpRequest, study: Study) -> dict[str, Any]:
    """What the overview shows of this moment: of test people too where the address says so, or
    where there is nobody else and their results are there.
    """
    counts, asked = queries.live_counts(study), asked_for(request)
    include = queries.included(study, asked)
    if asked is None and counts.real.arrived:
        include = []
    return {
        "counts": counts,
        "shown": counts.together(include),
        "include": include,
        "by_default": bool(include) and asked is None,
        "pools": fieldwork.pools(study),
    }


@require_POST
@researcher_required
def state(request: ResearcherRequest, name: str) -> HttpResponse:
    """Move a study to another state; opening and closing are asked twice."""
    found = study_or_404(name)
    form = StateForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors["state"])))
        return redirect("study", found)
    asked = form.cleaned_data["state"]
    if asked == State.CLOSED and not form.cleaned_data["confirmed"]:
        active = queries.live_counts(found).real.active
        return study_page(request, found, "study", "close", active=active)
    if asked == State.OPEN and not form.cleaned_data["confirmed"]:
        return redirect("opening", found)
    rehearsal = form.cleaned_data["rehearsal"]
    try:
        if asked == State.OPEN and not rehearsal:
            allowed = form.cleaned_data["stand_in"]
            changed, _ = open_study(study=found, author=request.user, stand_in_allowed=allowed)
        else:
            changed = set_state(study=found, state=asked, rehearsal=rehearsal, author=request.user)
    except NotOpened as refusal:
        messages.error(request, f"{refusal}: see below.")
        return redirect("opening", found)
    except StateError as error:
        messages.error(request, f"{error}.")
        return redirect("study", found)
    if changed:
        as_what = "open as a rehearsal" if rehearsal else asked
        messages.success(request, f"{found} is now {as_what}.")
    return redirect("study", found)


@require_GET
@researcher_required
def opening(request: ResearcherRequest, name: str) -> HttpResponse:
    """What speaks against opening a study, and the choice between that and a rehearsal."""
    found = study_or_404(name)
    if found.doing == State.OPEN:
        return redirect("study", found)
    findings = against(found)
    harm = refused(findings)
    return study_page(
        request,
        found,
        "study",
        "open",
        harm=harm,
        rest=[finding for finding in findings if finding not in harm],
        only_stand_in=only_stand_in(findings),
    )


def analysis_page(
    request: HttpRequest, study: Study, tab: str, analysis: queries.Analysis, **context: Any
) -> HttpResponse:
    """A page about an analysis, with what says which analysis that is."""
    gold = gold_scores(study)
    only_not_counted = queries.only_not_counted(study)
    return study_page(
        request,
        study,
        tab,
        analysis=analysis,
        not_counted=Participant.NOT_COUNTED,
        only_not_counted=only_not_counted,
        no_ratings=analysis.of_nobody or (bool(only_not_counted) and not analysis.include),
        stand_in=analysis.stand_in or (gold.source if gold.is_stand_in else ""),
        **context,
    )


@require_GET
@researcher_required
def raters(request: ResearcherRequest, name: str) -> HttpResponse:
    """The funnel, and the raters in pages, chosen and sorted as asked for."""
    found = study_or_404(name)
    analysis = queries.newest_of_ratings(found, asked_for(request))
    steps = analysis.tables("funnel")["funnel"]
    context: dict[str, Any] = {}
    if analysis.run:
        asked = RaterFilter(request.GET, analysis.run, rules=[step["step"] for step in steps.rows])
        choice = asked.chosen
        pages = Paginator(asked.qs, RATERS_SHOWN)
        page = pages.get_page(request.GET.get("page"))
        sort = choice.pop("sort", "participant")
        context = {
            "form": asked.form,
            "is_chosen": bool(choice),
            "page": page,
            "page_numbers": pages.get_elided_page_range(page.number),
            "raters": [tables.shown_rater(rater_row(rater)) for rater in page],
            "columns": tables.sortable_columns(RATER_COLUMNS, texts=TEXTS, sort=sort),
        }
        out = {decision.participant_id: decision for decision in exclusions_in_force(found)}
        context["decided"] = [(rater, out.get(rater["id"])) for rater in context["raters"]]
    funnel = tables.funnel_bars(steps)
    has_decisions = any(step["step"] == DECISION for step in steps.rows)
    context |= {"funnel": funnel, "has_decisions": has_decisions}
    return analysis_page(request, found, "raters", analysis, **context)


@require_GET
@researcher_required
def figures(request: ResearcherRequest, name: str) -> HttpResponse:
    found = study_or_404(name)
    analysis = queries.newest_of_ratings(found, asked_for(request))
    return analysis_page(
        request,
        found,
        "figures",
        analysis,
        figures=_figures(analysis, of_judges=False),
        means=tables.mean_tables(analysis.tables("items")["items"]),
    )


@require_GET
@researcher_required
def agreement(request: ResearcherRequest, name: str) -> HttpResponse:
    """Whether judges agree with themselves and with people, and what filtering by them does."""
    found = study_or_404(name)
    analysis = queries.newest_analysis(found, asked_for(request))
    stored = analysis.tables(*about_judges.TABLES)
    return analysis_page(
        request,
        found,
        "agreement",
        analysis,
        warnings=stored["guard_warnings"].rows,
        consistency=about_judges.with_flags(stored["judge_consistency"]),
        shares=about_judges.shares(stored["judge_scores_shares"]),
        uneven=about_judges.most_uneven(stored["judge_item_spread"]),
        models=stored["judge_models"].rows,
        statistics=about_judges.statistics(stored["judge_agreement"]),
        bias=about_judges.grouped(stored["judge_bias"], "judge", "dimension"),
        tests=about_judges.alt_tests(stored["alt_test"]),
        raters=about_judges.grouped(stored["alt_test_raters"], "judge", "dimension"),
        funnel=about_judges.three_ways(stored["guard_funnel"], "step"),
        wins=about_judges.three_ways(stored["guard_wins"], "dimension", "scenario"),
        systems=about_judges.three_ways(stored["guard_systems"], "dimension", "model", "condition"),
        left_out=stored["guard_raters"].rows,
        conditions=_conditions(analysis),
        figures=_figures(analysis, of_judges=True),
    )


def _figures(analysis: queries.Analysis, *, of_judges: bool) -> list[FigureSpec]:
    """The figures of a run, those about judges or all others."""
    there = set(analysis.figure_names())
    return [
        figure
        for figure in catalogue.figures().values()
        if figure.name in there and (figure.section == "Judges") == of_judges
    ]


def _conditions(analysis: queries.Analysis) -> tuple[str, str]:
    """The two conditions that are compared, as the wins name them."""
    wins = analysis.tables("wins")["wins"].rows
    return (wins[0]["condition_a"], wins[0]["condition_b"]) if wins else ("", "")


@require_GET
@researcher_required
def downloads(request: ResearcherRequest, name: str) -> HttpResponse:
    found = study_or_404(name)
    analysis = queries.newest_analysis(found, asked_for(request))
    return analysis_page(
        request,
        found,
        "downloads",
        analysis,
        files=filtered_by(analysis.run).files if analysis.run else [],
    )


@require_GET
@researcher_required
def download(request: ResearcherRequest, name: str, file: str) -> StreamingHttpResponse:
    """One CSV file, streamed."""
    found = study_or_404(name)
    # A file is not labelled as a page is, so only its address puts test people in it.
    analysis = queries.newest_analysis(found, asked_for(request) or [])
    return csv_response(found, analysis.run, file)


@require_GET
@researcher_required
def analysis_state(request: ResearcherRequest, name: str) -> HttpResponse:
    """What tells about the analysis under way; says when the page has to be loaded again."""
    found = study_or_404(name)
    analysis = queries.newest_analysis(found, asked_for(request))
    response = render(request, "dashboard/_pending.html", {"analysis": analysis})
    if analysis.pending is None:
        response["X-Finished"] = "1"
    return response


@require_POST
@researcher_required
def recompute(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for an analysis of the data as they are now, and wake a worker for it."""
    found = study_or_404(name)
    include = asked_for(request)
    run = request_run(study=found, sources=counted_sources(queries.included(found, include)))
    if run.state == AnalysisRun.State.DONE:
        messages.success(request, "Nothing has changed since; the results are up to date.")
    else:
        wake_worker(request, "analysis.run", run.pk)
    form = RecomputeForm(request.POST)
    page, subject = form.page_and_subject if form.is_valid() else ("raters", "")
    back_to = [found, subject] if subject else [found]
    return redirect(reverse(page, args=back_to) + queries.include_query(include))


@require_GET
@researcher_required
def figure(request: ResearcherRequest, name: str, run: int, figure: str) -> HttpResponse:
    """A stored figure as Plotly's JSON."""
    found = study_or_404(name)
    stored = get_object_or_404(
        Result, run__study=found, run=run, kind=Result.Kind.FIGURE, name=figure
    )
    return JsonResponse(stored.content)


@researcher_required
def token(request: ResearcherRequest) -> HttpResponse:
    """A researcher's own key to the API: see it, make it, replace it, delete it."""
    if request.method == "POST":
        Token.objects.filter(user=request.user).delete()
        if request.POST.get("action") == "renew":
            Token.objects.create(user=request.user)
        return redirect("token")
    mine = Token.objects.filter(user=request.user).first()
    api_url = settings.SITE_URL + reverse("api:studies")
    return render(request, "dashboard/token.html", {"token": mine, "api_url": api_url})
