"""The survey's part of study.yaml.

Nothing here knows five, six, four, 1–5 or the name of a condition: they come from the file.
"""

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]


class Part(BaseModel):
    """A part of the file: unknown keys are errors, values are never coerced silently."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Texts(Part):
    """What participants read, in Markdown (no raw HTML, no images)."""

    information: Text
    instructions: Text
    thanks: Text
    declined: Text = "You chose not to take part. Thank you for your interest."
    closed: Text = "This study is not taking new participants at the moment."
    help: Text | None = None


class Consent(Part):
    """The statement beside the checkbox, and the label of the button that declines."""

    statement: Text
    decline: Text = "I do not want to take part"


class Point(Part):
    """One point of a scale; every point is labelled."""

    value: int
    label: Text


class Dimension(Part):
    """One thing asked of each response."""

    name: Name
    question: Text


class LikertTask(Part):
    """Every response is rated on every dimension, on one labelled scale."""

    kind: Literal["likert"]
    scale: list[Point] = Field(min_length=2, max_length=11)
    dimensions: list[Dimension] = Field(min_length=1)

    @field_validator("scale")
    @classmethod
    def _values_rise(cls, scale: list[Point]) -> list[Point]:
        values = [point.value for point in scale]
        if values != sorted(set(values)):
            raise ValueError("values must rise, each once")
        if len({point.label for point in scale}) < len(scale):
            raise ValueError("two points have the same label")
        return scale

    @field_validator("dimensions")
    @classmethod
    def _dimensions_once(cls, dimensions: list[Dimension]) -> list[Dimension]:
        _refuse_repeats("dimension", [d.name for d in dimensions])
        return dimensions


class SystemName(Part):
    """A model in a condition."""

    model: Text
    condition: Text


class AttentionItem(Part):
    """An instructed-response item on the study's own scale, placed at random in a range."""

    name: Name
    statement: Text
    answer: int
    after_blocks: tuple[int, int]

    @field_validator("after_blocks", mode="before")
    @classmethod
    def _pair(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("after_blocks")
    @classmethod
    def _rising(cls, value: tuple[int, int]) -> tuple[int, int]:
        if not 1 <= value[0] <= value[1]:
            raise ValueError("give two numbers of blocks, the smaller first, from 1 on")
        return value


class IntegerQuestion(Part):
    """A whole number, such as an age in years."""

    name: Name
    kind: Literal["integer"]
    question: Text
    hint: Text | None = None
    minimum: int
    maximum: int


class ChoiceQuestion(Part):
    """One of several options (`single`) or any number of them (`multiple`)."""

    name: Name
    kind: Literal["single", "multiple"]
    question: Text
    hint: Text | None = None
    options: list[Text] = Field(min_length=2)
    #: What a `multiple` answer with two or more options counts as in tables. It stands after the
    #: options there, or where it is written among them; it is never offered itself.
    several: Text | None = None

    @property
    def offered(self) -> list[str]:
        """What participants choose from."""
        return [option for option in self.options if option != self.several]

    @property
    def categories(self) -> list[str]:
        """What answers count as, in the order of tables."""
        return list(dict.fromkeys([*self.options, *([self.several] if self.several else [])]))

    @field_validator("options")
    @classmethod
    def _options_once(cls, options: list[str]) -> list[str]:
        _refuse_repeats("option", options)
        return options

    @model_validator(mode="after")
    def _several_of_many(self) -> "ChoiceQuestion":
        if self.several is not None and self.kind != "multiple":
            raise ValueError("several belongs to questions of kind multiple")
        if len(self.offered) < 2:
            raise ValueError("give two options or more beside several")
        return self


class StateQuestion(Part):
    """A US state or the District of Columbia; the Census region is derived from it."""

    name: Name
    kind: Literal["us_state"]
    question: Text
    hint: Text | None = None


#: Columns of participants.csv, exported or analysed, that are no answers; no question may be
#: called so.
RESERVED_NAMES = frozenset(
    [
        "participant",
        "source",
        "status",
        "started_at",
        "finished_at",
        "duration_seconds",
        "attention_checks_failed",
        "region",
        "sigma",
        "mae",
        "included",
        "exclusion",
        "gold_by",
        "active",
    ]
)

Question = Annotated[IntegerQuestion | ChoiceQuestion | StateQuestion, Field(discriminator="kind")]


class Prolific(Part):
    """Completion codes, each with its own ending; and where the button leads."""

    completion_code: Text
    declined_code: Text | None = None
    return_url: Text = "https://app.prolific.com/submissions/complete"


class Settings(Part):
    """What may change while a study runs."""

    ways_in: list[Literal["prolific", "link", "invitation"]] = Field(
        default=["prolific"], min_length=1
    )
    prolific: Prolific | None = None

    @model_validator(mode="after")
    def _codes_for_prolific(self) -> "Settings":
        if "prolific" in self.ways_in and self.prolific is None:
            raise ValueError("prolific.completion_code is missing: Prolific is a way in")
        return self


class StudyDefinition(Part):
    """What raters see. A change of it makes a new version of the study."""

    slug: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")]
    title: Annotated[Text, StringConstraints(max_length=300)]
    language: Literal["en"] = "en"
    estimated_minutes: int = Field(ge=1)
    texts: Texts
    consent: Consent
    tasks: list[LikertTask] = Field(min_length=1, max_length=1)
    conditions: list[Text] = Field(min_length=1)
    condition_a: Text | None = None
    condition_b: Text | None = None
    reference: SystemName | None = None
    sets: dict[str, list[Text]] | None = None
    attention_checks: list[AttentionItem] = []
    demographics: list[Question] = []

    @property
    def likert(self) -> LikertTask:
        """The rating task."""
        return self.tasks[0]

    def allowed_values(self) -> set[int]:
        """The values that a rating may have."""
        return {point.value for point in self.likert.scale}

    @model_validator(mode="after")
    def _consistent(self) -> "StudyDefinition":
        _refuse_repeats("condition", self.conditions)
        _refuse_repeats("attention check", [c.name for c in self.attention_checks])
        _refuse_repeats("demographic question", [q.name for q in self.demographics])
        for question in self.demographics:
            if question.name in RESERVED_NAMES:
                raise ValueError(f"{question.name!r} is a column of participants.csv already")
        if (self.condition_a is None) != (self.condition_b is None):
            raise ValueError("condition_a and condition_b go together")
        if self.condition_a is not None and self.condition_a == self.condition_b:
            raise ValueError("condition_a and condition_b must differ")
        for key in ("condition_a", "condition_b"):
            value = getattr(self, key)
            if value is not None and value not in self.conditions:
                raise ValueError(f"{key} {value!r} is not among the conditions")
        if self.reference and self.reference.condition not in self.conditions:
            raise ValueError(f"reference {self.reference.condition!r} is not among the conditions")
        for check in self.attention_checks:
            if check.answer not in self.allowed_values():
                raise ValueError(
                    f"attention check {check.name}: {check.answer} is not a point of the scale"
                )
        return self


def _refuse_repeats(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{what} {name!r} stands twice")
