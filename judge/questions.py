"""What exactly is asked for a call: its row and its judge's configuration put together."""

from judge import prompts
from judge.definition import JudgeConfiguration
from judge.exchange import Request
from judge.models import Attempt, Call
from judge.seeds import seed_of
from survey.models import Response

#: What a call's question is made of, for `select_related`.
ABOUT = ("response__scenario", "response__system", "block__scenario")


def responses_of(call: Call) -> list[Response]:
    """The responses that a call is about, in the order in which the judge is shown them."""
    if call.order is None:
        return [call.response] if call.response is not None else []
    found = Response.objects.in_bulk(call.order)
    return [found[number] for number in call.order]


def identity_of(call: Call) -> list[str]:
    """What a call is about, in names that are the same wherever the study is loaded; a probe is
    about nothing.
    """
    if call.block is not None:
        return ["block", call.block.scenario.name, call.block.set_name]
    if call.response is not None:
        system = call.response.system
        return [
            *("response", call.response.scenario.name),
            *(system.model, system.condition, call.response.text_hash),
        ]
    return []


def messages_for(call: Call, configuration: JudgeConfiguration) -> list[prompts.Message]:
    """The messages of a call, when it is asked for the first time."""
    if call.is_probe:
        return prompts.probe()
    responses = responses_of(call)
    scenario = call.block.scenario if call.block else responses[0].scenario
    return prompts.messages(
        configuration,
        dimension=call.dimension,
        prompt=scenario.prompt,
        context=scenario.context,
        responses=[response.text for response in responses],
    )


def request_for(
    call: Call,
    *,
    request_id: str,
    configuration: JudgeConfiguration,
    structured: bool,
    unusable: Attempt | None = None,
) -> Request:
    """What is sent to the endpoint for a call; after an `unusable` answer, the repair of it.

    `structured` says that the endpoint holds answers to a JSON schema.
    """
    messages = messages_for(call, configuration)
    schema = None
    n = 1 if call.order is None else len(call.order)
    if call.is_probe:
        schema = prompts.probe_schema()
    elif structured:
        schema = prompts.answer_schema(configuration, n)
    if unusable is not None:
        messages = prompts.repair(
            messages, unusable.raw_text, unusable.error, configuration=configuration, responses=n
        )
    return Request(
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
        options=configuration.options,
    )


def tokens_of(call: Call, configuration: JudgeConfiguration) -> tuple[int, int]:
    """About how many tokens a call's question and its answer take."""
    n = 1 if call.order is None else len(call.order)
    return prompts.approximate_tokens(messages_for(call, configuration), configuration, n)
