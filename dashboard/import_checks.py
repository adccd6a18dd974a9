"""What participants.csv, ratings.csv and ranks.csv say, checked against a study. Pure."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from dashboard.import_files import LARGEST, Columns, Findings, Row, TidyFile, not_among

#: How a cell of the study is named: scenario, set, model, condition.
Names = tuple[str, str, str, str]
CELL = ("scenario", "set", "model", "condition")
STATUSES = ("completed", "in_progress", "screened_out", "declined", "withdrawn")
WITHOUT_RATINGS = ("declined", "withdrawn")
TEXTS = ("sex", "gender", "race", "hispanic", "education", "employment", "state", "region")
SHOWN = ("block_position", "response_position", "block_seconds", "revisions")
#: Columns that our exports add and that are computed anew.
DERIVED = ("sigma", "mae", "included", "exclusion", "gold", "gold_by")
CHOICES = {"best": 1, "worst": -1}
#: An age above this is a slip of the pen, or a year of birth.
OLDEST = 150


@dataclass(frozen=True)
class Vocabulary:
    """What the files of one study may name."""

    study: str
    #: (block id, response id) by names.
    cells: Mapping[Names, tuple[int, int]]
    dimensions: list[str]
    scale: list[int]
    #: Questions of the study beside the usual columns, and which are answered in whole numbers.
    questions: list[str]
    whole_numbers: list[str]
    sources: list[str]
    test_sources: list[str]

    @cached_property
    def sets(self) -> list[str]:
        """The names of the sets; one empty name where a study has none."""
        return list(dict.fromkeys(names[1] for names in self.cells))

    @cached_property
    def block_sizes(self) -> dict[int, int]:
        """How many responses each block shows, by block id."""
        return Counter(block for block, _ in self.cells.values())


@dataclass(slots=True)
class Person:
    """A row of participants.csv."""

    line: int
    name: str
    source: str
    status: str
    started_at: datetime | None
    finished_at: datetime | None
    duration_seconds: float | None
    checks_failed: int | None
    answers: dict[str, str | int | float]
    blocks: dict[int, "BlockAnswers"] = field(default_factory=dict)


@dataclass(slots=True)
class BlockAnswers:
    """What one person gave to one block. `places` are the responses' places on the page."""

    line: int
    position: int | None
    seconds: float | None
    places: dict[int, int | None] = field(default_factory=dict)
    #: (response, task, dimension) → (value, revisions).
    values: dict[tuple[int, str, str], tuple[int, int]] = field(default_factory=dict)


# ── participants.csv ─────────────────────────────────────────────────────────────────────────


def read_people(
    data: bytes, file: str, vocabulary: Vocabulary, findings: Findings
) -> dict[str, Person]:
    """Participants by name, in file order."""
    columns = Columns(
        required=("participant", "status"),
        optional=(
            *("source", "started_at", "finished_at", "duration_seconds"),
            *("attention_checks_failed", "age", *TEXTS, *vocabulary.questions),
        ),
        ignored=(*DERIVED, "sources"),
    )
    table = TidyFile(data, file, columns, findings)
    people: dict[str, Person] = {}
    for line, row in table.rows():
        name = row["participant"]
        if not name:
            table.problem(line, "participant", "is empty")
        elif len(name) > 100:
            table.problem(line, "participant", "is longer than 100 characters")
        elif name in people:
            first = people[name].line
            table.problem(line, "participant", f"{name!r} stands on line {first} already")
        else:
            people[name] = _person(table, line, row, vocabulary)
    if not people and not findings.problems:
        table.problem(1, "", "there are no participants below the header")
    _look_for_prolific_ids(people, file, findings)
    return people


def _person(table: TidyFile, line: int, row: Row, vocabulary: Vocabulary) -> Person:
    source = _source(table, line, row, vocabulary)
    status = table.choice(line, row, "status", STATUSES)
    started_at = table.time(line, row, "started_at")
    finished_at = table.time(line, row, "finished_at")
    if started_at and finished_at and finished_at < started_at:
        table.problem(line, "finished_at", f"is before started_at, {row['started_at']}")
    if status == "completed" and source in vocabulary.test_sources and finished_at is None:
        table.problem(line, "finished_at", f"is empty, but the {source} participant completed")
    return Person(
        line=line,
        name=row["participant"],
        source=source,
        status=status or "",
        started_at=started_at,
        finished_at=finished_at,
        duration_seconds=table.number(line, row, "duration_seconds"),
        checks_failed=table.whole(line, row, "attention_checks_failed"),
        answers=_answers(table, line, row, vocabulary),
    )


def _source(table: TidyFile, line: int, row: Row, vocabulary: Vocabulary) -> str:
    """Test people stay what they are; everybody else was imported."""
    if not row.get("source"):
        return "import"
    source = table.choice(line, row, "source", vocabulary.sources)
    return source if source in vocabulary.test_sources else "import"


def _answers(
    table: TidyFile, line: int, row: Row, vocabulary: Vocabulary
) -> dict[str, str | int | float]:
    answers: dict[str, str | int | float] = {}
    age = table.number(line, row, "age", most=OLDEST)
    if age is not None:
        answers["age"] = int(age) if age.is_integer() else age
    for name in dict.fromkeys((*TEXTS, *vocabulary.questions)):
        if name in ("age", *DERIVED) or not row.get(name):
            continue
        if name in vocabulary.whole_numbers:
            number = table.whole(line, row, name, least=-1_000_000_000)
            if number is not None:
                answers[name] = number
        else:
            answers[name] = row[name]
    if "state" in answers:
        answers.pop("region", None)  # the state's own region holds
    return answers


def _look_for_prolific_ids(people: Mapping[str, Person], file: str, findings: Findings) -> None:
    ids = [person for person in people.values() if re.fullmatch(r"[0-9a-f]{24}", person.name)]
    if ids:
        findings.notices.append(
            f"{file}: {len(ids)} participants are named like Prolific IDs (line {ids[0].line}); "
            "names are kept and exported as given: consider pseudonyms"
        )


# ── ratings.csv and ranks.csv ────────────────────────────────────────────────────────────────


class CellReader:
    """Finds what the rows of a file are about: response, block and dimension."""

    def __init__(self, table: TidyFile, vocabulary: Vocabulary) -> None:
        self.table = table
        self.vocabulary = vocabulary
        self.only_set = vocabulary.sets[0] if len(vocabulary.sets) == 1 else ""

    def cell(self, line: int, row: Row) -> tuple[int, int] | None:
        """(block, response); the wrong name is noted where there is none such."""
        set_name = row.get("set", self.only_set)
        names = (row["scenario"], set_name, row["model"], row["condition"])
        found = self.vocabulary.cells.get(names)
        if found is None:
            self._explain(line, names)
        return found

    def _explain(self, line: int, names: Names) -> None:
        known = zip(*self.vocabulary.cells, strict=True)
        for column, name, among in zip(CELL, names, known, strict=True):
            if name not in among:
                self.table.problem(line, column, not_among(name, list(dict.fromkeys(among))))
                return
        scenario, set_name, model, condition = names
        where = f"scenario {scenario!r}" + (f", set {set_name!r}" if set_name else "")
        self.table.problem(line, "", f"{model!r} ({condition}) is not shown in {where}")

    def dimension(self, line: int, row: Row) -> str | None:
        """The row's dimension; the only one where the file does not say."""
        known = self.vocabulary.dimensions
        if len(known) == 1 and not row.get("dimension"):
            return known[0]
        return self.table.choice(line, row, "dimension", known)


def cell_columns(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Which columns of a cell a file has to have: the set only where there are several."""
    return CELL if len(vocabulary.sets) > 1 else ("scenario", "model", "condition")


def person_of(table: TidyFile, line: int, row: Row, people: Mapping[str, Person]) -> Person | None:
    """Whose row it is; somebody who must have given nothing is a problem."""
    person = people.get(row["participant"])
    if person is None:
        table.problem(
            line, "participant", f"{row['participant']!r} is not in the file of participants"
        )
    elif person.status in WITHOUT_RATINGS:
        reason = f"{person.name!r} is {person.status} on line {person.line} of the participants"
        table.problem(line, "participant", f"{reason} and can have none")
    else:
        return person
    return None


def read_ratings(
    data: bytes, file: str, vocabulary: Vocabulary, people: Mapping[str, Person], findings: Findings
) -> int:
    """Put each rating to its person; how many there are."""
    required = ["participant", *cell_columns(vocabulary), "rating"]
    if len(vocabulary.dimensions) > 1:
        required.append("dimension")
    columns = Columns(required, ("set", "dimension", *SHOWN), (*DERIVED, "source"))
    table = TidyFile(data, file, columns, findings)
    cells = CellReader(table, vocabulary)
    values = {str(value): value for value in vocabulary.scale}
    n = 0
    for line, row in table.rows():
        n += 1
        person = person_of(table, line, row, people)
        cell = cells.cell(line, row)
        dimension = cells.dimension(line, row)
        value = values.get(row["rating"])
        if value is None:
            table.problem(line, "rating", _why_no_rating(row["rating"], vocabulary.scale))
        if person and cell and dimension is not None and value is not None:
            _add_rating(table, line, row, person, cell, dimension, value, vocabulary)
    if not findings.problems:
        for person in people.values():
            _check_positions(table, person)
    return n


def _why_no_rating(text: str, scale: list[int]) -> str:
    if not text:
        return "is empty"
    if not re.fullmatch(r"-?[0-9]+", text):
        return f"{text!r} is not a whole number"
    whole_range = scale == [*range(scale[0], scale[-1] + 1)]
    points = f"{scale[0]} to {scale[-1]}" if whole_range else ", ".join(map(str, scale))
    return f"{text} is not on the scale of the study, {points}"


def _add_rating(
    table: TidyFile,
    line: int,
    row: Row,
    person: Person,
    cell: tuple[int, int],
    dimension: str,
    value: int,
    vocabulary: Vocabulary,
) -> None:
    block, response = cell
    sizes = vocabulary.block_sizes
    position = table.whole(line, row, "block_position", least=1, most=len(sizes))
    seconds = table.number(line, row, "block_seconds")
    answers = person.blocks.get(block)
    if answers is None:
        answers = person.blocks[block] = BlockAnswers(line, position, seconds)
    for column, here, there in (
        ("block_position", position, answers.position),
        ("block_seconds", seconds, answers.seconds),
    ):
        if here != there:
            table.problem(line, column, f"differs from line {answers.line}, the same block")
    place = table.whole(line, row, "response_position", least=1, most=sizes[block])
    if answers.places.setdefault(response, place) != place:
        table.problem(line, "response_position", "differs from the same response's other row")
    key = (response, "likert", dimension)
    if key in answers.values:
        table.problem(line, "", f"{person.name!r} has rated this response's {dimension} already")
    answers.values[key] = (value, table.whole(line, row, "revisions") or 0)


def _check_positions(table: TidyFile, person: Person) -> None:
    """No two blocks at one position, no two responses at one place of a page."""
    taken: dict[int, int] = {}
    for answers in person.blocks.values():
        if answers.position is not None:
            first = taken.setdefault(answers.position, answers.line)
            if first != answers.line:
                reason = f"{person.name!r} has another block at {answers.position} on line {first}"
                table.problem(answers.line, "block_position", reason)
        places = [place for place in answers.places.values() if place is not None]
        if len(set(places)) < len(places):
            reason = "two responses of the block stand at the same place"
            table.problem(answers.line, "response_position", reason)


def read_ranks(
    data: bytes, file: str, vocabulary: Vocabulary, people: Mapping[str, Person], findings: Findings
) -> int:
    """Put each rank and choice to its person; how many rows there are.

    Nobody gives a rank twice in a block, or has two best or two worst responses there.
    """
    required = ("participant", *cell_columns(vocabulary), "rank")
    columns = Columns(required, ("set", "dimension", "choice"), ("source",))
    table = TidyFile(data, file, columns, findings)
    cells = CellReader(table, vocabulary)
    sizes = vocabulary.block_sizes
    first_lines: dict[tuple[str, int, str, str, int], int] = {}
    n = 0
    for line, row in table.rows():
        n += 1
        person = person_of(table, line, row, people)
        cell = cells.cell(line, row)
        dimension = cells.dimension(line, row) if row.get("dimension") else ""
        shown = sizes[cell[0]] if cell else LARGEST
        rank = table.whole(line, row, "rank", least=1, most=shown)
        choice = table.choice(line, row, "choice", list(CHOICES)) if row.get("choice") else ""
        if person is None or cell is None or dimension is None or choice is None:
            continue
        block, response = cell
        answers = person.blocks.setdefault(block, BlockAnswers(line, None, None))
        given = (("rank", "ranking", rank), ("choice", "best_worst", CHOICES.get(choice)))
        for column, task, value in given:
            if value is None:
                continue
            first = first_lines.setdefault((person.name, block, dimension, task, value), line)
            if (response, task, dimension) in answers.values:
                table.problem(line, "", f"{person.name!r} has placed this response already")
            elif first != line:
                reason = f"{row[column]} stands on line {first} already, for the same block"
                table.problem(line, column, reason)
            answers.values[response, task, dimension] = (value, 0)
    return n
