"""Tables of counts with what is expected and what is missing. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from survey.evenness_tests import NOTHING, ChiSquare


@dataclass(frozen=True)
class Tally:
    """How often something was somewhere: as counted, as expected of even orders, and when the
    design is complete (None where orders are random).
    """

    count: int
    expected: float
    complete: int | None

    def __add__(self, other: "Tally") -> "Tally":
        complete = None
        if self.complete is not None and other.complete is not None:
            complete = self.complete + other.complete
        return Tally(self.count + other.count, self.expected + other.expected, complete)

    @property
    def missing(self) -> int:
        """How many are missing until the design is complete."""
        return max(0, (self.complete or 0) - self.count)


@dataclass(frozen=True)
class Grid:
    """A table of tallies, with its test, or why it has none. Pairs that can't meet are absent."""

    name: str
    rows: list[str]
    columns: list[str]
    cells: Mapping[tuple[str, str], Tally]
    test: ChiSquare = NOTHING
    untested: str = ""

    @classmethod
    def of(cls, name: str, entries: Iterable[tuple[str, str, Tally]]) -> "Grid":
        """Entries (row, column, tally) added up, in order of appearance. Where rows and columns
        are the same things, both are in the order of the rows.
        """
        cells: dict[tuple[str, str], Tally] = {}
        for row, column, tally in entries:
            before = cells.get((row, column))
            cells[row, column] = tally if before is None else before + tally
        rows = list(dict.fromkeys(row for row, _ in cells))
        columns = list(dict.fromkeys(column for _, column in cells))
        return cls(name, rows, rows if set(rows) == set(columns) else columns, cells)

    @property
    def tested(self) -> ChiSquare | None:
        """The test, where there is one."""
        return self.test if self.test.df else None

    @cached_property
    def least(self) -> int:
        """The smallest count."""
        return min((tally.count for tally in self.cells.values()), default=0)

    @cached_property
    def most(self) -> int:
        """The largest count."""
        return max((tally.count for tally in self.cells.values()), default=0)

    @cached_property
    def missing(self) -> int:
        """What is missing in all cells together."""
        return sum(tally.missing for tally in self.cells.values())

    @cached_property
    def is_thin(self) -> bool:
        """Whether fewer than five are expected somewhere: then p is rough."""
        return any(tally.expected < 5 for tally in self.cells.values())

    def lines(self) -> Iterator[tuple[str, list[Tally | None]]]:
        """Each row with its cells."""
        for row in self.rows:
            yield row, [self.cells.get((row, column)) for column in self.columns]

    def counts(self) -> list[list[int]]:
        """The counts alone; 0 where a pair can't meet."""
        return [[tally.count if tally else 0 for tally in line] for _, line in self.lines()]
