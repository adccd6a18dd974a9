"""What the judge reads, and what its answer is held to. The words are those of format 3, which
judges keep that have scores; `test_wording` has the newer ones.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from judge.configuration import JudgeConfiguration, configuration_of
from judge.definition import JudgeDefinition
from judge.prompts import (
    Message,
    answer_schema,
    approximate_tokens,
    letters,
    messages,
    probe,
    probe_schema,
    prompt_hash,
    repair,
)
from tests.survey import small_study

SCALE = [{"value": 0, "label": "Cold"}, {"value": 10, "label": "Warm"}]


def configuration(*, yaml: str = small_study.YAML, **definition: Any) -> JudgeConfiguration:
    return configuration_of(
        JudgeDefinition(rubric="Consider its warmth.", **definition),
        small_study.definition(yaml),
        base_url="http://x/v1",
        model="m",
        stand_in=False,
        prompt_format=3,
    )


WARMTH = ["warmth"]
SINGLE = configuration(scale=SCALE)
BLOCK = configuration(scale=SCALE, presentation="block")
SLIDER = configuration(yaml=small_study.SLIDER_YAML, dimensions=["warmth"])


def ask(
    configured: JudgeConfiguration, *responses: str, context: str = ""
) -> tuple[Message, Message]:
    """The system's and the user's message about responses to "I failed."."""
    system, user = messages(
        configured,
        dimensions=WARMTH,
        prompt="I failed.",
        context=context,
        responses=responses,
    )
    assert (system["role"], user["role"]) == ("system", "user")
    return system, user


def test_judge_reads_question_rubric_scale_and_one_response() -> None:
    system, user = ask(SINGLE, "That hurts.")
    for part in (
        "one reply",
        "How warm is this response?",
        "Consider its warmth.",
        "\n0 = Cold\n10 = Warm\n",
    ):
        assert part in system["content"]
    assert user["content"] == "<message>\nI failed.\n</message>\n\n<reply>\nThat hurts.\n</reply>"


def test_context_stands_above_the_message() -> None:
    _, user = ask(SINGLE, "That hurts.", context="A student.")
    assert user["content"].startswith("<context>\nA student.\n</context>\n\n<message>")


def test_letters_go_on_after_z() -> None:
    assert letters(28)[24:] == ["Y", "Z", "AA", "AB"]
    assert len(set(letters(50))) == 50


def test_replies_of_a_block_have_letters_in_the_order_shown() -> None:
    system, user = ask(BLOCK, "That hurts.", "Try again.")
    assert "received 2 replies" in system["content"]
    assert user["content"].endswith(
        '</message>\n\n<reply name="A">\nThat hurts.\n</reply>\n\n'
        '<reply name="B">\nTry again.\n</reply>'
    )


@pytest.mark.parametrize(
    ("configured", "responses", "form"),
    [
        (SINGLE, 1, '{"score": <a point\'s number>}'),
        (SLIDER, 1, '{"score": <any integer from 0 to 100>}'),
        (
            configuration(scale=SCALE, reasons=True),
            1,
            '{"reason": "<one sentence>", "score": <a point\'s number>}',
        ),
        (BLOCK, 2, '{"A": {"score": <a point\'s number>}, "B": {"score": <a point\'s number>}}'),
    ],
    ids=["single", "slider", "reasons", "block"],
)
def test_answer_is_asked_for_as_one_json_object(
    configured: JudgeConfiguration, responses: int, form: str
) -> None:
    system, _ = ask(configured, *["That hurts."] * responses)
    assert system["content"].endswith(f"Answer with one JSON object and nothing else: {form}")


def repaired(asked: Sequence[Message], answer: str, reason: str) -> list[Message]:
    return repair(asked, answer, reason, configuration=SINGLE, dimensions=WARMTH, responses=1)


def test_repair_shows_the_answer_what_is_wrong_with_it_and_the_form() -> None:
    asked = ask(SINGLE, "That hurts.")
    again = repair(
        asked, "four", "there is no number", configuration=SINGLE, dimensions=WARMTH, responses=1
    )
    assert again[:2] == list(asked)
    assert again[2:] == [
        {"role": "assistant", "content": "four"},
        {
            "role": "user",
            "content": "That can't be used: there is no number. Answer with one JSON object and "
            'nothing else: {"score": <a point\'s number>}',
        },
    ]


def test_repair_of_an_empty_answer_sends_no_empty_message() -> None:
    again = repair(
        ask(SINGLE, "x"), " \n", "it is empty", configuration=SINGLE, dimensions=WARMTH, responses=1
    )
    assert again[2]["content"] == "(no answer)"


# Schemas


def rated(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


SCORE = {"type": "integer", "enum": [0, 10]}


def test_schema_of_an_answer_allows_the_points_of_the_scale_alone() -> None:
    assert answer_schema(SINGLE, 1, WARMTH) == rated(score=SCORE)
    assert answer_schema(BLOCK, 2, WARMTH) == rated(A=rated(score=SCORE), B=rated(score=SCORE))
    slider = {"type": "integer", "minimum": 0, "maximum": 100}
    assert answer_schema(SLIDER, 1, WARMTH) == rated(score=slider)


def test_reason_is_given_before_the_score() -> None:
    schema = answer_schema(configuration(scale=SCALE, reasons=True), 1, WARMTH)
    assert schema == rated(reason={"type": "string"}, score=SCORE)
    assert list(schema["properties"]) == ["reason", "score"]


def test_probe_asks_for_words_that_its_schema_forbids() -> None:
    (question,) = probe()
    assert "sentence" in question["content"]
    assert probe_schema() == rated(score={"type": "integer", "enum": [3, 4]})


# Accounts


def test_prompt_hash_is_of_every_message() -> None:
    first, second = ask(SINGLE, "That hurts."), ask(SINGLE, "Try again.")
    assert prompt_hash(first) == prompt_hash(ask(SINGLE, "That hurts."))
    assert prompt_hash(first) != prompt_hash(second)
    assert prompt_hash(first) != prompt_hash(first[:1])


def test_tokens_are_estimated_from_lengths_responses_and_reasons() -> None:
    asked: list[Message] = [{"role": "user", "content": "x" * 400}]
    assert approximate_tokens(asked, SINGLE, 1) == (100, 8)
    chinese: list[Message] = [{"role": "user", "content": "心里难受" * 100 + "x" * 400}]
    assert approximate_tokens(chinese, SINGLE, 1) == (500, 8)
    assert approximate_tokens(asked, BLOCK, 3) == (100, 24)
    assert approximate_tokens(asked, configuration(reasons=True), 1) == (100, 38)
