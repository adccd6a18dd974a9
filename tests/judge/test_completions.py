"""What a completion says: its answer, the thinking that was taken off it, and how it ended."""

from typing import Any

import pytest

from judge.completions import (
    Ended,
    Oddity,
    ReadCompletion,
    broke_off,
    read_completion,
    read_text,
    texts_of_thinking,
)

DRAFT = 'First idea: {"score": 2}. No, it is warmer.'


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{DRAFT}</think>\n\n4",
        f"  <THINK>\n{DRAFT}\n</THINK>4",
        f"<thinking>{DRAFT}</thinking>4",
        f"<thought>{DRAFT}</thought>\n4",
        f"<thoughts>{DRAFT}</thoughts>\n4",
        f"<reasoning>{DRAFT}</reasoning>\n<answer>4</answer>",
        f"<reflection>{DRAFT}</reflection> 4",
        f"<seed:think>{DRAFT}</seed:think>4",
        f'<think effort="high">{DRAFT}</think>4',
        f"[THINK]{DRAFT}[/THINK]4",
        f"◁think▷{DRAFT}◁/think▷4",
        f"<|START_THINKING|>{DRAFT}<|END_THINKING|><|START_RESPONSE|>4<|END_RESPONSE|>",
        f"<|begin_of_thought|>{DRAFT}<|end_of_thought|>\n"
        "<|begin_of_solution|>\n4\n<|end_of_solution|>",
        f"<unused94>thought\n{DRAFT}<unused95>4",
        f"<|channel>thought\n{DRAFT}<channel|>4",
        # The template put the opening tag into the prompt.
        f"{DRAFT}\n</think>\n\n4",
        f"{DRAFT}[/THINK]4",
        f"{DRAFT}\n</thought>\n4",
        f"{DRAFT} Say </think> when done.\n</think>\n4",
        # Tags that the thoughts mention, twice, in code.
        f"<think>{DRAFT} I am in a <think> block.</think>4",
        f"<think>{DRAFT} <think>Again.</think> So.</think>4",
        f"<think>{DRAFT}</think>\n<think>Sure?</think>\n4",
        f"<think></think>\n<think>{DRAFT}</think>4",
        f"4\n\n<think>{DRAFT}</think>",
        f"<think>{DRAFT} ```</think>\n4",
        # Channels, with their tokens and without.
        f"<|channel|>analysis<|message|>{DRAFT}<|end|>"
        "<|start|>assistant<|channel|>final<|message|>4<|return|>",
        f"<|start|>assistant<|channel|>analysis<|message|>{DRAFT}<|end|>"
        "<|start|>assistant<|channel|>final <|constrain|>json<|message|>4",
        f"analysis{DRAFT}assistantfinal4",
        # A template's tokens around it.
        f"<|im_start|>assistant\n<think>{DRAFT}</think>\n4<|im_end|>",
        f"<s>[INST] Rate it from 1 to 5. [/INST]<think>{DRAFT}</think>4</s>",
    ],
)
def test_thinking_is_no_part_of_the_answer(text: str) -> None:
    said = read_text(text)
    assert said.answer == "4"
    assert "First idea" in said.thinking
    assert Oddity.THINKING in said.notices
    assert said.ended == Ended.COMPLETE


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{DRAFT} But is that fair? The reply names her loss, and",
        f"<think>{DRAFT}\n\n4",
        f"[THINK]{DRAFT}",
        f"<|START_THINKING|>{DRAFT}",
        f"<|channel|>analysis<|message|>{DRAFT}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|>",
        f"analysis{DRAFT}",
        f"<think>Short.</think>\n<think>{DRAFT}",
        f"4\n<think>{DRAFT}",
    ],
)
def test_thinking_that_does_not_end_leaves_no_answer(text: str) -> None:
    said = read_text(text)
    assert said.answer == ""
    assert "First idea" in said.thinking
    assert Oddity.UNENDED in said.notices


@pytest.mark.parametrize(
    "text",
    [
        "4",
        "I think that is hard. Thinking of you!",
        "Put your thoughts between `<think>` and `</think>`.",
        "Models write:\n```\n<think>hm</think>\n```\nand then the answer.",
        "<p>A page</p>",
        "I gave it <s>two</s> three stars",
        "I gave it <s>two</s>",
        "analysis of the poem: final lines",
        "Analysis: it is final.",
        "She said [sic] it. [1]",
        "a < b and c > d | e",
        "I can't imagine how hard that must be.",
        "我不能想象那有多难。",
        "",
    ],
)
def test_text_without_traces_is_kept_letter_by_letter(text: str) -> None:
    assert read_text(text) == ReadCompletion(text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("That is hard.<|im_end|>", "That is hard."),
        ("That is hard.<|eot_id|>\n", "That is hard."),
        ("That is hard.</s>", "That is hard."),
        ("<s>That is hard.</s>", "That is hard."),
        ("That is hard.<end_of_turn>", "That is hard."),
        ("That is hard.<|endoftext|><|endoftext|>", "That is hard."),
        ("That is hard.<｜end▁of▁sentence｜>", "That is hard."),
        ("<|assistant|>\nThat is hard.", "That is hard."),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nThat is hard.", "That is hard."),
        ("<start_of_turn>model\nThat is hard.<end_of_turn>", "That is hard."),
        ("[INST] I lost her. [/INST] That is hard.", "That is hard."),
        ("[/INST] That is hard.", "That is hard."),
        ("That is hard.<|im_", "That is hard."),
    ],
)
def test_tokens_of_templates_are_taken_off(text: str, answer: str) -> None:
    said = read_text(text)
    assert said.answer == answer
    assert said.notices == (Oddity.TOKENS,)


@pytest.mark.parametrize(
    "text",
    [
        "That is hard.<|im_end|>\n<|im_start|>user\nThanks! {score: 1}",
        "That is hard. [INST] Thanks! [/INST] You are welcome.",
        "That is hard.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nThanks!",
    ],
)
def test_what_a_model_writes_after_its_turn_is_taken_off(text: str) -> None:
    said = read_text(text)
    assert said.answer == "That is hard."
    assert said.notices == (Oddity.TOKENS, Oddity.WENT_ON)


@pytest.mark.parametrize(
    ("content", "answer", "thinking"),
    [
        ("4", "4", ""),
        (None, "", ""),
        ([{"type": "text", "text": "4"}], "4", ""),
        ([{"type": "text", "text": "Score:"}, {"type": "text", "text": " 4"}], "Score: 4", ""),
        ([{"type": "thinking", "thinking": DRAFT}, {"type": "text", "text": "4"}], "4", DRAFT),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]},
                {"type": "text", "text": "4"},
            ],
            "4",
            DRAFT,
        ),
        ([{"type": "reasoning", "summary": [{"text": DRAFT}]}, {"text": "4"}], "4", DRAFT),
        ([{"type": "thinking", "thinking": DRAFT}], "", DRAFT),
        (["4"], "4", ""),
        ({"type": "text", "text": "4"}, "4", ""),
        ([{"type": "text", "text": f"<think>{DRAFT}</think>4"}], "4", DRAFT),
    ],
)
def test_content_is_a_text_or_its_parts(content: Any, answer: str, thinking: str) -> None:
    said = read_completion(content)
    assert (said.answer, said.thinking) == (answer, thinking)


def test_thinking_beside_the_answer_is_kept_and_is_no_answer() -> None:
    beside = texts_of_thinking(DRAFT, None, [{"type": "reasoning.text", "text": DRAFT}])
    assert beside == DRAFT
    assert read_completion("4", beside=beside) == ReadCompletion(
        "4", DRAFT, notices=(Oddity.THINKING,)
    )
    assert read_completion(None, beside=beside) == ReadCompletion(
        "", DRAFT, notices=(Oddity.THINKING,)
    )


@pytest.mark.parametrize(
    ("given", "ended"),
    [
        ({"finish_reason": "stop"}, Ended.COMPLETE),
        ({"finish_reason": None}, Ended.COMPLETE),
        ({"finish_reason": 7}, Ended.COMPLETE),
        ({"finish_reason": "length"}, Ended.CUT_OFF),
        ({"finish_reason": "repetition"}, Ended.CUT_OFF),
        ({"finish_reason": "MAX_TOKENS"}, Ended.CUT_OFF),
        ({"finish_reason": "content_filter"}, Ended.FILTERED),
        ({"finish_reason": "SAFETY"}, Ended.FILTERED),
        ({"finish_reason": "refusal"}, Ended.REFUSED),
        ({"refusal": "I can't help with that."}, Ended.REFUSED),
        ({"refusal": ""}, Ended.COMPLETE),
        ({"refusal": "No.", "finish_reason": "content_filter"}, Ended.REFUSED),
    ],
)
def test_endpoint_says_how_an_answer_ended(given: dict[str, Any], ended: Ended) -> None:
    assert read_completion("That is", **given).ended == ended


def test_refusal_is_the_answer_where_there_is_no_other() -> None:
    assert read_completion(None, refusal="I can't help.").answer == "I can't help."
    parts = [{"type": "refusal", "refusal": "I can't help."}]
    assert read_completion(parts) == ReadCompletion("I can't help.", ended=Ended.REFUSED)


@pytest.mark.parametrize(
    "text",
    [
        "I can't rate this.",
        "I’m sorry, but I can’t help with that request.",
        "I cannot provide a score for this reply.",
        "I'm unable to assess it.",
        "As an AI, I have no feelings.",
        "Unfortunately, I won't answer that.",
        "抱歉，我无法评价。",
        "作为一个AI，我没有感受。",
    ],
)
def test_words_of_a_refusal_are_noticed_and_kept(text: str) -> None:
    assert read_text(text) == ReadCompletion(text, notices=(Oddity.MAY_REFUSE,))


@pytest.mark.parametrize(
    "text",
    [
        "I can't imagine how you feel.",
        "I'm so sorry. I can't believe that he said that.",
        "I won't pretend that it is easy.",
        "I cannot stress enough that this is not your fault.",
        "I am not able to feel your pain, and I am here.",
    ],
)
def test_empathy_is_no_refusal(text: str) -> None:
    assert read_text(text) == ReadCompletion(text)


@pytest.mark.parametrize(
    ("content", "notice"),
    [
        ([{"type": "image_url", "image_url": {"url": "x"}}], Oddity.LEFT_OUT),
        (7, Oddity.LEFT_OUT),
    ],
)
def test_parts_that_are_no_text_are_noticed(content: Any, notice: Oddity) -> None:
    assert read_completion(content) == ReadCompletion("", notices=(notice,))


def test_call_of_a_tool_is_noticed() -> None:
    assert read_completion(None, finish_reason="tool_calls").notices == (Oddity.TOOL,)


@pytest.mark.parametrize(
    "part",
    ["<think>", "</think>", "`", "[INST]", "<", "<|channel|>", "\n<think>a</think>", " ", "<s>",
     "x</think>", "\n<think>", "</s>", "<|im_end|>", "analysis", "\n", "<think>a</think>\nb"],
)  # fmt: skip
def test_long_and_odd_texts_are_read(part: str) -> None:
    """Were the time not linear, this would not end."""
    read_text(part * (2_000_000 // len(part)))
    read_text(part * (2_000_000 // len(part)) + "x")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("    return x\n    y", "    return x\n    y"),
        ("<think>Hm.</think>\n\n    return x\n    y\n", "    return x\n    y"),
        ("<think>Hm.</think>  It is fine.", "It is fine."),
        (" It is fine.", "It is fine."),
    ],
)
def test_code_keeps_the_indentation_of_its_first_line(text: str, answer: str) -> None:
    assert read_completion(text).answer == answer


@pytest.mark.parametrize(
    "reason",
    ["error", "abort", "timeout", "cancelled", "engine_overloaded", "insufficient_system_resource"],
)
def test_endpoint_says_that_it_failed(reason: str) -> None:
    assert broke_off(reason) and broke_off(reason.upper())


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter", None, 7])
def test_other_endings_are_no_failure(reason: object) -> None:
    assert not broke_off(reason)
