"""One request of a call: what is committed before it is sent."""

import uuid
from dataclasses import dataclass
from decimal import Decimal

from django.utils import timezone

from judge.asking import end_of_lease
from judge.configuration import JudgeConfiguration
from judge.exchange import JudgeRequest
from judge.models import Attempt, Batch, Call
from judge.prompts import prompt_hash
from judge.questions import request_for, responses_of
from judge.traits import Trait, is_part_of

UNUSABLE = Attempt.Outcome.UNUSABLE


@dataclass(frozen=True)
class Asked:
    """A call and its attempt, already committed."""

    call: Call
    attempt: Attempt
    configuration: JudgeConfiguration
    #: Ids of the responses that are scored, in the order shown.
    responses: list[int]

    @property
    def dimensions(self) -> list[str]:
        return self.configuration.asked_in(self.call.dimension)


@dataclass(frozen=True)
class Claimed(Asked):
    """A call whose request is sent next."""

    request: JudgeRequest


def begin(
    call: Call,
    configuration: JudgeConfiguration,
    *,
    structured: bool,
    traits: frozenset[Trait],
    expected: Decimal | None,
    batch: Batch | None = None,
) -> Claimed:
    """Commit an attempt at a call, of this `expected` cost, and lease the call to it.

    In a `batch` the call has no lease of its own: the batch has.
    """
    earlier = list(call.attempts.all())
    unusable = _unusable(call, earlier)
    attempt = Attempt(
        call=call,
        batch=batch,
        number=len(earlier) + 1,
        request_id=uuid.uuid4().hex,
        is_repair=unusable is not None,
        cost=expected,
        cost_is_estimate=True,
    )
    request = request_for(
        call,
        request_id=attempt.request_id,
        configuration=configuration,
        structured=structured,
        traits=traits,
        unusable=unusable,
    )
    attempt.request = request.body()
    attempt.prompt_hash = prompt_hash(request.messages)
    call.state = Call.State.RUNNING
    call.lease_token = attempt.request_id
    call.lease_until = None if batch else end_of_lease(timezone.now())
    call.save()
    attempt.save()
    return Claimed(call, attempt, configuration, _shown(call), request)


def asked(attempt: Attempt, configuration: JudgeConfiguration) -> Asked:
    """An attempt that was committed earlier."""
    return Asked(attempt.call, attempt, configuration, _shown(attempt.call))


def request_of(attempt: Attempt, configuration: JudgeConfiguration) -> JudgeRequest:
    """The request of an attempt that was committed earlier, as it was then.

    It is made again instead of read: PostgreSQL does not keep the order of a stored schema's keys,
    in which an answer has its reason before its score.
    """
    earlier = list(attempt.call.attempts.filter(number__lt=attempt.number))
    return request_for(
        attempt.call,
        request_id=attempt.request_id,
        configuration=configuration,
        structured="response_format" in attempt.request,
        traits=frozenset(trait for trait in Trait if not is_part_of(trait, attempt.request)),
        unusable=_unusable(attempt.call, earlier) if attempt.is_repair else None,
    )


def _unusable(call: Call, earlier: list[Attempt]) -> Attempt | None:
    """The answer that the next request has to repair."""
    return next((a for a in earlier[call.forgiven :] if a.outcome == UNUSABLE), None)


def _shown(call: Call) -> list[int]:
    return [response.pk for response in responses_of(call)]
