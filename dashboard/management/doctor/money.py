"""Calls that cost money, and payments."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.db.models import Count, Q, Sum
from django.utils import timezone

from dashboard.management.doctor.violation import Violation, row_of
from dashboard.payments.models import BonusRequest, SubmissionDecision
from judge.models import Call, QueuedCall, SentAttempt

State, Kind = SubmissionDecision.State, SubmissionDecision.Kind
Outcome = SentAttempt.Outcome
#: Prolific carries out what it accepted within minutes; what is unclear for longer needs a person.
UNCLEAR_FOR = timedelta(days=1)


def no_call_is_answered_twice() -> Iterator[Violation]:
    """No call that has its answer was asked again."""
    answered = Count("attempts", filter=Q(attempts__outcome=Outcome.ANSWERED))
    for model in QueuedCall.kinds():
        for call in model._default_manager.annotate(n=answered).filter(n__gt=1):
            yield _of_call(
                call,
                f"was answered {call.n} times, and paid as often",
                "Compare the costs with the endpoint's bill",
            )


def answered_calls_have_scores() -> Iterator[Violation]:
    """A call of a judge that is answered has its attempt and its scores."""
    answered = Call.objects.filter(state=Call.State.ANSWERED).exclude(response=None, block=None)
    attempts = Count("attempts", filter=Q(attempts__outcome=Outcome.ANSWERED), distinct=True)
    counted = answered.annotate(n_attempts=attempts, n_scores=Count("scores", distinct=True))
    wrong = counted.filter(Q(n_attempts=0) | Q(n_scores=0)).select_related("judge__study")
    for call in wrong:
        lacks = "request" if call.n_attempts == 0 else "score"
        yield _of_call(
            call,
            f"counts as answered and has no {lacks}",
            "Restore the row from a backup; else gold scores lack a replicate",
        )


def requests_in_flight_have_a_call() -> Iterator[Violation]:
    """A request is in flight only while its call is."""
    for model in QueuedCall.kinds():
        attempts: Any = apps.get_model(
            model._meta.app_label, model._meta.get_field("attempts").related_model.__name__
        )
        lost = attempts._default_manager.filter(outcome=Outcome.IN_FLIGHT)
        for attempt in lost.exclude(call__state=model.State.RUNNING).select_related("call"):
            yield _of_call(
                attempt.call,
                f"its request {attempt.number} ({row_of(attempts, attempt.pk)}) is in flight, and "
                f"the call is {attempt.call.state}",
                "It counts as possibly paid: compare the costs with the endpoint's bill",
            )


def no_purpose_is_paid_twice() -> Iterator[Violation]:
    """A submission has one decision of a purpose that is not refused."""
    decisions = SubmissionDecision.objects.exclude(state=State.REFUSED)
    twice = decisions.values_list("submission_id", "purpose").annotate(n=Count("pk"))
    for submission, purpose, _ in twice.filter(n__gt=1).order_by():
        same = decisions.filter(submission_id=submission, purpose=purpose)
        second = same.select_related("order__study").order_by("pk")[1]
        yield _of_decision(
            second,
            f"is the second decision of purpose {second.purpose!r} for submission "
            f"{second.submission_id}",
            "Look at the submission on Prolific: was it paid twice?",
        )


def bonuses_fit_their_request() -> Iterator[Violation]:
    """The bonuses of a request to Prolific are together no more than Prolific said it costs, and
    none is done without having been asked for.
    """
    total = Sum("decisions__cents", filter=~Q(decisions__state=State.REFUSED))
    for request in BonusRequest.objects.annotate(cents=total).select_related("order__study"):
        if request.cents and request.cents > request.total_cents:
            yield Violation(
                str(request.order.study),
                row_of(BonusRequest, request.pk),
                f"its bonuses are {request.cents} cents together, and Prolific was to charge "
                f"{request.total_cents}",
                "Compare with the bonus payments that Prolific lists",
            )
    bonuses = SubmissionDecision.objects.filter(kind=Kind.BONUS, state=State.DONE)
    by_us = bonuses.filter(order__by_hand=False, asked_at=None)
    for one in by_us.select_related("order__study"):
        yield _of_decision(
            one,
            "is a bonus that counts as done, and Prolific was never asked for it",
            "Look at the submission on Prolific, and pay it if it is missing",
        )


def decisions_are_settled() -> Iterator[Violation]:
    """What was done has its time, and nothing has been unclear for a day."""
    decisions = SubmissionDecision.objects.select_related("order__study")
    for one in decisions.filter(state=State.DONE, done_at=None):
        yield _of_decision(one, "counts as done and has no time", "Look at Prolific whether it is")
    before = timezone.now() - UNCLEAR_FOR
    for one in decisions.filter(state=State.ASKED, asked_at__lt=before):
        yield _of_decision(
            one,
            f"has been unclear since {one.asked_at:%Y-%m-%d %H:%M} UTC: it may have been carried "
            "out or not",
            "Settle it on the study's page Payments",
        )


def _of_call(call: Any, what: str, todo: str) -> Violation:
    study = getattr(getattr(call, call.ASKER), "study", "")
    return Violation(str(study), f"call {call} ({row_of(type(call), call.pk)})", what, todo)


def _of_decision(one: SubmissionDecision, what: str, todo: str) -> Violation:
    row = f"{one.get_kind_display()} ({row_of(SubmissionDecision, one.pk)})"
    return Violation(str(one.order.study), row, what, todo)
