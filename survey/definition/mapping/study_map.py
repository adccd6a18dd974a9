"""A mapping file, checked against the names of a study before any table is read with it."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from survey.definition.mapping.patterns import NamePattern
from survey.definition.mapping.schema import (
    CHOICE,
    OF_SYSTEM,
    PARTS,
    SYSTEM,
    WIDE_VALUES,
    FileName,
    MapFile,
    MappedFile,
    NamedSystem,
    WideColumns,
)
from survey.files.names import short_key
from survey.files.problems import DefinitionError, Problem, listed
from survey.files.suggestions import did_you_mean, not_among
from survey.files.table_file import Columns
from survey.files.yaml_file import KeyPath, YamlFile

_OFFSET = re.compile(r"[+-][0-9]{2}:[0-9]{2}")


@dataclass(frozen=True)
class Known:
    """What a mapping file of one study may name: the columns of each file, the names that a column
    may have (a column that is absent may have any), and the systems (None if any).
    """

    columns: Mapping[FileName, Columns]
    names: Mapping[str, Collection[str]] = field(default_factory=dict)
    systems: Collection[tuple[str, str]] | None = None
    #: Models that a study speaks of which may have others, too.
    some_models: Collection[str] = ()


class StudyMap:
    """A mapping file, read from bytes and checked against what a study knows.

    Raises DefinitionError with every problem, each with its line and key.
    """

    def __init__(self, data: bytes, *, file: str, known: Known) -> None:
        self.file = file
        self.known = known
        self._yaml = YamlFile(data, file=file)
        self._content = self._yaml.check(MapFile, self._yaml.plain())
        problems = [*self._of_shared(), *self._of_sections()]
        if problems:
            raise DefinitionError(problems)
        self.zone = zone_of(self._content.time_zone) if self._content.time_zone else None

    @property
    def sections(self) -> Mapping[FileName, MappedFile]:
        """What it says of each file that it is about."""
        return self._content.sections

    @property
    def values(self) -> dict[str, dict[str, str]]:
        """Our names by those of the files, by our column."""
        every = self._content.values.items()
        return {name: {of: to or "" for of, to in renamed.items()} for name, renamed in every}

    @property
    def systems(self) -> Mapping[str, NamedSystem]:
        """Models in their conditions, by their names in the files."""
        return self._content.systems

    @property
    def sides(self) -> Mapping[str, str]:
        """Columns that say, row by row, which system it is, by its names in the files."""
        return self._content.sides

    @property
    def names_of_systems(self) -> list[str]:
        """What files may call systems: always the same one, or another one in each row."""
        return [*self.systems, *self.sides]

    def models_beside(self, name: FileName) -> list[str]:
        """The models that it names: in systems, or of other files than that one."""
        of_files = [
            given
            for other, section in self.sections.items()
            if other != name
            for given in (section.constants, *(entry.given for entry in section.entries))
        ]
        named = [given["model"] for given in of_files if "model" in given]
        renamed = self.values.get("model", {})
        every = [system.model for system in self.systems.values()]
        return list(dict.fromkeys([*every, *(renamed.get(name, name) for name in named)]))

    def problem(self, path: KeyPath, message: str) -> Problem:
        """A problem of the mapping file, at a key."""
        return self._yaml.problem(path, message)

    def notices_of_unused(self, used: Collection[str]) -> Iterator[str]:
        """That a section is about a file that is not given."""
        for name in self.sections:
            if name not in used:
                yield str(self.problem((name,), "is not used: there is no such file here"))

    def path_of(self, section: FileName, place: int) -> KeyPath:
        """Where an entry of a wide table names its column."""
        written = self._yaml.section(section)["wide"]
        is_list = isinstance(written, list)
        entry = written[place] if is_list else written
        inside: KeyPath = (place,) if is_list else ()
        return (section, "wide", *inside, *(() if isinstance(entry, str) else ("column",)))

    # ── What does not depend on a file ───────────────────────────────────────────────────────

    def _of_shared(self) -> Iterator[Problem]:
        zone = self._content.time_zone
        if zone and zone_of(zone) is None:
            message = f"{zone!r} is no time zone such as Europe/Berlin, UTC or +02:00"
            yield self.problem(("time_zone",), message)
        for name, system in self._content.systems.items():
            yield from self._of_system(name, system)
        for name in self._content.sides:
            if name in self._content.systems:
                yield self.problem(("sides", name), f"systems has {name!r} already; rename one")
            elif not self._content.systems:
                message = (
                    f"{name!r} needs the section systems, with the systems that its column names"
                )
                yield self.problem(("sides", name), message)
        every = {name for columns in self.known.columns.values() for name in _readable(columns)}
        for column, renamed in self._content.values.items():
            path: KeyPath = ("values", column)
            if column == SYSTEM and not any(renamed.values()):
                continue
            if column == SYSTEM:
                message = f"name the systems under {SYSTEM}s, each with its model and condition"
                yield self.problem(path, message)
            elif column not in every:
                yield self.problem(path, f"is no column that is read{did_you_mean(column, every)}")
            for theirs, ours in renamed.items():
                if ours is not None:
                    yield from self._of_name((*path, theirs), column, ours)

    def _of_system(self, name: str, system: NamedSystem) -> Iterator[Problem]:
        path: KeyPath = ("systems", name)
        wrong = [
            problem
            for key in OF_SYSTEM
            for problem in self._of_name((*path, key), key, getattr(system, key))
        ]
        yield from wrong
        systems = self.known.systems
        if not wrong and systems is not None and (system.model, system.condition) not in systems:
            message = f"the study has no {system.model!r} in condition {system.condition!r}"
            yield self.problem(path, message)

    def _of_name(self, path: KeyPath, column: str, name: str) -> Iterator[Problem]:
        """Our name for something, which the study has to know."""
        known: Collection[str] | None = self.known.names.get(column)
        name = short_key(name) if column == "scenario" else name
        if column == SYSTEM:
            known = self.names_of_systems or None  # that there are none is said where it is used
        if known is not None and name not in known:
            reason = not_among(name, list(known)) if known else f"the study has no {column}"
            yield self.problem(path, reason.format(name))

    # ── What does ────────────────────────────────────────────────────────────────────────────

    def _of_sections(self) -> Iterator[Problem]:
        for name, section in self.sections.items():
            said: dict[str, str] = {}  # what says each of our columns
            for key, given in (("columns", section.columns), ("constants", section.constants)):
                for ours in given:
                    path: KeyPath = (name, key, ours)
                    yield from self._of_column(path, ours)
                    yield from self._of_twice(path, ours, f"{key}.{ours}", said)
                    if key == "constants":
                        yield from self._of_name(path, ours, given[ours])
            for place, entry in enumerate(section.entries):
                yield from self._of_entry(name, place, entry, dict(said))

    def _of_column(self, path: KeyPath, ours: str) -> Iterator[Problem]:
        """That a section can't say a column; `path` begins with the section."""
        file = str(path[0])
        columns = next(columns for name, columns in self.known.columns.items() if name == file)
        systems = [SYSTEM] if all(name in columns.required for name in OF_SYSTEM) else []
        if not columns.is_numbered(ours) and ours not in (*_readable(columns), *systems):
            message = f"{ours!r} is no column of {file}.csv"
            near = did_you_mean(ours, [*_readable(columns), *systems])
            yield self.problem(path, message + near)
        elif ours == SYSTEM and not self._content.systems:
            message = f"{SYSTEM!r} needs the section systems, with the model and condition of each"
            yield self.problem(path, message)

    def _of_twice(
        self, path: KeyPath, ours: str, by: str, said: dict[str, str]
    ) -> Iterator[Problem]:
        """That something else said a column already; from now on, `by` has said it."""
        for one in OF_SYSTEM if ours == SYSTEM else (ours,):
            if one in said:
                yield self.problem(path, f"{said[one]} says the {one} already; keep one of them")
            said[one] = by

    def _of_entry(
        self, name: FileName, place: int, entry: WideColumns, said: dict[str, str]
    ) -> Iterator[Problem]:
        path = self.path_of(name, place)
        try:
            pattern = NamePattern(entry.column)
        except ValueError as error:
            yield self.problem(path, f"{entry.column!r} {error}")
            return
        if name == "ranks" and CHOICE in (*pattern.parts, *entry.given):
            yield from self._of_column(path, SYSTEM)
            yield from self._of_twice(path, SYSTEM, "the value of these columns", said)
        elif (value := WIDE_VALUES[name]) in said:
            yield self.problem(path, f"{said[value]} says the {value}, which these columns have")
        parts = [part for part in PARTS if part != CHOICE or name == "ranks"]
        for part in pattern.parts:
            if part not in parts:
                message = f"{{{part}}} is none of {listed(parts)}{did_you_mean(part, parts)}"
                yield self.problem(path, message)
                continue
            yield from self._of_column(path, part)
            yield from self._of_twice(path, part, f"{{{part}}}", said)
        for part, given in entry.given.items():
            key = (*path[:-1], part)
            yield from self._of_column(key, part)
            yield from self._of_twice(key, part, f"the key {part}", said)
            yield from self._of_name(key, part, given)


def zone_of(text: str) -> tzinfo | None:
    """A time zone by its name or offset; None if there is none such."""
    if text in ("Z", "UTC"):
        return UTC
    try:
        if _OFFSET.fullmatch(text):
            return datetime.fromisoformat(f"2000-01-01T00:00{text}").tzinfo
        return ZoneInfo(text)
    except (ValueError, OSError, LookupError):  # ZoneInfo raises each of them
        return None


def _readable(columns: Columns) -> list[str]:
    return list(dict.fromkeys((*columns.required, *columns.optional)))
