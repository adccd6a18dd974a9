"""responses.csv: what the systems wrote, checked as blocks."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from survey.definition import missing
from survey.definition.labels import POOLED
from survey.definition.mapping import FileName, MappedTable, StudyMap
from survey.definition.missing import in_set, name_of
from survey.definition.study import MOST_IN_A_BLOCK, StudyDefinition, SystemName
from survey.definition.text_language import checked_tag
from survey.files.csv_text import from_text
from survey.files.digits import as_known
from survey.files.names import one_name
from survey.files.problems import DefinitionError, Problem, Problems, read_bytes
from survey.files.suggestions import not_among
from survey.files.table_file import Columns, TableFile

#: The column and the setting that say which language responses are in.
LANGUAGE = "responses_language"
COLUMNS = Columns(
    required=("scenario", "prompt", "model", "condition", "response"),
    optional=("set", "context", LANGUAGE),
    ignored=("generated_by", "parameters", "generated_at"),  # of `manage.py corpus responses`
    made_from={"scenario": "prompt"},
)
#: The file of a study folder is called so, with one of these endings.
NAME: FileName = "responses"
ENDINGS = (".csv", ".tsv", ".xlsx")
#: Longest names, in characters.
LONGEST = {"set": 100, "model": 200, "condition": 100}

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True)
class ResponseRow:
    """One line of the file: a response in a block. `line` is where its record starts.

    `language` is that of the text, if the line says it.
    """

    line: int
    scenario: str
    set_name: str
    prompt: str
    context: str
    model: str
    condition: str
    text: str
    language: str = ""

    @property
    def system(self) -> tuple[str, str]:
        """(model, condition)."""
        return self.model, self.condition

    @property
    def text_hash(self) -> str:
        """SHA-256 of the text: the same text of the same system is the same response."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def block(self) -> tuple[str, str]:
        """(scenario, set)."""
        return self.scenario, self.set_name


def responses_in(folder: Path) -> Path:
    """The file of responses in a study folder. Raises DefinitionError where it has several."""
    files = [path for ending in ENDINGS if (path := folder / f"{NAME}{ending}").exists()]
    if len(files) > 1:
        names = " and ".join(path.name for path in files)
        message = f"there are {names}; remove what is not needed, or name one with --responses"
        raise DefinitionError([Problem(str(folder), 0, 0, message)])
    return files[0] if files else folder / f"{NAME}{ENDINGS[0]}"


def read_responses(
    path: Path, study: StudyDefinition, study_map: StudyMap | None = None
) -> tuple[list[ResponseRow], list[str]]:
    """Rows of `path` and notices about ignored columns, checked against `study`. A mapping file
    may say where the file has the columns.

    Raises DefinitionError with every problem found.
    """
    return parse_responses(read_bytes(path), study, file=str(path), study_map=study_map)


def parse_responses(
    data: bytes, study: StudyDefinition, *, file: str, study_map: StudyMap | None = None
) -> tuple[list[ResponseRow], list[str]]:
    """As `read_responses`, from bytes."""
    file_table = TableFile(data, file=file, sheet=NAME)
    known = {"condition": study.conditions, "set": study.sets, "model": models_of(study)}
    named = {name: [*among] for name, among in known.items() if among is not None}
    only = {name: among[0] for name, among in named.items() if len(among) == 1}
    columns = COLUMNS.may_lack(only)
    table = MappedTable(file_table, columns, section=NAME, study_map=study_map)
    problems = Problems()
    rows: list[ResponseRow] = []
    needed = [name for name in COLUMNS.required if name != "scenario" or not table.is_unnamed]
    once = _Once()
    without_text: list[int] = []
    for line, row in table.rows(problems, from_text):
        cell = only | row
        problems.extend(
            Problem(file, line, 0, f"{name} is empty")
            for name in needed
            if not cell[name] and name != "response"
        )
        problems.extend(
            Problem(file, line, 0, f"{name} is longer than {most} characters")
            for name, most in LONGEST.items()
            if len(cell.get(name, "")) > most
        )
        for name, among in named.items():
            if name in cell:
                cell[name] = _known(cell[name], among, file_table)
        if not cell["response"]:
            without_text.append(line)
            continue
        scenario = cell["scenario"]
        rows.append(
            ResponseRow(
                line=line,
                scenario=scenario,
                set_name=cell.get("set", ""),
                prompt=once.text(cell["prompt"], scenario),
                context=once.text(cell.get("context", ""), scenario),
                model=cell["model"],
                condition=cell["condition"],
                text=once.text(cell["response"], scenario, cell["model"], cell["condition"]),
                language=_language(file, line, table.called(LANGUAGE), cell, problems),
            )
        )
    if not rows and not problems:
        message = "there are no responses below the header"
        problems.add(Problem(file, file_table.header_line, 0, message))
    rows, repeated = _each_once(rows)
    problems.extend(_row_problems(rows, study, file))
    if not problems:
        problems.extend(_block_problems(rows, study, file))
    if problems:
        raise DefinitionError(problems)
    notices = [file_table.notice_of_unread(table.unread)] if table.unread else []
    if without_text:
        n, first = len(without_text), without_text[0]
        notices.append(
            f"{file}: {n} {'rows have' if n > 1 else 'row has'} no response and "
            f"{'are' if n > 1 else 'is'} left out (first: line {first})"
        )
    if repeated:
        n, first = len(repeated), repeated[0].line
        notices.append(
            f"{file}: {n} {'rows repeat' if n > 1 else 'row repeats'} the response of an earlier "
            f"one, word for word, and {'are' if n > 1 else 'is'} left out (first: line {first})"
        )
    return rows, [*table.notices, *notices, *_lacking(rows, study, file)]


def _known(name: str, known: Collection[str], table: TableFile) -> str:
    """A name of the study that is a number, which a file writes with zeros behind it."""
    number = as_known(table.with_point(name), known)
    return number if number in known else name


def _language(
    file: str, line: int, column: str, cell: Mapping[str, str], problems: Problems
) -> str:
    """The language that a row states; a problem and none for a wrong one."""
    if not (tag := cell.get(LANGUAGE, "")):
        return ""
    try:
        return checked_tag(tag)
    except ValueError as error:
        problems.add(Problem(file, line, 0, "{1}", (tag, error), where=f"column {column!r}: "))
        return ""


class _Once:
    """Texts of one place that differ only in the indentation of their first line, or in how accents
    are written, become the same text: the first of them.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[str, ...], str] = {}

    def text(self, text: str, *place: str) -> str:
        return self._texts.setdefault((*place, one_name(text.strip())), text)


def _each_once(rows: list[ResponseRow]) -> tuple[list[ResponseRow], list[ResponseRow]]:
    """The rows that say something new, and those that repeat an earlier one, as in a table with a
    row for each rating.
    """
    once: list[ResponseRow] = []
    repeated: list[ResponseRow] = []
    said: set[ResponseRow] = set()
    for row in rows:
        what = replace(row, line=0)
        (repeated if what in said else once).append(row)
        said.add(what)
    return once, repeated


def _lacking(rows: list[ResponseRow], study: StudyDefinition, file: str) -> Iterator[str]:
    """What tells which responses are missing."""
    have: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for row in rows:
        have[row.block].add(row.system)
    blocks = list(have)  # without declared sets, scenarios may be divided among sets
    if study.sets is not None:
        scenarios = _in_order(row.scenario for row in rows)
        blocks = [(scenario, set_name) for scenario in scenarios for set_name in study.sets]
    sets = _in_order(set_name for _, set_name in blocks)
    want = {set_name: _systems_of_set(rows, study, set_name) for set_name in sets}
    yield from missing.notices(
        file,
        have,
        [
            (block, system)
            for block in blocks
            for system in want[block[1]]
            if system not in have.get(block, ())
        ],
    )


def _row_problems(rows: list[ResponseRow], study: StudyDefinition, file: str) -> Iterator[Problem]:
    first_of_scenario: dict[str, ResponseRow] = {}
    first_place: dict[tuple[str, str, str, str], int] = {}
    first_shown: dict[tuple[str, tuple[str, str], str], ResponseRow] = {}
    models = models_of(study)
    for row in rows:
        named = (
            ("condition", row.condition, study.conditions),
            ("set", row.set_name, study.sets),
            ("model", row.model, models),
        )
        for what, name, known in named:
            if known is not None and name not in known and (name or what == "set"):
                yield Problem(file, row.line, 0, f"{what} {not_among(name, known)}", (name,))
        for what, name in (
            ("scenario", row.scenario),
            ("model", row.model),
            ("condition", row.condition),
        ):
            if name == POOLED:
                message = f"a {what} can't be called {POOLED!r}: tables use the word"
                yield Problem(file, row.line, 0, message)
        first = first_of_scenario.setdefault(row.scenario, row)
        for what, here, there in (
            ("prompt", row.prompt, first.prompt),
            ("context", row.context, first.context),
        ):
            if one_name(here) != one_name(there):
                message = f"the {what} of scenario {{!r}} differs from line {{}}"
                values = (row.scenario, first.line)
                yield Problem(file, row.line, 0, message, values)
        place = (*row.block, *row.system)
        if place in first_place:
            message = "{} already answers scenario {!r}{} on line {}"
            answered = (name_of(row.system), row.scenario, in_set(row.set_name), first_place[place])
            yield Problem(file, row.line, 0, message, answered)
        first_place.setdefault(place, row.line)
        shown = first_shown.setdefault((row.scenario, row.system, row.text), row)
        if row.language != shown.language:
            message = "column {!r}: the same response has {!r} here and {!r} on line {}"
            stated = (LANGUAGE, row.language, shown.language, shown.line)
            yield Problem(file, row.line, 0, message, stated)


def models_of(study: StudyDefinition) -> list[str] | None:
    """The models that study.yaml names; None where it leaves them to the responses."""
    if study.sets is None:
        return None
    reference = [study.reference.model] if study.reference else []
    return _in_order([*(model for models in study.sets.values() for model in models), *reference])


def _block_problems(
    rows: list[ResponseRow], study: StudyDefinition, file: str
) -> Iterator[Problem]:
    """Every block has systems of its set, and not too many."""
    blocks: dict[tuple[str, str], list[ResponseRow]] = defaultdict(list)
    for row in rows:
        blocks[row.block].append(row)
    for (scenario, set_name), members in blocks.items():
        where = (scenario, in_set(set_name))
        want = _systems_of_set(rows, study, set_name)
        too_many = "scenario {!r}{} must not have {}: see sets"
        for row in members:
            if row.system not in want:
                yield Problem(file, row.line, 0, too_many, (*where, name_of(row.system)))
        if len(members) > MOST_IN_A_BLOCK:
            message = (
                f"scenario {{!r}}{{}} has {{}} responses; a block has at most {MOST_IN_A_BLOCK}"
            )
            yield Problem(file, members[0].line, 0, message, (*where, len(members)))
    if study.sets is not None:
        for set_name in study.sets:
            if not any(set_name == of for _, of in blocks):
                message = "set {!r} has no responses; remove it from sets in study.yaml"
                yield Problem(file, 0, 0, message, (set_name,))


def _systems_of_set(
    rows: list[ResponseRow], study: StudyDefinition, set_name: str
) -> list[tuple[str, str]]:
    """The systems of each block of a set: those of `sets`, else all that its blocks have."""
    if study.sets is None:
        return _in_order(row.system for row in rows if row.set_name == set_name)
    reference: SystemName | None = study.reference
    conditions = [c for c in study.conditions if not (reference and c == reference.condition)]
    systems = [(model, condition) for model in study.sets[set_name] for condition in conditions]
    return systems + ([(reference.model, reference.condition)] if reference else [])


def _in_order(items: Iterable[Item]) -> list[Item]:
    return list(dict.fromkeys(items))
