"""What can be chosen for a scorer, for pages, commands and the API; it loads nothing big."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from survey.definition.options import FileEndings, SentFile, ValueLabels, WhenMissing
from survey.definition.parts import Part

Head = Literal["ridge", "linear"]
#: Those that can be chosen; the mean is what they are compared with.
HEAD_LABELS: Mapping[str, str] = {"ridge": "Ridge", "linear": "Published linear layer"}
#: Characters of a text that is scored.
LONGEST = 20_000


class TrainingSettings(Part):
    """How a scorer is trained."""

    head: Annotated[Head, ValueLabels(HEAD_LABELS)] = Field(
        default="ridge", description="what turns vectors into scores"
    )
    confidence: float = Field(default=0.95, ge=0.5, lt=1, description="of prediction intervals")
    seed: int = 1


class TrainingOptions(TrainingSettings):
    """How a scorer is trained, and on what."""

    #: Stored scorers may have larger ones.
    seed: int = Field(default=1, ge=0, le=2**31 - 1, description="of everything random")
    ratings: Annotated[SentFile | None, FileEndings(".csv,.tsv,.xlsx")] = Field(
        default=None,
        title="Rated texts (optional file)",
        description="rated texts (text, rating; dimension, scenario, system) in place of the "
        "study's own ratings",
    )


class TextOptions(Part):
    """A text to be scored by the newest trained scorer."""

    text: Annotated[str, WhenMissing("Write the text that is to be scored.")] = Field(
        min_length=1, max_length=LONGEST
    )
