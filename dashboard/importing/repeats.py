"""Several judgments of one response by one person, numbered. Pure."""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field

from dashboard.importing.files import Findings, Row, TidyFile

COLUMN = "repeat"
Judged = tuple[Hashable, ...]


@dataclass
class RepeatNumbers:
    """Which time a row's person judges what the row is about: as its column `repeat` says, else in
    the order of the rows. `what` the file has: ratings, or ranks.
    """

    table: TidyFile
    what: str
    _values: dict[Judged, list[object]] = field(default_factory=lambda: defaultdict(list))
    _lines: list[int] = field(default_factory=list)
    _people: set[str] = field(default_factory=set)
    _equal: int = 0

    def number(self, line: int, row: Row, *judged: tuple[Judged, object]) -> int | None:
        """The number of a row with these values, each with what is judged; None if its cell is
        wrong.
        """
        if COLUMN in self.table.columns:
            return self.table.whole(line, row, COLUMN, least=1) if row[COLUMN] else 1
        before = [self._values[key] for key, _ in judged]
        number = 1 + max((len(values) for values in before), default=0)
        if number > 1:
            self._lines.append(line)
            self._people.add(row["participant"])
            self._equal += all(
                value in values for values, (_, value) in zip(before, judged, strict=True)
            )
        for values, (_, value) in zip(before, judged, strict=True):
            values.append(value)
        return number

    def problem(self, line: int, repeat: int, reason: str, *values: object) -> None:
        """A second judgment of one repeat."""
        if COLUMN in self.table.columns:
            self.table.problem(line, COLUMN, f"{reason}, as repeat {{}}", *values, repeat)
        else:
            self.table.problem(line, "", reason, *values)

    def note(self, findings: Findings, *, taken: str) -> None:
        """Tell how many rows repeat earlier ones, and which repeat the analysis has `taken`."""
        if not self._lines:
            return
        n, people = len(self._lines), len(self._people)
        rows = f"{self.what} of" if n > 1 else f"{self.what.removesuffix('s')} of"
        findings.notices.append(
            f"{self.table.name}: {n} {rows} {people} {'people' if people > 1 else 'person'} "
            f"{'repeat' if n > 1 else 'repeats'} an earlier judgment of the same response "
            f"(first: line {self._lines[0]}; with the same value: {self._equal}). They are "
            f"numbered in the order of the file, unless it has a column {COLUMN}; the analysis "
            f"takes: {taken} (repeats in study.yaml)"
        )
