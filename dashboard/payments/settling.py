"""What a researcher says of decisions: carried out by hand, or not known to Prolific's record."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import StringIO
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.http import Http404

from dashboard.accounts.prolific import NotConnected, client_of
from dashboard.payments.asking import as_read
from dashboard.payments.bonuses import (
    BONUS_TAKES,
    account_of,
    lock_submissions,
    times_listed,
)
from dashboard.payments.cases import AT_ONCE
from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.payments.orders import SETTLED
from survey.batched import batched
from survey.models import StudyEvent
from survey.refusals import RefusalKind, RequestRefused

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

State, Kind = SubmissionDecision.State, SubmissionDecision.Kind
#: A researcher may say what became of these.
OPEN_STATES = (State.WAITING, State.ASKED)
DOWNLOADED = "payment list downloaded"
#: The lists of an order by hand: their names and what they are for.
LISTS = {
    "approve.csv": ("Submissions to approve", "Participant IDs, as Prolific’s bulk approval takes"),
    "bonuses.csv": ("Bonuses", "Participant ID and amount, as Prolific’s bulk bonus takes them"),
    "others.csv": ("Returns, messages and rejections", "One line for each, with its text"),
}
#: Lists that are pasted or uploaded as they are: they begin with an ID.
PASTED = ("approve.csv", "bonuses.csv")


class SettleRefused(RequestRefused):
    """Nothing was changed; the text says why."""

    kind = RefusalKind.CONFLICT


class NoLines(SettleRefused):
    """Nothing that can be settled is chosen."""

    about = "decisions"


def list_kinds(name: str) -> tuple[str, ...]:
    """The kinds of decisions that a list has."""
    kinds = {"approve.csv": (Kind.APPROVE,), "bonuses.csv": (Kind.BONUS,)}
    return tuple(map(str, kinds.get(name, (Kind.RETURN, Kind.MESSAGE, Kind.REJECT))))


def of_list(order: PaymentOrder, name: str) -> QuerySet[SubmissionDecision]:
    """The decisions of a list, but for people whose IDs are erased, and for bonuses that wait."""
    rows = order.decisions.filter(kind__in=list_kinds(name), submission__erased_at=None)
    return rows.exclude(state=State.REFUSED).exclude(waits_for_another()).order_by("id")


def waits_for_another() -> Exists:
    """Whether a row of SubmissionDecision is a bonus by hand that waits: of the same submission,
    another order has a bonus of which it is not known whether it was paid. A payment on Prolific
    could be taken for that one.
    """
    in_the_air = SubmissionDecision.objects.filter(
        submission__submission_id=OuterRef("submission__submission_id"),
        kind=Kind.BONUS,
        state=State.ASKED,
    ).exclude(order=OuterRef("order"))
    itself = SubmissionDecision.objects.filter(
        pk=OuterRef("pk"), kind=Kind.BONUS, order__by_hand=True, state=State.WAITING
    )
    return Exists(itself.filter(Exists(in_the_air)))


def n_held_back(order: PaymentOrder) -> int:
    """How many bonuses of an order by hand wait for another order."""
    return order.decisions.filter(waits_for_another()).count()


def lists_of(order: PaymentOrder) -> list[tuple[str, str, str, int, bool]]:
    """The lists that have something to do: name, what for, hint, how many, whether it was taken."""
    lists = []
    for name, (about, hint) in LISTS.items():
        due = of_list(order, name).exclude(state=State.DONE)
        counts = due.order_by().aggregate(n=Count("pk"), taken=Count("asked_at"))
        if counts["n"]:
            lists.append((name, about, hint, counts["n"], bool(counts["taken"])))
    return lists


@transaction.atomic
def download(*, order: PaymentOrder, name: str, author: User, at: datetime) -> str:
    """A list to paste into Prolific; the study's changes record that `author` has it. Raises
    Http404 for a list that the order does not have.

    What it has counts as asked for from now on, until a researcher says whether it was done.
    """
    if name not in LISTS or not order.by_hand:
        raise Http404(f"Payment order {order.pk} has no list {name}.")
    _lock(order.decisions.filter(kind__in=list_kinds(name)).select_related("submission"))
    due = of_list(order, name).exclude(state=State.DONE)
    decisions = list(due.select_related("submission", "order"))
    rows = {"approve.csv": _approvals, "bonuses.csv": _bonuses}.get(name, _others)(decisions)
    for ids in batched((one.pk for one in decisions), AT_ONCE):
        still = SubmissionDecision.objects.filter(pk__in=ids, state=State.WAITING)
        still.update(state=State.ASKED, asked_at=at)
    StudyEvent.objects.create(
        study=order.study,
        author=author,
        at=at,
        action=DOWNLOADED,
        detail={"name": name, "people": len({one.submission.prolific_id for one in decisions})},
    )
    file = StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def _approvals(decisions: Sequence[SubmissionDecision]) -> list[list[str]]:
    return [[one.submission.prolific_id] for one in decisions]


def _bonuses(decisions: Sequence[SubmissionDecision]) -> list[list[str]]:
    """One line a person: Prolific takes each once."""
    cents: dict[str, int] = {}
    for one in decisions:
        person = one.submission.prolific_id
        cents[person] = cents.get(person, 0) + (one.cents or 0)
    return [[person, f"{amount / 100:.2f}"] for person, amount in cents.items()]


def _others(decisions: Sequence[SubmissionDecision]) -> list[list[str]]:
    rows = [["participant_id", "submission_id", "what", "category", "text"]]
    for one in decisions:
        there = one.submission
        rows.append([there.prolific_id, there.submission_id, one.kind, one.category, one.text])
    return rows


def open_decisions(order: PaymentOrder) -> QuerySet[SubmissionDecision]:
    """The decisions of which a researcher may say what became of them."""
    return order.decisions.filter(state__in=OPEN_STATES)


@dataclass(frozen=True)
class ChosenLines:
    """Open decisions of an order by their ids; or all but these, if `are_excluded`."""

    ids: frozenset[int]
    are_excluded: bool = False

    def of(self, order: PaymentOrder) -> list[SubmissionDecision]:
        """The decisions, in their order. Raises NoLines unless all of `ids` are among them."""
        rows = open_decisions(order).select_related("submission", "order").order_by("id")
        if self.are_excluded:
            return [one for one in rows if one.pk not in self.ids]
        chosen = list(rows.filter(pk__in=self.ids))
        if not chosen or len(chosen) < len(self.ids):
            raise NoLines("Choose at least one line.")
        return chosen


def settle_chosen(
    *, order: PaymentOrder, lines: ChosenLines, what: str, author: User, at: datetime
) -> int:
    """Store what a researcher says of decisions (see `settle`), unless Prolific's record says
    otherwise. Returns of how many it was said.

    Raises NoLines, SettleRefused, ProlificError; all change nothing.
    """
    chosen = lines.of(order)
    if what != "done":
        concerned = [one for one in chosen if one.state in SAYINGS[what][0]]
        try:
            with client_of(author) as client:
                check_not_done(concerned, client, at=at)
        except NotConnected as why:
            if what == "not_done" and not order.by_hand:
                raise SettleRefused(f"{why} Nothing was changed.") from None
    n = settle(order=order, decisions=chosen, what=what, author=author, at=at)
    if not n:
        raise SettleRefused("Of none of these lines that can be said. Nothing was changed.")
    return n


@transaction.atomic
def settle(
    *,
    order: PaymentOrder,
    decisions: Sequence[SubmissionDecision],
    what: str,
    author: User,
    at: datetime,
) -> int:
    """Store what a researcher says of decisions: `done`, `not_done` or `cancel`. Returns of how
    many it can be said; it is said of none that was asked for again since it was read.

    What was not done is asked for again, in an order by hand with the next list. Only what nobody
    was asked for yet can be cancelled.

    Raises SettleRefused for a bonus by hand that waits (see `waits_for_another`).
    """
    states, change = SAYINGS[what]
    if what == "done" and order.by_hand:
        states = (State.ASKED, State.WAITING)
    _lock(decisions)
    PaymentOrder.objects.select_for_update(no_key=True).get(pk=order.pk)  # no worker finishes it
    rows = [
        order.decisions.filter(as_read(some), state__in=states)
        for some in batched(decisions, AT_ONCE)
    ]
    held_back = sum(some.filter(waits_for_another()).count() for some in rows)
    if what == "done" and held_back:
        raise SettleRefused(
            f"{held_back} of these bonuses can't be settled yet: another order has a bonus of the "
            "same person, and it is not known whether that was paid. Settle that one first. "
            "Nothing was changed."
        )
    n = sum(some.update(**change, answer=f"Said by {author.get_username()}.") for some in rows)
    if what == "done":
        order.decisions.filter(state=State.DONE, done_at=None).update(done_at=at)
    if n:
        said = {what.replace("_", " "): n}
        StudyEvent.objects.create(
            study=order.study, author=author, at=at, action=SETTLED, detail=said
        )
        left = order.decisions.filter(state__in=(State.ASKED, State.WAITING)).exists()
        PaymentOrder.objects.filter(pk=order.pk).update(
            finished_at=None if left else at, lease_until=None
        )
    return n


def _lock(decisions: Iterable[SubmissionDecision]) -> None:
    """Nobody else asks for a bonus of these people, or settles one, until the transaction ends."""
    lock_submissions(one.submission.submission_id for one in decisions if one.kind == Kind.BONUS)


#: What can be said of decisions, in words.
SAID = {"done": "done", "not_done": "not done", "cancel": "cancelled"}
#: … those in which states, and what it makes of them.
SAYINGS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "done": ((State.ASKED,), {"state": State.DONE}),
    "not_done": (
        (State.ASKED,),
        {"state": State.WAITING, "asked_at": None, "accepted_at": None},
    ),
    "cancel": ((State.WAITING,), {"state": State.REFUSED}),
}


def check_not_done(
    decisions: Sequence[SubmissionDecision], client: "ProlificClient | None", *, at: datetime
) -> None:
    """Raises SettleRefused if a bonus may be paid all the same; ProlificError.

    The list of bonuses at Prolific says more than a researcher remembers. As for `bonuses.settle`,
    each payment in it vouches for one decision of all orders.
    """
    for one in decisions:
        if one.kind != Kind.BONUS or one.order.by_hand or not one.attempts:
            continue
        if one.asked_at and one.asked_at > at - BONUS_TAKES:
            raise SettleRefused(
                "Prolific pays bonuses some minutes after it was asked. Look again at "
                f"{one.asked_at + BONUS_TAKES:%H:%M} UTC. Nothing was changed."
            )
        if client is None:
            continue
        listed, account = times_listed(one, client), account_of(one.submission)
        if account.lists(one, listed):
            raise SettleRefused(
                "Prolific lists this bonus as paid, so it is not paid again. Nothing was changed."
            )
        if not account.is_complete(one, listed):
            raise SettleRefused(
                "Prolific does not list another bonus of this person yet that it has accepted, so "
                "its list does not tell. Look again in some minutes. Nothing was changed."
            )
