"""Which filters a corpus goes through, and the files that they leave. Pure, and without what
filtering needs, so that web processes may ask for it (`corpus.filtering` does it).
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, field_validator

from corpus.dialogues import PRESETS
from survey.definition.options import ValueLabels, WhenMissing
from survey.definition.parts import Part

Step = Literal[
    "width", "blank", "anonymize", "url", "emoji", "short", "duplicate", "near_duplicate"
]
TextName = Literal["prompt", "response"]

RAW, CORPUS, REMOVED = "raw.jsonl", "corpus.jsonl", "removed.csv"
ANONYMIZED, STEPS = "anonymized.csv", "steps.csv"


STEP_LABELS: Mapping[Step, str] = {
    "width": "Make full-width characters, spaces and line ends uniform",
    "blank": "Remove empty texts",
    "anonymize": "Replace mail addresses, phone numbers, web addresses and names",
    "url": "Remove texts with web addresses",
    "emoji": "Remove texts with emoji",
    "short": "Remove short texts",
    "duplicate": "Remove duplicates",
    "near_duplicate": "Remove near-duplicates",
}
TEXT_LABELS: Mapping[TextName, str] = {"prompt": "Prompts", "response": "Responses"}
SAME_LABELS = {"dialogue": "prompt and response", "prompt": "the prompt"}


class Filters(Part):
    """Which filters a corpus goes through, and how."""

    steps: Annotated[tuple[Step, ...], ValueLabels(STEP_LABELS)] = Field(
        default=get_args(Step), strict=False, title="Steps, in this order"
    )
    checked: Annotated[
        tuple[TextName, ...],
        ValueLabels(TEXT_LABELS),
        WhenMissing("Choose prompts, responses or both: in them these filters look."),
    ] = Field(
        default=("prompt", "response"),
        strict=False,
        min_length=1,
        title="Web addresses, emoji and short texts count in",
        description="text in which web addresses, emoji and too few tokens count",
    )
    #: Words, or single characters of scripts without spaces.
    min_tokens: int = Field(default=5, ge=1, le=1000, title="Fewest tokens of a text")
    same: Annotated[Literal["dialogue", "prompt"], ValueLabels(SAME_LABELS)] = Field(
        default="dialogue", title="A duplicate repeats"
    )
    #: Of the pairs of words of both.
    near: float = Field(default=0.8, ge=0.5, le=1, title="Least share of near-duplicates")
    #: Besides those by which people are introduced.
    names: tuple[str, ...] = Field(default=(), strict=False, title="Names to replace everywhere")

    @field_validator("steps")
    @classmethod
    def _in_order(cls, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(step for step in get_args(Step) if step in steps)


def filters_of(preset: str, given: Mapping[str, Any]) -> Filters:
    """The filters of a preset (empty: of none) with what is `given`; None leaves a value as it is.

    Raises pydantic's ValidationError.
    """
    said = {name: value for name, value in given.items() if value is not None}
    if known := PRESETS.get(preset):
        said = {"same": known.same, "checked": known.checked} | said
    return Filters(**said)
