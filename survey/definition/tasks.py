"""The tasks for a block."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, get_args

from pydantic import Field, field_validator, model_validator

from survey.definition.dimension_names import DimensionName, in_forms
from survey.definition.labels import Labels
from survey.definition.parts import (
    Name,
    Part,
    StoredPart,
    Text,
    refuse_repeats,
    with_hint,
    wrong,
)
from survey.definition.points import Point, PointValue, exact, point_value

#: Steps from one end of a slider to the other.
MOST_STEPS = 2000


class Dimension(Part):
    """One question asked about each response."""

    name: DimensionName
    question: Text


@dataclass(frozen=True)
class TextOfTask:
    """What participants read of a task: what it is, its text, and the answers offered."""

    label: str
    text: str
    options: Sequence[str] = ()
    #: What researchers have to know of it, and participants do not see.
    note: str = ""


class AskedTask(StoredPart):
    """A task, whatever its kind. Kinds say what differs."""

    #: The column that has its answers, in ratings.csv, ranks.csv or comments.csv.
    column: ClassVar[str]
    #: What files have for stored values; nothing where they have the numbers.
    words: ClassVar[Mapping[str, float]] = {}
    #: What it asks for, and what the answers are, in lists of both.
    asks_for: ClassVar[str]
    answers: ClassVar[str]
    #: What the codebook says of an empty cell.
    empty_in_words: ClassVar[str] = ""

    kind: str

    @classmethod
    def called(cls) -> str:
        """The kind, as study.yaml and stored answers have it."""
        return str(get_args(cls.model_fields["kind"].annotation)[0])

    @classmethod
    def cell(cls, value: float) -> float | str:
        """A stored value, as files have it."""
        return next((word for word, number in cls.words.items() if number == value), value)

    @classmethod
    def in_words(cls, value: float) -> str:
        """A stored value, as researchers read it."""
        return str(cls.cell(value))

    @property
    def values_in_words(self) -> str:
        """The values of its column, for the codebook."""
        raise NotImplementedError

    def texts(self, labels: Labels) -> Iterator[TextOfTask]:
        """What participants read of it."""
        raise NotImplementedError

    def measures(self, labels: Labels) -> Iterator[str]:
        """What it measures: sentences of a plan."""
        raise NotImplementedError


class RatingTask(AskedTask):
    """Every response is rated on every dimension. A block has at most one such task."""

    column, asks_for = "rating", "a rating of each response"
    #: What its questions are called.
    label: ClassVar[str]
    #: The form of the scale, as HEDS calls it (4.3.5).
    presented_as: ClassVar[str]
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

    @classmethod
    def input_name(cls, response: str, dimension: str) -> str:
        """The name of the inputs that rate a response, which browsers know by this id."""
        return f"r-{response}-{in_forms(dimension)}"

    @property
    def values_in_words(self) -> str:
        return "; ".join(f"{point.value} = {point.label}" for point in self.scale)

    @property
    def size_in_words(self) -> str:
        """How many values there are."""
        return str(len(self.scale))

    @property
    def scale_in_words(self) -> str:
        """How ratings are given: "on a scale of 2 points: 1 Low, 2 High"."""
        points = ", ".join(f"{point.value} {point.label}" for point in self.scale)
        return f"on a scale of {len(self.scale)} points: {points}"

    def texts(self, labels: Labels) -> Iterator[TextOfTask]:
        scale = [f"{point.value}: {point.label}" for point in self.scale]
        for one in self.dimensions:
            label = labels.text("dimensions", one.name)
            yield TextOfTask(f"{self.label}: {label}", one.question, scale)

    def measures(self, labels: Labels) -> Iterator[str]:
        for one in self.dimensions:
            label = labels.text("dimensions", one.name)
            yield f"{label}: “{one.question}”, {self.scale_in_words}."


class LikertTask(RatingTask):
    """Ratings on one labelled scale."""

    answers, label, presented_as = "ratings", "Rating", "multiple choice"

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

    answers, label, presented_as = "ratings on a line", "Slider", "slider"
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

    @property
    def values_in_words(self) -> str:
        step = self.step
        numbers = "whole numbers" if step == 1 else f"numbers in steps of {step}"
        return f"{super().values_in_words}; {numbers} between them"

    @property
    def size_in_words(self) -> str:
        return f"from {self.minimum} to {self.maximum}, in steps of {self.step:g}"

    @property
    def scale_in_words(self) -> str:
        return f"on a slider from {self.minimum} ({self.left}) to {self.maximum} ({self.right})"

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

    @property
    def is_shared(self) -> bool:
        """Whether several responses of a page may have the same value."""
        return False

    def of_ranks(self, ranks: Sequence[int]) -> list[float | None]:
        """The value of each response for a rater who ranks them so, 1 for the best; None for no
        value.
        """
        raise NotImplementedError

    @classmethod
    def input_of(cls, response: str, number: str, value: float) -> tuple[str, float | str]:
        """The input that gives a response a value: its name, and what it sends. `number`: see
        `StudyDefinition.numbered`.
        """
        raise NotImplementedError

    def _by_dimension(self, text: str) -> str:
        return f"{self.dimension}: {text}" if self.dimension else text

    def _labelled(self, text: str, labels: Labels) -> str:
        label = labels.text("dimensions", self.dimension)
        return f"{text}: {label}" if self.dimension else text


class RankingTask(ComparingTask):
    """The responses of a block are put in order, 1 for the best."""

    ALWAYS_STORED = frozenset({"dimension", "ties"})
    column, asks_for, answers = "rank", "a ranking", "ranks"

    kind: Literal["ranking"]
    question: Text
    ties: bool = False

    @property
    def is_shared(self) -> bool:
        return self.ties

    @classmethod
    def in_words(cls, value: float) -> str:
        return f"rank {value}"

    def of_ranks(self, ranks: Sequence[int]) -> list[float | None]:
        return [*ranks]

    @classmethod
    def input_name(cls, response: str, number: str) -> str:
        """The name of the inputs that give a response its rank; `number` as in `input_of`."""
        return f"rank{number}-{response}"

    @classmethod
    def input_of(cls, response: str, number: str, value: float) -> tuple[str, float | str]:
        return cls.input_name(response, number), value

    @property
    def values_in_words(self) -> str:
        return self._by_dimension(self.question)

    def texts(self, labels: Labels) -> Iterator[TextOfTask]:
        ties = "Ties are allowed." if self.ties else "Ties are not allowed."
        yield TextOfTask(self._labelled("Ranking", labels), self.question, note=ties)

    def measures(self, labels: Labels) -> Iterator[str]:
        yield f"Ranks of the responses on a page, 1 for the best: “{self.question}”."


class BestWorstTask(ComparingTask):
    """One response of a block is chosen as best and another one as worst."""

    ALWAYS_STORED = frozenset({"dimension"})
    column, asks_for, answers = "choice", "the best and the worst response", "best and worst"
    words, empty_in_words = {"best": 1, "worst": -1}, "neither"

    kind: Literal["best_worst"]
    best: Text
    worst: Text

    def of_ranks(self, ranks: Sequence[int]) -> list[float | None]:
        chosen = {1: self.words["best"], len(ranks): self.words["worst"]}
        return [chosen.get(rank) for rank in ranks]

    @classmethod
    def input_of(cls, response: str, number: str, value: float) -> tuple[str, float | str]:
        return f"{cls.cell(value)}{number}", response

    @property
    def values_in_words(self) -> str:
        return self._by_dimension(f"best = {self.best}; worst = {self.worst}")

    def texts(self, labels: Labels) -> Iterator[TextOfTask]:
        yield TextOfTask(self._labelled("Best response", labels), self.best)
        yield TextOfTask(self._labelled("Worst response", labels), self.worst)

    def measures(self, labels: Labels) -> Iterator[str]:
        yield f"The best and the worst response of a page: “{self.best}” and “{self.worst}”."


class TextTask(AskedTask):
    """A free answer, at the end of a block or of the study. Lengths are in characters."""

    ALWAYS_STORED = frozenset({"hint", "required", "minimum", "maximum"})
    column, asks_for, answers = "text", "a free answer", "free text"

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

    @property
    def values_in_words(self) -> str:
        return self.question

    def texts(self, labels: Labels) -> Iterator[TextOfTask]:
        needed = "Required" if self.required else "Optional"
        note = f"{needed}, {self.minimum} to {self.maximum} characters."
        yield TextOfTask("Free text", with_hint(self.question, self.hint), note=note)

    def measures(self, labels: Labels) -> Iterator[str]:
        yield f"Free text: “{self.question}”."


Task = Annotated[
    LikertTask | SliderTask | RankingTask | BestWorstTask | TextTask, Field(discriminator="kind")
]
#: Every kind by its name, in the order in which a page asks.
KINDS: dict[str, type[AskedTask]] = {kind.called(): kind for kind in get_args(get_args(Task)[0])}
#: Each column of tasks that compare, with its kind.
COMPARING: dict[str, type[ComparingTask]] = {
    kind.column: kind for kind in KINDS.values() if issubclass(kind, ComparingTask)
}


def kinds_in(*columns: str) -> tuple[str, ...]:
    """The names of the kinds whose answers are in these columns."""
    return tuple(name for name, kind in KINDS.items() if kind.column in columns)
