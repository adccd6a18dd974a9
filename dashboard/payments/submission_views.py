"""Submissions on Prolific beside the people who came here; one of them, and decisions by hand."""

from collections import Counter
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from analysis.quality_rules import LONGEST_REASON
from dashboard.accounts.prolific import account_of, client_of
from dashboard.overview.endings import ENDING_LABELS
from dashboard.payments.case import MISMATCHES, Case, is_chosen
from dashboard.payments.case_index import index_of
from dashboard.payments.cases import case_or_404, cases_at, row_or_404
from dashboard.payments.forms import DecideForm, SubmissionFilter
from dashboard.payments.rejections import CATEGORIES, SHORTEST_REASON
from dashboard.payments.single import decide_by_hand, look_up
from dashboard.prolific.pay_terms import terms_of
from dashboard.prolific.recruiting import recruited
from dashboard.prolific.submissions import FROM_API, submissions_of
from dashboard.raters import uploads
from dashboard.raters.forms import SubmissionsForm
from dashboard.raters.submissions import in_words
from dashboard.shared.access import (
    ResearcherRequest,
    needs,
    study_or_404,
    valid_or_404,
)
from dashboard.shared.pages import refusals_told, study_page, wake_worker
from dashboard.shared.roles import Permission
from survey.definition.labels import words
from survey.definition.options import SentFile
from survey.models import Study

SHOWN = 100


@needs(Permission.IDENTIFY, Permission.IDENTIFY)
def submissions(request: ResearcherRequest, name: str) -> HttpResponse:
    """Every submission beside its person, chosen by mismatch; or take in uploaded lists: all of
    them, or nothing where a line is wrong.
    """
    study = study_or_404(name)
    if request.method == "GET":
        return _page(request, study)
    form = SubmissionsForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors["file"])))
        return redirect("submissions", study)
    files = [SentFile(file.name, file.read()) for file in form.cleaned_data["file"]]
    with refusals_told(request):
        taken = uploads.take_lists(study, files, request.user)
        if taken.upload:
            wake_worker(request, taken.upload.TASK, taken.upload.pk)
        _tell(request, taken, read=[file.name for file in files])
    return redirect("submissions", study)


@needs(change=Permission.IDENTIFY)
def read(request: ResearcherRequest, name: str) -> HttpResponse:
    """Read all submissions from Prolific."""
    study = study_or_404(name)
    with refusals_told(request):
        with client_of(request.user) as client:
            lists = submissions_of(recruited(study), client)
        applied = uploads.apply_lists(study, lists, request.user)
        _tell(request, uploads.TakenLists(lists, applied), read=[FROM_API])
    return redirect("submissions", study)


def _tell(request: ResearcherRequest, taken: uploads.TakenLists, *, read: list[str]) -> None:
    """Tell what lists changed; the page has what becomes of those that are left to a worker."""
    if taken.applied:
        lines = [f"Read: {', '.join(read)}.", *taken.lists.notices, *in_words(taken.applied)]
        messages.success(request, " ".join(lines))


def _page(request: ResearcherRequest, study: Study) -> HttpResponse:
    form = SubmissionFilter(request.GET)
    valid_or_404(form)
    mismatch, status = form.cleaned_data["mismatch"], form.cleaned_data["status"]
    index = index_of(study)
    counts = Counter[str]()
    for case, n in index.counted():
        counts.update(dict.fromkeys([*case.mismatches, *(["any"] if case.mismatches else [])], n))
    pages = Paginator(index.places(lambda case: is_chosen(case, mismatch, status)), SHOWN)
    page = pages.get_page(request.GET.get("page"))
    cases = cases_at(study, list(page.object_list))
    filters = [("", "All", len(index)), ("any", "Any mismatch", counts["any"])]
    filters += [(name, MISMATCHES[name][0], counts[name]) for name in MISMATCHES if counts[name]]
    there = Counter[str]()
    for case, n in index.counted(of_submissions=True):
        there[case.status] += n
    return study_page(
        request,
        study,
        "submissions",
        "payments/submissions",
        cases=[_shown(case) for case in cases],
        page=page,
        page_numbers=pages.get_elided_page_range(page.number),
        filters=filters,
        statuses=sorted(there.items()),
        mismatch=mismatch,
        status=status,
        advice=MISMATCHES[mismatch][1] if mismatch in MISMATCHES else "",
        is_read=bool(len(index)),
        without_codes=bool(len(index)) and not any(case.has_code for case in index.kinds),
        erased=index.erased,
        upload=uploads.newest_upload(study),
        may_exclude=any(case.person for case in cases),
        longest_reason=LONGEST_REASON,
    )


def _shown(case: Case) -> dict[str, Any]:
    """A case as pages show it."""
    return {
        "case": case,
        "here": here_in_words(case),
        "mismatches": [MISMATCHES[name][0] for name in case.mismatches],
        "code": code_in_words(case),
    }


def here_in_words(case: Case) -> str:
    """What became of the person here."""
    return ENDING_LABELS.get(case.here, words(case.here).capitalize() if case.here else "Not here")


def code_in_words(case: Case) -> str:
    """The code that was entered, beside the one that the person saw."""
    if case.submission is None or not case.has_code:
        return "not read"
    if not case.code:
        return "none"
    if not case.code_of:
        return f"{case.code}: never had"
    said = f"{case.code}: {ENDING_LABELS[case.code_of].lower()}"
    if not case.here:
        return said
    return f"{said}, {'right' if case.code_is_right else 'wrong'}"


@needs(Permission.IDENTIFY)
def submission(request: ResearcherRequest, name: str, submission: int) -> HttpResponse:
    """One submission: what is known, what was decided, and decisions by hand."""
    return _single(request, study_or_404(name), submission)


def _single(request: ResearcherRequest, study: Study, submission: int, **more: Any) -> HttpResponse:
    case = case_or_404(study, submission)
    row = row_or_404(study, submission)
    return study_page(
        request,
        study,
        "submissions",
        "payments/submission",
        **_shown(case),
        decisions=row.decisions.select_related("order__author").order_by("-id"),
        categories=CATEGORIES,
        shortest=SHORTEST_REASON,
        terms=terms_of(study),
        is_connected=account_of(request.user) is not None,
        **more,
    )


@needs(change=Permission.RECRUIT)
def decide(request: ResearcherRequest, name: str, submission: int) -> HttpResponse:
    """Decide about one submission by hand."""
    study = study_or_404(name)
    case, form = case_or_404(study, submission), DecideForm(request.POST)
    with refusals_told(request):
        order = decide_by_hand(
            study=study, case=case, options=form.asked, author=request.user, at=timezone.now()
        )
        messages.success(request, "The decision is stored.")
        if not order.by_hand:
            wake_worker(request, "dashboard.pay", order.pk)
        return redirect("payment-order", study, order.pk)
    return _single(request, study, submission, form=form)


@needs(change=Permission.IDENTIFY)
def identity(request: ResearcherRequest, name: str, submission: int) -> HttpResponse:
    """Show the Prolific ID of a submission, once; the study's changes record it."""
    study = study_or_404(name)
    known = look_up(study, submission, request.user)
    return _single(request, study, submission, known=known)
