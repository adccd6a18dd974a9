"""What the judge reads."""

from judge.prompts import approximate_tokens, messages
from survey.definition.tasks import Point

ASKED = {
    "rubric": "Consider its warmth.",
    "scale": [Point(value=0, label="Cold"), Point(value=10, label="Warm")],
    "question": "How warm is this?",
    "prompt": "I failed.",
    "context": "",
    "response": "That hurts.",
}


def test_judge_reads_rubric_scale_and_one_response() -> None:
    system, user = messages(**ASKED)  # type: ignore[arg-type]  # keys of different types
    assert (system["role"], user["role"]) == ("system", "user")
    for part in ("How warm is this?", "Consider its warmth.", "\n0 = Cold\n10 = Warm\n"):
        assert part in system["content"]
    assert user["content"] == ("<message>\nI failed.\n</message>\n\n<reply>\nThat hurts.\n</reply>")


def test_judge_is_told_that_scores_may_lie_between_the_ends_of_a_slider() -> None:
    points, _ = messages(**ASKED)  # type: ignore[arg-type]  # keys of different types
    slider, _ = messages(**ASKED | {"between": True})  # type: ignore[arg-type]  # as above
    assert "Answer with one integer of the scale and nothing else" in points["content"]
    assert "Answer with any integer from 0 to 10 and nothing else" in slider["content"]


def test_context_stands_above_the_message() -> None:
    _, user = messages(**ASKED | {"context": "A student."})  # type: ignore[arg-type]  # as above
    assert user["content"].startswith("<context>\nA student.\n</context>\n\n<message>")


def test_tokens_are_estimated_from_the_length() -> None:
    assert approximate_tokens([{"role": "user", "content": "x" * 400}]) == 104
