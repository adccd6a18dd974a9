"""A judge's scores of each response, and the exact request."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from django.db.models import Count

from dashboard.shared.access import first_or_404
from judge.configuration import JudgeConfiguration
from judge.models import Call, Judge, Score, StructuredOutput
from judge.plans import pair_of
from judge.prompts import Message
from judge.queries import DIMENSION_OF_SCORE, scoring_calls
from judge.questions import ABOUT, request_for, responses_of
from judge.queueing import RetryOptions
from judge.traits import Trait
from survey.models import BlockResponse, Response, Study

State = Call.State


@dataclass(frozen=True)
class SingleScore:
    """One call's score of a response, or why there is none (yet)."""

    call: int
    replicate: int
    #: The set in which the judge saw it; empty where it saw it alone.
    set_name: str
    state: str
    value: int | None
    reason: str


@dataclass(frozen=True)
class ScoredResponse:
    """A response on one dimension: every single score, and how many were asked for."""

    response: Response
    dimension: str
    scores: list[SingleScore]
    asked: int

    @property
    def values(self) -> list[int]:
        return [score.value for score in self.scores if score.value is not None]

    @property
    def mean(self) -> float | None:
        return fmean(self.values) if self.values else None


def scored_responses(
    judge: Judge, configuration: JudgeConfiguration, responses: Sequence[Response]
) -> list[ScoredResponse]:
    """What a judge said of each of these responses on each of its dimensions."""
    by_block = configuration.presentation != "single"
    single = _in_blocks(judge, responses) if by_block else _alone(judge, responses)
    shown: dict[int, int] = defaultdict(int)
    if by_block:
        rows = BlockResponse.objects.filter(response__in=responses)
        for row in rows.annotate(n=Count("block__responses")):
            shown[row.response_id] += row.n - 1 if configuration.presentation == "pair" else 1
    return [
        ScoredResponse(
            response,
            dimension,
            [s for s in single[response.pk, dimension] if s.replicate <= configuration.replicates],
            configuration.replicates * (shown[response.pk] if by_block else 1),
        )
        for response in responses
        for dimension in configuration.dimensions
    ]


Singles = dict[tuple[int, str], list[SingleScore]]


def _alone(judge: Judge, responses: Sequence[Response]) -> Singles:
    """One for every call about one of the responses, whatever its state."""
    calls = judge.calls.filter(response__in=responses).order_by("replicate", "id")
    singles: Singles = defaultdict(list)
    columns = ("id", "response_id", "dimension", "replicate", "state")
    scored = ("scores__dimension", "scores__value", "scores__reason")
    asked_in = judge.read_configuration().asked_in
    for call, response, asked, replicate, state, *scores, error in calls.values_list(
        *columns, *scored, "error"
    ):
        dimension, value, reason = scores
        score = SingleScore(call, replicate, "", state, value, reason or error)
        for about in [dimension] if dimension else asked_in(asked):
            singles[response, about].append(score)
    return singles


def _in_blocks(judge: Judge, responses: Sequence[Response]) -> Singles:
    """One for every score, with the set that contained the response."""
    scores = Score.objects.filter(call__judge=judge, response__in=responses)
    singles: Singles = defaultdict(list)
    scores = scores.annotate(about=DIMENSION_OF_SCORE)
    rows = scores.order_by("call__block__position", "call__replicate", "id").values_list(
        "call_id",
        "response_id",
        "about",
        "call__replicate",
        "call__block__set_name",
        "value",
        "reason",
    )
    for call, response, dimension, replicate, set_name, value, reason in rows:
        score = SingleScore(call, replicate, set_name, State.ANSWERED, value, reason)
        singles[response, dimension].append(score)
    return singles


@dataclass(frozen=True)
class Example:
    """What would be sent for one call: its messages, and the rest of the request as JSON."""

    messages: list[Message]
    rest: str

    @property
    def as_sent(self) -> dict[str, Any]:
        """The whole request."""
        return {"messages": self.messages, **json.loads(self.rest)}


def example(
    judge: Judge, configuration: JudgeConfiguration, support: str, traits: frozenset[Trait]
) -> Example | None:
    """The first request of a judge, as it would be sent; None where there is nothing to ask."""
    call = _first_call(judge, configuration)
    if call is None:
        return None
    structured = support == StructuredOutput.Support.ENFORCED
    request = request_for(
        call,
        request_id="",
        configuration=configuration,
        structured=structured,
        traits=traits,
    )
    body = request.body()
    rest = {name: value for name, value in body.items() if name != "messages"}
    return Example(body["messages"], as_json(rest))


def _first_call(judge: Judge, configuration: JudgeConfiguration) -> Call | None:
    planned = scoring_calls(judge).select_related(*ABOUT).order_by("id").first()
    if planned is not None:
        return planned
    dimension = configuration.dimensions_of_calls[0]
    if configuration.presentation == "single":
        responses = Response.objects.filter(scenario__study=judge.study)
        first = (
            responses.select_related("scenario", "system")
            .order_by("scenario__position", "id")
            .first()
        )
        if first is None:
            return None
        return Call(judge=judge, response=first, dimension=dimension, replicate=1)
    block = judge.study.blocks.select_related("scenario").order_by("position").first()
    if block is None:
        return None
    members = block.blockresponse_set.order_by("position").values_list("response_id", flat=True)
    order = list(members)[: 2 if configuration.presentation == "pair" else None]
    pair = pair_of(order) if configuration.presentation == "pair" else ""
    return Call(judge=judge, block=block, pair=pair, dimension=dimension, replicate=1, order=order)


def call_or_404(study: Study, call: int) -> Call:
    """A call of one of the study's judges, with what it is about."""
    about = ("judge__study", "response__scenario", "response__system", "block__scenario")
    known = Call.objects.filter(judge__study=study).select_related(*about)
    return first_or_404(known.filter(pk=call), f"{study} has no call {call} of a judge.")


def call_to_retry(judge: Judge, options: RetryOptions) -> Call | None:
    """The call of a judge that is to be asked again; None for all that it lacks."""
    if options.call is None:
        return None
    known = Call.objects.filter(judge=judge, pk=options.call)
    return first_or_404(known, f"{judge} has no call {options.call}.")


def shown_to(call: Call) -> list[tuple[str, Response, Score | None]]:
    """The responses that a call is about: the letter under which each was shown, where there were
    several, and its score.
    """
    scores = {score.response_id: score for score in call.scores.all()}
    return [
        (chr(ord("A") + place) if call.order else "", response, scores.get(response.pk))
        for place, response in enumerate(responses_of(call))
    ]


def as_json(value: Any) -> str:
    """JSON for people to read."""
    return json.dumps(value, indent=2, ensure_ascii=False)
