"""Which filters a corpus goes through, and the files that they leave. Pure, and without what
filtering needs, so that web processes may ask for it (`corpus.filtering` does it).
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from pydantic import Field

from corpus.dialogues import PRESETS
from survey.definition.parts import Part

Step = Literal[
    "width", "blank", "anonymize", "url", "emoji", "short", "duplicate", "near_duplicate"
]
TextName = Literal["prompt", "response"]

RAW, CORPUS, REMOVED = "raw.jsonl", "corpus.jsonl", "removed.csv"
ANONYMIZED, STEPS = "anonymized.csv", "steps.csv"


class Filters(Part):
    """Which filters a corpus goes through, and how."""

    steps: tuple[Step, ...] = get_args(Step)
    #: The texts that `url`, `emoji` and `short` look at.
    checked: tuple[TextName, ...] = ("prompt", "response")
    #: Fewer tokens are `short`: words, or single characters of scripts without spaces.
    min_tokens: int = Field(default=5, ge=1, le=1000)
    #: What a duplicate repeats: prompt and response, or the prompt.
    same: Literal["dialogue", "prompt"] = "dialogue"
    #: The least share of common pairs of words of near-duplicates.
    near: float = Field(default=0.8, ge=0.5, le=1)
    #: Names that are replaced besides those by which people are introduced.
    names: tuple[str, ...] = ()


def filters_of(preset: str, given: Mapping[str, Any]) -> Filters:
    """The filters of a preset (empty: of none) with what is `given`; None leaves a value as it is.

    Raises pydantic's ValidationError.
    """
    said = {name: value for name, value in given.items() if value is not None}
    if known := PRESETS.get(preset):
        said = {"same": known.same, "checked": known.checked} | said
    return Filters(**said)
