"""Payments: what the rules propose, confirming it, and what has become of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.accounts.prolific import NotConnected, account_of, client_of
from dashboard.payments.asking import without_ids
from dashboard.payments.cases import cases_of
from dashboard.payments.forms import SettleForm, TermsForm
from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.payments.orders import (
    OrderRefused,
    change_terms,
    chosen_of,
    confirm,
    terms_of,
)
from dashboard.payments.progress import orders_of, progress
from dashboard.payments.screen import KINDS, ProposalGroup, Screen, screen_of
from dashboard.payments.settling import (
    LISTS,
    SettleRefused,
    check_not_done,
    download,
    of_list,
    settle,
)
from dashboard.payments.terms import AmountRefused, Terms, check_bonus, in_money
from dashboard.prolific.money import money_of
from dashboard.prolific.steps import recruitment_of
from dashboard.shared.access import (
    ResearcherRequest,
    first_or_404,
    researcher_required,
    study_or_404,
)
from dashboard.shared.pages import study_page, wake_worker
from survey.models import Study
from survey.prolific.errors import ProlificError

State = SubmissionDecision.State
#: A researcher may say what became of these.
OPEN_STATES = (State.WAITING, State.ASKED)


@require_http_methods(["GET", "POST"])
@researcher_required
def payments(request: ResearcherRequest, name: str) -> HttpResponse:
    """What the rules propose, in groups with sums; confirmed at once."""
    study = study_or_404(name)
    cases = cases_of(study)
    if request.method == "GET":
        return _page(request, study, screen_of(cases, terms_of(study)), is_read=bool(cases))
    try:
        screen = _screen_sent(request, study)
        order = _confirmed(request, study, screen)
    except _LookAgain as again:
        return _page(request, study, again.screen, is_read=bool(cases), again=str(again))
    except (OrderRefused, AmountRefused) as refusal:
        messages.error(request, f"{refusal} Nothing was changed.")
        return redirect("payments", study)
    messages.success(request, "Confirmed and stored.")
    if not order.by_hand:
        wake_worker(request, "dashboard.pay", order.pk)
    return redirect("payment-order", study, order.pk)


class _LookAgain(Exception):
    """What was sent is not what the page had shown, so it is shown and confirmed again."""

    def __init__(self, why: str, screen: Screen) -> None:
        self.screen = screen
        super().__init__(why)


def _screen_sent(request: ResearcherRequest, study: Study) -> Screen:
    """The screen with what the form chose and changed. Raises AmountRefused."""
    texts, amounts = {}, {}
    for field, value in request.POST.items():
        what, _, rule = field.partition("-")
        if what == "text":
            texts[rule] = str(value).strip()
        elif what == "amount":
            amounts[rule] = _cents(str(value))
    return screen_of(
        cases_of(study),
        terms_of(study),
        chosen=set(request.POST.getlist("chosen")),
        texts=texts,
        amounts=amounts,
    )


def _cents(text: str) -> int:
    try:
        amount = Decimal(text)
        cents = amount * 100
        if not cents.is_finite() or cents != cents.to_integral_value():
            raise InvalidOperation
    except InvalidOperation:
        raise AmountRefused(f"“{text[:20]}” is not an amount such as 1.50.") from None
    return int(cents)


def _confirmed(request: ResearcherRequest, study: Study, screen: Screen) -> PaymentOrder:
    """Store what the page showed. Raises _LookAgain, OrderRefused, AmountRefused."""
    decisions = chosen_of(screen)
    is_sure = bool(request.POST.get("sure"))
    for one in decisions:
        if one.cents is not None:
            check_bonus(one.cents, screen.terms, is_sure=is_sure)
    if screen.unknown:
        raise _LookAgain("Some of it is decided already, or has changed on Prolific.", screen)
    if decisions and request.POST.get("stamp") != screen.stamp:
        raise _LookAgain("You changed the selection. Check the new sums.", screen)
    return confirm(
        study=study,
        decisions=decisions,
        author=request.user,
        by_hand=bool(request.POST.get("by_hand")) or account_of(request.user) is None,
        at=timezone.now(),
        is_sure=is_sure,
    )


@dataclass(frozen=True)
class BonusCost:
    """What the bonuses of a screen cost, and what there is, as far as Prolific says."""

    total: str = ""
    available: str = ""
    is_enough: bool = True
    #: Why there is less than all of it.
    problem: str = ""
    currency: str = ""
    reward: int | None = None


def _cost(request: ResearcherRequest, study: Study, bonus_cents: int) -> BonusCost:
    recruitment = recruitment_of(study, settings.PROLIFIC_URL)
    try:
        with client_of(request.user) as client:
            theirs = None
            if recruitment is not None and recruitment.prolific_study_id:
                theirs = client.study(recruitment.prolific_study_id)
            money = money_of(client, theirs)
            cost = client.cost(reward=bonus_cents, places=1) if bonus_cents else 0
    except (NotConnected, ProlificError) as why:
        return BonusCost(problem=str(why))
    if money is None:
        return BonusCost(problem="Your account on Prolific has no workspace.")
    return BonusCost(
        in_money(cost, money.currency),
        in_money(money.available, money.currency),
        cost <= money.available,
        currency=money.currency,
        reward=theirs.reward if theirs else None,
    )


def _page(
    request: ResearcherRequest,
    study: Study,
    screen: Screen,
    *,
    is_read: bool,
    again: str = "",
    form: TermsForm | None = None,
) -> HttpResponse:
    cost = _cost(request, study, screen.bonus_cents)
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


def _order_or_404(study: Study, order: int) -> PaymentOrder:
    rows = PaymentOrder.objects.filter(study=study, pk=order).select_related("author")
    return first_or_404(rows, f"{study} has no payment order {order}.")


@require_GET
@researcher_required
def order(request: ResearcherRequest, name: str, order: int) -> HttpResponse:
    """What was confirmed at once, and what has become of it."""
    study = study_or_404(name)
    row = _order_or_404(study, order)
    decisions = list(row.decisions.select_related("submission").order_by("kind", "id"))
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
        unsettled=[one for one in decisions if one.state in OPEN_STATES],
        is_unclear=any(one.state == State.ASKED for one in decisions),
    )


@require_GET
@researcher_required
def order_state(request: ResearcherRequest, name: str, order: int) -> HttpResponse:
    """How far a worker is with what was confirmed, for a page that waits for it."""
    row = _order_or_404(study_or_404(name), order)
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
    row = _order_or_404(study, order)
    due = list(row.decisions.filter(state__in=OPEN_STATES).select_related("submission", "order"))
    form = SettleForm(request.POST, decisions=[one.pk for one in due])
    if not form.is_valid():
        messages.error(request, "Choose at least one line. Nothing was changed.")
        return redirect("payment-order", study, row.pk)
    chosen = [one for one in due if one.pk in form.cleaned_data["decision"]]
    what = form.cleaned_data["what"]
    try:
        if what == "not_done":
            _check_not_done(request, chosen)
        n = settle(order=row, decisions=chosen, what=what, author=request.user, at=timezone.now())
    except (SettleRefused, ProlificError) as refusal:
        messages.error(request, without_ids(str(refusal)))
        return redirect("payment-order", study, row.pk)
    if not n:
        messages.error(request, "Of none of these lines that can be said. Nothing was changed.")
        return redirect("payment-order", study, row.pk)
    messages.success(request, f"Stored: {n} {SettleForm.WHAT[what]}.")
    if what == "not_done" and not row.by_hand:
        wake_worker(request, "dashboard.pay", row.pk)
    return redirect("payment-order", study, row.pk)


def _check_not_done(request: ResearcherRequest, decisions: Sequence[SubmissionDecision]) -> None:
    """Raises SettleRefused, ProlificError."""
    try:
        with client_of(request.user) as client:
            check_not_done(decisions, client, at=timezone.now())
    except NotConnected as why:
        if any(not one.order.by_hand for one in decisions):
            raise SettleRefused(f"{why} Nothing was changed.") from None


@require_POST
@researcher_required
def payment_list(request: ResearcherRequest, name: str, order: int, file: str) -> HttpResponseBase:
    """A list to paste into Prolific. It has Prolific's IDs, so the download is recorded."""
    study = study_or_404(name)
    row = _order_or_404(study, order)
    if file not in LISTS or not row.by_hand:
        raise Http404(f"Payment order {row.pk} has no list {file}.")
    text = download(order=row, name=file, author=request.user, at=timezone.now())
    answer = HttpResponse(text, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{study.slug}-{row.pk}-{file}"'
    return answer
