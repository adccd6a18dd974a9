"""The queue of texts to generate: which are due, who asks for them, and what came back.

As a judge's calls (`judge.calls`), by the same functions: each step is one short transaction under
a lock on the sample, whose budget it is, and on the endpoint. An answered text is never asked
again.
"""

import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet
from django.utils import timezone

from corpus.definition import GeneratorConfiguration, approximate_tokens
from corpus.models import Generation, GenerationAttempt, Generator, Sample
from judge import asking
from judge.asking import (
    answered,
    ask_again,
    due,
    end_of_lease,
    fail,
    in_flight_at,
    is_refused_alone,
    live,
    own,
    release,
    seconds_until,
    slow_down,
    take_back,
    to_wake,
    waits,
)
from judge.completions import Ended
from judge.endpoint_traits import note_trait, traits_at
from judge.endpoints import (
    EndpointHere,
    JudgeNotReady,
    concurrency_at,
    endpoint_here,
    endpoint_if_set_up,
    ready_endpoint,
)
from judge.exchange import ExchangeFailed, JudgeRequest, Reply, Scope
from judge.models import Endpoint
from judge.money import Budget
from judge.prompts import prompt_hash
from judge.seeds import own_seed
from judge.spending import (
    Purse,
    Spent,
    cost_of_attempts,
    expected_from,
    reserved,
    why_over_budget,
)
from survey.files.as_written import as_written
from survey.storable import storable, whole

State = Generation.State
Outcome = GenerationAttempt.Outcome
ANSWERED = Q(outcome__in=GenerationAttempt.CAME_BACK, http_status=200)
OF_SAMPLE = Purse(
    "the sample",
    "budget.{} in the generation file",
    "and generate again",
    "give the model a price (0 for a server of your own) in the generation file",
)


@dataclass(frozen=True)
class Claimed:
    """A text to generate and its attempt, already committed, and the request."""

    call: Generation
    attempt: GenerationAttempt
    configuration: GeneratorConfiguration
    request: JudgeRequest


@contextmanager
def locked(generator_id: int) -> Iterator[Generator]:
    """A generator, with its endpoint and its sample's budget locked."""
    with transaction.atomic():
        about = Generator.objects.values_list("sample", "endpoint").get(pk=generator_id)
        Sample.objects.select_for_update().get(pk=about[0])
        Endpoint.objects.select_for_update().get(pk=about[1])
        yield Generator.objects.select_related("sample", "endpoint").get(pk=generator_id)


def wanted(generator: Generator) -> QuerySet[Generation]:
    """The texts that the sample's generation file asks of a generator."""
    return Generation.objects.filter(generator=generator, is_wanted=True)


def attempts_of(sample: Sample) -> QuerySet[GenerationAttempt]:
    """All requests for texts of a sample."""
    return GenerationAttempt.objects.filter(call__generator__sample=sample)


def spent_on(sample: Sample) -> Spent:
    """What the texts of a sample have cost so far."""
    return cost_of_attempts(attempts_of(sample))


def check_endpoint(configuration: GeneratorConfiguration) -> EndpointHere:
    """The endpoint here for a generator. Raises JudgeNotReady."""
    here = ready_endpoint(configuration.endpoint)
    if configuration.base_url != here.identity:
        raise JudgeNotReady(
            f"this model is asked at {configuration.base_url}, but this worker is set up for "
            f"{here.identity}; `manage.py corpus generate` moves it there"
        )
    return here


# Asking


def claim(generator_id: int) -> Claimed | None:
    """Lease the next text that is due, with its attempt, if the limits allow one more.

    Raises JudgeNotReady.
    """
    with locked(generator_id) as generator:
        now = timezone.now()
        if generator.stopped or waits(generator, now):
            return None
        configuration = generator.read_configuration()
        here = check_endpoint(configuration)
        if in_flight_at(generator.endpoint, now) >= here.concurrency:
            return None
        waiting = due(wanted(generator), now).order_by("id").select_related("scenario")
        call = waiting.first()
        return None if call is None else _lease(generator, call, configuration, here)


def _lease(
    generator: Generator,
    call: Generation,
    configuration: GeneratorConfiguration,
    here: EndpointHere,
) -> Claimed | None:
    """Commit the attempt for a text; stop the generator at the end of the budget."""
    definition = generator.sample.read_generation()
    assert definition is not None
    scenario = call.scenario
    messages = definition.messages(call.condition, prompt=scenario.prompt, context=scenario.context)
    tokens = approximate_tokens(messages, configuration.max_tokens)
    own_attempts = GenerationAttempt.objects.filter(ANSWERED, call__generator=generator)
    expected = expected_from(own_attempts, configuration.price, tokens)
    budget = definition.budget
    if budget.money is not None and expected is None and is_worked_on(generator.pk):
        return None  # the cost of a text is unknown: the one in flight will show it
    if budget != Budget() and (
        reason := why_over_budget(
            budget,
            OF_SAMPLE,
            spent_on(generator.sample),
            expected=expected,
            is_unknown=own_attempts.filter(cost=None).exists,
            reserve=lambda unpriced, one: reserved(
                attempts_of(generator.sample),
                "call__generator",
                unpriced,
                expected=one,
                counted=ANSWERED,
            ),
        )
    ):
        generator.stopped = reason
        generator.save(update_fields=["stopped"])
        return None
    attempt = GenerationAttempt(
        call=call,
        number=call.attempts.count() + 1,
        request_id=uuid.uuid4().hex,
        cost=expected,
        cost_is_estimate=True,
    )
    request = JudgeRequest(
        id=attempt.request_id,
        model=configuration.model,
        messages=messages,
        temperature=configuration.temperature,
        max_tokens=configuration.max_tokens,
        seed=seed_of(call, configuration),
        options=configuration.options,
        traits=traits_at(generator.endpoint, generator.model, here),
    )
    attempt.request = request.body()
    attempt.prompt_hash = prompt_hash(messages)
    call.state, call.lease_token = State.RUNNING, attempt.request_id
    call.lease_until = end_of_lease(timezone.now())
    call.save()
    attempt.save()
    return Claimed(call, attempt, configuration, request)


def seed_of(call: Generation, configuration: GeneratorConfiguration) -> int | None:
    """A text's own seed: from the file's, its messages, condition and replicate."""
    if configuration.seed is None:
        return None
    about = ["generation", call.prompt_hash]
    return own_seed(
        configuration.seed, about=about, dimension=call.condition, replicate=call.replicate
    )


# Outcomes


def record(claimed: Claimed, outcome: Future[Reply]) -> Reply | None:
    """Commit what came back, whose future is done; the reply, if there is one."""
    try:
        reply = outcome.result()
    except ExchangeFailed as failure:
        _record_failure(claimed, failure)
        return None
    said = reply.said
    text, why = as_written(whole(said.answer)), said.why_not_whole
    complete = Outcome.ANSWERED if text else Outcome.UNUSABLE
    came = complete if said.ended is Ended.COMPLETE else said.ended.value
    with _own(claimed, came, reply=reply, error=why) as (generator, call):
        if call is None:
            return reply
        generator.failures_in_a_row = 0
        call.text, call.ended, call.notices = text, said.ended, [str(each) for each in said.notices]
        if text and said.ended in (Ended.COMPLETE, Ended.CUT_OFF):
            answered(generator, call)
        elif came != Outcome.UNUSABLE:  # the same question would end in the same way
            fail(call, why)
        elif call.attempts.filter(outcome=came, number__gt=call.forgiven).count() > 1:
            fail(call, f"{why}, also when it was asked once more")
        else:
            ask_again(call, claimed.attempt, why, at_once=True)
    return reply


def _record_failure(claimed: Claimed, failure: ExchangeFailed) -> None:
    """Commit that no completion was received; ask again later, give up, or stop the generator."""
    said = str(failure)
    with _own(claimed, failure.outcome, error=said, failure=failure) as (generator, call):
        if call is None:
            return
        configuration, sent = claimed.configuration, claimed.attempt.request
        here = endpoint_if_set_up(lambda: endpoint_here(configuration.endpoint))
        if note_trait(generator.endpoint, generator.model, here, failure, sent):
            release(call)
            return
        if failure.outcome == Outcome.FILTERED:
            call.ended = Ended.FILTERED
            fail(call, said)
            return
        generator.failures_in_a_row += 1
        has_answers = generator.calls.filter(state=State.ANSWERED).exists()
        if failure.scope is Scope.REQUEST and is_refused_alone(
            call, failure, has_answers=has_answers
        ):
            fail(call, said)
        elif failure.scope is Scope.TEMPORARY:
            ask_again(call, claimed.attempt, said, retry_after=failure.retry_after)
        else:
            release(call)
            generator.stopped = storable(said)
        if reason := slow_down(generator, failure, concurrency=concurrency_at(here)):
            generator.stopped = storable(reason)


def stop(generator_id: int, reason: str) -> None:
    """Stop a generator: its texts wait until they are queued again."""
    with locked(generator_id) as generator:
        generator.stopped = storable(reason)
        generator.save(update_fields=["stopped"])


@contextmanager
def _own(
    claimed: Claimed,
    outcome: str,
    *,
    reply: Reply | None = None,
    failure: ExchangeFailed | None = None,
    error: str = "",
) -> Iterator[tuple[Generator, Any]]:
    with own(
        locked(claimed.call.generator_id),
        claimed.attempt,
        outcome,
        price=claimed.configuration.price,
        reply=reply,
        failure=failure,
        error=error,
    ) as both:
        yield both


# Leases


def renew(tokens: Iterable[str]) -> None:
    """The heartbeat of a worker that waits for texts with these lease tokens."""
    asking.renew(Generation.objects.all(), tokens)


def recover(generator_id: int) -> int:
    """Take back texts whose lease expired; returns their number."""
    with locked(generator_id) as generator:
        attempts = GenerationAttempt.objects.all()
        return take_back(generator.calls.all(), attempts, missing="text").count()


def with_lost_texts() -> list[int]:
    """Generators with texts whose lease expired."""
    lost = Generation.objects.filter(state=State.RUNNING, lease_until__lte=timezone.now())
    return list(lost.order_by().values_list("generator", flat=True).distinct())


def generators_to_wake(*, besides: int | None = None) -> list[int]:
    """Generators with texts due, a free slot at their endpoint, and no worker; not `besides`."""
    now = timezone.now()
    calls = Generation.objects.filter(generator=OuterRef("pk"), is_wanted=True)
    waiting = to_wake(Generator.objects.all(), calls, now)
    woken = [
        generator.pk
        for generator in waiting.select_related("endpoint")
        if generator.pk != besides and _has_room(generator)
    ]
    Generator.objects.filter(pk__in=woken).update(woken_at=now)
    return woken


def take_up(generator_id: int) -> None:
    """A worker has started: texts due from now on may wake another one."""
    Generator.objects.filter(pk=generator_id).update(woken_at=None)


def is_worked_on(generator_id: int) -> bool:
    """Whether any text of a generator has a live lease."""
    return live(Generation.objects.filter(generator=generator_id), timezone.now()).exists()


def seconds_until_due(generator_id: int) -> float | None:
    """The time until a text may be asked for; None if none waits, the generator is stopped, or
    other calls use its whole endpoint.
    """
    generator = Generator.objects.select_related("endpoint").get(pk=generator_id)
    waiting = wanted(generator).filter(state=State.WAITING)
    first = waiting.order_by(F("not_before").asc(nulls_first=True)).first()
    if generator.stopped or first is None or not _has_room(generator):
        return None
    pauses = (first.not_before, generator.not_before, generator.endpoint.not_before)
    return seconds_until(timezone.now(), *pauses)


def _has_room(generator: Generator) -> bool:
    """Whether an endpoint accepts one more request."""
    try:
        here = check_endpoint(generator.read_configuration())
    except JudgeNotReady:
        return True  # the worker that takes it up says why
    return in_flight_at(generator.endpoint) < here.concurrency
