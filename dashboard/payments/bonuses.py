"""Bonuses: set up together, paid once, and settled by the bonus payments that Prolific lists.

Prolific pays each time that it is asked ("not idempotent", in its description of the call), some
minutes later. So a payment is stored before it is asked for, and asked for once. What is not known
afterwards is found in the bonus payments of each submission, which were counted before.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from dashboard.payments.asking import (
    Later,
    claim,
    done,
    failed,
    keep,
    waiting,
    without_ids,
)
from dashboard.payments.models import BonusRequest, PaymentOrder, SubmissionDecision
from survey.prolific.errors import ProlificError

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

State, Kind = SubmissionDecision.State, SubmissionDecision.Kind
#: Each gives a client with time enough for what is done with it.
OpenClient = Callable[[], AbstractContextManager["ProlificClient"]]
#: So many bonuses are counted and paid at once: few enough for one lease.
TOGETHER = 50


def pay(order: PaymentOrder, open_client: OpenClient) -> None:
    """Pay the bonuses that wait, of one purpose at a time. Raises Later.

    A submission with a bonus that is not known to be paid gets no other one meanwhile: the list of
    its bonuses would not tell which one it is.
    """
    for purpose in dict.fromkeys(one.purpose for one in waiting(order, Kind.BONUS)):
        due = [one for one in waiting(order, Kind.BONUS) if one.purpose == purpose]
        unclear = _unclear(due)
        ready = [one for one in due if one.submission_id not in unclear]
        for first in range(0, len(ready), TOGETHER):
            with open_client() as client:
                _count_and_pay(order, ready[first : first + TOGETHER], client)


def _count_and_pay(
    order: PaymentOrder, decisions: list[SubmissionDecision], client: "ProlificClient"
) -> None:
    """Count the bonuses that there are, then pay those of each study on Prolific."""
    by_study: dict[str, list[SubmissionDecision]] = {}
    for one in decisions:
        if _count_before(one, order, client):
            by_study.setdefault(one.submission.prolific_study_id, []).append(one)
    for study, of_study in by_study.items():
        _pay_together(order, study, of_study, client)


def _unclear(decisions: Iterable[SubmissionDecision]) -> set[int]:
    """Submissions that have a bonus of which it is not known whether it is paid."""
    asked = SubmissionDecision.objects.filter(kind=Kind.BONUS, state=State.ASKED)
    ids = [one.submission_id for one in decisions]
    return set(asked.filter(submission__in=ids).values_list("submission_id", flat=True))


def _count_before(one: SubmissionDecision, order: PaymentOrder, client: "ProlificClient") -> bool:
    """Store how many bonuses of this amount the submission has already. False if there is no such
    submission: then the bonus is refused. Raises Later.
    """
    keep(order)
    try:
        theirs = client.submission(one.submission.submission_id)
    except ProlificError as error:
        failed([one], error)
        return False
    if theirs.study and not one.submission.prolific_study_id:
        one.submission.prolific_study_id = theirs.study
        one.submission.save(update_fields=["prolific_study_id"])
    assert one.cents is not None
    # Those that we asked for may not be listed yet.
    ours = SubmissionDecision.objects.filter(
        submission=one.submission, kind=Kind.BONUS, state=State.DONE, cents=one.cents
    )
    one.paid_before = max(_listed(theirs.bonus_payments, one.cents), ours.count())
    one.save(update_fields=["paid_before"])
    return True


def _listed(payments: list[float] | None, cents: int) -> int:
    return sum(round(each) == cents for each in payments or ())


def _pay_together(
    order: PaymentOrder, study: str, decisions: list[SubmissionDecision], client: "ProlificClient"
) -> None:
    """Set bonuses up, store that they are asked for, and ask once. Raises Later."""
    keep(order)
    amounts = {one.submission.submission_id: one.cents or 0 for one in decisions}
    try:
        set_up = client.set_up_bonuses(study, amounts)
    except ProlificError as error:
        if error.may_have_happened:  # what is set up and never paid costs nothing
            raise Later(without_ids(str(error))) from None
        if error.status == 400 and len(decisions) > 1:  # one of them may be wrong
            for one in decisions:
                _pay_together(order, study, [one], client)
            return
        failed(decisions, error)
        return
    bonus = BonusRequest.objects.create(
        order=order, prolific_bonus_id=set_up.id, total_cents=round(set_up.total_amount)
    )
    keep(order)
    with transaction.atomic():
        ours = claim(decisions)
        if len(ours) < len(decisions):  # another worker pays them
            transaction.set_rollback(True)
            raise Later("Another worker has this order.")
        SubmissionDecision.objects.filter(pk__in=[one.pk for one in ours]).update(
            bonus_request=bonus
        )
        BonusRequest.objects.filter(pk=bonus.pk).update(asked_at=timezone.now())
    try:
        client.pay_bonuses(bonus.prolific_bonus_id)
    except ProlificError as error:
        failed(decisions, error)
        return
    done(decisions)


def settle(order: PaymentOrder, client: "ProlificClient") -> None:
    """Mark bonuses as done that Prolific lists, of those that are not known. Raises Later."""
    asked = order.decisions.filter(kind=Kind.BONUS, state=State.ASKED)
    for one in asked.select_related("submission"):
        keep(order)
        try:
            listed = times_listed(one, client)
        except ProlificError as error:
            raise Later(without_ids(str(error))) from None
        if listed > (one.paid_before or 0):
            done([one], "Prolific lists the bonus.")


def times_listed(one: SubmissionDecision, client: "ProlificClient") -> int:
    """How many bonuses of this amount Prolific lists for the submission. Raises ProlificError."""
    theirs = client.submission(one.submission.submission_id)
    return _listed(theirs.bonus_payments, one.cents or 0)
