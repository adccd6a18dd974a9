"""The tasks for a block."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from survey.definition.dimension_names import DimensionName
from survey.definition.parts import Name, Part, StoredPart, Text, refuse_repeats, wrong
from survey.definition.points import Point, PointValue, exact, point_value

#: Steps from one end of a slider to the other.
MOST_STEPS = 2000


class Dimension(Part):
    """One question asked about each response."""

    name: DimensionName
    question: Text


class AskedTask(StoredPart):
    """A task, whatever its kind. Kinds say what differs."""

    kind: str


class RatingTask(AskedTask):
    """Every response is rated on every dimension. A block has at most one such task."""

    #: Whether ratings may lie between the labelled points.
    between: ClassVar[bool] = False

    if TYPE_CHECKING:  # some kinds are given it: pydantic would take a property for its default

        @property
        def scale(self) -> list[Point]:
            """The labelled points, rising."""

    dimensions: list[Dimension] = Field(min_length=1)

    @field_validator("dimensions")
    @classmethod
    def _dimensions_once(cls, dimensions: list[Dimension]) -> list[Dimension]:
        refuse_repeats("dimension", [d.name.casefold() for d in dimensions])
        return dimensions

    @property
    def values(self) -> list[float]:
        """The values that a rating may have, rising."""
        raise NotImplementedError


class LikertTask(RatingTask):
    """Ratings on one labelled scale."""

    kind: Literal["likert"]
    scale: list[Point] = Field(min_length=2, max_length=11)

    @property
    def values(self) -> list[float]:
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


class SliderTask(RatingTask):
    """Ratings on a slider without a starting value."""

    between = True
    ALWAYS_STORED = frozenset({"minimum", "maximum"})

    kind: Literal["slider"]
    minimum: PointValue = 0
    maximum: PointValue = 100
    step: PointValue = 1
    left: Text = Field(description="What the minimum means")
    right: Text = Field(description="What the maximum means")

    @property
    def values(self) -> list[float]:
        least, step = exact(self.minimum), exact(self.step)
        steps = int((exact(self.maximum) - least) / step)
        return [point_value(float(least + number * step)) for number in range(steps + 1)]

    @property
    def scale(self) -> list[Point]:
        return [
            Point(value=self.minimum, label=self.left),
            Point(value=self.maximum, label=self.right),
        ]

    @model_validator(mode="after")
    def _has_length(self) -> "SliderTask":
        if not 1 <= self.maximum - self.minimum <= 1000:
            raise ValueError("maximum must be above minimum, by at most 1000")
        steps = (exact(self.maximum) - exact(self.minimum)) / exact(self.step)
        if steps % 1 or steps > MOST_STEPS:
            raise wrong(
                ("step",),
                f"must lead from minimum to maximum in at most {MOST_STEPS} equal steps",
            )
        return self

    @field_validator("step")
    @classmethod
    def _is_positive(cls, step: float) -> float:
        if step <= 0:
            raise ValueError("must be above 0, such as 0.5")
        return step


class ComparingTask(AskedTask):
    """The responses of a page are compared. A block can have several such tasks, also of one kind,
    each with a dimension.
    """

    dimension: DimensionName | Literal[""] = ""


class RankingTask(ComparingTask):
    """The responses of a block are put in order, 1 for the best."""

    ALWAYS_STORED = frozenset({"dimension", "ties"})
    kind: Literal["ranking"]
    question: Text
    ties: bool = False


class BestWorstTask(ComparingTask):
    """One response of a block is chosen as best and another one as worst."""

    ALWAYS_STORED = frozenset({"dimension"})
    kind: Literal["best_worst"]
    best: Text
    worst: Text


class TextTask(AskedTask):
    """A free answer, at the end of a block or of the study. Lengths are in characters."""

    ALWAYS_STORED = frozenset({"hint", "required", "minimum", "maximum"})
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


Task = Annotated[
    LikertTask | SliderTask | RankingTask | BestWorstTask | TextTask, Field(discriminator="kind")
]
COMPARING_KINDS = ("ranking", "best_worst")
