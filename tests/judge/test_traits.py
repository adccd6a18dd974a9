"""What endpoints do not accept of a request, as their refusals say it."""

import time
from typing import Any

import pytest

from judge.traits import Trait, adapted, is_part_of, trait_behind, traits_of

SYSTEM, TEMPERATURE, SEED, TOKENS = (
    Trait.NO_SYSTEM_ROLE,
    Trait.NO_TEMPERATURE,
    Trait.NO_SEED,
    Trait.MAX_COMPLETION_TOKENS,
)
BODY: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Rate it."},
        {"role": "user", "content": "A text."},
    ],
    "temperature": 0.5,
    "max_tokens": 20,
    "seed": 3,
}


@pytest.mark.parametrize(
    ("trait", "status", "words", "parameter"),
    [
        (SYSTEM, 400, "System role not supported", None),
        (SYSTEM, 400, "system role is not supported by this model", None),
        (SYSTEM, 500, "TemplateError: System role not supported", None),
        (SYSTEM, 400, "Conversation roles must alternate user/assistant/user/assistant/...", None),
        (SYSTEM, 400, "Developer instruction is not enabled for this model", None),
        (SYSTEM, 400, "messages[0].role: 'system' is not one of ['user', 'assistant']", None),
        (SYSTEM, 422, "Invalid value: 'system'. Supported values are: 'user'", "messages[0].role"),
        (SYSTEM, 400, "This model does not support system messages", None),
        (SYSTEM, 400, "Unsupported value: the role `system` is unknown", None),
        (SYSTEM, 400, "Unexpected role \"system\"", None),
        (SYSTEM, 400, "system prompt isn't supported here", None),
        (SYSTEM, 400, "The model doesn't support system instructions.", None),
        (TEMPERATURE, 400, "Unsupported value: 'temperature' does not support 0 with this model. "
         "Only the default (1) value is supported.", "temperature"),
        (TEMPERATURE, 400, "temperature must be 1", None),
        (TEMPERATURE, 400, "invalid temperature: only 1 is allowed for this model", None),
        (TEMPERATURE, 422, "body.temperature: Extra inputs are not permitted", None),
        (TEMPERATURE, 400, "Unsupported parameter: 'temperature' is not supported with this model.",
         "temperature"),
        (TEMPERATURE, 400, "temperature is deprecated for this model", None),
        (TEMPERATURE, 400, "This model does not accept temperature.", None),
        (TEMPERATURE, 400, "`temperature` may only be set to 1 when thinking is enabled", None),
        (TEMPERATURE, 200, "temperature is not supported", None),
        (SEED, 400, "Unknown parameter: 'seed'.", None),
        (SEED, 400, "Unrecognized request argument supplied: seed", None),
        (SEED, 422, "seed: Extra inputs are not permitted", None),
        (SEED, 400, "property 'seed' is unsupported", None),
        (SEED, 400, "seed is not supported by this provider", "seed"),
        (SEED, 400, "unexpected keyword argument 'seed'", None),
        (SEED, 400, "Unknown name \"seed\": Cannot find field.", None),
        (SEED, 400, "Unknown parameter.", "seed"),
        (TOKENS, 400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
         "'max_completion_tokens' instead.", "max_tokens"),
        (TOKENS, 400, "use max_completion_tokens; max_tokens is not supported", None),
        (TOKENS, 400, "max_tokens is deprecated, max_completion_tokens must be used", None),
        (TOKENS, 400, "Unknown parameter.", "max_tokens"),
        (TOKENS, 400, "this model is not supported MaxTokens, please use MaxCompletionTokens",
         None),
        (TOKENS, 400, "max_tokens is deprecated in favor of max_completion_tokens.",
         "max_tokens"),
        (SYSTEM, 400, "Only user and assistant roles are supported!", None),
        (SYSTEM, 500, "Only 'user' and 'assistant' roles are supported!", None),
        (SYSTEM, 400, "Only user, assistant and tool roles are supported, got system.", None),
        (SYSTEM, 400, "Unsupported value: 'messages[0].role' does not support 'system' with this "
         "model.", "messages[0].role"),
        (SYSTEM, 422, "'system' is not one of ['user', 'assistant'] - 'messages.0.role'", None),
        (SYSTEM, 422, "messages[0].role: unknown variant `system`, expected one of `user`, "
         "`assistant`", None),
        (SYSTEM, 400, "Value 'system' at 'messages.1.member.role' failed to satisfy constraint: "
         "Member must satisfy enum value set: [user, assistant]", None),
        (SYSTEM, 400, "messages: Unexpected role \"system\". The Messages API accepts a top-level "
         "`system` parameter", None),
        (SYSTEM, 400, "This model doesn't support system messages. Try again without system "
         "messages or use a model that supports system messages.", None),
        (SYSTEM, 400, "System role isn\u2019t supported", None),
        (TEMPERATURE, 400, "Unsupported parameter(s): `temperature`, expected <none>.", None),
        (TEMPERATURE, 400, "temperature: range: 1..1 only", None),
        (TEMPERATURE, 400, "temperature does not support 0.2 with this model. Minimum API version "
         "2024-12-01", "temperature"),
        (TEMPERATURE, 403, "temperature is not supported", None),
        (TEMPERATURE, 400, "Extra inputs are not permitted", "body.temperature"),
        (TEMPERATURE, 400, "`temperature` and `top_p` cannot both be specified for this model. "
         "Please use only one.", None),
        (TEMPERATURE, 400, "openai does not support parameters: ['temperature', 'seed'], for "
         "model=o1. Supported params: ['max_tokens']", None),
        (TEMPERATURE, 400, "1 validation error for ChatCompletionRequest temperature Extra inputs "
         "are not permitted [type=extra_forbidden, input_value=0.2, input_type=float]", None),
        (SEED, 404, "No endpoints found that can handle the requested parameters: seed", None),
        (SEED, 400, "Argument not supported on this model: seed", None),
        (SEED, 400, "Extra inputs are not permitted, field: 'seed', value: 5", None),
        (SEED, 400, "Malformed input request: #: extraneous key [seed] is not permitted, please "
         "reformat your input and try again.", None),
        (SEED, 400, "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'Extra inputs "
         "are not permitted', 'input': 5}]", None),
        (SEED, 422, "unknown field `seed`, expected one of `model`, `temperature`", None),
        (SEED, 400, "The `seed` parameter isn't supported; seeds are integers elsewhere", None),
    ],
)  # fmt: skip
def test_refusal_shows_a_trait(
    trait: Trait, status: int, words: str, parameter: str | None
) -> None:
    assert trait_behind(status, words, parameter) is trait


@pytest.mark.parametrize(
    ("status", "words", "parameter"),
    [
        (400, "temperature must be between 0 and 1", "temperature"),
        (400, "temperature: Input should be less than or equal to 1", None),
        (400, "temperature 3.0 is invalid: it must be at most 2", None),
        (400, "temperature must be >= 0", "temperature"),
        (400, "seed must be an integer", "seed"),
        (400, "max_tokens is too large: 90000. This model supports at most 16384", "max_tokens"),
        (400, "max_tokens must be greater than 16", "max_tokens"),
        (400, "maximum context length is 4096 tokens; max_completion_tokens …", None),
        (429, "temperature is not supported", None),
        (401, "seed is unknown", None),
        (400, "this is a bad_request", None),
        (400, "The temperature outside is 20 degrees", None),
        (400, "model not found", None),
        (503, "the system is overloaded", None),
        (500, "internal system error", None),
        (400, "invalid api key", None),
        (400, "response_format is not supported", None),
        # Values that the study has to change
        (422, "Input validation error: `temperature` must be strictly positive", None),
        (400, "temperature must be non-negative, got -1.0.", None),
        (400, "Invalid type for 'temperature': expected a decimal, but got a string instead.",
         "temperature"),
        (400, "temperature must be a float", None),
        (400, "temperature must be in (0.0, 2.0]", None),
        (400, "temperature: range: 0..1 only", None),
        (400, "Invalid temperature: only 0 to 2 is allowed", None),
        (400, "Malformed input request: #/temperature: 2 is not less or equal to 1.0", None),
        (400, "Could not parse 'temperature'", None),
        (400, "seed must be non-negative", None),
        (400, "Invalid value for seed: expected integer", None),
        (400, "seed: invalid value: integer `-1`, expected u64 at line 1 column 100", None),
        (400, "This model's system prompt cannot be empty", None),
        (400, "The system message must not be empty.", None),
        (400, "The system message is not allowed by our content policy", None),
        # What is said of other parts of the request
        (400, "Unsupported parameter: 'top_p' is not supported. Supported parameters: temperature, "
         "seed, max_tokens", "top_p"),
        (400, "Unsupported parameter: 'top_p'. Supported parameters: temperature, seed", None),
        (422, "unknown field `logit`, expected one of `temperature`, `seed`", None),
        (422, "messages[0].role: unknown variant `developer`, expected one of `system`, `user`",
         None),
        (400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with "
         "this model. Mention JSON in the system prompt instead.", "response_format"),
        (400, "'response_format' is not supported. Mention JSON in the system prompt.", None),
        (400, "Invalid schema for response_format 'score': in context=(), 'additionalProperties' is"
         " required; the system message cannot set it", "response_format"),
        (400, "'messages' must contain the word 'json' in some form, to use 'response_format' of "
         "type 'json_object'.", "messages"),
        (400, "[{'type': 'missing', 'loc': ('body', 'n'), 'msg': 'Field required', 'input': "
         "{'messages': [{'role': 'system', 'content': 'Do not greet'}], 'seed': 3}}]", None),
        (400, "top_p must be in (0, 1], got 2.0.", None),
        (400, "Model not available. The system's instructions are documented elsewhere.", None),
        (500, "GPU temperature is unexpected; the node was drained", None),
        (500, "seed is not supported", "seed"),
        # The other limit is refused, or both are
        (400, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
         None),
        (400, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
         "max_tokens"),
        (400, "max_completion_tokens is not supported; use max_tokens", None),
        (400, "do not use max_completion_tokens with this model", None),
        (400, "Unknown parameter: 'max_completion_tokens'.", "max_completion_tokens"),
    ],
)  # fmt: skip
def test_other_refusals_show_none(status: int, words: str, parameter: str | None) -> None:
    assert trait_behind(status, words, parameter) is None


@pytest.mark.parametrize("part", ["temperature ", "not ", "role ", "1.", "1..", "[", "use ", "."])
def test_long_refusal_is_read_in_time(part: str) -> None:
    began = time.process_time()
    trait_behind(400, "range: " + part * (200_000 // len(part)))
    assert time.process_time() - began < 2


def test_request_has_nothing_that_is_not_accepted() -> None:
    sent = adapted(BODY, list(Trait))
    assert sent == {
        "model": "m",
        "messages": [{"role": "user", "content": "Rate it.\n\nA text."}],
        "max_completion_tokens": 20,
    }
    assert not any(is_part_of(trait, sent) for trait in Trait)
    assert all(is_part_of(trait, BODY) for trait in Trait)
    assert adapted(BODY, []) == BODY
    assert BODY["messages"][0]["role"] == "system", "the request itself is as it was"


def test_instructions_stand_before_the_first_message_of_the_user_alone() -> None:
    repaired = [
        *BODY["messages"],
        {"role": "assistant", "content": "four"},
        {"role": "user", "content": "Again."},
    ]
    sent = adapted(BODY | {"messages": repaired}, [SYSTEM])["messages"]
    assert [each["role"] for each in sent] == ["user", "assistant", "user"]
    assert [each["content"] for each in sent] == ["Rate it.\n\nA text.", "four", "Again."]
    alone = adapted({"messages": [{"role": "system", "content": "Say hello."}]}, [SYSTEM])
    assert alone["messages"] == [{"role": "user", "content": "Say hello."}]


@pytest.mark.parametrize(
    ("text", "traits"),
    [
        ("", None),
        (" ", None),
        ("none", set()),
        ("no_seed", {SEED}),
        ("no_seed no_temperature", {SEED, TEMPERATURE}),
        ("no_seed, max_completion_tokens", {SEED, TOKENS}),
    ],
)
def test_traits_are_named_in_the_environment(text: str, traits: set[Trait] | None) -> None:
    assert traits_of(text) == traits


def test_unknown_trait_is_refused_with_the_one_that_is_meant() -> None:
    with pytest.raises(ValueError, match="'no_sede' is unknown; did you mean 'no_seed'"):
        traits_of("no_seed no_sede")


@pytest.mark.parametrize("text", ["none no_seed", "no_seed,none"])
def test_none_and_a_trait_together_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="'none' can't stand together with others"):
        traits_of(text)
