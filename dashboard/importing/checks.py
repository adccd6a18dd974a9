"""What ratings.csv and ranks.csv say, checked against a study. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import pairwise
from typing import NamedTuple

from dashboard.importing.files import LARGEST, Findings, Row, TidyFile
from dashboard.importing.people import (
    DERIVED,
    NAMED,
    ImportedBlock,
    JudgedPage,
    Names,
    Person,
    Vocabulary,
    why_no_name,
)
from dashboard.importing.repeats import COLUMN, RepeatNumbers
from survey.definition.mapping import StudyMap
from survey.definition.tasks import ComparingTask
from survey.files.digits import NumberedNames, as_whole
from survey.files.names import key_of_texts
from survey.files.suggestions import not_among
from survey.files.table_file import Columns

#: A rating: longer texts are none, and reading them takes quadratic time.
PLAIN_NUMBER = re.compile(r"-?(?:[0-9]{1,20}(?:\.[0-9]{1,20})?|\.[0-9]{1,20})")
#: Decimals of a rating that count. Points have fewer, and the noise of floats begins behind them.
DECIMALS = 9
CELL = NAMED
#: Where a file has no names of scenarios, these are made from their texts.
TEXTS, MADE_FROM = ("prompt", "context"), {"scenario": "prompt"}
WITHOUT_RATINGS = ("declined", "failed_comprehension", "withdrawn")
SHOWN = ("block_position", "response_position", "block_seconds", "revisions", COLUMN)
RATINGS = Columns(
    required=("participant", *CELL, "dimension", "rating"),
    optional=(*TEXTS, *SHOWN),
    ignored=(*DERIVED, "source"),
    made_from=MADE_FROM,
)
RANKS = Columns(
    required=("participant", *CELL, "rank"),
    optional=("dimension", "choice", *TEXTS, *SHOWN),
    ignored=("source",),
    made_from=MADE_FROM,
)


class CellReader:
    """Finds what the rows of a file are about: response, block and dimension."""

    def __init__(self, table: TidyFile, vocabulary: Vocabulary) -> None:
        self.table = table
        self.vocabulary = vocabulary
        among = [dict.fromkeys(names) for names in zip(*vocabulary.cells, strict=True)]
        self._numbered = [NumberedNames(names) for names in among or [{}] * len(CELL)]

    def cell(self, line: int, row: Row) -> tuple[int, int] | None:
        """(block, response); an unknown name is noted as a problem."""
        row = self.vocabulary.only | row
        names = (row["scenario"], row["set"], row["model"], row["condition"])
        cell = self.vocabulary.cells.get(names)
        if cell is None and self.table.is_unnamed:
            names = (self.vocabulary.scenarios.get(names[0], names[0]), *names[1:])
            cell = self.vocabulary.cells.get(names)
        if cell is None:
            scenario, set_name, model, condition = (
                numbered.known(self.table.with_point(name))
                for numbered, name in zip(self._numbered, names, strict=True)
            )
            cell = self.vocabulary.cells.get((scenario, set_name, model, condition))
        else:
            scenario = names[0]
        if cell is None:
            self._explain(line, names)
        elif not self.table.is_unnamed and row.get("prompt"):
            self._compare_prompt(line, row, scenario)
        return cell

    def _compare_prompt(self, line: int, row: Row, scenario: str) -> None:
        """A row that names its scenario may have its prompt, too, but not another one's."""
        key = key_of_texts(row.get("context", ""), row["prompt"])
        if self.vocabulary.scenarios.get(key, scenario) != scenario:
            reason = "is that of scenario {!r}, but the row names scenario {!r}"
            self.table.problem(line, "prompt", reason, self.vocabulary.scenarios[key], scenario)

    def _explain(self, line: int, names: Names) -> None:
        every = zip(*self.vocabulary.cells, strict=True)
        unknown, by_text = False, self.table.is_unnamed
        for column, name, among in zip(CELL, names, every, strict=True):
            if name not in among:
                known = [*self.vocabulary.scenarios] if by_text and column == "scenario" else among
                reason = not_among(name, list(dict.fromkeys(known)))
                self.table.problem(line, column, reason, name)
                unknown = True
        if unknown:
            return
        scenario, set_name, model, condition = names
        in_set = f", set {set_name!r}" if set_name else ""
        reason = (
            "{!r} ({}) has no response in scenario {!r}{}: add it to the responses and load the "
            "study again, or remove it here"
        )
        self.table.problem(line, "", reason, model, condition, scenario, in_set)

    def dimension(self, line: int, row: Row) -> str | None:
        """What was rated; the only dimension where the file does not say."""
        if not row.get("dimension") and (only := self.vocabulary.only.get("dimension")):
            return only
        return self.table.choice(line, row, "dimension", self.vocabulary.dimensions)

    def rank_dimension(self, line: int, row: Row) -> str | None:
        """The dimension of ranks or choices; empty if the study has none."""
        if self.vocabulary.rank_dimension_needed and not row.get("dimension"):
            known = self.vocabulary.rank_dimensions
            reason = f"is empty; the study ranks by {', '.join(known)}"
            self.table.problem(line, "dimension", reason)
            return None
        known = [*self.vocabulary.dimensions, *self.vocabulary.rank_dimensions]
        return self.table.choice(line, row, "dimension", known) if row.get("dimension") else ""


def needed_in(vocabulary: Vocabulary, columns: Columns) -> Columns:
    """The columns of a file of the study: it may lack what can be one name only."""
    only = vocabulary.only if vocabulary.dimensions else {**vocabulary.only, "dimension": ""}
    return columns.may_lack(only)


class PersonReader:
    """Finds the people whom the rows of a file are about. Where `adds`, there is no file of
    participants: everybody whom a row names is one, who completed.
    """

    def __init__(self, table: TidyFile, people: dict[str, Person], *, adds: bool) -> None:
        self.table = table
        self.people = people
        self.adds = adds
        self._numbered = NumberedNames(people)

    def person(self, line: int, row: Row) -> Person | None:
        """The person of a row; a person who can have no answers is a problem."""
        name = row["participant"]
        person = self.people.get(name) or self.people.get(
            self._numbered.known(self.table.with_point(name))
        )
        if person is None and self.adds:
            if reason := why_no_name(name):
                self.table.problem(line, "participant", reason)
                return None
            return self.people.setdefault(name, Person(line, name))
        if person is None:
            reason = "{!r} is not in the file of participants"
            self.table.problem(line, "participant", reason, name)
        elif person.status in WITHOUT_RATINGS:
            reason = "{!r} is {} on line {} of the participants and can have none"
            values = (person.name, person.status, person.line)
            self.table.problem(line, "participant", reason, *values)
        else:
            return person
        return None


def read_ratings(
    data: bytes,
    file: str,
    vocabulary: Vocabulary,
    people: dict[str, Person],
    findings: Findings,
    *,
    study_map: StudyMap | None = None,
    new_people: bool = False,
) -> int:
    """Put each rating to its person; how many there are. `new_people`: see PersonReader."""
    columns = needed_in(vocabulary, RATINGS)
    table = TidyFile(data, file, columns, findings, kind="ratings", study_map=study_map)
    if not vocabulary.rating_task:
        for line, _ in table.rows():
            table.problem(line, "", "the study has no ratings; ranks and choices are in ranks.csv")
        return 0
    cells = CellReader(table, vocabulary)
    persons = PersonReader(table, people, adds=new_people)
    values = {Decimal(str(value)): value for value in vocabulary.scale}
    repeats = RepeatNumbers(table, "ratings")
    n = 0
    for line, row in table.rows(of=["rating"]):
        n += 1
        person = persons.person(line, row)
        cell = cells.cell(line, row)
        dimension = cells.dimension(line, row)
        rating = table.with_point(row["rating"])
        value = values.get(_number(rating)) if PLAIN_NUMBER.fullmatch(rating) else None
        if value is None:
            reason = _why_no_rating(rating, vocabulary.scale)
            table.problem(line, "rating", reason, row["rating"])
        if person and cell and dimension is not None and value is not None:
            repeat = repeats.number(line, row, ((person.name, *cell, dimension), value))
            if repeat is not None:
                given = Given(person, cell, _page(table, line, row, cell[0], repeat, vocabulary))
                _add_rating(table, line, row, given, dimension, value, vocabulary, repeats)
    repeats.note(findings, taken=vocabulary.repeats)
    _check_all_positions(table, people, vocabulary)
    return n


def _number(text: str) -> Decimal:
    """A number without the noise of sums of floats: 0.3 of 0.30000000000000004."""
    return Decimal(text).quantize(Decimal(10) ** -DECIMALS, context=Context(prec=60))


def _why_no_rating(text: str, scale: list[float]) -> str:
    are_whole = all(value % 1 == 0 for value in scale)
    is_number = PLAIN_NUMBER.fullmatch(as_whole(text) if are_whole else text)
    if not is_number or (are_whole and not as_whole(text).lstrip("-").isdigit()):
        is_word = not any(map(str.isdigit, text))
        how = "; a mapping file can rename values, under values.rating" if is_word else ""
        return ("{!r} is not a whole number" if are_whole else "{!r} is not a number") + how
    exact = [Decimal(str(value)) for value in scale]
    step, *others = {after - before for before, after in pairwise(exact)}
    points = f"{scale[0]} to {scale[-1]}" + (f" in steps of {step}" if step != 1 else "")
    if others:
        points = ", ".join(map(str, scale))
    return f"{{}} is not on the scale of the study, {points}"


def _add_rating(
    table: TidyFile,
    line: int,
    row: Row,
    given: "Given",
    dimension: str,
    value: float,
    vocabulary: Vocabulary,
    repeats: RepeatNumbers,
) -> None:
    answers = _block_answers(table, line, row, given, vocabulary)
    key = (given.response, vocabulary.rating_task, dimension)
    if key in answers.values:
        reason = "{!r} has rated this response's {} already"
        repeats.problem(line, given.page.repeat, reason, given.person.name, dimension)
    answers.values[key] = (value, table.whole(line, row, "revisions") or 0)


@dataclass(frozen=True)
class Given:
    """Whose judgment a row is, of which block and response, and on which page."""

    person: Person
    cell: tuple[int, int]
    page: JudgedPage

    @property
    def response(self) -> int:
        return self.cell[1]


def _page(
    table: TidyFile, line: int, row: Row, block: int, repeat: int, vocabulary: Vocabulary
) -> JudgedPage:
    """Which page a row is of: where a block is spread over pages, that at its position."""
    if not vocabulary.spread:
        return JudgedPage(block, repeat)
    position = table.whole(line, row, "block_position", least=1)
    return JudgedPage(block, repeat, position)


def _block_answers(
    table: TidyFile, line: int, row: Row, given: Given, vocabulary: Vocabulary
) -> ImportedBlock:
    """What the person gave on the row's page, with what the row says about how it was shown.

    Every row of a page has to say the same, be it in the file of ratings or in that of ranks.
    """
    block, response = given.cell
    sizes = vocabulary.block_sizes
    answers = given.person.blocks.setdefault(given.page, ImportedBlock(line))
    shown: dict[str, float | int | None] = {
        "block_position": table.whole(line, row, "block_position", least=1),
        "block_seconds": table.number(line, row, "block_seconds"),
    }
    for column, value in shown.items():
        if column in table.columns and answers.shown.setdefault(column, value) != value:
            reason = "{} differs from line {}, the same block"
            if column == "block_position":
                reason += "; if people had several pages of a block, write spread_over_pages: true"
                reason += " in study.yaml"
            table.problem(line, column, reason, row[column], answers.line)
    if "response_position" in table.columns:
        place = table.whole(line, row, "response_position", least=1, most=sizes[block])
        if answers.places.setdefault(response, place) != place:
            table.problem(line, "response_position", "differs from the same response's other row")
    return answers


def _check_all_positions(
    table: TidyFile, people: Mapping[str, Person], vocabulary: Vocabulary
) -> None:
    if table.findings.problems:
        return
    for person in people.values():
        pages = vocabulary.cells if vocabulary.spread else vocabulary.block_sizes
        _check_positions(table, person, len(pages))


def _check_positions(table: TidyFile, person: Person, blocks: int) -> None:
    """No two blocks at one position or beyond the last one, no two responses at one place of a
    page.
    """
    taken: dict[int, int] = {}
    judged: set[tuple[object, ...]] = set()
    for page, answers in person.blocks.items():
        given = {(page.block, page.repeat, *key) for key in answers.values}
        if given & judged:
            reason = "{!r} has judged a response on two pages as repeat {}"
            table.problem(answers.line, COLUMN, reason, person.name, page.repeat)
        judged |= given
    most = blocks * max((page.repeat for page in person.blocks), default=1)
    for answers in person.blocks.values():
        if answers.position is not None:
            if answers.position > most:
                reason = f"{{}} is not between 1 and {most}"
                table.problem(answers.line, "block_position", reason, answers.position)
            first = taken.setdefault(answers.position, answers.line)
            if first != answers.line:
                reason = "{!r} has another block at {} on line {}"
                values = (person.name, answers.position, first)
                table.problem(answers.line, "block_position", reason, *values)
        places = [place for place in answers.places.values() if place is not None]
        if len(set(places)) < len(places):
            reason = "two responses of the block have the same place"
            table.problem(answers.line, "response_position", reason)


class Placed(NamedTuple):
    """What a row says of a response in one column."""

    kind: type[ComparingTask]
    value: int


def _placed(
    table: TidyFile, line: int, row: Row, shown: int, vocabulary: Vocabulary
) -> list[Placed] | None:
    """What a row says of a response that is one of `shown`; None where a word is none."""
    placed = []
    for column, kind in vocabulary.placing.items():
        value: float | None = None
        if not kind.words:
            value = table.whole(line, row, column, least=1, most=shown)
        elif row.get(column):
            word = table.choice(line, row, column, list(kind.words))
            if word is None:
                return None
            value = kind.words[word]
        if value is not None:
            placed.append(Placed(kind, int(value)))
    return placed


def read_ranks(
    data: bytes,
    file: str,
    vocabulary: Vocabulary,
    people: dict[str, Person],
    findings: Findings,
    *,
    study_map: StudyMap | None = None,
    new_people: bool = False,
) -> int:
    """Put each rank and choice to its person; how many rows there are. `new_people`: see
    PersonReader.

    Nobody gives a rank twice in a block (unless the study allows ties), has two best or two worst
    responses there, or ranks a response lower than its page has responses.
    """
    columns = needed_in(vocabulary, RANKS)
    table = TidyFile(data, file, columns, findings, kind="ranks", study_map=study_map)
    cells, persons = CellReader(table, vocabulary), PersonReader(table, people, adds=new_people)
    sizes = vocabulary.block_sizes
    first_lines: dict[tuple[str, JudgedPage, str, type[ComparingTask], int], int] = {}
    ranked: dict[tuple[str, JudgedPage, str], list[tuple[int, int]]] = {}  # ranks with their lines
    repeats = RepeatNumbers(table, "ranks")
    n = 0
    # A row without a choice says that the response was shown.
    for line, row in table.rows(of=[] if "choice" in table.columns else ["rank"]):
        n += 1
        person = persons.person(line, row)
        cell = cells.cell(line, row)
        dimension = cells.rank_dimension(line, row)
        shown = sizes[cell[0]] if cell else LARGEST
        placed = _placed(table, line, row, shown, vocabulary)
        if person is None or cell is None or dimension is None or placed is None:
            continue
        # the same response as best and as worst is no repeat, but a slip of the pen
        judged = [
            ((person.name, *cell, dimension, kind, value if kind.words else None), value)
            for kind, value in placed
        ]
        repeat = repeats.number(line, row, *judged)
        if repeat is None:
            continue
        given = Given(person, cell, _page(table, line, row, cell[0], repeat, vocabulary))
        answers = _block_answers(table, line, row, given, vocabulary)
        revisions = table.whole(line, row, "revisions") or 0
        for kind, value in placed:
            key = (given.response, kind.called(), dimension)
            if key in answers.values:
                reason = "{!r} has placed this response already"
                repeats.problem(line, given.page.repeat, reason, person.name)
            place = (person.name, given.page, dimension, kind, value)
            first = first_lines.setdefault(place, line)
            if first != line and (kind.column, dimension) not in vocabulary.shared:
                reason = "{} is on line {} already, for the same block"
                table.problem(line, kind.column, reason, row[kind.column], first)
            answers.values[key] = (value, revisions)
            if not kind.words:
                ranked.setdefault((person.name, given.page, dimension), []).append((value, line))
            revisions = 0  # a row with a rank and a choice counts their changes together
    for (_, page, _), ranks in ranked.items():
        value, line = max(ranks)
        if len(ranks) in vocabulary.page_sizes[page.block] and value > len(ranks):
            reason = "{} is not between 1 and {}, the responses of this page"
            table.problem(line, "rank", reason, value, len(ranks))
    repeats.note(findings, taken=vocabulary.repeats)
    _check_all_positions(table, people, vocabulary)
    return n
