"""Confirming decisions: they are stored together, once, before anything is done about them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from pydantic import Field

from dashboard.payments.cases import AT_ONCE
from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.payments.proposals import purpose_of
from dashboard.payments.proposing import reasons_of
from dashboard.payments.screen import Screen
from dashboard.prolific.pay_terms import terms_of
from dashboard.prolific.terms import check_bonus
from dashboard.raters.models import SubmissionOnProlific
from survey.batched import batched
from survey.models import Identity, Study, StudyEvent, Withdrawal
from survey.refusals import RefusalKind, RequestRefused

Kind, State = SubmissionDecision.Kind, SubmissionDecision.State
#: What the study's record says; `overview.events` has the words.
CONFIRMED, SETTLED = "payments confirmed", "payment settled by hand"
#: Characters of what a participant is told.
LONGEST_TEXT = 2000
#: Options of everything that is confirmed.
SURE: Any = Field(default=False, description="for an unusually high bonus")
BY_HAND: Any = Field(
    default=False, description="carried out on Prolific by hand, as always without a token"
)
GONE = "A submission is not there any more: look at the page again."


class OrderRefused(RequestRefused):
    """Nothing was confirmed; the text says why."""

    kind = RefusalKind.CONFLICT


@dataclass(frozen=True)
class Chosen:
    """A decision that a researcher has made; see `models.SubmissionDecision`."""

    submission: int
    kind: str
    purpose: str
    reason: str
    text: str = ""
    category: str = ""
    cents: int | None = None


def chosen_of(study: Study, screen: Screen) -> list[Chosen]:
    """The decisions that are chosen on a screen. Raises OrderRefused if a submission is gone."""
    chosen = [
        Chosen(pk, group.about.kind, purpose_of(group.rule), why, group.text, cents=group.cents)
        for group, pk, why in reasons_of(study, screen)
    ]
    if len(chosen) < screen.n:
        raise OrderRefused(GONE)
    return chosen


@transaction.atomic
def confirm(
    *,
    study: Study,
    decisions: Sequence[Chosen],
    author: User | None,
    by_hand: bool,
    at: datetime,
    is_sure: bool = False,
) -> PaymentOrder:
    """Store decisions, to be carried out by a worker or by hand. All of them, or none.

    Raises OrderRefused where there are none, or one of the same purpose is in force; and
    AmountRefused for a bonus that may not be paid.
    """
    terms = terms_of(study)
    for cents in {one.cents for one in decisions if one.cents is not None}:
        check_bonus(cents, terms, is_sure=is_sure)
    if not decisions:
        raise OrderRefused("Nothing is chosen.")
    # One confirms at a time: the second of two clicks finds what the first has stored.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    rows = _undecided(study, decisions)
    order = PaymentOrder.objects.create(
        study=study,
        author=author,
        confirmed_at=at,
        by_hand=by_hand,
        address=settings.PROLIFIC_URL,
        currency=terms.currency,
    )
    SubmissionDecision.objects.bulk_create(
        SubmissionDecision(
            order=order,
            submission=rows[one.submission],
            kind=one.kind,
            purpose=one.purpose,
            reason=one.reason,
            text=one.text,
            category=one.category,
            cents=one.cents,
        )
        for one in decisions
    )
    counts = dict(Counter(one.kind for one in decisions))
    StudyEvent.objects.create(study=study, author=author, action=CONFIRMED, detail=counts)
    return order


def _undecided(study: Study, decisions: Sequence[Chosen]) -> dict[int, SubmissionOnProlific]:
    """The submissions that decisions are about. Raises OrderRefused where one is gone or decided
    already.
    """
    submissions = SubmissionOnProlific.objects.filter(study=study, erased_at=None)
    rows = submissions.in_bulk([one.submission for one in decisions])
    if len(rows) < len({one.submission for one in decisions}):
        raise OrderRefused(GONE)
    wanted = {(one.submission, one.purpose) for one in decisions}
    taken = wanted & _in_force(rows)
    if taken or len(wanted) < len(decisions):
        raise OrderRefused(
            "Something of this is decided already, maybe by a second click: look at the page again."
        )
    return rows


def _in_force(submissions: Iterable[int]) -> set[tuple[int, str]]:
    """The decisions about submissions that are not refused: submission and purpose."""
    found: set[tuple[int, str]] = set()
    for some in batched(submissions, AT_ONCE):
        rows = SubmissionDecision.objects.filter(submission__in=some).exclude(state=State.REFUSED)
        found.update(rows.values_list("submission_id", "purpose"))
    return found


def erase_texts(withdrawals: Sequence[Withdrawal]) -> None:
    """What was written to or about people whose payment keys are erased; amounts stay."""
    for withdrawal in withdrawals:
        if withdrawal.kind == Identity.Kind.PROLIFIC and withdrawal.key:
            SubmissionDecision.objects.filter(
                submission__slug=withdrawal.slug, submission__prolific_id=withdrawal.key
            ).update(text="", reason="erased", answer="")
