"""Tables of a benchmark: printed row by row, and stored where `make bench` asks for them."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

#: The variable that names the file to store tables in, one a line as JSON.
STORED_IN = "BENCH_TABLES"
#: Least widths on the terminal: of the first column, and of others.
FIRST, OTHERS = 34, 10


@dataclass
class Table:
    title: str
    columns: Sequence[str]
    rows: list[list[str]] = field(default_factory=list)

    def markdown(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def as_line(self, cells: Sequence[str]) -> str:
        """One row of the table on a terminal."""
        least = [FIRST, *[OTHERS] * len(self.columns)]
        widths = [max(n, len(column)) for n, column in zip(least, self.columns, strict=False)]
        return "  ".join(f"{cell:{n}}" for cell, n in zip(cells, widths, strict=True)).rstrip()


@contextmanager
def reported(title: str, *columns: str) -> Iterator[Callable[..., None]]:
    """A table; the yielded function adds and prints a row. It is stored at the end of the block."""
    made = Table(title, columns)
    print(f"\n{title}\n{made.as_line(columns)}", flush=True)

    def add(*cells: object) -> None:
        made.rows.append([str(cell) for cell in cells])
        print(made.as_line(made.rows[-1]), flush=True)

    yield add
    if file := os.environ.get(STORED_IN):
        with Path(file).open("a", encoding="utf-8") as stored:
            stored.write(json.dumps(asdict(made), ensure_ascii=False) + "\n")


def stored_tables(file: Path) -> list[Table]:
    if not file.exists():
        return []
    return [Table(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
