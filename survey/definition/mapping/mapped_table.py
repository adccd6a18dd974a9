"""A table read as rows of our columns, wherever its file has them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo

from survey.definition.mapping.column_layout import WideCell
from survey.definition.mapping.layout import lay_out
from survey.definition.mapping.schema import OF_SYSTEM, SYSTEM, FileName
from survey.definition.mapping.study_map import StudyMap, zone_of
from survey.files.as_written import WRITTEN, as_written
from survey.files.csv_text import without_apostrophe
from survey.files.digits import as_known
from survey.files.names import LONGEST_KEY, key_of_texts, one_name, short_key
from survey.files.problems import Problem, Problems
from survey.files.qualtrics import IS_FINISHED, STATUS, TRIAL_NUMBERS, TRIALS
from survey.files.suggestions import not_among
from survey.files.table_file import Columns, TableFile

Row = dict[str, str]
SCENARIO, PROMPT, CONTEXT = "scenario", "prompt", "context"
TIMES = ("started_at", "finished_at")
#: What people wrote keeps its characters. Other columns hold names and numbers.
ANSWER = "text"


class MappedTable:
    """The rows of a table by our columns. A mapping file says where the table has them; without
    one it has them under our names, or is an export of Qualtrics.

    `zone` is that of times without an offset. `is_unnamed`: the names of scenarios are made from
    their texts. Raises DefinitionError where header or mapping file
    are wrong.
    """

    def __init__(
        self,
        table: TableFile,
        columns: Columns,
        *,
        section: FileName | None = None,
        study_map: StudyMap | None = None,
    ) -> None:
        self.table = table
        self._layout = lay_out(table, columns, section=section, study_map=study_map)
        self._values: Mapping[str, Mapping[str, str]] = study_map.values if study_map else {}
        self._systems = study_map.systems if study_map else {}
        self._wide: WideCell | None = None
        self.columns = self._layout.columns
        self.unread = self._layout.unread
        self.notices = [*table.notices, *self._layout.notices]
        self.zone: tzinfo = (study_map and study_map.zone) or UTC
        self._shortened = False
        self.is_unnamed = SCENARIO in columns.made_from and SCENARIO not in self.columns
        if self.is_unnamed:
            by = "prompt and context" if CONTEXT in self.columns else "prompt"
            self.notices.append(
                f"{table.file}: there is no column {SCENARIO}, so each has its {by} as its name"
            )
        if table.qualtrics:
            self.unread = [name for name in self.unread if name != STATUS]
            if not (study_map and study_map.zone):
                self.zone = zone_of(table.qualtrics.time_zone) or UTC
            if not self._layout.by_default.isdisjoint(TIMES):
                self.notices.append(f"{table.file}: its times are read as of {self.zone}")

    def called(self, column: str) -> str:
        """How the file calls a column of ours; of a wide table, in the row that was read last. That
        also for an empty name: what such a row is about.
        """
        if self._wide and column in ("", self._wide.value):
            return self._wide.name
        if column == SCENARIO and self.is_unnamed:
            column = PROMPT
        return self._layout.sources.get(column, column)

    def rows(self, problems: Problems, clean: Callable[[str], str]) -> Iterator[tuple[int, Row]]:
        """Each row with the line that it is on; several rows of a wide table are on one line.

        `clean` makes a cell's text; what models and people wrote stays as it is written. A wide
        table's empty cell makes no row. Records that are wrong are added to `problems` instead (see
        `TableFile.records`).
        """
        layout, index = self._layout, {name: n for n, name in enumerate(self.table.columns)}
        sources = [
            (ours, index[theirs], self._values.get(ours, {}))
            for ours, theirs in layout.sources.items()
        ]
        cells_of_value = [(index[cell.name], cell) for cell in layout.cells]
        for line, cells in self._of_people(problems, index):
            row = layout.constants.copy()
            for ours, place, names in sources:
                text = _text_of(ours, cells[place], clean)
                row[ours] = self._renamed(text, names)
            if layout.by_default:
                self._settle_ending(row)
            if not self._settle_system(line, row, cells, problems):
                continue
            if self.is_unnamed:
                row[SCENARIO] = key_of_texts(row.get(CONTEXT, ""), row[PROMPT])
            if not layout.cells:
                yield line, self._with_short_key(row)
            for place, cell in cells_of_value:
                text = _text_of(cell.value, cells[place], clean)
                if text := self._renamed(text, self._values.get(cell.value, {})):
                    self._wide = cell
                    own = row | cell.about | {cell.value: text}
                    if self._settle_system(line, own, cells, problems):
                        yield line, self._with_short_key(own)

    def _renamed(self, text: str, names: Mapping[str, str]) -> str:
        """Our name for what the file writes; `1.0` is the name `1`, if it has no other."""
        name = text.strip()
        if names and name not in names:
            name = as_known(self.table.with_point(name), names)
        return names.get(name, text)

    def _with_short_key(self, row: Row) -> Row:
        """A row whose scenario has a name that can be stored."""
        name = row.get(SCENARIO, "")
        if len(name) > LONGEST_KEY:
            row[SCENARIO] = short_key(name)
            if not self._shortened:
                self.notices.append(
                    f"{self.table.file}: names of scenarios with more than {LONGEST_KEY} "
                    f"characters are shortened, such as {row[SCENARIO]!r}"
                )
            self._shortened = True
        return row

    def _of_people(
        self, problems: Problems, index: Mapping[str, int]
    ) -> Iterator[tuple[int, list[str]]]:
        """The records, without those of Qualtrics that researchers made to try their survey."""
        if self.table.qualtrics is None or STATUS not in index:
            yield from self.table.records(problems)
            return
        trials: list[int] = []
        for line, cells in self.table.records(problems):
            status = cells[index[STATUS]].strip().lower()
            if status in TRIALS or status in TRIAL_NUMBERS:
                trials.append(line)
            else:
                yield line, cells
        if trials:
            self.notices.append(
                f"{self.table.file}: previews and tests of the survey are not read: {len(trials)} "
                f"(first: line {trials[0]})"
            )

    def _settle_ending(self, row: Row) -> None:
        """Qualtrics says whether people finished; others ended when they left."""
        if "status" in self._layout.by_default:
            finished = IS_FINISHED.get(row["status"].lower())
            if finished is not None:
                row["status"] = "completed" if finished else "in_progress"
        if "finished_at" in self._layout.by_default and row.get("status") != "completed":
            row["finished_at"] = ""

    def _settle_system(self, line: int, row: Row, cells: Sequence[str], problems: Problems) -> bool:
        """Put model and condition in place of a system's name, if it has one and that is known."""
        if SYSTEM not in row or not self._layout.names_systems:
            return True
        name, column = row.pop(SYSTEM), self.called(SYSTEM)
        known = [*self._systems, *self._layout.sides]
        if name in self._layout.sides:
            column, known = self._layout.sides[name], list(self._systems)
            name = one_name(cells[self.table.columns.index(column)].strip())
        system = self._systems.get(as_known(self.table.with_point(name), self._systems))
        if system is None:
            reason = not_among(name, known)
            where = f"column {column!r}: "
            problems.add(Problem(self.table.file, line, 0, reason, (name,), SYSTEM, where=where))
            return False
        row |= dict(zip(OF_SYSTEM, (system.model, system.condition), strict=True))
        return True


def _text_of(column: str, cell: str, clean: Callable[[str], str]) -> str:
    if column in WRITTEN:
        return without_apostrophe(as_written(cell))
    return clean(cell) if column == ANSWER else one_name(clean(cell))
