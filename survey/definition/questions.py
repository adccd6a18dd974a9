"""Questions about the participant: screening at the start, demographics at the end."""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from survey.definition.parts import Name, Part, StoredPart, Text, refuse_repeats


class AboutParticipant(StoredPart):
    """Where the answers to a question about the participant come from: from them, or from
    Prolific's demographic export. Then they are not asked it.
    """

    ALWAYS_STORED = frozenset({"hint", "several"})

    source: Literal["participant", "prolific"] = "participant"
    #: The column of the export, if it is not called as the question; capitals make no difference.
    column: Text | None = None

    @property
    def is_asked(self) -> bool:
        """Whether participants see the question."""
        return self.source == "participant"

    @model_validator(mode="after")
    def _column_of_an_export(self) -> "AboutParticipant":
        if self.column is not None and self.is_asked:
            raise ValueError("column is only for questions with source: prolific")
        return self


class IntegerQuestion(AboutParticipant):
    """A whole number, such as an age in years."""

    name: Name
    kind: Literal["integer"]
    question: Text
    hint: Text | None = None
    minimum: int
    maximum: int


class ChoiceQuestion(AboutParticipant):
    """One of several options (`single`) or any number of them (`multiple`)."""

    name: Name
    kind: Literal["single", "multiple"]
    question: Text
    hint: Text | None = None
    options: list[Text] = Field(min_length=2)
    #: The category of a `multiple` answer with two or more options in tables. It comes after the
    #: options there, or at its position among them; participants never see it as an option.
    several: Text | None = None

    @property
    def offered(self) -> list[str]:
        """The options that participants see."""
        return [option for option in self.options if option != self.several]

    @property
    def categories(self) -> list[str]:
        """The categories of answers, in the order of tables."""
        return list(dict.fromkeys([*self.options, *([self.several] if self.several else [])]))

    @field_validator("options")
    @classmethod
    def _options_once(cls, options: list[str]) -> list[str]:
        refuse_repeats("option", options)
        return options

    @model_validator(mode="after")
    def _several_of_many(self) -> "ChoiceQuestion":
        if self.several is not None and self.kind != "multiple":
            raise ValueError("several is only for questions of kind multiple")
        if len(self.offered) < 2:
            raise ValueError("give at least two options besides several")
        return self


class StateQuestion(AboutParticipant):
    """A US state or the District of Columbia; the Census region is derived from it."""

    name: Name
    kind: Literal["us_state"]
    question: Text
    hint: Text | None = None


Question = Annotated[IntegerQuestion | ChoiceQuestion | StateQuestion, Field(discriminator="kind")]


class ScreeningQuestion(Part):
    """A question at the start. Participants who choose an option outside `eligible` are screened
    out.
    """

    name: Name
    question: Text
    hint: Text | None = None
    options: list[Text] = Field(min_length=2)
    eligible: list[Text] = Field(min_length=1)

    @property
    def offered(self) -> list[str]:
        """What participants choose from."""
        return self.options

    @model_validator(mode="after")
    def _eligible_are_options(self) -> "ScreeningQuestion":
        refuse_repeats("option", self.options)
        for option in self.eligible:
            if option not in self.options:
                raise ValueError(f"eligible {option!r} is not among the options")
        if len(set(self.eligible)) == len(self.options):
            raise ValueError("every option is eligible, so no participant could be screened out")
        return self


#: Columns of participants.csv, exported or analysed, that are not answers.
PARTICIPANT_NAMES = (
    "participant",
    "source",
    "status",
    "started_at",
    "finished_at",
    "duration_seconds",
    "attention_checks_failed",
    "region",
    "ending",
    "language",
    "device",
    "viewport_width",
    "viewport_height",
    "clock_stepped",
    "way_in",
    "sigma",
    "mae",
    "included",
    "exclusion",
    "gold_by",
    "active",
)
#: Columns of the other tables, with their own type or meaning.
TABLE_NAMES = (
    *("rating", "rank", "gold", "block_position", "response_position", "block_seconds"),
    *("revisions", "shown_at", "answered_at", "submitted_at"),
)
#: Fields of every form.
FORM_NAMES = ("csrfmiddlewaretoken", "whose")
#: Names that no question may have, and why.
RESERVED_NAMES = (
    dict.fromkeys(PARTICIPANT_NAMES, "already a column of participants.csv")
    | dict.fromkeys(TABLE_NAMES, "already a column of the tables with answers")
    | dict.fromkeys(FORM_NAMES, "already a field of every form")
)
