"""Problems in input files, each with its place."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from survey.refusals import RequestRefused

#: Lines of a message; the other problems are counted.
SHOWN = 20
#: From this number of problems on, no further rows are read (`TableFile.records`).
ENOUGH = 1_000
#: Further values that a line of equal problems quotes, and characters of each.
OTHERS = 3
LONGEST_QUOTE = 80


def listed(names: Sequence[str]) -> str:
    """The first names, quoted; a file may have thousands."""
    return ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")


@dataclass(frozen=True)
class Problem:
    """A mistake in a file. `line` and `column` count from 1; 0 means the whole file.

    `template` is the message, with placeholders of `str.format` for `values`. Equal problems may
    differ in these; the wrong value is the first. `about` is the subject of equal problems, if it
    is not the column. `more` equal ones follow, down to line `last`, with values such as `others`.
    `where` is written in front of the message: a column by its name. Equal problems may differ in
    it, too, because a wide table has many columns for one kind of value.
    """

    file: str
    line: int
    column: int
    template: str
    values: tuple[object, ...] = ()
    about: str = ""
    more: int = 0
    last: int = 0
    others: tuple[str, ...] = ()
    where: str = ""

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f", line {self.line}"
        if self.column:
            place += f", column {self.column}"
        return f"{place}: {self.message}{self._and_more}"

    @property
    def message(self) -> str:
        """The message without the place."""
        said = self.template.format(*map(_short, self.values)) if self.values else self.template
        return self.where + said

    @property
    def kind(self) -> tuple[str, str | int, str]:
        """File, subject and template: the same for equal problems."""
        return self.file, self.about or self.column, self.template

    @property
    def quoted(self) -> str:
        """The wrong value, as messages quote it."""
        return repr(_short(self.values[0])) if self.values else ""

    @property
    def _and_more(self) -> str:
        if not self.more:
            return ""
        last = max(self.line, self.last)
        where = f"up to line {last}" if last > self.line else "on this line"
        some = f", such as {', '.join(self.others)}" if self.others else ""
        return f" (and {self.more} more{f' {where}' if last else ''}{some})"


def _short(value: object) -> object:
    if isinstance(value, str) and len(value) > LONGEST_QUOTE:
        return value[:LONGEST_QUOTE] + "…"
    return value


@dataclass
class _Group:
    first: Problem
    more: int = 0
    last: int = 0
    others: list[str] = field(default_factory=list)

    def take(self, problem: Problem) -> None:
        """Count one more, or several that were counted as one already."""
        self.more += 1 + problem.more
        self.last = max(self.last, problem.line, problem.last, self.first.line)
        if problem.line < self.first.line:
            self.first, problem = problem, self.first
        if len(self.others) < OTHERS and problem.values[:1] != self.first.values[:1]:
            for value in (problem.quoted, *problem.others):
                if value and value != self.first.quoted and value not in self.others:
                    self.others.append(value)

    def as_problem(self) -> Problem:
        others = [value for value in self.others if value != self.first.quoted]
        return replace(self.first, more=self.more, last=self.last, others=tuple(others[:OTHERS]))


class Problems:
    """Collects problems. Equal ones (same file, column and kind of mistake, at other lines or with
    other values) become one, so a million of them need no more memory than one.
    """

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self._groups: dict[tuple[str, str | int, str], _Group] = {}
        self._count = 0
        self.extend(problems)

    def add(self, problem: Problem) -> None:
        """Note a problem."""
        self._count += 1 + problem.more
        group = self._groups.get(problem.kind)
        if group is None:
            self._groups[problem.kind] = _Group(
                problem, problem.more, problem.last, list(problem.others)
            )
        else:
            group.take(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Note several problems."""
        for problem in problems:
            self.add(problem)

    @property
    def are_enough(self) -> bool:
        """Whether there are `ENOUGH` problems; equal ones count each."""
        return self._count >= ENOUGH

    def __iter__(self) -> Iterator[Problem]:
        return (group.as_problem() for group in self._groups.values())

    def __len__(self) -> int:
        return len(self._groups)


class DefinitionError(RequestRefused):
    """Input that can't be used. `problems` are in file order, equal ones as one; people read
    `lines` or the text of the exception.
    """

    about = "file"

    def __init__(self, problems: Iterable[Problem]) -> None:
        grouped = problems if isinstance(problems, Problems) else Problems(problems)
        self.problems = sorted(grouped, key=lambda p: (p.file, p.line, p.column, p.message))
        super().__init__("\n".join(self.lines))

    def __reduce__(self) -> tuple[type["DefinitionError"], tuple[list[Problem]]]:
        """How it is sent from one process to another."""
        return DefinitionError, (self.problems,)

    @property
    def lines(self) -> list[str]:
        """One line for each problem, for the first `SHOWN` of them."""
        lines = [str(problem) for problem in self.problems[:SHOWN]]
        rest = sum(1 + problem.more for problem in self.problems[SHOWN:])
        return [*lines, f"and {rest} more"] if rest else lines


def read_bytes(path: Path) -> bytes:
    """What is in a file that somebody named. Raises DefinitionError if it can't be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DefinitionError([Problem(str(path), 0, 0, error.strerror or "unreadable")]) from None
