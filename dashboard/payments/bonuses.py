"""Bonuses: set up together, paid once, and settled by the bonus payments that Prolific lists.

Prolific pays each time that it is asked ("not idempotent", in its description of the call), and
lists a payment some minutes later. So a payment is stored before it is asked for, and asked for
once. What is not known afterwards is found in the submission's list of bonuses, by one count: what
it lists of an amount is what decisions here account for, and what was paid outside (`paid_outside`,
counted when a bonus is asked for). Decisions of all orders are counted, so each listed bonus
vouches for one of them.

The count is true because a submission has at most one bonus in the air: one that was asked for and
is not known to be paid. Counting, checking that none is in the air, and storing that one is asked
for are one step for each submission (`_claim`). The next bonus of the same amount also waits until
Prolific lists the one before.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from dashboard.payments.asking import (
    Later,
    claim,
    done,
    failed,
    keep,
)
from dashboard.payments.models import BonusRequest, PaymentOrder, SubmissionDecision
from dashboard.raters.models import SubmissionOnProlific
from survey.batched import batched
from survey.prolific.errors import ProlificError, without_ids

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

State, Kind = SubmissionDecision.State, SubmissionDecision.Kind
#: Each gives a client with time enough for what is done with it.
OpenClient = Callable[[], AbstractContextManager["ProlificClient"]]
#: So many bonuses are counted and paid at once: few enough for one lease.
TOGETHER = 50
#: Prolific pays bonuses "in the following minutes".
BONUS_TAKES = timedelta(minutes=15)
#: What Prolific has accepted and does not list after so long is never listed.
LISTED_WITHIN = timedelta(days=1)


# ── What a submission's list of bonuses says ─────────────────────────────────────────────────────


class Account:
    """The bonuses of a submission: the decisions of all orders that are in force."""

    def __init__(self, decisions: list[SubmissionDecision]) -> None:
        self.decisions = decisions

    def is_in_the_air(self, *, besides: int | None = None) -> bool:
        """Whether a bonus was asked for that is not known to be paid, by another order than that
        with the id `besides`.
        """
        return any(one.state == State.ASKED and one.order_id != besides for one in self.decisions)

    def done(self) -> frozenset[int]:
        """The bonuses that are known to be paid."""
        return frozenset(one.pk for one in self.decisions if one.state == State.DONE)

    def lists(self, one: SubmissionDecision, listed: int | None) -> bool:
        """Whether Prolific lists this bonus, as one of `listed` payments of its amount: there are
        more than the other decisions account for.
        """
        if listed is None or one.paid_outside is None:
            return False
        others = [each for each in self._like(one) if each.pk != one.pk]
        accounted = sum(each.state == State.DONE for each in others)
        # Only before the invariant above, two could be in the air: a payment is the older one's.
        accounted += sum(each.state == State.ASKED and _is_older(each, one) for each in others)
        if one.state == State.WAITING:
            accounted += len(self._by_hand(one))
        return listed > one.paid_outside + accounted

    def is_complete(self, one: SubmissionDecision, listed: int | None) -> bool:
        """Whether the list has every bonus of this amount that is known to be paid."""
        paid = [each for each in self._like(one) if each.state == State.DONE]
        recent = timezone.now() - LISTED_WITHIN
        if listed is None or not any(each.done_at and each.done_at > recent for each in paid):
            return True
        return listed >= len(paid) + max(each.paid_outside or 0 for each in paid)

    def outside(self, one: SubmissionDecision, listed: int | None) -> int | None:
        """The listed payments of this amount that no decision accounts for. It is below 0 where a
        bonus that is done is not listed; None where Prolific gives no list.
        """
        if listed is None:
            return None
        return listed - sum(each.state == State.DONE for each in self._like(one))

    def was_just_paid_by_hand(self) -> bool:
        """Whether Prolific may be about to list a bonus that somebody paid by hand."""
        recent = timezone.now() - BONUS_TAKES
        return any(
            one.order.by_hand and one.done_at is not None and one.done_at > recent
            for one in self.decisions
        )

    def _like(self, one: SubmissionDecision) -> list[SubmissionDecision]:
        """The decisions of the same amount that workers carry out. Those by hand are outside: a
        list for Prolific has one line a person, with the sum of their bonuses.
        """
        return [each for each in self.decisions if each.cents == one.cents and not _by_hand(each)]

    def _by_hand(self, one: SubmissionDecision) -> list[SubmissionDecision]:
        return [
            each
            for each in self.decisions
            if each.cents == one.cents and _by_hand(each) and each.state == State.DONE
        ]


def accounts_of(ids: Iterable[str]) -> dict[str, Account]:
    """The bonuses of these submissions, as they are now, by Prolific's IDs."""
    accounts: dict[str, Account] = {each: Account([]) for each in ids}
    rows = SubmissionDecision.objects.filter(
        kind=Kind.BONUS, submission__submission_id__in=list(accounts)
    )
    for one in rows.exclude(state=State.REFUSED).select_related("order", "submission"):
        accounts[one.submission.submission_id].decisions.append(one)
    return accounts


def account_of(submission: SubmissionOnProlific) -> Account:
    """The bonuses of a submission, as they are now."""
    return accounts_of([submission.submission_id])[submission.submission_id]


def _by_hand(one: SubmissionDecision) -> bool:
    return one.order.by_hand


def _is_older(one: SubmissionDecision, other: SubmissionDecision) -> bool:
    if one.asked_at is None or other.asked_at is None:
        return other.asked_at is None
    return (one.asked_at, one.pk) < (other.asked_at, other.pk)


def times_listed(one: SubmissionDecision, client: "ProlificClient") -> int | None:
    """How many bonuses of this amount Prolific lists for the submission; None if it gives no list.
    Raises ProlificError.
    """
    return _listed(client.submission(one.submission.submission_id).bonus_payments, one.cents or 0)


def _listed(payments: list[float] | None, cents: int) -> int | None:
    return None if payments is None else sum(round(each) == cents for each in payments)


def lock_submissions(ids: Iterable[str]) -> None:
    """Only this transaction changes bonuses of these submissions (Prolific's IDs) until it ends."""
    rows = SubmissionOnProlific.objects.filter(submission_id__in=set(ids))
    list(rows.select_for_update(no_key=True).order_by("pk").values_list("pk"))


# ── Paying ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Counted:
    """A bonus that may be paid, and what that was found from."""

    decision: SubmissionDecision
    #: Known to be paid before Prolific's list was read.
    done: frozenset[int]
    outside: int | None


def pay(order: PaymentOrder, open_client: OpenClient) -> None:
    """Pay the bonuses that wait, of a submission one after the other. Raises Later."""
    tried: set[int] = set()
    while due := _next_of_each(order, tried):
        n_before = len(tried)
        for some in batched(due, TOGETHER):
            if ready := _ready(order, some):
                tried.update(one.pk for one in ready)
                with open_client() as client:
                    _count_and_pay(order, ready, client)
        if len(tried) == n_before:
            break
    if left := order.decisions.filter(kind=Kind.BONUS, state=State.WAITING).count():
        raise Later(
            f"{left} {'bonus waits' if left == 1 else 'bonuses wait'} for an earlier one "
            "of the same person: Prolific does not list it yet, or it is not known whether it was "
            "paid. If it stays not known, look on Prolific and say what is true of it."
        )


def _next_of_each(order: PaymentOrder, tried: Collection[int]) -> list[int]:
    """The first bonus of each submission that waits and was not tried."""
    rows = order.decisions.filter(kind=Kind.BONUS, state=State.WAITING).order_by("id")
    first: dict[str, int] = {}
    for pk, submission in rows.values_list("pk", "submission__submission_id"):
        if pk not in tried:
            first.setdefault(submission, pk)
    return list(first.values())


def _ready(order: PaymentOrder, ids: Sequence[int]) -> list[SubmissionDecision]:
    """Those of these bonuses that still wait, of submissions that have none in the air."""
    rows = order.decisions.filter(pk__in=ids, state=State.WAITING)
    due = list(rows.select_related("submission").order_by("id"))
    accounts = accounts_of(one.submission.submission_id for one in due)
    return [one for one in due if not accounts[one.submission.submission_id].is_in_the_air()]


def _count_and_pay(
    order: PaymentOrder, decisions: list[SubmissionDecision], client: "ProlificClient"
) -> None:
    """Count the bonuses that there are, then pay those of each study on Prolific."""
    by_study: dict[str, list[_Counted]] = {}
    for one in decisions:
        if counted := _count(one, order, client):
            by_study.setdefault(one.submission.prolific_study_id, []).append(counted)
    for study, of_study in by_study.items():
        _pay_together(order, study, of_study, client)


def _count(
    one: SubmissionDecision, order: PaymentOrder, client: "ProlificClient"
) -> _Counted | None:
    """Count the bonuses of this amount that the submission has already. None if this bonus is not
    to be paid now: there is no such submission, it is listed after all, or it has to wait.

    Raises Later.
    """
    keep(order)
    account = account_of(one.submission)
    try:
        theirs = client.submission(one.submission.submission_id)
    except ProlificError as error:
        failed([one], error)
        return None
    if theirs.study and not one.submission.prolific_study_id:
        one.submission.prolific_study_id = theirs.study
        one.submission.save(update_fields=["prolific_study_id"])
    listed = _listed(theirs.bonus_payments, one.cents or 0)
    if _settle(one, listed):  # it was asked for before, and said to be not done
        return None
    if not account.is_complete(one, listed) or account.was_just_paid_by_hand():
        return None
    return _Counted(one, account.done(), account.outside(one, listed))


def _pay_together(
    order: PaymentOrder, study: str, counted: Sequence[_Counted], client: "ProlificClient"
) -> None:
    """Set bonuses up, store that they are asked for, and ask once. Raises Later."""
    keep(order)
    decisions = [each.decision for each in counted]
    amounts = {one.submission.submission_id: one.cents or 0 for one in decisions}
    try:
        set_up = client.set_up_bonuses(study, amounts)
    except ProlificError as error:
        if error.may_have_happened:  # what is set up and never paid costs nothing
            raise Later(without_ids(str(error))) from None
        if error.status == 400 and len(counted) > 1:  # one of them may be wrong
            for each in counted:
                _pay_together(order, study, [each], client)
            return
        failed(decisions, error)
        return
    bonus = BonusRequest.objects.create(
        order=order, prolific_bonus_id=set_up.id, total_cents=round(set_up.total_amount)
    )
    keep(order)
    _claim(counted, bonus)
    try:
        client.pay_bonuses(bonus.prolific_bonus_id)
    except ProlificError as error:
        failed(decisions, error)
        return
    done(decisions)


@transaction.atomic
def _claim(counted: Sequence[_Counted], bonus: BonusRequest) -> None:
    """Store that these bonuses are asked for: all, while each count is still true. Raises Later."""
    by_submission = {each.decision.submission.submission_id: each for each in counted}
    lock_submissions(by_submission)
    for submission, account in accounts_of(by_submission).items():
        if account.is_in_the_air() or account.done() != by_submission[submission].done:
            raise Later("Another worker pays some of these people at the same time.")
    if len(claim(each.decision for each in counted)) < len(counted):
        raise Later("Another worker has this order.")
    for each in counted:
        SubmissionDecision.objects.filter(pk=each.decision.pk).update(
            bonus_request=bonus, paid_outside=each.outside
        )
    BonusRequest.objects.filter(pk=bonus.pk).update(asked_at=timezone.now())


# ── Settling ─────────────────────────────────────────────────────────────────────────────────────


def settle(order: PaymentOrder, client: "ProlificClient") -> None:
    """Mark bonuses as done that Prolific lists, of those that are not known. Raises Later."""
    asked = order.decisions.filter(kind=Kind.BONUS, state=State.ASKED)
    for one in asked.select_related("submission").order_by("asked_at", "id"):
        keep(order)
        try:
            listed = times_listed(one, client)
        except ProlificError as error:
            raise Later(without_ids(str(error))) from None
        _settle(one, listed)


@transaction.atomic
def _settle(one: SubmissionDecision, listed: int | None) -> bool:
    """Mark a bonus as done if it is one of the `listed`: a payment vouches for one decision."""
    lock_submissions([one.submission.submission_id])
    is_listed = account_of(one.submission).lists(one, listed)
    if is_listed:
        done([one], "Prolific lists the bonus.")
    return is_listed
