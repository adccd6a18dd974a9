"""Rubrics by name: our descriptions of what a judge should weigh. Pure.

`text` is for every dimension. A preset with `texts` has one for each of its own dimensions, which
the study must rate. `values` are the described points.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rubric:
    """What to weigh, and the points of the scale, if described."""

    text: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    values: tuple[int, ...] | None = None


def _anchored(what: str, anchors: Mapping[int, str]) -> str:
    lines = "\n".join(f"{value}: {text}" for value, text in anchors.items())
    return f"{what}\n\nWhat the points mean:\n{lines}"


#: Of a judge that named no rubric, up to prompts of format 3. The study by B N et al. used such a
#: line; the other two describe each point.
ONE_LINE = "one_line"

PRESETS: Mapping[str, Rubric] = {
    ONE_LINE: Rubric(
        "Consider how emotionally warm the reply is, how well it fits this person's situation, "
        "and how genuine it sounds."
    ),
    "anchored": Rubric(
        _anchored(
            "Judge how far the reply shows this person that their feelings are seen, understood "
            "and taken to heart. Length, style and correctness do not count by themselves.",
            {
                1: "Passes over the feelings, plays them down or blames the person.",
                2: "Names a feeling in a general or formulaic way, or turns to advice at once.",
                3: "Recognises the main feeling; the warmth is there but could be for anybody.",
                4: "Takes up what this person said, with warmth and without judging.",
                5: "Shows a deep understanding of what this means to this very person, with care "
                "that sounds sincere.",
            },
        ),
        values=(1, 2, 3, 4, 5),
    ),
    "three_components": Rubric(
        texts={
            "cognitive": _anchored(
                "Judge cognitive empathy alone: does the reply grasp the person's situation and "
                "point of view?",
                {
                    1: "Misses or misreads the situation.",
                    2: "Restates what was said, without seeing what it means to the person.",
                    3: "Sees what it means to the person, also what was left unsaid.",
                },
            ),
            "emotional": _anchored(
                "Judge emotional empathy alone: does the reply respond to what the person feels?",
                {
                    1: "No feeling is met, or it sounds cold.",
                    2: "Warm in a general way; the feeling is named at most.",
                    3: "Meets the very feelings of this person, warmly and in their measure.",
                },
            ),
            "behavioral": _anchored(
                "Judge behavioral empathy alone: does the reply offer support that helps?",
                {
                    1: "No support, or advice that ignores the person.",
                    2: "Support that would suit anybody.",
                    3: "Support that suits this person and leaves the choice to them.",
                },
            ),
        },
        values=(1, 2, 3),
    ),
}
