"""The survey's part of study.yaml.

Nothing here knows five, six, four, 1–5 or the name of a condition: they come from the file.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from survey.definition.checks import AttentionItem
from survey.definition.language import LanguageCode
from survey.definition.parts import Part, Text, refuse_repeats
from survey.definition.questions import RESERVED_NAMES, Question, ScreeningQuestion
from survey.definition.tasks import (
    SINGLE_KINDS,
    BestWorstTask,
    Point,
    RankingTask,
    RatingTask,
    Task,
    TextTask,
)


class Texts(Part):
    """What participants read, in Markdown (no raw HTML, no images).

    An absent text is the interface's own, in the participant's language. `help` is the
    exception that may be false: then there is none.
    """

    information: Text
    instructions: Text
    thanks: Text
    warning: Text | None = Field(default=None, description="Sensitive content, before entry")
    failed_attention: Text | None = None
    screened_out: Text | None = None
    declined: Text | None = None
    full: Text | None = None
    withdrawn: Text | None = None
    closed: Text | None = None
    help: Text | Literal[False] | None = None


class Consent(Part):
    """The statement beside the checkbox, and the label of the button that declines."""

    statement: Text
    decline: Text | None = None


class SystemName(Part):
    """A model in a condition."""

    model: Text
    condition: Text


class Order(Part):
    """How blocks and the responses of each are ordered for a participant.

    `random` draws each order by itself; `balanced` takes rows of Williams squares.
    """

    responses: Literal["random", "balanced"] = "random"
    blocks: Literal["random", "balanced"] = "random"
    scenarios_together: bool = False


class StudyDefinition(Part):
    """What raters see, in one language. A change of it makes a new version of the study."""

    slug: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")]
    title: Text
    language: LanguageCode = "en"
    pilot: bool = False
    estimated_minutes: int = Field(ge=1)
    texts: Texts
    consent: Consent
    tasks: list[Task] = Field(min_length=1)
    response_format: Literal["plain", "markdown"] = "plain"
    response_labels: Literal["numbers", "letters"] = "numbers"
    comment: Text | None = Field(default=None, description="A question for remarks on each block")
    conditions: list[Text] = Field(min_length=1)
    condition_a: Text | None = None
    condition_b: Text | None = None
    reference: SystemName | None = None
    sets: dict[str, list[Text]] | None = None
    order: Order = Order()
    blocks_per_participant: int | None = Field(default=None, ge=1)
    screening: list[ScreeningQuestion] = []
    attention_checks: list[AttentionItem] = []
    closing: list[TextTask] = Field(default=[], description="Free answers at the study's end")
    demographics: list[Question] = []

    @property
    def rating(self) -> RatingTask | None:
        """The task that rates each response, if there is one."""
        return next((t for t in self.tasks if isinstance(t, RatingTask)), None)

    @property
    def rated(self) -> RatingTask:
        """The task that rates each response, where it is known that there is one."""
        assert self.rating is not None
        return self.rating

    @property
    def ranking(self) -> RankingTask | None:
        """The task that orders the responses of a block, if there is one."""
        return next((t for t in self.tasks if isinstance(t, RankingTask)), None)

    @property
    def best_worst(self) -> BestWorstTask | None:
        """The task that chooses a best and a worst response, if there is one."""
        return next((t for t in self.tasks if isinstance(t, BestWorstTask)), None)

    @property
    def block_texts(self) -> list[TextTask]:
        """Free answers asked at the end of every block."""
        return [task for task in self.tasks if isinstance(task, TextTask)]

    def check_scale(self, check: AttentionItem) -> list[Point]:
        """What may be answered to `check`: its own options, counted from 1, or the scale."""
        if check.options is None:
            return self.rated.scale
        return [Point(value=n, label=label) for n, label in enumerate(check.options, start=1)]

    def check(self, name: str) -> AttentionItem:
        """The attention check called `name`."""
        return next(check for check in self.attention_checks if check.name == name)

    @model_validator(mode="after")
    def _names_once(self) -> "StudyDefinition":
        refuse_repeats("condition", self.conditions)
        refuse_repeats("attention check", [c.name for c in self.attention_checks])
        asked = [q.name for q in (*self.screening, *self.demographics)]
        refuse_repeats("question", asked)
        refuse_repeats("free answer", [t.name for t in (*self.block_texts, *self.closing)])
        if any(task.name == "comment" for task in (*self.block_texts, *self.closing)):
            raise ValueError("'comment' is the name of the remarks on each block")
        for name in asked:
            if name in RESERVED_NAMES:
                raise ValueError(f"{name!r} is a column of participants.csv already")
        return self

    @model_validator(mode="after")
    def _tasks_fit_together(self) -> "StudyDefinition":
        for kinds in SINGLE_KINDS:
            if sum(task.kind in kinds for task in self.tasks) > 1:
                raise ValueError(f"tasks: a block has one task of kind {' or '.join(kinds)}")
        if all(task.kind == "text" for task in self.tasks):
            raise ValueError("tasks: nothing but free text; ask for ratings, ranks or choices")
        return self

    @model_validator(mode="after")
    def _contrast_is_known(self) -> "StudyDefinition":
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
        return self

    @model_validator(mode="after")
    def _checks_can_be_answered(self) -> "StudyDefinition":
        for check in self.attention_checks:
            if check.options is not None:
                continue
            if self.rating is None or self.rating.kind == "slider":
                raise ValueError(
                    f"attention check {check.name}: without a labelled scale of the study it "
                    "needs options of its own"
                )
            if check.answer not in self.rating.values:
                raise ValueError(
                    f"attention check {check.name}: {check.answer} is not a point of the scale"
                )
        return self
