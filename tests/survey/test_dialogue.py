"""Contexts that are dialogues are shown as turns."""

import json

import pytest

from survey.definition.dialogue import DialogueTurn, turns_of

HELLO, ANSWER = DialogueTurn("user", "Hello."), DialogueTurn("assistant", "What can I do?")


@pytest.mark.parametrize(
    "context",
    [
        "User: Hello.\nAssistant: What can I do?",
        "user: Hello.\n\nassistant: What can I do?\n",
        "**User:** Hello.\n**Assistant:** What can I do?",
        "用户：Hello.\n助手：What can I do?",
        json.dumps(
            [
                {"role": "user", "content": "Hello."},
                {"role": "assistant", "content": "What can I do?"},
            ]
        ),
        json.dumps(
            [{"role": "User", "content": " Hello. "}, {"role": "bot", "content": ANSWER.text}]
        ),
        json.dumps(
            [
                {"role": "human", "content": [{"type": "text", "text": "Hello."}]},
                {"role": "model", "content": [{"type": "text", "text": ANSWER.text}]},
            ]
        ),
    ],
)
def test_dialogue_has_turns(context: str) -> None:
    assert turns_of(context) == [HELLO, ANSWER]


def test_turn_may_have_several_lines() -> None:
    turns = turns_of("System: Be kind.\nUser: One.\n\nTwo.\nAssistant: Three")
    assert turns == [
        DialogueTurn("system", "Be kind."),
        DialogueTurn("user", "One.\n\nTwo."),
        DialogueTurn("assistant", "Three"),
    ]


def test_message_may_have_several_parts_and_be_the_developer_s() -> None:
    parts = [{"type": "text", "text": "Be kind."}, {"type": "text", "text": "Be brief."}]
    turns = turns_of(json.dumps([{"role": "developer", "content": parts}]))
    assert turns == [DialogueTurn("system", "Be kind.\nBe brief.")]


def test_tool_has_turns() -> None:
    (turn,) = turns_of('[{"role": "tool", "content": "12 °C"}]')
    assert turn == DialogueTurn("tool", "12 °C")


@pytest.mark.parametrize("speaker", ["User", "Assistant"])
def test_one_turn_is_a_dialogue(speaker: str) -> None:
    (turn,) = turns_of(f"{speaker}: Hello.")
    assert (turn.speaker, turn.text) == (speaker.lower(), "Hello.")


@pytest.mark.parametrize(
    "context",
    [
        "Model: Ford Fiesta 2014\nMileage: 40,000",
        "System: Windows 11",
        "System: Windows 11\nBrowser: Firefox",
        "AI: a short history",
        "Human: 12 chromosomes",
        "Bot: a larva\nUser: a person",
        "系统：Windows 11",
        "",
        "A student who failed an exam.",
        "He said:\nUser: Hello.",
        "Usergroup: Hello.",
        "The user: a student",
        "[1, 2]",
        "[not json",
        "[]",
        '[{"role": "user"}]',
        '[{"role": "judge", "content": "x"}]',
        '[{"role": "user", "content": ""}]',
        '[{"role": "user", "content": "x"}, {"role": "assistant", "content": " "}]',
        '[{"role": "user", "content": [1]}]',
        '[{"role": "user", "content": []}]',
        '[{"role": "user", "content": [{"type": "text"}]}]',
        '[{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]',
        '[{"role": "user", "content": "x"}, {"role": "assistant", "content": null}]',
        "[" * 100_000,
    ],
)
def test_other_text_stays_text(context: str) -> None:
    assert turns_of(context) == []


def test_a_turn_keeps_the_indentation_of_its_first_line() -> None:
    code = "    return x\n    y"
    _, answer = turns_of(
        json.dumps(
            [{"role": "user", "content": "Go on"}, {"role": "assistant", "content": f"\n{code}\n"}]
        )
    )
    assert answer.text == code
    assert turns_of(f"User: Go on\nAssistant:\n{code}")[1].text == code
