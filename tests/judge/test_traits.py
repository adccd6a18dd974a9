"""What endpoints do not accept of a request, as their refusals say it."""

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
    ],
)  # fmt: skip
def test_other_refusals_show_none(status: int, words: str, parameter: str | None) -> None:
    assert trait_behind(status, words, parameter) is None


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
