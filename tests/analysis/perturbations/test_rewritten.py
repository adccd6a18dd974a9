"""What a language model says around a rewritten text is no part of it."""

import pytest

from analysis.perturbations.rewritten import PREFACE, WRAPPING, rewritten_text

ORIGINAL = "I hear how tired you are, and I am glad that you wrote to me tonight."
TEXT = "I hear you're tired; glad you wrote."


@pytest.mark.parametrize(
    "preface",
    [
        "Here is a shorter version:",
        "Here's the shortened text:",
        "Here is the rewritten text:",
        "Here are the rewritten replies:",
        "Sure! Here is a shorter version:",
        "Sure, here's a more casual version:",
        "Certainly! Here's the text in a formal style:",
        "Of course. Here is the reply, about two thirds as long:",
        "Okay, here's a casual version of the text:",
        "Absolutely! Here's the rewritten text:",
        "Below is the rewritten text:",
        "This is the shortened version of your text:",
        "The rewritten text:",
        "Rewritten text:",
        "Rewritten:",
        "Shortened version:",
        "**Rewritten text:**",
        "**Shorter version:**",
        "Sure:",
        "Certainly, in a casual style:",
        "Hier ist eine kürzere Fassung:",
        "Voici une version plus courte :",
        "Aquí tienes una versión más corta:",
        "以下是改写后的文本：",
        "好的，以下是缩短的版本：",
        "这是改写后的内容:",
    ],
)
@pytest.mark.parametrize("gap", ["\n\n", "\n", " "])
def test_preface_is_taken_off_and_noted(preface: str, gap: str) -> None:
    assert rewritten_text(preface + gap + TEXT, ORIGINAL) == (TEXT, [PREFACE])


@pytest.mark.parametrize(
    "answer",
    [
        f"<text>\n{TEXT}\n</text>",
        f"<text>{TEXT}",
        f'"{TEXT}"',
        f"“{TEXT}”",
        f"```\n{TEXT}\n```",
        f"```text\n{TEXT}\n```",
    ],
)
def test_wrapping_is_taken_off_and_noted(answer: str) -> None:
    assert rewritten_text(answer, ORIGINAL) == (TEXT, [WRAPPING])


def test_preface_and_wrapping_are_both_noted() -> None:
    both = (TEXT, [PREFACE, WRAPPING])
    assert rewritten_text(f'Here is a shorter version:\n\n"{TEXT}"', ORIGINAL) == both
    tagged = f"Here you go:\n<text>\n{TEXT}\n</text>\nIs it fine?"
    assert rewritten_text(tagged, ORIGINAL) == (TEXT, [WRAPPING, PREFACE])


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "You could try two things: rest, and a walk.",
        "Here is what I hear: you are tired.",
        "The hard part: you are alone with it.",
        "Sure, that was hard. Here I am.",
        "This is hard: I hear it.",
        "You could try:\n\n- rest\n- a walk",
        '"Tired" is a small word for it.',
        "Rest. Then: a walk.",
        "我听到你很累：请休息。",
        "Text me when you are home: I worry.",
        "I wrote a version of it: it was mine.",
        "Here is a version of it:",
    ],
)
def test_text_that_only_looks_like_it_stays(text: str) -> None:
    assert rewritten_text(text, ORIGINAL) == (text, [])


def test_what_the_original_has_stays() -> None:
    original = "Here is a shorter version: I hear you, and I am here."
    text = "Here is a shorter version: I hear you."
    assert rewritten_text(text, original) == (text, [])
    assert rewritten_text('"I hear you."', '"I hear you, my dear."') == ('"I hear you."', [])
