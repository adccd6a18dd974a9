"""The tasks for a block."""

from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from survey.definition.parts import Name, Part, Text, refuse_repeats


def whole_or_half(value: float) -> float:
    """A multiple of 0.5, as an int if it is whole: 2, 2.5. Raises ValueError for other numbers."""
    if type(value) not in (int, float) or value * 2 % 1 != 0:
        raise ValueError("must be a whole or half number, such as 2 or 2.5")
    return int(value) if value % 1 == 0 else value


#: Stored as it is: as a float, a whole number would become another one in a study's hash.
AsItIs = PlainSerializer(lambda value: value)
WholeOrHalf = Annotated[float, PlainValidator(whole_or_half), AsItIs]


class Point(Part):
    """One point of a scale; every point is labelled."""

    value: WholeOrHalf
    label: Text


class Dimension(Part):
    """One question asked about each response."""

    name: Name
    question: Text


class _RatingTask(Part):
    dimensions: list[Dimension] = Field(min_length=1)

    @field_validator("dimensions")
    @classmethod
    def _dimensions_once(cls, dimensions: list[Dimension]) -> list[Dimension]:
        refuse_repeats("dimension", [d.name for d in dimensions])
        return dimensions


class LikertTask(_RatingTask):
    """Every response is rated on every dimension, on one labelled scale."""

    kind: Literal["likert"]
    scale: list[Point] = Field(min_length=2, max_length=11)

    @property
    def values(self) -> list[float]:
        """The values that a rating may have, rising."""
        return [point.value for point in self.scale]

    @field_validator("scale")
    @classmethod
    def _values_rise(cls, scale: list[Point]) -> list[Point]:
        values = [point.value for point in scale]
        if values != sorted(set(values)):
            raise ValueError("values must increase")
        if len({point.label for point in scale}) < len(scale):
            raise ValueError("two points have the same label")
        return scale


class SliderTask(_RatingTask):
    """Every response is rated on every dimension, on a slider without a starting value."""

    kind: Literal["slider"]
    minimum: int = 0
    maximum: int = 100
    step: WholeOrHalf = 1
    left: Text = Field(description="What the minimum means")
    right: Text = Field(description="What the maximum means")

    @property
    def values(self) -> list[float]:
        """The values that a rating may have, rising."""
        steps = int((self.maximum - self.minimum) / self.step)
        return [whole_or_half(self.minimum + number * self.step) for number in range(steps + 1)]

    @property
    def scale(self) -> list[Point]:
        """The two labelled ends."""
        return [
            Point(value=self.minimum, label=self.left),
            Point(value=self.maximum, label=self.right),
        ]

    @model_validator(mode="after")
    def _has_length(self) -> "SliderTask":
        if not 1 <= self.maximum - self.minimum <= 1000:
            raise ValueError("maximum must be above minimum, by at most 1000")
        return self

    @field_validator("step")
    @classmethod
    def _one_or_a_half(cls, step: float) -> float:
        if step not in (1, 0.5):
            raise ValueError("must be 1 or 0.5")
        return step

    @model_serializer(mode="wrap")
    def _without_newer_default(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """`step` is newer than some stored studies, which stay the same without it."""
        dumped: dict[str, Any] = dump(self)
        return {name: value for name, value in dumped.items() if (name, value) != ("step", 1)}


class RankingTask(Part):
    """The responses of a block are put in order, 1 for the best."""

    kind: Literal["ranking"]
    question: Text
    dimension: Name | Literal[""] = ""
    ties: bool = False


class BestWorstTask(Part):
    """One response of a block is chosen as best and another one as worst."""

    kind: Literal["best_worst"]
    best: Text
    worst: Text
    dimension: Name | Literal[""] = ""


class TextTask(Part):
    """A free answer, at the end of a block or of the study. Lengths are in characters."""

    kind: Literal["text"]
    name: Name
    question: Text
    hint: Text | None = None
    required: bool = False
    minimum: int = Field(default=0, ge=0)
    maximum: int = Field(default=2000, ge=1, le=20000)

    @model_validator(mode="after")
    def _lengths_fit(self) -> "TextTask":
        if self.minimum > self.maximum:
            raise ValueError("minimum is above maximum")
        return self


RatingTask = LikertTask | SliderTask
Task = Annotated[
    LikertTask | SliderTask | RankingTask | BestWorstTask | TextTask, Field(discriminator="kind")
]
#: Tasks that compare the responses of a page. A block can have several of a kind, each with its
#: dimension; of those that rate it has one.
ComparingTask = RankingTask | BestWorstTask
COMPARING_KINDS = ("ranking", "best_worst")
