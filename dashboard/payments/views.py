"""Payments: what the rules propose, confirming it, and what has become of it."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.accounts.prolific import account_of
from dashboard.payments.asking import without_ids
from dashboard.payments.bonus_cost import bonus_cost
from dashboard.payments.case import Case
from dashboard.payments.cases import cases_of
from dashboard.payments.confirming import NotAsShown, confirm_screen
from dashboard.payments.forms import SettleForm, TermsForm
from dashboard.payments.models import SubmissionDecision
from dashboard.payments.orders import OrderRefused
from dashboard.payments.progress import order_or_404, orders_of, progress
from dashboard.payments.screen import KINDS, ProposalGroup, Screen, screen_of
from dashboard.payments.settling import (
    LISTS,
    OPEN_STATES,
    PASTED,
    SettleRefused,
    download,
    held_back,
    of_list,
    settle_chosen,
    unsettled,
)
from dashboard.prolific.pay_terms import change_terms, terms_of
from dashboard.prolific.terms import AmountRefused, Terms, cents_of, check_bonus, in_money
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.csv_files import csv_file
from dashboard.shared.forms import AmountField
from dashboard.shared.pages import study_page, wake_worker
from survey.models import Study
from survey.prolific.errors import ProlificError

State = SubmissionDecision.State


@require_http_methods(["GET", "POST"])
@researcher_required
def payments(request: ResearcherRequest, name: str) -> HttpResponse:
    """What the rules propose, in groups with sums; confirmed at once."""
    study = study_or_404(name)
    cases = cases_of(study)
    if request.method == "GET":
        return _page(request, study, screen_of(cases, terms_of(study)), is_read=bool(cases))
    try:
        screen = _screen_sent(request, study, cases)
        order = confirm_screen(
            study=study,
            screen=screen,
            author=request.user,
            by_hand=bool(request.POST.get("by_hand")),
            is_sure=bool(request.POST.get("sure")),
            at=timezone.now(),
            stamp=request.POST.get("stamp", ""),
        )
    except NotAsShown as again:
        return _page(request, study, screen, is_read=bool(cases), again=str(again))
    except (OrderRefused, AmountRefused) as refusal:
        messages.error(request, f"{refusal} Nothing was changed.")
        return redirect("payments", study)
    messages.success(request, "Confirmed and stored.")
    if not order.by_hand:
        wake_worker(request, "dashboard.pay", order.pk)
    return redirect("payment-order", study, order.pk)


def _screen_sent(request: ResearcherRequest, study: Study, cases: Sequence[Case]) -> Screen:
    """The screen with what the form chose and changed. Raises AmountRefused."""
    texts, amounts = {}, {}
    for field, value in request.POST.items():
        what, _, rule = field.partition("-")
        if what == "text":
            texts[rule] = str(value).strip()
        elif what == "amount":
            amounts[rule] = _cents(str(value))
    return screen_of(
        cases,
        terms_of(study),
        chosen=set(request.POST.getlist("chosen")),
        texts=texts,
        amounts=amounts,
    )


def _cents(text: str) -> int:
    needed = {"required": "Enter an amount such as 1.50."}
    try:
        return cents_of(AmountField(error_messages=needed).clean(text))
    except ValidationError as error:
        raise AmountRefused(" ".join(error.messages)) from None


def _page(
    request: ResearcherRequest,
    study: Study,
    screen: Screen,
    *,
    is_read: bool,
    again: str = "",
    form: TermsForm | None = None,
) -> HttpResponse:
    cost = bonus_cost(study, request.user, screen.bonus_cents)
    if form is None:
        terms = screen.terms
        if terms.reward is None and cost.reward:
            terms = terms.model_copy(update={"reward": cost.reward, "currency": cost.currency})
        form = TermsForm.of(terms)
    return study_page(
        request,
        study,
        "payments",
        "payments/payments",
        screen=screen,
        groups=[_shown(group, screen.terms) for group in screen.groups],
        rewards=_money(screen.reward_cents, screen.terms),
        bonuses=in_money(screen.bonus_cents, screen.terms.currency),
        counts=[(label, screen.count(kind)) for kind, label in KINDS.items()],
        cost=cost,
        form=form,
        has_terms=screen.terms.reward is not None,
        is_read=is_read,
        again=again,
        is_connected=account_of(request.user) is not None,
        orders=[progress(order) for order in orders_of(study)],
        needs_sure=any(is_unusual(group, screen.terms) for group in screen.groups),
    )


def _money(cents: int | None, terms: Terms) -> str:
    return (
        "not known until the reward above is stored"
        if cents is None
        else in_money(cents, terms.currency)
    )


def is_unusual(group: ProposalGroup, terms: Terms) -> bool:
    """Whether the amount of a group needs a confirmation of its own."""
    try:
        if group.cents is not None:
            check_bonus(group.cents, terms)
    except AmountRefused:
        return True
    return False


def _shown(group: ProposalGroup, terms: Terms) -> dict[str, Any]:
    cents = group.cents
    return {
        "group": group,
        "amount": "" if cents is None else f"{cents / 100:.2f}",
        "each": "" if cents is None else in_money(cents, terms.currency),
        "sum": "" if cents is None else in_money(group.sum_cents, terms.currency),
    }


@require_POST
@researcher_required
def terms(request: ResearcherRequest, name: str) -> HttpResponse:
    """Store what the study promises."""
    study = study_or_404(name)
    form = TermsForm(request.POST)
    if form.is_valid():
        change_terms(study=study, terms=form.terms, author=request.user)
        messages.success(request, "Stored. The proposals go by it.")
        return redirect("payments", study)
    cases = cases_of(study)
    screen = screen_of(cases, terms_of(study))
    return _page(request, study, screen, is_read=bool(cases), form=form)


@require_GET
@researcher_required
def order(request: ResearcherRequest, name: str, order: int) -> HttpResponse:
    """What was confirmed at once, and what has become of it."""
    study = study_or_404(name)
    row = order_or_404(study, order)
    decisions = list(row.decisions.select_related("submission", "order").order_by("kind", "id"))
    names = {case.submission: case.pseudonym for case in cases_of(study)}
    lists = [
        (name, about, hint, len(due), any(one.asked_at for one in due))
        for name, (about, hint) in LISTS.items()
        if (due := [one for one in of_list(row, name) if one.state != State.DONE])
    ]
    return study_page(
        request,
        study,
        "payments",
        "payments/order",
        progress=progress(row),
        order=row,
        decisions=[
            (one, names.get(one.submission_id, ""), _bonus_in_words(one)) for one in decisions
        ],
        lists=lists if row.by_hand else [],
        held_back=len(held_back(decisions)),
        unsettled=[one for one in decisions if one.state in OPEN_STATES],
        is_unclear=any(one.state == State.ASKED for one in decisions),
    )


@require_GET
@researcher_required
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


@require_POST
@researcher_required
def settled(request: ResearcherRequest, name: str, order: int) -> HttpResponse:
    """Say whether decisions were done whose outcome is not known."""
    study = study_or_404(name)
    row = order_or_404(study, order)
    due = unsettled(row)
    form = SettleForm(request.POST, decisions=[one.pk for one in due])
    if not form.is_valid():
        messages.error(request, "Choose at least one line. Nothing was changed.")
        return redirect("payment-order", study, row.pk)
    what = form.cleaned_data["what"]
    try:
        n = settle_chosen(
            order=row,
            ids=form.cleaned_data["decision"],
            what=what,
            author=request.user,
            at=timezone.now(),
        )
    except (SettleRefused, ProlificError) as refusal:
        messages.error(request, without_ids(str(refusal)))
        return redirect("payment-order", study, row.pk)
    messages.success(request, f"Stored: {n} {SettleForm.WHAT[what]}.")
    if what == "not_done" and not row.by_hand:
        wake_worker(request, "dashboard.pay", row.pk)
    return redirect("payment-order", study, row.pk)


@require_POST
@researcher_required
def payment_list(request: ResearcherRequest, name: str, order: int, file: str) -> HttpResponseBase:
    """A list to paste into Prolific. It has Prolific's IDs, so the download is recorded."""
    study = study_or_404(name)
    row = order_or_404(study, order)
    if file not in LISTS or not row.by_hand:
        raise Http404(f"Payment order {row.pk} has no list {file}.")
    text = download(order=row, name=file, author=request.user, at=timezone.now())
    return csv_file(f"{study.slug}-{row.pk}-{file}", [text], for_excel=file not in PASTED)
