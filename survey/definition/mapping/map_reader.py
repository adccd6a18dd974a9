"""What a section of a mapping file says of a table's columns."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from survey.definition.mapping.column_layout import ColumnLayout, WideCell
from survey.definition.mapping.patterns import NamePattern, NameReader
from survey.definition.mapping.response_columns import may_be_answers, without_responses
from survey.definition.mapping.schema import (
    CHOICE,
    PARTS,
    SYSTEM,
    WIDE_VALUES,
    FileName,
    MappedFile,
    WideColumns,
)
from survey.definition.mapping.study_map import StudyMap
from survey.files.problems import DefinitionError, Problem, listed
from survey.files.suggestions import did_you_mean, nearest, not_among
from survey.files.table_file import Columns, TableFile
from survey.files.yaml_file import KeyPath

_NUMBER = re.compile(r"-?[0-9]{1,20}([.][0-9]{1,20})?")
#: Why a pattern of any name leaves a column out.
NAMED_SO = "named like a column that Fivefold reads"
#: A person answers once: one column can't be about two responses. A response, and its gold score,
#: may be those of several sets.
ANSWERS = ("ratings", "ranks")


class MapReader:
    """Reads what a section of a mapping file says of a table."""

    def __init__(
        self,
        table: TableFile,
        columns: Columns,
        section: FileName,
        study_map: StudyMap,
        mapped: MappedFile,
    ) -> None:
        self.table = table
        self.columns = columns
        self.section = section
        self.map = study_map
        self.mapped = mapped
        self.problems: list[Problem] = []
        self.notices: list[str] = []

    def fill(self, layout: ColumnLayout) -> None:
        """Raises DefinitionError with all that does not fit the table."""
        layout.sources.update(self.mapped.columns)
        layout.ignored = self.mapped.ignored
        for place, name in enumerate(self.mapped.ignored):
            if name not in self.table.columns:
                self._no_column((self.section, "ignored", place), name)
        for ours, theirs in self.mapped.columns.items():
            if theirs not in self.table.columns:
                self._no_column((self.section, "columns", ours), theirs)
        sources = self.mapped.columns.values()
        for ours, given in self.mapped.constants.items():
            layout.constants.update(self._about(ours, given))
            if ours in self.table.columns and ours not in (*sources, *self.mapped.ignored):
                message = f"{self.table.file} has a column {ours!r}, which says it already"
                self._problem((self.section, "constants", ours), message)
        if self.mapped.entries:
            layout.cells = list(self._cells())
        for place, name in enumerate(self.mapped.ignored):
            if name in layout.theirs:
                self._problem((self.section, "ignored", place), f"column {name!r} is read, too")
        layout.notices += self.notices
        if self.problems:
            raise DefinitionError(self.problems)

    def _cells(self) -> Iterator[WideCell]:
        first: dict[object, WideCell] = {}
        first_of: dict[str, Collection[str]] = {}
        for place, entry in enumerate(self.mapped.entries):
            path = self.map.path_of(self.section, place)
            for cell in self._cells_of(path, entry):
                said = first_of.setdefault(cell.value, cell.about.keys())
                if cell.about.keys() != said:
                    message = f"says {listed([*cell.about])}, but the first entry {listed([*said])}"
                    self._problem(path, message)
                    break
                about = tuple((part, cell.about[part]) for part in PARTS if part in cell.about)
                seen = first.setdefault(("column", cell.name), cell)
                if seen is not cell and self.section in ANSWERS:
                    self._problem(path, f"column {cell.name!r} is in an earlier entry already")
                elif (same := first.setdefault(about, cell)) is not cell:
                    names = listed([text for _, text in about])
                    message = f"columns {same.name!r} and {cell.name!r} both have the value of"
                    self._problem(path, f"{message} {names}")
                yield cell

    def _cells_of(self, path: KeyPath, entry: WideColumns) -> Iterator[WideCell]:
        """The columns of an entry: the one that it names, or those that fit its pattern."""
        pattern = NamePattern(entry.column)
        given = self._all_about(entry.given)
        if not pattern.parts:
            if pattern.name in self.table.columns:
                yield self._cell(pattern.name, given)
            else:
                self._no_column(path, pattern.name)
            return
        reader = self._reader(pattern)
        n_before, fits = len(self.problems), False
        for name in self._asked_for(path, pattern, reader):
            ways = reader.read(name)
            if len(ways) > 1:
                message = f"{name!r} can be read as {' or '.join(map(_as_words, ways))}; "
                self._problem(path, message + "give its column an entry of its own")
            elif ways:
                fits = True
                yield self._cell(name, given | self._all_about(ways[0]))
            elif name not in self._fitting and (near := reader.nearly(name)):
                part, text = near
                known = self._names_of(part)
                if nearest(text, known) or self._has_values(name):
                    self._unknown_part(name, part, text, known)
        if not fits and len(self.problems) == n_before:
            has = f"{self.table.file} has {listed(self.table.columns)}"
            self._problem(path, f"no column fits {entry.column!r}; {has}")

    def _has_values(self, name: str) -> bool:
        """Whether cells of a column may be what columns of this section have, so that it is none of
        remarks or times beside them.
        """
        if self.section == "responses":
            without = without_responses(self._cells_of_others)
            return name not in without or name in may_be_answers(self._cells_of_others, without)
        given = [text for cell in self._cells_by_name.get(name, ()) if (text := cell.strip())]
        value = WIDE_VALUES[self.section]
        named = {*self.map.systems, *self.map.values.get(value, {})}
        numbers = [self.table.with_point(text) for text in given if text not in named]
        if not all(map(_NUMBER.fullmatch, numbers)):
            return False
        # numbers of which most are not on the scale are times, or counts
        scale = {float(point) for point in self.map.known.names.get(value, ())}
        off_scale = sum(float(number) not in scale for number in numbers)
        return not scale or off_scale <= len(given) / 2

    @cached_property
    def _cells_of_others(self) -> dict[str, Sequence[str]]:
        """The cells of columns that nothing else speaks of."""
        said = (*self.mapped.columns.values(), *self.mapped.ignored)
        return {name: given for name, given in self._cells_by_name.items() if name not in said}

    @cached_property
    def _cells_by_name(self) -> dict[str, Sequence[str]]:
        cells = zip(*self.table.first_rows(), strict=True)
        return dict(zip(self.table.columns, cells, strict=False))

    def _asked_for(self, path: KeyPath, pattern: NamePattern, reader: NameReader) -> list[str]:
        """The columns that a pattern may mean. One that any name fits, such as `{model}`, means
        those with values that nothing else speaks of.
        """
        said = {*self.mapped.columns.values(), *self.mapped.ignored, *self.map.sides.values()}
        names = [name for name in self.table.columns if name not in said]
        if pattern.has_words or reader.known:
            return names
        every = [NamePattern(entry.column) for entry in self.mapped.entries]
        alone = {pattern.name for pattern in every if not pattern.parts}
        ours = [n for n in names if self.columns.means(n)]
        names = [n for n in names if n not in ours and n not in alone]
        named = self._named_by(pattern)
        fitting = [name for name in names if reader.read(name) and name not in named]
        if self.section != "responses" or not fitting:
            return names
        cells = {name: self._cells_by_name.get(name, ()) for name in fitting}
        why = without_responses(cells)
        names = [name for name in names if name not in why]
        taken = [name for name in names if reader.read(name)]
        if unclear := may_be_answers(cells, why):
            self._refuse_unclear(path, pattern, taken, {name: why[name] for name in unclear})
        why |= {name: NAMED_SO for name in ours if not self.columns.knows(name)}
        self._note(pattern, taken, why)
        return names

    def _named_by(self, pattern: NamePattern) -> Collection[str]:
        """Names of columns that a part of a pattern surely has, whatever their cells are."""
        if len(pattern.parts) > 1:
            return ()
        (part,) = pattern.parts
        some = self.map.known.some_models if part == "model" else ()
        return {*some, *self.map.values.get(part, ())}

    def _refuse_unclear(
        self, path: KeyPath, pattern: NamePattern, taken: list[str], why: Mapping[str, str]
    ) -> None:
        first, part = next(iter(why)), pattern.parts[0]
        self._problem(
            path,
            f"{pattern.text!r} takes {listed(taken) or 'no column'}; others may have responses, "
            f"too ({_with_reasons(why)}): add them to wide, as {{column: {first!r}, {part}: "
            f"{first!r}}}, or to ignored, as ignored: [{listed([*why])}]",
        )

    def _note(self, pattern: NamePattern, taken: list[str], why: Mapping[str, str]) -> None:
        message = f"{pattern.text!r} takes {listed(taken) or 'no column'}"
        if why:
            message += f", but not columns without responses ({_with_reasons(why)})"
        message += ". Give columns entries of their own under wide to say otherwise"
        self.notices.append(str(Problem(self.table.file, self.table.header_line, 0, message)))

    def _reader(self, pattern: NamePattern) -> NameReader:
        known = {part: names for part in pattern.parts if (names := self._names_of(part))}
        return NameReader(pattern, known)

    @cached_property
    def _fitting(self) -> set[str]:
        """Columns that fit some entry, so that they are no misspelt ones of another."""
        readers = [self._reader(NamePattern(entry.column)) for entry in self.mapped.entries]
        return {name for name in self.table.columns for reader in readers if reader.read(name)}

    def _cell(self, name: str, about: dict[str, str]) -> WideCell:
        if CHOICE in about:
            return WideCell(name, about | {WIDE_VALUES[self.section]: ""}, SYSTEM)
        return WideCell(name, about, WIDE_VALUES[self.section])

    def _unknown_part(self, column: str, part: str, text: str, known: Collection[str]) -> None:
        """Of a column whose name fits but for one part; of all such columns it is one problem."""
        problem = Problem(
            self.table.file,
            self.table.header_line,
            0,
            f"{part} {not_among(text, list(known))}",
            (text,),
            where=f"column {column!r}: ",
        )
        self.problems.append(problem)

    def _names_of(self, part: str) -> list[str]:
        """What names of columns may have for a part: our names and those that become ours."""
        if part == SYSTEM:
            return self.map.names_of_systems
        known = self.map.known.names.get(part)
        if known is None:
            known = self.map.models_beside(self.section) if part == "model" else ()
        if not known:
            return []
        names = dict.fromkeys((*known, *self.map.values.get(part, ())))
        return [name for name in names if name]

    def _all_about(self, said: Mapping[str, str]) -> dict[str, str]:
        return {ours: name for part in said for ours, name in self._about(part, said[part]).items()}

    def _about(self, part: str, text: str) -> dict[str, str]:
        """A name as ours, of the columns that it is about."""
        if part == SYSTEM and text in self.map.sides:
            if self.map.sides[text] not in self.table.columns:
                self._no_column(("sides", text), self.map.sides[text])
            return {SYSTEM: text}
        if part == SYSTEM:
            return self.map.systems[text].model_dump()
        return {part: self.map.values.get(part, {}).get(text, text)}

    def _no_column(self, path: KeyPath, name: str) -> None:
        near = did_you_mean(name, self.table.columns)
        has = near.format() or f"; it has {listed(self.table.columns)}"
        self._problem(path, f"{self.table.file} has no column {name!r}{has}")

    def _problem(self, path: KeyPath, message: str) -> None:
        self.problems.append(self.map.problem(path, message))


def _as_words(parts: Mapping[str, str]) -> str:
    return ", ".join(f"{part} {name!r}" for part, name in parts.items())


def _with_reasons(why: Mapping[str, str]) -> str:
    """Names by their reason."""
    names: dict[str, list[str]] = {}
    for name, reason in why.items():
        names.setdefault(reason, []).append(name)
    return "; ".join(f"{listed(of)}: {reason}" for reason, of in names.items())
