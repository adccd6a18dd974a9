"""Payments: what the rules propose, confirming it, and what has become of it."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone

from dashboard.accounts.prolific import account_of
from dashboard.payments.bonus_cost import bonus_cost
from dashboard.payments.cases import cases_by_submission
from dashboard.payments.confirming import NotAsShown, confirm_screen
from dashboard.payments.forms import ConfirmForm, SettleForm, TermsForm
from dashboard.payments.models import SubmissionDecision
from dashboard.payments.progress import order_or_404, orders_of, progress, progress_of
from dashboard.payments.proposing import proposed_of
from dashboard.payments.screen import KINDS, Screen
from dashboard.payments.settling import (
    OPEN_STATES,
    PASTED,
    SAID,
    download,
    lists_of,
    n_held_back,
    open_decisions,
    settle_chosen,
)
from dashboard.payments.shown_groups import (
    NOTHING_SENT,
    SentSelection,
    is_unusual,
    read_selection,
    shown_groups,
)
from dashboard.prolific.pay_terms import promise
from dashboard.prolific.terms import Terms, TooLittlePromised, in_money
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.csv_files import csv_file
from dashboard.shared.pages import refusals_told, study_page, tell_refusal, wake_worker
from dashboard.shared.roles import Permission
from survey.models import Study
from survey.refusals import RequestRefused

State = SubmissionDecision.State
ORDERS_SHOWN = 50
DECISIONS_SHOWN = 100


@needs(Permission.RECRUIT, Permission.RECRUIT)
def payments(request: ResearcherRequest, name: str) -> HttpResponse:
    """What the rules propose, in groups with sums; confirmed at once."""
    study = study_or_404(name)
    proposed = proposed_of(study)
    if request.method == "GET":
        return _page(request, study, proposed.screen(), is_read=proposed.is_read)
    sent = read_selection(request.POST)
    try:
        options = ConfirmForm(request.POST).asked
        screen = proposed.screen(sent.selection, texts=options.texts, amounts=options.amounts)
        if sent.is_turned:
            return _page(request, study, screen, is_read=proposed.is_read, sent=sent)
        stamp = request.POST.get("stamp", "")
        order = confirm_screen(study, screen, options, request.user, at=timezone.now(), stamp=stamp)
    except NotAsShown as again:
        return _page(request, study, screen, is_read=proposed.is_read, again=str(again), sent=sent)
    except RequestRefused as why:
        tell_refusal(request, why)
        return redirect("payments", study)
    messages.success(request, "Confirmed and stored.")
    if not order.by_hand:
        wake_worker(request, "dashboard.pay", order.pk)
    return redirect("payment-order", study, order.pk)


def _page(
    request: ResearcherRequest,
    study: Study,
    screen: Screen,
    *,
    is_read: bool,
    again: str = "",
    form: TermsForm | None = None,
    sent: SentSelection = NOTHING_SENT,
) -> HttpResponse:
    orders = Paginator(orders_of(study), ORDERS_SHOWN)
    page = orders.get_page(request.GET.get("page"))
    cost = bonus_cost(study, request.user, screen.bonus_cents)
    if form is None:
        terms = screen.terms
        if terms.reward is None and cost.reward:
            terms = terms.model_copy(update={"reward": cost.reward, "currency": cost.currency})
        form = TermsForm(initial=terms.model_dump())
    return study_page(
        request,
        study,
        "payments",
        "payments/payments",
        screen=screen,
        groups=shown_groups(study, screen, sent),
        rewards=_money(screen.reward_cents, screen.terms),
        bonuses=in_money(screen.bonus_cents, screen.terms.currency),
        counts=[(label, screen.count(kind)) for kind, label in KINDS.items()],
        cost=cost,
        form=form,
        has_terms=screen.terms.reward is not None,
        is_read=is_read,
        again=again,
        is_connected=account_of(request.user) is not None,
        orders=progress_of(list(page)),
        page=page,
        page_numbers=orders.get_elided_page_range(page.number),
        needs_sure=any(is_unusual(group, screen.terms) for group in screen.groups),
    )


def _money(cents: int | None, terms: Terms) -> str:
    return (
        "not known until the reward above is stored"
        if cents is None
        else in_money(cents, terms.currency)
    )


@needs(change=Permission.RECRUIT)
def terms(request: ResearcherRequest, name: str) -> HttpResponse:
    """Store what the study promises."""
    study = study_or_404(name)
    form = TermsForm(request.POST)
    if form.is_valid():
        try:
            promise(study, form.chosen, request.user)
        except TooLittlePromised as why:
            form.add_error(why.about, why.lines)
        else:
            messages.success(request, "Stored. The proposals go by it.")
            return redirect("payments", study)
    proposed = proposed_of(study)
    return _page(request, study, proposed.screen(), is_read=proposed.is_read, form=form)


@needs(Permission.RECRUIT)
def order(request: ResearcherRequest, name: str, order: int) -> HttpResponse:
    """What was confirmed at once, and what has become of it."""
    study = study_or_404(name)
    row = order_or_404(study, order)
    rows = row.decisions.select_related("submission", "order").order_by("kind", "id")
    pages = Paginator(rows, DECISIONS_SHOWN)
    page = pages.get_page(request.GET.get("page"))
    decisions = list(page)
    names = cases_by_submission(study, (one.submission_id for one in decisions))
    lists = lists_of(row) if row.by_hand else []
    n_open = open_decisions(row).count()
    n_open_here = sum(one.state in OPEN_STATES for one in decisions)
    return study_page(
        request,
        study,
        "payments",
        "payments/order",
        progress=progress(row),
        order=row,
        decisions=[
            (
                one,
                names[one.submission_id].pseudonym if one.submission_id in names else "",
                _bonus_in_words(one),
                one.state in OPEN_STATES,
            )
            for one in decisions
        ],
        page=page,
        page_numbers=pages.get_elided_page_range(page.number),
        lists=lists,
        held_back=n_held_back(row),
        n_open=n_open,
        n_elsewhere=n_open - n_open_here,
        is_unclear=row.decisions.filter(state=State.ASKED).exists(),
    )


@needs(Permission.RECRUIT)
def order_state(request: ResearcherRequest, name: str, order: int) -> HttpResponse:
    """How far a worker is with what was confirmed, for a page that waits for it."""
    row = order_or_404(study_or_404(name), order)
    context = {"progress": progress(row), "order": row}
    shown = render(request, "dashboard/payments/_order_progress.html", context)
    if row.finished_at:
        shown["X-Finished"] = "1"
    return shown


def _bonus_in_words(one: SubmissionDecision) -> str:
    return "" if one.cents is None else in_money(one.cents, one.order.currency)


@needs(change=Permission.RECRUIT)
def settled(request: ResearcherRequest, name: str, order: int) -> HttpResponse:
    """Say whether decisions were done whose outcome is not known."""
    study = study_or_404(name)
    row = order_or_404(study, order)
    form = SettleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose at least one line. Nothing was changed.")
        return redirect("payment-order", study, row.pk)
    what = form.cleaned_data["what"]
    with refusals_told(request):
        n = settle_chosen(
            order=row,
            lines=form.lines,
            what=what,
            author=request.user,
            at=timezone.now(),
        )
        messages.success(request, f"Stored: {n} {SAID[what]}.")
        if what == "not_done" and not row.by_hand:
            wake_worker(request, "dashboard.pay", row.pk)
    return redirect("payment-order", study, row.pk)


@needs(change=Permission.RECRUIT)
def payment_list(request: ResearcherRequest, name: str, order: int, file: str) -> HttpResponseBase:
    """A list to paste into Prolific. It has Prolific's IDs, so the download is recorded."""
    study = study_or_404(name)
    row = order_or_404(study, order)
    text = download(order=row, name=file, author=request.user, at=timezone.now())
    return csv_file(f"{study.slug}-{row.pk}-{file}", [text], for_excel=file not in PASTED)
