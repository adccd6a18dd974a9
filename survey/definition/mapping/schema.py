"""What a mapping file may say."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from survey.definition.parts import Part, Text

#: The files that a section may be about.
FileName = Literal["participants", "ratings", "ranks", "gold", "responses"]
#: A column of other tools for two of ours: which model in which condition.
SYSTEM, OF_SYSTEM = "system", ("model", "condition")
#: What the name of a column may say of its values: the named parts of a pattern.
PARTS = ("scenario", "set", SYSTEM, *OF_SYSTEM, "dimension", "choice")
#: Columns about a choice, of what is best or worst, have the system that was chosen.
CHOICE = "choice"
#: What other columns of a wide table have, by the file that it is read as.
WIDE_VALUES: dict[FileName, str] = {
    "ratings": "rating",
    "ranks": "rank",
    "gold": "gold",
    "responses": "response",
}


def _as_text(value: object) -> object:
    """A name that looks like a number or a truth value, as it is in a table."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


def _as_list(value: object) -> object:
    """One entry or several as a list; a text is an entry of a column, or of those that fit it."""
    entries = value if isinstance(value, list) else [value]
    return [{"column": entry} if isinstance(entry, str) else entry for entry in entries]


def _as_names(value: object) -> object:
    """One name or several as a list."""
    return value if isinstance(value, list) else [value]


Word = Annotated[Text, BeforeValidator(_as_text)]


class NamedSystem(Part):
    """A model in a condition, behind one name."""

    model: Word
    condition: Word


class WideColumns(Part):
    """Columns that each have one kind of value: one of them by its name, or several by a pattern
    such as `q_{scenario}_{system}`. The other keys give what the name does not say.
    """

    column: Text
    scenario: Word | None = None
    set: Word | None = None
    system: Word | None = None
    model: Word | None = None
    condition: Word | None = None
    dimension: Word | None = None
    choice: Word | None = None

    @property
    def given(self) -> dict[str, str]:
        """What the keys say."""
        every: dict[str, Any] = self.model_dump(include=set(PARTS))
        return {name: value for name, value in every.items() if value is not None}


class MappedFile(Part):
    """Where a file has our columns: in a column of another name, or the same in every row. Columns
    of the file that are `ignored` are not read, whatever their names say.
    """

    columns: dict[Text, Text] = {}
    constants: dict[Text, Word] = {}
    ignored: Annotated[list[Word], BeforeValidator(_as_names)] = []

    @property
    def entries(self) -> list[WideColumns]:
        """Columns that each have one kind of value."""
        return []


class MappedLongOrWide(MappedFile):
    """A file that may have a column for each kind of value instead of a row for each value."""

    wide: Annotated[list[WideColumns], BeforeValidator(_as_list)] = []

    @property
    def entries(self) -> list[WideColumns]:
        """Columns that each have one kind of value."""
        return self.wide


class MapFile(Part):
    """A mapping file. What does not depend on the file is said once: systems and other names."""

    participants: MappedFile | None = None
    ratings: MappedLongOrWide | None = None
    ranks: MappedLongOrWide | None = None
    gold: MappedLongOrWide | None = None
    responses: MappedLongOrWide | None = None
    systems: dict[Text, NamedSystem] = {}
    #: Names of systems that change from row to row, each with the column that has the row's system.
    sides: dict[Text, Text] = {}
    #: Nothing in place of a value makes its cells empty.
    values: dict[Text, dict[Text, Word | None]] = {}
    time_zone: Text | None = None

    @property
    def sections(self) -> dict[FileName, MappedFile]:
        """What it says of each file that it is about."""
        every: dict[FileName, MappedFile | None] = {
            "participants": self.participants,
            "ratings": self.ratings,
            "ranks": self.ranks,
            "gold": self.gold,
            "responses": self.responses,
        }
        return {name: section for name, section in every.items() if section is not None}
