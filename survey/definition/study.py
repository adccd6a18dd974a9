"""The survey's part of study.yaml.

Nothing here knows five, six, four, 1–5 or the name of a condition: they come from the file.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from survey.assignment import PageOptions
from survey.definition.attention_checks import AttentionItem
from survey.definition.comprehension import Comprehension
from survey.definition.language import LanguageCode
from survey.definition.parts import Part, StoredPart, Text, refuse_repeats, written_like, wrong
from survey.definition.points import Point
from survey.definition.presets import with_presets
from survey.definition.questions import Question, ScreeningQuestion
from survey.definition.reserved_names import FORM_NAMES, RESERVED_NAMES
from survey.definition.tasks import (
    COMPARING,
    KINDS,
    AskedTask,
    ComparingTask,
    RatingTask,
    Task,
    TextTask,
    kinds_in,
)
from survey.definition.training import Training, TrainingItem, misfits
from survey.definition.wording import Consent, Texts, Wording
from survey.files.suggestions import did_you_mean

COMMENT = "comment"
#: The most responses that a page can show, and that a scenario can have in a set.
MOST_ON_A_PAGE, MOST_IN_A_BLOCK = 8, 50
#: Names that a free answer can't have, and the reason.
RESERVED_TEXTS = {COMMENT: "the name of the remarks on each block"}


class SystemName(Part):
    """A model in a condition."""

    model: Text
    condition: Text


class Order(Part):
    """How blocks and the responses of each are ordered for a participant.

    `random` draws each order independently; `balanced` uses rows of Williams squares.
    """

    responses: Literal["random", "balanced"] = "random"
    blocks: Literal["random", "balanced"] = "random"
    scenarios_together: bool = False


class StudyDefinition(StoredPart):
    """What raters see, in one language. A change makes a new version of the study.

    Differences of versions are headed by a key's title; without one, by its name.
    """

    ALWAYS_STORED = frozenset(
        [
            "language",
            "pilot",
            "response_format",
            "response_labels",
            "comment",
            "condition_a",
            "condition_b",
            "reference",
            "sets",
            "order",
            "blocks_per_participant",
            "screening",
            "attention_checks",
            "closing",
            "demographics",
        ]
    )

    slug: Annotated[
        str,
        written_like(
            r"[a-z0-9][a-z0-9-]{0,79}",
            "is no name of an address: begin with a letter or digit, and use only small letters a "
            "to z, digits and -, at most 80 in all",
        ),
    ]
    title: Annotated[Text, StringConstraints(max_length=300)]
    language: LanguageCode = "en"
    pilot: bool = False
    estimated_minutes: int = Field(ge=1, title="Minutes")
    texts: Texts
    consent: Consent
    tasks: list[Task] = Field(min_length=1)
    response_format: Literal["plain", "markdown"] = Field(
        default="plain", title="Format of the responses"
    )
    latex: bool = Field(
        default=False,
        title="Formulas",
        description=r"Whether \(…\), \[…\] and $$…$$ in prompts and responses are formulas",
    )
    response_labels: Literal["numbers", "letters"] = Field(
        default="numbers", title="Labels of the responses"
    )
    wording: Wording | None = None
    comment: Text | None = Field(
        default=None, title="Remarks", description="A question for remarks on each block"
    )
    conditions: list[Text] = Field(min_length=1)
    condition_a: Text | None = Field(default=None, title="Contrast")
    condition_b: Text | None = Field(default=None, title="Contrast")
    reference: SystemName | None = None
    sets: dict[str, list[Text]] | None = None
    incomplete_blocks: bool = Field(
        default=False, description="Without effect: any block may lack responses of its set"
    )
    order: Order = Order()
    blocks_per_participant: int | None = Field(default=None, ge=1)
    systems_per_page: int | None = Field(default=None, ge=1, le=MOST_ON_A_PAGE)
    spread_over_pages: bool = Field(
        default=False,
        title="Blocks spread over pages",
        description="Whether a participant sees all responses of a block, systems_per_page a page",
    )
    reference_on_every_page: bool = False
    between_subjects: Literal["system", "model", "condition"] | None = Field(
        default=None, title="Between-subject"
    )
    screening: list[ScreeningQuestion] = []
    comprehension: Comprehension | None = Field(default=None, title="Comprehension check")
    training: Training | None = None
    attention_checks: list[AttentionItem] = Field(default=[], max_length=8)
    closing: list[TextTask] = Field(
        default=[], title="Closing questions", description="Free answers at the study's end"
    )
    record_writing: bool = Field(
        default=False,
        title="Recording of writing",
        description="Count how free answers are written, and tell participants so",
    )
    demographics: list[Question] = []

    @property
    def asked_demographics(self) -> list[Question]:
        """The questions that participants answer themselves."""
        return [question for question in self.demographics if question.is_asked]

    @property
    def prolific_demographics(self) -> list[Question]:
        """The questions that Prolific's demographic export answers."""
        return [question for question in self.demographics if not question.is_asked]

    @property
    def rating(self) -> RatingTask | None:
        """The task that rates each response, if there is one."""
        return next((t for t in self.tasks if isinstance(t, RatingTask)), None)

    @property
    def rated(self) -> RatingTask:
        """The task that rates each response; the study must have one."""
        assert self.rating is not None
        return self.rating

    @property
    def comparing(self) -> list[ComparingTask]:
        """The tasks that compare the responses of a page, in the order in which it asks."""
        compared = [task for task in self.tasks if isinstance(task, ComparingTask)]
        return sorted(compared, key=lambda task: [*KINDS].index(task.kind))

    def answers_in(self, column: str) -> list[ComparingTask]:
        """The tasks that compare responses whose answers this column of ranks.csv has."""
        return [task for task in self.comparing if task.column == column]

    @property
    def compared_dimensions(self) -> list[str]:
        """The named dimensions by which responses are ordered or chosen."""
        return list(dict.fromkeys(task.dimension for task in self.comparing if task.dimension))

    def numbered(self, kind: str, dimension: str) -> str:
        """What names of inputs have of one of several tasks of a kind: nothing of the first, then
        2, 3, …
        """
        dimensions = [task.dimension for task in self.comparing if task.kind == kind]
        number = dimensions.index(dimension) + 1
        return "" if number == 1 else str(number)

    def input_of(
        self, kind: str, dimension: str, *, response: str, value: float
    ) -> tuple[str, float | str]:
        """The input by which a block's page gives a response a value: its name, and what it
        sends.
        """
        asked = KINDS[kind]
        if issubclass(asked, ComparingTask):
            return asked.input_of(response, self.numbered(kind, dimension), value)
        assert issubclass(asked, RatingTask)
        return asked.input_name(response, dimension), value

    @property
    def training_items(self) -> list[TrainingItem]:
        """The training items, each with a page of its own."""
        return self.training.items if self.training is not None else []

    @property
    def page_options(self) -> PageOptions:
        """What it says of the pages of blocks and their order."""
        return PageOptions(
            blocks_per_participant=self.blocks_per_participant,
            balanced_blocks=self.order.blocks == "balanced",
            balanced_responses=self.order.responses == "balanced",
            scenarios_together=self.order.scenarios_together,
            responses_per_page=self.systems_per_page,
            spread=self.spread_over_pages,
        )

    @property
    def shows_whole_blocks(self) -> bool:
        """Whether every page shows all responses of its block."""
        return self.systems_per_page is None and self.between_subjects is None

    @property
    def accepts_or_flags(self) -> bool:
        """Whether ratings are on a scale of two points: the lower one flags, the higher accepts."""
        return self.rating is not None and not self.rating.between and len(self.rating.scale) == 2

    @property
    def block_texts(self) -> list[TextTask]:
        """Free answers asked at the end of every block."""
        return [task for task in self.tasks if isinstance(task, TextTask)]

    @property
    def block_remarks(self) -> list[TextTask]:
        """All free-text answers at the end of a block: its tasks, then remarks if the study asks
        for them.
        """
        if self.comment is None:
            return self.block_texts
        return [*self.block_texts, TextTask(kind="text", name=COMMENT, question=self.comment)]

    @property
    def asked_on_blocks(self) -> list[AskedTask]:
        """Everything that a block's page asks, in its order."""
        return [*([self.rating] if self.rating else []), *self.comparing, *self.block_remarks]

    @property
    def free_texts(self) -> list[TextTask]:
        """Every free-text question, on blocks and at the end."""
        return [*self.block_remarks, *self.closing]

    def check_scale(self, check: AttentionItem) -> list[Point]:
        """The possible answers to `check`: its own options, numbered from 1, or the scale."""
        if check.options is None:
            return self.rated.scale
        return [Point(value=n, label=label) for n, label in enumerate(check.options, start=1)]

    def check_values(self, check: AttentionItem) -> list[float]:
        """Every possible value for `check`; on a slider, more than `check_scale`'s."""
        if check.options is None:
            return self.rated.values
        return [point.value for point in self.check_scale(check)]

    def check(self, name: str) -> AttentionItem:
        """The attention check called `name`."""
        return next(check for check in self.attention_checks if check.name == name)

    @field_validator("demographics", mode="before")
    @classmethod
    def _usual_questions_by_name(cls, value: Any, info: ValidationInfo) -> Any:
        return with_presets(value, info.data.get("language", "en"))

    @field_validator("conditions")
    @classmethod
    def _conditions_once(cls, conditions: list[str]) -> list[str]:
        refuse_repeats("condition", conditions)
        return conditions

    @field_validator("tasks")
    @classmethod
    def _tasks_fit_together(cls, tasks: list[Task]) -> list[Task]:
        if sum(isinstance(task, RatingTask) for task in tasks) > 1:
            raise ValueError(f"a block has one task of kind {' or '.join(kinds_in('rating'))}")
        for column in COMPARING:
            compared = (task for task in tasks if isinstance(task, ComparingTask))
            dimensions = [task.dimension for task in compared if task.column == column]
            if len(dimensions) > 1 and ("" in dimensions or len(set(dimensions)) < len(dimensions)):
                raise ValueError(
                    f"several tasks of kind {' or '.join(kinds_in(column))}: give each a dimension "
                    "of its own, such as dimension: fluency"
                )
        rated = {d.name for task in tasks if isinstance(task, RatingTask) for d in task.dimensions}
        compared_by = {task.dimension for task in tasks if isinstance(task, ComparingTask)}
        refuse_repeats("dimension", [name.casefold() for name in rated | compared_by])
        if all(isinstance(task, TextTask) for task in tasks):
            raise ValueError("only free text; ask for ratings, ranks or choices too")
        return tasks

    @model_validator(mode="after")
    def _names_once(self) -> "StudyDefinition":
        _refuse_taken(("attention_checks", self.attention_checks))
        _refuse_taken(
            ("screening", self.screening), ("demographics", self.demographics), taken=RESERVED_NAMES
        )
        asked = self.comprehension.questions if self.comprehension else []
        for index, question in enumerate(asked):
            if question.name in FORM_NAMES:
                path = ("comprehension", "questions", index, "name")
                raise wrong(path, f"{question.name!r} is {RESERVED_NAMES[question.name]}")
        texts: list[Task | None] = [t if isinstance(t, TextTask) else None for t in self.tasks]
        _refuse_taken(("tasks", texts), ("closing", self.closing), taken=RESERVED_TEXTS)
        return self

    @model_validator(mode="after")
    def _training_fits_the_ratings(self) -> "StudyDefinition":
        for path, message in misfits(self.training, self.rating) if self.training else ():
            raise wrong(("training", *path), message)
        return self

    @model_validator(mode="after")
    def _something_is_written(self) -> "StudyDefinition":
        if self.record_writing and not self.free_texts:
            raise wrong(
                ("record_writing",),
                "the study asks no free-text question, so there is nothing to record: add one "
                "(comment, closing, or a task of kind text), or leave this out",
            )
        return self

    @model_validator(mode="after")
    def _contrast_is_known(self) -> "StudyDefinition":
        if (self.condition_a is None) != (self.condition_b is None):
            given = "condition_b" if self.condition_a is None else "condition_a"
            raise wrong((given,), "give condition_a and condition_b together")
        if self.condition_a is not None and self.condition_a == self.condition_b:
            raise wrong(("condition_b",), "condition_a and condition_b must differ")
        for key in ("condition_a", "condition_b"):
            value = getattr(self, key)
            if value is not None and value not in self.conditions:
                near = did_you_mean(value, self.conditions)
                raise wrong((key,), f"{value!r} is not among the conditions{near}")
        if self.reference and self.reference.condition not in self.conditions:
            near = did_you_mean(self.reference.condition, self.conditions)
            message = f"{self.reference.condition!r} is not among the conditions{near}"
            raise wrong(("reference", "condition"), message)
        return self

    @model_validator(mode="after")
    def _pages_can_share_a_block(self) -> "StudyDefinition":
        if not self.spread_over_pages:
            return self
        path = ("spread_over_pages",)
        if self.systems_per_page is None:
            raise wrong(path, "say how many responses a page shows, such as systems_per_page: 1")
        if self.reference_on_every_page or self.between_subjects is not None:
            key = "between_subjects" if self.between_subjects else "reference_on_every_page"
            raise wrong(path, f"a participant sees each response of a block once: remove {key}")
        if self.comparing:
            message = "tasks that compare the responses of a block need them on one page"
            raise wrong(path, message)
        return self

    @model_validator(mode="after")
    def _every_page_has_the_reference(self) -> "StudyDefinition":
        if not self.reference_on_every_page:
            return self
        path = ("reference_on_every_page",)
        if self.reference is None:
            raise wrong(path, "the study names no reference")
        if self.shows_whole_blocks:
            message = "every page shows its whole block; leave this out, or set systems_per_page"
            raise wrong(path, message)
        if self.systems_per_page == 1:
            raise wrong(
                path, "with one response a page, raters would see nothing but the reference"
            )
        return self

    @model_validator(mode="after")
    def _checks_can_be_answered(self) -> "StudyDefinition":
        for index, check in enumerate(self.attention_checks):
            if check.options is not None:
                continue
            if check.kind == "in_block" and self.rating is None:
                message = "the study has no ratings, so a check can't be in a block: use kind item"
                raise wrong(("attention_checks", index), message)
            if check.kind == "item" and (self.rating is None or self.rating.between):
                message = "the study has no scale with labelled points: give the check options"
                raise wrong(("attention_checks", index), message)
            if check.answer not in self.rated.values:
                message = f"{check.answer} is not a point of the scale"
                raise wrong(("attention_checks", index, "answer"), message)
        return self


def _refuse_taken(
    *lists: tuple[str, Sequence[Any]], taken: Mapping[str, str] | None = None
) -> None:
    """Refuse a name that is repeated in the lists (each with its key), or reserved."""
    taken = taken or {}
    places: dict[str, str] = {}
    for key, items in lists:
        for index, item in enumerate(items):
            if item is None:
                continue
            path = (key, index, "name")
            if item.name in taken:
                raise wrong(path, f"{item.name!r} is {taken[item.name]}")
            if item.name in places:
                raise wrong(path, f"{item.name!r} is repeated: see {places[item.name]}")
            places[item.name] = f"{key}.{index}"
