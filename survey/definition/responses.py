"""responses.csv: what the systems wrote, checked as blocks."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from survey.definition.csv_file import csv_records
from survey.definition.labels import POOLED
from survey.definition.problems import DefinitionError, Problem, decode
from survey.definition.study import StudyDefinition, SystemName

REQUIRED = ("scenario", "prompt", "model", "condition", "response")
OPTIONAL = ("set", "context")
BLOCK_SIZES = range(2, 9)
#: Longest names, in characters.
LONGEST = {"scenario": 100, "set": 100, "model": 200, "condition": 100}

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True)
class ResponseRow:
    """One line of the file: a response in a block. `line` is where its record starts."""

    line: int
    scenario: str
    set_name: str
    prompt: str
    context: str
    model: str
    condition: str
    text: str

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


def given_by_each(study: StudyDefinition, rows: Iterable[ResponseRow]) -> tuple[int, int]:
    """How many ratings each rater gives at least, and on how many blocks."""
    sizes = Counter(row.block for row in rows)
    blocks = min(study.blocks_per_participant or len(sizes), len(sizes))
    dimensions = len(study.rating.dimensions) if study.rating else 0
    return blocks * min(sizes.values(), default=0) * dimensions, blocks


def read_responses(path: Path, study: StudyDefinition) -> tuple[list[ResponseRow], list[str]]:
    """Rows of `path` and notices about ignored columns, checked against `study`.

    Raises DefinitionError with every problem found.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DefinitionError([Problem(str(path), 0, 0, error.strerror or "unreadable")]) from None
    return parse_responses(data, study, file=str(path))


def parse_responses(
    data: bytes, study: StudyDefinition, *, file: str
) -> tuple[list[ResponseRow], list[str]]:
    """As `read_responses`, from bytes."""
    records = csv_records(decode(data, file=file), file)
    header_line, header = next(records, (1, []))
    columns = [name.strip() for name in header]
    problems = _header_problems(columns, file)
    if problems:
        raise DefinitionError(problems)
    notices = [
        f"{file}, line {header_line}: column {name!r} is ignored"
        for name in columns
        if name not in REQUIRED + OPTIONAL
    ]
    rows: list[ResponseRow] = []
    for line, cells in records:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(columns):
            problems.append(
                Problem(file, line, 0, f"{len(cells)} cells where the header has {len(columns)}")
            )
            continue
        cell = dict(zip(columns, cells, strict=True))
        problems += [
            Problem(file, line, 0, f"{name} is empty")
            for name in REQUIRED
            if not cell[name].strip()
        ]
        problems += [
            Problem(file, line, 0, f"{name} is longer than {most} characters")
            for name, most in LONGEST.items()
            if len(cell.get(name, "").strip()) > most
        ]
        rows.append(
            ResponseRow(
                line=line,
                scenario=cell["scenario"].strip(),
                set_name=cell.get("set", "").strip(),
                prompt=cell["prompt"].strip(),
                context=cell.get("context", "").strip(),
                model=cell["model"].strip(),
                condition=cell["condition"].strip(),
                text=cell["response"].strip(),
            )
        )
    if not rows and not problems:
        problems.append(Problem(file, header_line, 0, "there are no responses below the header"))
    problems += _row_problems(rows, study, file)
    if not problems:
        problems += _block_problems(rows, study, file)
    if problems:
        raise DefinitionError(problems)
    return rows, notices


def _header_problems(columns: list[str], file: str) -> list[Problem]:
    missing = [name for name in REQUIRED if name not in columns]
    problems = [Problem(file, 1, 0, f"column {name!r} is missing") for name in missing]
    twice = sorted({name for name in columns if columns.count(name) > 1})
    return problems + [Problem(file, 1, 0, f"column {name!r} stands twice") for name in twice]


def _row_problems(rows: list[ResponseRow], study: StudyDefinition, file: str) -> list[Problem]:
    problems = []
    first_of_scenario: dict[str, ResponseRow] = {}
    first_place: dict[tuple[str, str, str, str], int] = {}
    for row in rows:
        if row.condition and row.condition not in study.conditions:
            known = ", ".join(study.conditions)
            problems.append(
                Problem(file, row.line, 0, f"condition {row.condition!r} is not one of {known}")
            )
        if study.sets is not None and row.set_name not in study.sets:
            known = ", ".join(study.sets)
            problems.append(
                Problem(file, row.line, 0, f"set {row.set_name!r} is not one of {known}")
            )
        problems += [
            Problem(file, row.line, 0, f"a {what} can't be called {POOLED!r}: tables use the word")
            for what, name in (
                ("scenario", row.scenario),
                ("model", row.model),
                ("condition", row.condition),
            )
            if name == POOLED
        ]
        first = first_of_scenario.setdefault(row.scenario, row)
        for what, here, there in (
            ("prompt", row.prompt, first.prompt),
            ("context", row.context, first.context),
        ):
            if here != there:
                problems.append(
                    Problem(
                        file,
                        row.line,
                        0,
                        f"the {what} of scenario {row.scenario!r} differs from line {first.line}",
                    )
                )
        place = (*row.block, *row.system)
        if place in first_place:
            problems.append(
                Problem(
                    file,
                    row.line,
                    0,
                    f"{_name(row.system)} already answers scenario {row.scenario!r}"
                    f"{_in_set(row.set_name)} on line {first_place[place]}",
                )
            )
        first_place.setdefault(place, row.line)
    return problems


def _block_problems(rows: list[ResponseRow], study: StudyDefinition, file: str) -> list[Problem]:
    """Every block holds what its set says; every scenario is in every set."""
    blocks: dict[tuple[str, str], list[ResponseRow]] = defaultdict(list)
    for row in rows:
        blocks[row.block].append(row)
    problems = []
    for (scenario, set_name), members in blocks.items():
        line = members[0].line
        where = f"scenario {scenario!r}{_in_set(set_name)}"
        have = {row.system for row in members}
        want = _systems_of_set(rows, study, set_name)
        problems += [
            Problem(file, line, 0, f"{where} lacks a response of {_name(system)}")
            for system in want
            if system not in have
        ]
        problems += [
            Problem(file, row.line, 0, f"{where} must not hold {_name(row.system)}: see sets")
            for row in members
            if row.system not in want
        ]
        if len(members) not in BLOCK_SIZES:
            problems.append(
                Problem(
                    file,
                    line,
                    0,
                    f"{where} has {len(members)} responses; a block holds "
                    f"{BLOCK_SIZES.start} to {BLOCK_SIZES.stop - 1}",
                )
            )
    sets = list(study.sets) if study.sets is not None else _in_order(r.set_name for r in rows)
    for scenario in _in_order(row.scenario for row in rows):
        line = next(row.line for row in rows if row.scenario == scenario)
        problems += [
            Problem(file, line, 0, f"scenario {scenario!r} has no block{_in_set(set_name)}")
            for set_name in sets
            if (scenario, set_name) not in blocks
        ]
    return problems


def _systems_of_set(
    rows: list[ResponseRow], study: StudyDefinition, set_name: str
) -> list[tuple[str, str]]:
    """What each block of a set must hold: as `sets` says, else what any of its blocks holds."""
    if study.sets is None:
        return _in_order(row.system for row in rows if row.set_name == set_name)
    reference: SystemName | None = study.reference
    conditions = [c for c in study.conditions if not (reference and c == reference.condition)]
    systems = [(model, condition) for model in study.sets[set_name] for condition in conditions]
    return systems + ([(reference.model, reference.condition)] if reference else [])


def _in_order(items: Iterable[Item]) -> list[Item]:
    return list(dict.fromkeys(items))


def _name(system: tuple[str, str]) -> str:
    return f"{system[0]!r} ({system[1]})"


def _in_set(set_name: str) -> str:
    return f" in set {set_name!r}" if set_name else ""
