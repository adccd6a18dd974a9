"""A worker carries out what was confirmed, through Prolific's API; nothing is paid twice.

Each decision is stored as asked before Prolific is asked, so a worker may be killed at any moment.
What is found asked is settled by Prolific's own record: the status of the submission, or its bonus
payments. Approving, rejecting and asking for a return are asked for again if they were not done:
done twice, they change nothing. A bonus or a message is asked for once, and never again by itself:
if Prolific's record does not tell, a researcher says what is true (`settling.settle`). An answer
that is not Prolific's tells nothing, whatever its status.

Nothing here holds a transaction open while Prolific is asked.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard.accounts.prolific import NotConnected, client_of
from dashboard.payments import bonuses
from dashboard.payments.asking import (
    CLIENT_SECONDS,
    LEASE,
    Later,
    accepted,
    claim,
    done,
    failed,
    keep,
    refused,
    released,
    waiting,
)
from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.prolific.submissions import as_listed
from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.stored_submissions import store_submissions
from jobs.leases import is_free
from survey.batched import batched
from survey.prolific.errors import ProlificError, without_ids
from survey.prolific.replies import ProlificSubmission
from survey.storable import storable

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

State, Kind = SubmissionDecision.State, SubmissionDecision.Kind
#: After a failure, or while Prolific takes its time, an order rests.
REST = timedelta(minutes=1)
#: So long Prolific may take for what it has accepted; then it is asked again.
PATIENCE = timedelta(minutes=10)
MOST_ATTEMPTS = 5
#: So long a worker looks for a bonus that is not known to be paid.
LOOK_FOR = timedelta(hours=1)
#: From so many submissions of a study, its list is read instead of each of them.
WORTH_A_LIST = 5
#: What the status of a submission says about a decision that was asked for.
IS_DONE: dict[str, Callable[[ProlificSubmission], bool]] = {
    Kind.APPROVE: lambda one: one.status == "APPROVED",  # partially approved: paid less
    Kind.REJECT: lambda one: one.status == "REJECTED",
    Kind.RETURN: lambda one: one.return_requested is not None or one.status == "RETURNED",
}
#: Of what was so before it was asked for here; who did it may have told the participant otherwise.
NOT_OURS = (
    "It was so on Prolific already. Nothing was asked for here, and nobody was told anything."
)
MAY_BE_DONE = {
    Kind.APPROVE: ("AWAITING REVIEW", "TIMED-OUT", "ACTIVE"),
    Kind.REJECT: ("AWAITING REVIEW",),
    Kind.RETURN: ("AWAITING REVIEW", "ACTIVE", "TIMED-OUT"),
}

logger = logging.getLogger(__name__)


def orders_to_carry_out(*, at: datetime) -> list[int]:
    """Orders that wait for a worker."""
    return list(_free(at).order_by("pk").values_list("pk", flat=True))


def carry_out(
    order_id: int, *, at: datetime, is_ending: Callable[[], bool] = lambda: False
) -> None:
    """Carry out an order as far as it goes now, unless another worker has it. It ends early if the
    worker `is_ending`.
    """
    if not _free(at).filter(pk=order_id).update(lease_until=at + LEASE):
        return
    order = PaymentOrder.objects.select_related("study", "author").get(pk=order_id)
    open_client = partial(_client, order, is_ending)
    problem = ""
    try:
        for step in STEPS:
            with open_client() as client:
                step(order, client)
        bonuses.pay(order, open_client)
    except Later as later:
        problem = str(later)
        logger.warning("%s: %s", order, problem)
    except OperationalError:
        raise  # the database went away: once the lease is over, the order is taken up again
    except Exception as error:  # whatever it was: the order has to say why it goes no further
        problem = without_ids(f"{type(error).__name__}: {error}.")
        logger.exception("%s", order)
    _rest(order, problem)


def _free(at: datetime) -> QuerySet[PaymentOrder]:
    return PaymentOrder.objects.filter(is_free(at), by_hand=False, finished_at=None)


@contextmanager
def _client(order: PaymentOrder, is_ending: Callable[[], bool]) -> Iterator["ProlificClient"]:
    """A client with the token of who confirmed the order. Raises Later if there is none."""
    author = order.author
    if is_ending():
        raise Later("The worker was stopped; another one goes on.")
    keep(order)
    if order.address != settings.PROLIFIC_URL:
        raise Later(f"It was confirmed for Prolific at {order.address}, and is sent nowhere else.")
    if author is None or not (author.is_active and author.is_staff):
        raise Later("The account of who confirmed it is not active any more.")
    try:
        client = client_of(author, seconds=CLIENT_SECONDS)
    except NotConnected as why:
        raise Later(f"{author}: {why}") from None
    with client:
        yield client


@transaction.atomic
def _rest(order: PaymentOrder, problem: str) -> None:
    """Leave the order to the next turn, or finish it if there is nothing more to do; nothing if
    another worker has taken it over.
    """
    now = timezone.now()
    # A researcher who says now what was not done is not overlooked: `settling.settle` locks it too.
    PaymentOrder.objects.select_for_update(no_key=True).get(pk=order.pk)
    asked = Q(state=State.ASKED)
    settles = asked & ~Q(kind__in=(Kind.BONUS, Kind.MESSAGE))
    settles |= asked & Q(kind=Kind.BONUS, asked_at__gt=now - LOOK_FOR)
    is_left = order.decisions.filter(Q(state=State.WAITING) | settles).exists()
    own = PaymentOrder.objects.filter(pk=order.pk, lease_until=order.lease_until)
    own.update(
        problem=storable(problem),
        lease_until=now + REST,
        finished_at=None if is_left else now,
    )


def _look(order: PaymentOrder, client: "ProlificClient") -> None:
    """Settle what Prolific's record tells of: what was asked for, and what has no need to be."""
    due = order.decisions.filter(kind__in=list(IS_DONE), state__in=(State.ASKED, State.WAITING))
    decisions = list(due.select_related("submission"))
    theirs = _read(order, [one.submission for one in decisions], client)
    now = timezone.now()
    for one in decisions:
        there = theirs.get(one.submission.submission_id)
        if there is None:
            refused([one], "Prolific has no such submission, or this account may not see it.")
        elif IS_DONE[one.kind](there):
            done([one], NOT_OURS if not one.attempts else "")
        elif there.status not in MAY_BE_DONE[Kind(one.kind)]:
            refused([one], f"The submission is {there.status.lower()} on Prolific.")
        elif one.state == State.ASKED:
            if one.accepted_at and one.accepted_at > now - PATIENCE:
                continue
            if one.attempts >= MOST_ATTEMPTS:
                refused([one], f"Asked {one.attempts} times; it is {there.status.lower()} still.")
            else:
                released([one])


def _read(
    order: PaymentOrder, rows: Sequence[SubmissionOnProlific], client: "ProlificClient"
) -> dict[str, ProlificSubmission]:
    """What Prolific says of submissions now, by id; it is stored. Raises Later."""
    by_study: dict[str, set[str]] = {}
    for row in rows:
        by_study.setdefault(row.prolific_study_id, set()).add(row.submission_id)
    found: dict[str, ProlificSubmission] = {}
    listed = []
    try:
        for study, ids in by_study.items():
            for one in _of_study(study, ids, order, client):
                found[one.id] = one
                listed.append(as_listed(one, one.study or study))
    except ProlificError as error:
        raise Later(without_ids(str(error))) from None
    store_submissions(order.study, listed, at=timezone.now())
    return found


def _of_study(
    study: str, ids: set[str], order: PaymentOrder, client: "ProlificClient"
) -> Iterator[ProlificSubmission]:
    listed: set[str] = set()
    if study and len(ids) >= WORTH_A_LIST:
        keep(order)
        for one in client.submissions(study):
            if one.id in ids:
                listed.add(one.id)
                yield one
    for submission in sorted(ids - listed):  # a list may lack what there is
        keep(order)
        try:
            yield client.submission(submission)
        except ProlificError as error:
            if not error.is_missing:
                raise


def _approve(order: PaymentOrder, client: "ProlificClient") -> None:
    """Approve together; if one of them is refused, one by one."""
    from survey.prolific.client import MOST_APPROVED

    due = waiting(order, Kind.APPROVE)
    for some in batched(due, MOST_APPROVED):
        keep(order)
        ours = claim(some)
        if not ours:
            continue
        try:
            client.approve(one.submission.submission_id for one in ours)
        except ProlificError as error:
            if error.may_have_happened or error.status not in (400, 404):
                failed(ours, error)
            released(ours)
            _each(order, Kind.APPROVE, partial(_move, client, action="APPROVE"))
        else:
            accepted(ours)


def _reject(order: PaymentOrder, client: "ProlificClient") -> None:
    def ask(one: SubmissionDecision) -> ProlificSubmission:
        why = {"message": one.text, "rejection_category": one.category}
        return _move(client, one, action="REJECT", **why)

    _each(order, Kind.REJECT, ask)


def _request_returns(order: PaymentOrder, client: "ProlificClient") -> None:
    def ask(one: SubmissionDecision) -> ProlificSubmission:
        return client.request_return(one.submission.submission_id, one.text)

    _each(order, Kind.RETURN, ask)


def _send_messages(order: PaymentOrder, client: "ProlificClient") -> None:
    """No record tells of a message: one that may be sent stays asked, and is not sent again."""

    def ask(one: SubmissionDecision) -> None:
        there = one.submission
        client.send_message(
            participant=there.prolific_id,
            study=there.prolific_study_id,
            text=one.text,
        )

    due = [one.submission for one in waiting(order, Kind.MESSAGE)]
    _read(order, [row for row in due if not row.prolific_study_id], client)
    _each(order, Kind.MESSAGE, ask)


def _each(
    order: PaymentOrder, kind: str, ask: Callable[[SubmissionDecision], ProlificSubmission | None]
) -> None:
    """Ask for decisions of a kind one after the other. It is done once the submission that Prolific
    answers with says so; `_look` looks later at others. Raises Later.
    """
    for one in waiting(order, kind):
        keep(order)
        if not claim([one]):
            continue
        try:
            there = ask(one)
        except ProlificError as error:
            failed([one], error)
        else:
            if there is None or IS_DONE[kind](there):
                done([one])
            else:
                accepted([one])


def _move(
    client: "ProlificClient", one: SubmissionDecision, *, action: str, **fields: str
) -> ProlificSubmission:
    return client.move_submission(one.submission.submission_id, action, **fields)


STEPS = (_look, _approve, _reject, _request_returns, _send_messages, _look, bonuses.settle)
