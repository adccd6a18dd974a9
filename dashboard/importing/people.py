"""What participants.csv says, checked against a study. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from analysis.quality_rules import LONGEST_REASON
from dashboard.importing.files import Findings, Row, TidyFile
from dashboard.importing.options import EXPIRED, REVOKED, WrongAnswers
from survey.definition.answer_options import Options
from survey.definition.mapping import StudyMap
from survey.definition.tasks import ComparingTask
from survey.files.table_file import Columns

#: What names a cell of the study.
NAMED = ("scenario", "set", "model", "condition")
Names = tuple[str, str, str, str]
STATUSES = (
    *("completed", "in_progress", "screened_out", "failed_comprehension"),
    *("declined", "withdrawn"),
)
TEXTS = ("sex", "gender", "race", "hispanic", "education", "employment", "state", "region")
#: Columns that our exports add and that an analysis recomputes.
DERIVED = ("sigma", "mae", "included", "exclusion", "gold", "gold_by")
#: The answers to a study's own questions may come after them.
PARTICIPANTS = Columns(
    required=("participant", "status"),
    optional=(
        *("source", "started_at", "finished_at", "duration_seconds"),
        *("attention_checks_failed", "age", *TEXTS),
        *("way_in", "ending", "language", "device", "viewport_width", "viewport_height"),
        *("clock_stepped", "excluded_by_decision"),
    ),
    ignored=(*DERIVED, "sources"),
    hints={
        "status": "if everybody completed, say so in a mapping file: "
        "participants: {constants: {status: completed}}"
    },
)
LANGUAGE = re.compile(r"(?=.{2,20}$)[a-z]{2,3}(-[a-z0-9]{2,8})*")
#: The reason of a decision whose file does not tell it.
NOT_STATED = "not stated in the imported file"
#: Of a participant, in characters.
LONGEST_NAME = 100
#: An age above this is a slip of the pen, or a year of birth.
OLDEST = 150


@dataclass(frozen=True)
class Vocabulary:
    """What the files of one study may name."""

    study: str
    #: (block id, response id) by names.
    cells: Mapping[Names, tuple[int, int]]
    #: Names of scenarios by those that are made from their texts.
    scenarios: Mapping[str, str]
    #: One of these by the id of its response.
    public_ids: Mapping[str, tuple[int, int]]
    dimensions: list[str]
    #: The columns and dimensions of which a block may have a value twice; a dimension is empty
    #: where the task has none.
    shared: Collection[tuple[str, str]]
    #: The columns of ranks and choices, each with the kind of task that its values are stored for.
    placing: Mapping[str, type[ComparingTask]]
    #: Of ranks and choices that have a dimension of their own, and whether rows have to say it.
    rank_dimensions: list[str]
    rank_dimension_needed: bool
    #: The task that rates and what a rating may be; nothing where there is none.
    rating_task: str
    scale: list[float]
    #: Further questions of the study, and the type of answers that are numbers.
    questions: list[str]
    numbers: Mapping[str, type[int | float]]
    #: What questions with options may be answered with.
    options: Mapping[str, Options]
    ways_in: list[str]
    endings: list[str]
    devices: list[str]
    sources: list[str]
    test_sources: list[str]
    #: Which of several judgments of a response the analysis takes.
    repeats: str
    #: How many responses the study's own pages show of a block, by block id, and whether one person
    #: has several pages of a block.
    page_sizes: Mapping[int, set[int]]
    spread: bool

    @cached_property
    def only(self) -> dict[str, str]:
        """What a file need not say: the set, model, condition or dimension that is the only one. A
        study without sets has one without a name.
        """
        among = dict(zip(NAMED, zip(*self.cells, strict=True), strict=bool(self.cells)))
        every = {name: {*among.get(name, ())} for name in NAMED[1:]}
        every["dimension"] = {*self.dimensions}
        return {name: names.pop() for name, names in every.items() if len(names) == 1}

    @cached_property
    def block_sizes(self) -> dict[int, int]:
        """How many responses each block has, by block id."""
        return Counter(block for block, _ in self.cells.values())


@dataclass(slots=True)
class Person:
    """A row of participants.csv."""

    line: int
    name: str
    source: str = "import"
    status: str = "completed"
    started_at: datetime | None = None
    finished_at: datetime | None = None
    duration_seconds: float | None = None
    checks_failed: int | None = None
    way_in: str = ""
    ending: str = ""
    language: str = ""
    device: str = ""
    window: tuple[int | None, int | None] = (None, None)
    clock_stepped: bool = False
    #: Why researchers excluded the person; empty where they did not.
    excluded_by_decision: str = ""
    answers: dict[str, str | int | float] = field(default_factory=dict)
    blocks: "dict[JudgedPage, ImportedBlock]" = field(default_factory=dict)


class JudgedPage(NamedTuple):
    """What a person was shown at once: responses of a block, and which time they judged them. Where
    a block is spread over pages, `position` tells these apart.
    """

    block: int
    repeat: int
    position: int | None = None


@dataclass(slots=True)
class ImportedBlock:
    """What one person gave on one page. `shown` holds what files say about the whole block,
    `places` the responses' places on the page.
    """

    line: int
    shown: dict[str, float | int | None] = field(default_factory=dict)
    places: dict[int, int | None] = field(default_factory=dict)
    #: (response, task, dimension) → (value, revisions).
    values: dict[tuple[int, str, str], tuple[float, int]] = field(default_factory=dict)

    @property
    def position(self) -> int | None:
        """1 for the first block shown."""
        position = self.shown.get("block_position")
        return None if position is None else int(position)

    @property
    def seconds(self) -> float | None:
        """From showing the block to its first complete answer."""
        return self.shown.get("block_seconds")


def asked_of_people(questions: Iterable[str]) -> Columns:
    """The columns of participants.csv in a study with further `questions`."""
    return replace(PARTICIPANTS, optional=(*PARTICIPANTS.optional, *questions))


def read_people(
    data: bytes,
    file: str,
    vocabulary: Vocabulary,
    findings: Findings,
    *,
    study_map: StudyMap | None = None,
) -> dict[str, Person]:
    """Participants by name, in file order."""
    columns = asked_of_people(vocabulary.questions)
    table = TidyFile(data, file, columns, findings, kind="participants", study_map=study_map)
    people: dict[str, Person] = {}
    wrong: dict[str, WrongAnswers] = {}
    for line, row in table.rows():
        name = row["participant"]
        if reason := why_no_name(name):
            table.problem(line, "participant", reason)
        elif name in people:
            table.problem(
                line, "participant", "{!r} is on line {} already", name, people[name].line
            )
        else:
            people[name] = _person(table, line, row, vocabulary, wrong)
    for column, answers in wrong.items():
        answers.refuse(table, column, vocabulary.options[column])
    if not people and not findings.problems:
        table.problem(1, "", "there are no participants below the header")
    look_for_prolific_ids(people, file, findings)
    return people


def why_no_name(name: str) -> str:
    """Why people can't be called so; empty if they can."""
    if not name:
        return "is empty"
    return f"is longer than {LONGEST_NAME} characters" if len(name) > LONGEST_NAME else ""


def _person(
    table: TidyFile,
    line: int,
    row: Row,
    vocabulary: Vocabulary,
    wrong: dict[str, WrongAnswers],
) -> Person:
    source = _source(table, line, row, vocabulary)
    status = table.choice(line, row, "status", STATUSES)
    started_at = table.time(line, row, "started_at")
    finished_at = table.time(line, row, "finished_at")
    clock_stepped = _one_of(table, line, row, "clock_stepped", ["true", "false"]) == "true"
    if started_at and finished_at and finished_at < started_at and not clock_stepped:
        times = (row["finished_at"], row["started_at"])
        table.problem(line, "finished_at", "{} is before started_at, {}", *times)
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
        way_in=_one_of(table, line, row, "way_in", vocabulary.ways_in),
        ending=_one_of(table, line, row, "ending", vocabulary.endings),
        language=_language(table, line, row),
        device=_one_of(table, line, row, "device", vocabulary.devices),
        window=(
            table.whole(line, row, "viewport_width"),
            table.whole(line, row, "viewport_height"),
        ),
        clock_stepped=clock_stepped,
        excluded_by_decision=_decision(table, line, row),
        answers=_answers(table, line, row, vocabulary, wrong),
    )


def _one_of(table: TidyFile, line: int, row: Row, column: str, known: list[str]) -> str:
    return table.choice(line, row, column, known) or "" if row.get(column) else ""


def _language(table: TidyFile, line: int, row: Row) -> str:
    language = row.get("language", "")
    if language and not LANGUAGE.fullmatch(language):
        reason = "{!r} is not a language code such as en or zh-hans"
        table.problem(line, "language", reason, language)
    return language


def _decision(table: TidyFile, line: int, row: Row) -> str:
    """The reason of a decision; what is shared says no more than that there is one."""
    reason = row.get("excluded_by_decision", "")
    if len(reason) > LONGEST_REASON:
        why = f"is longer than {LONGEST_REASON} characters"
        table.problem(line, "excluded_by_decision", why)
    return {"true": NOT_STATED, "false": ""}.get(reason.lower(), reason)


def _source(table: TidyFile, line: int, row: Row, vocabulary: Vocabulary) -> str:
    """Test people stay what they are, everybody else was imported. An expert would count among the
    raters then, and no file tells the panel.
    """
    if not row.get("source"):
        return "import"
    source = table.choice(line, row, "source", vocabulary.sources)
    if source == "panel":
        table.problem(line, "source", "is panel: of experts, import the gold scores")
    return source if source in vocabulary.test_sources else "import"


def _answers(
    table: TidyFile,
    line: int,
    row: Row,
    vocabulary: Vocabulary,
    wrong: dict[str, WrongAnswers],
) -> dict[str, str | int | float]:
    """Answers by question; those that are no option are added to `wrong`."""
    answers: dict[str, str | int | float] = {}
    row = {name: "" if text in (REVOKED, EXPIRED) else text for name, text in row.items()}
    age = table.number(line, row, "age", most=OLDEST)
    if age is not None:
        answers["age"] = int(age) if age.is_integer() else age
    for name in dict.fromkeys((*TEXTS, *vocabulary.questions)):
        if name in ("age", *DERIVED) or not row.get(name):
            continue
        if name in vocabulary.numbers:
            read = table.whole if vocabulary.numbers[name] is int else table.number
            number = read(line, row, name, least=-1_000_000_000)
            if number is not None:
                answers[name] = number
        elif (options := vocabulary.options.get(name)) is None:
            answers[name] = row[name]
        elif (answer := options.answer(row[name])) is not None:
            answers[name] = answer
        else:
            wrong.setdefault(name, WrongAnswers(line)).counts[row[name]] += 1
    if "state" in answers:
        answers.pop("region", None)  # the state's own region holds
    return answers


def look_for_prolific_ids(people: Mapping[str, Person], file: str, findings: Findings) -> None:
    """Note names that seem to be those of Prolific."""
    ids = [person for person in people.values() if re.fullmatch(r"[0-9a-f]{24}", person.name)]
    if ids:
        findings.notices.append(
            f"{file}: names like Prolific IDs: {len(ids)} (first: line {ids[0].line}). Exports "
            "contain names as given: consider pseudonyms"
        )
