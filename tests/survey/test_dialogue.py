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
        "Human: Hello.\nAI: What can I do?",
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


@pytest.mark.parametrize(
    "context",
    [
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
        '[{"role": "user", "content": [1]}]',
        "[" * 100_000,
    ],
)
def test_other_text_stays_text(context: str) -> None:
    assert turns_of(context) == []
