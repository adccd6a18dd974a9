"""What a language model says around a rewritten text is no part of it."""

import time

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
        "Here you go:",
        "Understood. Here is the rewritten text:",
        "I've shortened the text:",
        "改写后的文本：",
        "当然可以！以下是改写后的文本：",
        "Below is the rewritten text:",
        "This is the shortened version of your text:",
        "The rewritten text:",
        "Rewritten text:",
        "Rewritten:",
        "Shortened version:",
        "**Rewritten text:**",
        "**Shorter version:**",
        "Sure:",
        "Hier ist eine kürzere Fassung:",
        "Voici une version plus courte :",
        "Aquí tienes una versión más corta:",
        "以下是改写后的文本：",
        "好的，以下是缩短的版本：",
        "这是改写后的内容:",
    ],
)
@pytest.mark.parametrize("gap", ["\n\n", "\n"])
def test_preface_is_taken_off_and_noted(preface: str, gap: str) -> None:
    assert rewritten_text(preface + gap + TEXT, ORIGINAL) == (TEXT, [PREFACE])


@pytest.mark.parametrize(
    "preface",
    [
        "Here is a shorter version:",
        "Sure! Here's the rewritten text:",
        "Here is a more casual version of the text:",
    ],
)
def test_preface_on_the_line_of_the_text_is_taken_off(preface: str) -> None:
    assert rewritten_text(f"{preface} {TEXT}", ORIGINAL) == (TEXT, [PREFACE])


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
        "Of course it hurts: you lost her.",
        "Absolutely no one should go through this: I am so sorry.",
        "Sure, come by at 10:30 and we can talk.",
        "The text she sent at 3:15 still hurts.",
        "The answer is at https://example.org/help today.",
        "The message was clear: you miss her.",
        "Here is the message I hear: you are alone.",
        "This is my answer: I am here.",
        "这是真的：你很难过。",
        "Voici ma réponse : je suis là.",
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


@pytest.mark.parametrize("text", ["#" + "\n" * 200_000 + "x", "<text>x" + " " * 200_000 + "x"])
def test_blanks_without_end_are_read_at_once(text: str) -> None:
    began = time.process_time()
    rewritten_text(text, ORIGINAL)
    assert time.process_time() - began < 2, "it took minutes"


@pytest.mark.parametrize(
    "offer",
    [
        "Let me know if you'd like a shorter version.",
        "Let me know if you want any changes!",
        "I hope this works for you.",
    ],
)
def test_offer_behind_an_announced_text_is_taken_off(offer: str) -> None:
    assert rewritten_text(f"Here is a shorter version:\n\n{TEXT}\n\n{offer}", ORIGINAL)[0] == TEXT


@pytest.mark.parametrize(
    ("end", "original_end"),
    [
        ("Let me know if you would like to talk.", ORIGINAL),
        ("I hope this gets easier.", ORIGINAL),
        ("Let me know if I should change my tone.", "Let me know if my tone should change."),
    ],
)
def test_end_of_the_reply_itself_stays(end: str, original_end: str) -> None:
    text = f"{TEXT}\n\n{end}"
    original = f"{ORIGINAL}\n\n{original_end}"
    assert rewritten_text(f"Here is a shorter version:\n\n{text}", original)[0] == text
