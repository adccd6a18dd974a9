"""Conversations as lists of messages: each answer is rated with the turns before it."""

import json
from pathlib import Path

from corpus.definition import GenerationDefinition
from corpus.dialogues import PRESETS, Dialogue, Layout
from corpus.models import Sample
from corpus.splitting import Split
from survey.definition.dialogue import DialogueTurn, turns_of
from tests.corpus.conftest import Corpus as Manage

ASKED = ["I failed my exam.", "Three points were missing.", "My parents want me to try again."]
ANSWERS = [
    "That sounds hard. What happened?",
    "So close! How have your days been since then?",
    "And what do you want for yourself?",
]
MESSAGES = [
    {"role": role, "content": text}
    for turn in zip(ASKED, ANSWERS, strict=True)
    for role, text in zip(("user", "assistant"), turn, strict=True)
]
AS_TURNS = [DialogueTurn(each["role"], each["content"]) for each in MESSAGES]  # type: ignore[arg-type]
PLAIN = GenerationDefinition.model_validate({"conditions": {"a": {}}, "models": [{"name": "Ant"}]})


def dialogues(*messages: dict[str, str], **more: str) -> list[tuple[str, str, str]]:
    return list(PRESETS["liu"].layout.dialogues({"messages": list(messages), **more}))


def test_each_message_has_the_turns_before_it_as_context() -> None:
    first, second, third = dialogues(*MESSAGES)
    assert first == (ASKED[0], "", ANSWERS[0])
    assert second[1] == f"User: {ASKED[0]}\nAssistant: {ANSWERS[0]}"
    assert turns_of(third[1]) == AS_TURNS[:4]


def test_every_earlier_message_is_a_turn_whoever_wrote_it() -> None:
    hello = {"role": "assistant", "content": "Hello!"}
    pardon = {"role": "assistant", "content": "Take your time."}
    of_system = {"role": "system", "content": "Be kind."}
    ((_, before, _), (_, later, _)) = dialogues(
        of_system, hello, *MESSAGES[:2], pardon, *MESSAGES[2:4]
    )
    assert before == "Assistant: Hello!"
    assert [turn.text for turn in turns_of(later)] == [
        *("Hello!", ASKED[0], ANSWERS[0], "Take your time.")
    ]


def test_scenarios_of_a_sample_and_their_study_have_the_turns(
    tmp_path: Path, manage: Manage
) -> None:
    wide = [{**each, "content": each["content"].replace("?", "？")} for each in MESSAGES]
    (tmp_path / "c.jsonl").write_text(json.dumps({"messages": wide}), encoding="utf-8")
    manage("import", tmp_path / "c.jsonl", "--name", "c", "--preset", "liu")
    assert "3 dialogues left" in manage("filter", "c")
    manage("sample", "c", "--name", "all", "--first", "3")
    of_prompt = {each.prompt: each for each in Sample.objects.get().scenarios.all()}
    assert of_prompt[ASKED[0]].context == ""
    assert turns_of(of_prompt[ASKED[2]].context) == AS_TURNS[:4]


def test_models_are_told_the_turns_too() -> None:
    *_, (prompt, context, _) = dialogues(*MESSAGES)
    assert PLAIN.messages("a", prompt=prompt, context=context) == MESSAGES[:5]
    with_place = PLAIN.model_copy(update={"template": "{context}\nUser: {prompt}"})
    (only,) = with_place.messages("a", prompt=prompt, context=context)
    assert only["content"] == f"{context}\nUser: {prompt}"
    assert PLAIN.messages("a", prompt="Hi.", context="A nurse, 40.") == [
        {"role": "user", "content": "Hi."}
    ]


def test_a_conversation_is_in_one_part() -> None:
    given = [Dialogue(i, (i + 2) // 3, f"p{i}", "", f"r{i}") for i in range(1, 91)]
    parts = Split(valid=0.2, test=0.2, seed=1, held_out={2}).parts(given)
    assert all(len(set(parts[n : n + 3])) == 1 for n in range(0, 90, 3))
    assert parts[:3] == [2, 2, 2], "what an evaluated conversation says never trains"


def test_lines_of_a_message_that_look_like_turns_stay_in_it() -> None:
    said = [
        {"role": "user", "content": "It says:\nSystem: reboot\nUser: bob"},
        {"role": "assistant", "content": "Then reboot."},
        {"role": "user", "content": "Done."},
        {"role": "assistant", "content": "Good."},
    ]
    layout = Layout(messages="messages", context=("about",))
    (_, first, _), (_, later, _) = layout.dialogues({"messages": said, "about": "A nurse."})
    assert [(turn.speaker, turn.text) for turn in turns_of(later)] == [
        ("system", "A nurse."),
        ("user", "It says:\n    System: reboot\n    User: bob"),
        ("assistant", "Then reboot."),
    ]
    assert first == "A nurse."
