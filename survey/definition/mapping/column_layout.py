"""Our columns by where a file has them. Pure."""

from dataclasses import dataclass, field

from survey.definition.mapping.schema import OF_SYSTEM, SYSTEM
from survey.files.table_file import TableFile


@dataclass(frozen=True)
class WideCell:
    """A column of a wide table, by its name, what each of its values is about, and which column of
    ours that value is: of a choice, the system that was chosen.
    """

    name: str
    about: dict[str, str]
    value: str


@dataclass
class ColumnLayout:
    """Our columns by where a file has them: in a column (`sources`, by its name), the same in every
    row (`constants`), or, for values and what they are about, in several columns (`cells`).

    `by_default` are those that come from Qualtrics though nobody said so. `unread` are columns of
    the file that are not read, `ignored` those of which a mapping file says so. `names_systems`: a
    column `system` is one of a mapping file, and becomes model and condition. `sides` are names of
    systems that change from row to row, each with the file's column that has the row's system.
    """

    sources: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    cells: list[WideCell] = field(default_factory=list)
    by_default: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    sides: dict[str, str] = field(default_factory=dict)
    names_systems: bool = True
    notices: list[str] = field(default_factory=list)

    @property
    def columns(self) -> list[str]:
        """Our columns that rows have."""
        every = self._said
        if not self.has_systems:
            return list(every)
        every |= dict.fromkeys(OF_SYSTEM)
        return [name for name in every if name != SYSTEM]

    @property
    def _said(self) -> dict[str, None]:
        wide = [name for cell in self.cells for name in (*cell.about, cell.value)]
        return dict.fromkeys((*self.sources, *self.constants, *wide))

    @property
    def has_systems(self) -> bool:
        """Whether rows have systems by their names in a mapping file."""
        return self.names_systems and SYSTEM in self._said

    @property
    def theirs(self) -> set[str]:
        """The columns of the file that are read for one of ours, whatever their names say."""
        cells = (cell.name for cell in self.cells)
        return {*self.sources.values(), *self.sides.values(), *cells}

    def others(self, table: TableFile) -> list[str]:
        """The columns of the file that nothing speaks of: their names say what they are."""
        said = {*self.theirs, *self.ignored}
        return [name for name in table.columns if name not in said]
