"""The exact request for a call, from its row and its judge's configuration."""

from collections.abc import Sequence
from typing import Any

from judge import prompts
from judge.completions import read_text
from judge.configuration import JudgeConfiguration
from judge.exchange import JudgeRequest
from judge.models import Attempt, Call
from judge.seeds import seed_of
from judge.traits import Trait
from survey.models import Response, Scenario

#: Rows needed for a call's question, for `select_related`.
ABOUT = ("response__scenario", "response__system", "block__scenario")


def responses_of(call: Call) -> list[Response]:
    """The responses of a call, in the order shown to the judge."""
    if call.order is None:
        return [call.response] if call.response is not None else []
    responses = Response.objects.in_bulk(call.order)
    return [responses[number] for number in call.order]


def identity_of(call: Call) -> list[str]:
    """The subject of a call, in names that are the same in every installation; empty for a
    probe.
    """
    if call.block is not None:
        systems = sorted(str(each.system) for each in responses_of(call)) if call.pair else []
        kind = "pair" if call.pair else "block"
        return [kind, call.block.scenario.name, call.block.set_name, *systems]
    if call.response is not None:
        system = call.response.system
        return [
            *("response", call.response.scenario.name),
            *(system.model, system.condition, call.response.text_hash),
        ]
    return []


def messages_for(call: Call, configuration: JudgeConfiguration) -> list[prompts.Message]:
    """The messages of a call's first request."""
    if call.is_probe:
        return prompts.probe()
    responses = responses_of(call)
    scenario = _scenario_of(call, responses)
    return prompts.messages(
        configuration,
        dimensions=configuration.asked_in(call.dimension),
        prompt=scenario.prompt,
        context=scenario.context,
        responses=[response.text for response in responses],
        scenario=scenario.name,
    )


def _scenario_of(call: Call, responses: Sequence[Response]) -> Scenario:
    return call.block.scenario if call.block else responses[0].scenario


def options_for(
    configuration: JudgeConfiguration,
    dimensions: Sequence[str],
    *,
    prompt: str,
    responses: Sequence[str],
) -> dict[str, Any]:
    """The options of a request about `responses`. The stand-in is also told what it can't read from
    a template: the fields of `judge.standin.StandInQuestion`.
    """
    if not configuration.stand_in or configuration.template is None:
        return configuration.options
    is_single = configuration.presentation == "single"
    letters = [""] if is_single else prompts.letters(len(responses))
    told = {
        "message": prompt,
        "replies": dict(zip(letters, responses, strict=True)),
        "values": configuration.values,
        "dimensions": list(dimensions) if len(dimensions) > 1 else [""],
        "is_pair": configuration.presentation == "pair",
        "has_reasons": configuration.reasons,
        "form": configuration.answer_about(dimensions[0]),
    }
    return configuration.options | {"stand_in": told}


def request_for(
    call: Call,
    *,
    request_id: str,
    configuration: JudgeConfiguration,
    structured: bool,
    traits: frozenset[Trait],
    unusable: Attempt | None = None,
) -> JudgeRequest:
    """The request for a call; after an `unusable` answer, the request to repair it.

    `structured`: the endpoint enforces a JSON schema; `traits`: what it does not accept.
    """
    messages = messages_for(call, configuration)
    schema, options = None, configuration.options
    dimensions = configuration.asked_in(call.dimension)
    n = 1 if call.order is None else len(call.order)
    if call.is_probe:
        schema = prompts.probe_schema()
    else:
        if structured:
            schema = prompts.answer_schema(configuration, n, dimensions)
        if configuration.stand_in:
            shown = responses_of(call)
            options = options_for(
                configuration,
                dimensions,
                prompt=_scenario_of(call, shown).prompt,
                responses=[each.text for each in shown],
            )
    if unusable is not None:
        messages = prompts.repair(
            messages,
            read_text(unusable.raw_text).answer,
            unusable.error,
            configuration=configuration,
            dimensions=dimensions,
            responses=n,
        )
    return JudgeRequest(
        id=request_id,
        model=configuration.model,
        messages=messages,
        temperature=configuration.temperature,
        max_tokens=configuration.max_tokens,
        seed=seed_of(
            configuration,
            about=identity_of(call),
            dimension=call.dimension,
            replicate=call.replicate,
        ),
        schema=schema,
        options=options,
        traits=traits,
    )


def tokens_of(call: Call, configuration: JudgeConfiguration) -> tuple[int, int]:
    """Approximate tokens of a call's question and answer."""
    responses = 1 if call.order is None else len(call.order)
    scores = responses * len(configuration.asked_in(call.dimension))
    return prompts.approximate_tokens(messages_for(call, configuration), configuration, scores)
