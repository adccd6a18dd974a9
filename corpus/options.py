"""What can be asked of corpora and samples, as pages, commands and the API show it. Pure.

`corpus.filters.Filters` and `corpus.definition.MissingTexts` are options, too.
"""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from corpus.definition import GenerationDefinition, MissingTexts, read_definition
from corpus.dialogues import PARTS, PRESETS
from survey.definition.options import SentFile, ValueLabels
from survey.definition.parts import Part, written_like

#: The seed of published samples, and ours.
SEED = 42
#: Names are in commands, addresses and folders.
NAME = r"^[a-z0-9][a-z0-9_-]{0,59}$"
NAMES = "small letters, digits, - and _, at most 60"
#: Characters of the name of a column, and of lines in which several are.
LONGEST_COLUMN, LONGEST_LINES = 200, 100_000
PRESET_LABELS = {"": "none"} | {name: f"{name}: {each.about}" for name, each in PRESETS.items()}

CorpusName = Annotated[
    str, Field(max_length=60), written_like(NAME, f"is no name of a corpus. Use {NAMES}")
]
SampleName = Annotated[
    str, Field(max_length=60), written_like(NAME, f"is no name of a sample. Use {NAMES}")
]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Column = Annotated[str, Field(max_length=LONGEST_COLUMN)]
Lines = Annotated[str, Field(max_length=LONGEST_LINES)]


def lines_of(text: str) -> list[str]:
    """The lines that have something."""
    return [line for each in text.splitlines() if (line := each.strip())]


def pair_of(text: str, like: str) -> tuple[str, str]:
    """What is left and right of the equals sign. Raises ValueError, which says `like` what."""
    left, sign, right = text.partition("=")
    if not (left and sign):
        raise ValueError(f"{text!r} is not {like}")
    return left, right


class ImportOptions(Part):
    """How a file becomes a corpus. A preset says which columns it has; the rest overrides it."""

    name: CorpusName = Field(title="Name of the corpus", description=NAMES)
    preset: Annotated[Literal["", "tide", "haleas", "liu"], ValueLabels(PRESET_LABELS)] = Field(
        default="", description="the shape of a published corpus"
    )
    no_response: bool = Field(default=False, title="The file has no responses")
    prompt: Column = Field(default="", title="Column of prompts")
    response: Column = Field(default="", title="Column of responses")
    context: Lines = Field(
        default="", title="Columns of the context", description="columns, one a line"
    )
    messages: Column = Field(
        default="", title="Column of messages", description="lists of messages, instead of prompts"
    )
    where: Lines = Field(
        default="", title="Only records with", description="COLUMN=VALUE, one a line"
    )

    @field_validator("response")
    @classmethod
    def _there_are_none(cls, response: str, info: ValidationInfo) -> str:
        if response and info.data.get("no_response"):
            raise ValueError("The file has no responses, or a column of them: not both")
        return response

    @field_validator("where")
    @classmethod
    def _pairs(cls, where: str) -> str:
        for line in lines_of(where):
            pair_of(line, "COLUMN=VALUE")
        return where

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The columns that override the preset's, as `layout_of` takes them."""
        named = {**self.model_dump(include=set(PARTS)), "context": ""}
        columns = [(part, column) for part, column in named.items() if column]
        columns += [("context", column) for column in lines_of(self.context)]
        return [*columns, ("response", "")] if self.no_response else columns

    @property
    def records(self) -> dict[str, str]:
        """The values of the records that are read, by column."""
        return dict(pair_of(line, "COLUMN=VALUE") for line in lines_of(self.where))


class SampleOptions(Part):
    """A draw of scenarios: of the first so many dialogues, so many at random, or both."""

    name: SampleName = Field(title="Name of the sample", description=NAMES)
    first: int | None = Field(default=None, ge=1, title="Of the first … dialogues")
    random: int | None = Field(default=None, ge=1, title="Scenarios at random")
    seed: Seed = Field(default=SEED, description="of the draw")

    @model_validator(mode="after")
    def _one_at_least(self) -> "SampleOptions":
        if self.first is None and self.random is None:
            raise ValueError("Give the first, a number at random, or both")
        return self


def _size(size: float) -> float:
    if size > 1 and size % 1:
        raise ValueError(f"{size:g} is neither a share nor a number of dialogues")
    return size


Size = Annotated[float, Field(ge=0), AfterValidator(_size)]


class ChatsOptions(Part):
    """How chats to tune a model with are drawn and asked."""

    valid: Size = Field(
        default=0.1, title="Validation", description="a number of dialogues, or a share below 1"
    )
    test: Size = Field(
        default=0.1, title="Test", description="a number of dialogues, or a share below 1"
    )
    seed: Seed = Field(default=SEED, description="of the draw")
    together: bool = Field(default=False, title="Dialogues of one context are in one part")
    ask_as: SentFile | None = Field(default=None, title="Ask as this generation file asks")
    condition: str = Field(
        default="",
        title="Its condition",
        max_length=100,
        description="of the generation file; the first if empty",
    )

    def asked_as(self) -> tuple[GenerationDefinition, str] | None:
        """The generation file that chats ask as, and its condition. Raises DefinitionError and
        ConditionUnknown.
        """
        if self.ask_as is None:
            return None
        definition = read_definition(self.ask_as)
        return definition, definition.condition(self.condition)


class GenerationOptions(Part):
    """Which texts of a sample are to be generated."""

    file: SentFile | None = Field(
        default=None, description="generation file (YAML); the sample's last one by default"
    )
    retry: bool = Field(
        default=False,
        description="ask again also for texts that were refused, filtered or cut off",
    )
    dry_run: bool = Field(
        default=False, description="only say how many texts are missing, and their cost"
    )


class SampleStudyOptions(MissingTexts):
    """A study of a sample's responses."""

    study: SentFile = Field(description="study.yaml of the study")
