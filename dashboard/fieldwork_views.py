"""Researchers' pages about a study that runs: policy, order, pilot, Prolific's submissions, and
decisions about raters.
"""

from collections.abc import Collection
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from analysis.manual_decisions import DecisionRefused, decide_on, decided_in_words
from analysis.models import AnalysisRun
from analysis.quality_rules import LONGEST_REASON
from analysis.runs import request_run
from dashboard.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.certificate import COLUMNS, PEOPLE, Certificate, Part, certificate_rows
from dashboard.forms import (
    CertificateForm,
    DecisionForm,
    ExcludeForm,
    SubmissionsForm,
    VersionForm,
)
from dashboard.pilot import lines, other_versions, side
from dashboard.queries import include_query, included
from dashboard.reconciliation import FINDINGS, reconcile
from dashboard.submission_lists import read_submissions
from dashboard.submissions import apply_submissions, in_words
from dashboard.views import asked_for, study_page, wake_worker
from survey.content import content_of
from survey.csv_text import csv_lines
from survey.definition import DefinitionError
from survey.definition.policy import findings, on_prolific
from survey.definition.settings import Settings
from survey.models import Participant, Slot, Study
from survey.slots import capacity
from survey.tidy import counted_sources, reading

#: What follows a decision that was recorded.
ANEW = "Results by this decision are here as soon as they are computed."
#: Larger tables are in the CSV alone.
CELLS_SHOWN = 3000
SLOTS_SHOWN = 40
PARTS = {
    "blocks": "Order of the blocks",
    "choice": "Choice of the blocks",
    "responses": "Order of the responses",
}


@require_POST
@researcher_required
def submissions(request: ResearcherRequest, name: str) -> HttpResponse:
    """Take in Prolific's lists of submissions; all of them, or nothing where a line is wrong.

    The page says what they change, and who of those who came does not fit them.
    """
    found = study_or_404(name)
    form = SubmissionsForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors["file"])))
        return redirect("study", found)
    files = [(file.name, file.read()) for file in form.cleaned_data["file"]]
    try:
        lists = read_submissions(files)
    except DefinitionError as error:
        for problem in error.problems[:10]:
            messages.error(request, str(problem))
        messages.error(request, "Nothing was changed.")
        return redirect("study", found)
    applied = apply_submissions(
        study=found, submissions=lists.submissions, at=timezone.now(), author=request.user
    )
    reconciliation = reconcile(found, lists)
    return study_page(
        request,
        found,
        "study",
        "submissions",
        files=[name for name, _ in files],
        lines=in_words(applied),
        reconciliation=reconciliation,
        findings=[
            (heading, advice, groups)
            for finding, (heading, advice) in FINDINGS.items()
            if (groups := reconciliation.of(finding))
        ],
        may_exclude=any(group.counting for group in reconciliation.groups),
        longest_reason=LONGEST_REASON,
    )


@require_POST
@researcher_required
def exclude(request: ResearcherRequest, name: str) -> HttpResponse:
    """Exclude people whom lists of submissions did not fit, and analyse anew."""
    found = study_or_404(name)
    form = ExcludeForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"{form.problem} Nobody was excluded: upload the lists again.")
        return redirect("study", found)
    chosen = form.participants
    people = [person for person in found.participants.all() if person.pk in chosen]
    _decide(request, found, people, excluded=True, reason=form.cleaned_data["reason"])
    return redirect("raters", found)


@require_http_methods(["GET", "POST"])
@researcher_required
def rater(request: ResearcherRequest, name: str, participant: int) -> HttpResponse:
    """What was decided about one rater; when sent, decide it, and analyse anew."""
    found = study_or_404(name)
    person = get_object_or_404(found.participants, pk=participant)
    form = DecisionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        excluded = form.cleaned_data["excluded"] == "true"
        _decide(request, found, [person], excluded=excluded, reason=form.cleaned_data["reason"])
        back = reverse("rater", args=[found, person.pk])
        return redirect(back + include_query(asked_for(request)))
    decisions = list(person.manual_decisions.select_related("author").order_by("-id"))
    return study_page(
        request,
        found,
        "raters",
        "rater",
        person=person,
        decisions=decisions,
        is_excluded=bool(decisions) and decisions[0].excluded,
        is_expert=person.source == Participant.Source.PANEL,
        query=include_query(asked_for(request)),
        problem=form.problem if form.is_bound else "",
        longest_reason=LONGEST_REASON,
    )


def _decide(
    request: ResearcherRequest,
    study: Study,
    people: Collection[Participant],
    *,
    excluded: bool,
    reason: str,
) -> None:
    """Record a decision, say so, and have a worker analyse anew."""
    try:
        changed = decide_on(
            study=study,
            participants=people,
            excluded=excluded,
            reason=reason,
            at=timezone.now(),
            author=request.user,
        )
    except DecisionRefused as refusal:
        messages.error(request, str(refusal))
        return
    run = request_run(study=study, sources=counted_sources(included(study, asked_for(request))))
    messages.success(request, f"{decided_in_words(changed, excluded=excluded)} {ANEW}")
    if run.state != AnalysisRun.State.DONE:
        wake_worker(request, "analysis.run", run.pk)


@require_GET
@researcher_required
def policy(request: ResearcherRequest, name: str) -> HttpResponse:
    """What Prolific's rules say about the study, and what to change."""
    found = study_or_404(name)
    content = content_of(found)
    prompts = found.scenarios.values_list("prompt", "context")
    settings = Settings.model_validate(found.settings)
    results = findings(
        content.definition,
        settings,
        translations=list(content.translations.values()),
        prompts=[text for pair in prompts for text in pair],
    )
    to_change = [finding for finding in results if finding.state == "change"]
    return study_page(
        request,
        found,
        "policy",
        findings=results,
        to_change=to_change,
        on_prolific=on_prolific(settings) is not None,
    )


@require_GET
@researcher_required
def order(request: ResearcherRequest, name: str) -> HttpResponse:
    """The counterbalance certificate."""
    found = study_or_404(name)
    form = CertificateForm(request.GET)
    if not form.is_valid():
        raise Http404(str(form.errors.as_text()))
    pool, people = form.choice
    certificate = Certificate(found, pool, people)
    used = set(Slot.objects.filter(study=found).order_by().values_list("pool", flat=True))
    with reading():
        return study_page(
            request,
            found,
            "order",
            certificate=certificate,
            grids=[(grid, _is_shown(grid.rows, grid.columns)) for grid in certificate.grids[:4]],
            fine=certificate.grids[4:],
            parts=[_part(found, pool, part) for part in certificate.parts],
            pools=[pool for pool in Slot.Pool.values if pool in used or pool == Slot.Pool.REAL],
            whom=PEOPLE,
        )


def _is_shown(rows: list[str], columns: list[str]) -> bool:
    return len(rows) * len(columns) <= CELLS_SHOWN


def _part(study: Study, pool: str, part: Part) -> dict[str, Any]:
    """A part of the design in words, with the number of people that would suit it."""
    most = capacity(study, pool)
    return {
        "title": PARTS[part.name],
        "part": part,
        "done": part.target - len(part.missing),
        "slots": part.missing[:SLOTS_SHOWN],
        "more": max(0, len(part.missing) - SLOTS_SHOWN),
        "most": most,
        "uneven": most is not None and most % part.every != 0,
    }


@require_GET
@researcher_required
def certificate(request: ResearcherRequest, name: str) -> StreamingHttpResponse:
    """Every table of the certificate of every pool, as one CSV."""
    found = study_or_404(name)
    with reading():
        text = list(csv_lines(COLUMNS, certificate_rows(found, Slot.Pool.values)))
    file = f"{found.slug}-{found.version}-certificate.csv"
    return StreamingHttpResponse(
        text,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file}"'},
    )


@require_GET
@researcher_required
def pilot(request: ResearcherRequest, name: str) -> HttpResponse:
    """How the protocol worked out, beside that of another version."""
    found = study_or_404(name)
    asked = asked_for(request)
    include = included(found, asked)
    others = other_versions(found)
    form = VersionForm(request.GET)
    if not form.is_valid():
        raise Http404("There is no such version.")
    number = form.cleaned_data["version"]
    chosen = [other for other in others if number in (None, other.version)][:1]
    if number is not None and not chosen:
        raise Http404(f"{found.slug} has no version {number} to compare with.")
    sides = [side(version, include) for version in (found, *chosen)]
    return study_page(
        request,
        found,
        "pilot",
        sides=sides,
        lines=lines(sides),
        others=others,
        include=include,
        by_default=bool(include) and asked is None,
        not_counted=Participant.NOT_COUNTED,
    )
