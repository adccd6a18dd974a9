"""Problems in input files, each with its place."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One thing wrong with a file. `line` and `column` count from 1; 0 means the whole file."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f", line {self.line}"
        if self.column:
            place += f", column {self.column}"
        return f"{place}: {self.message}"


class DefinitionError(Exception):
    """Input that can't be used; carries every problem found, in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def decode(data: bytes, *, file: str) -> str:
    """Decode UTF-8 (a byte order mark is allowed); name the line and column of a bad byte, or
    the line of a NUL, which no database keeps.

    Raises DefinitionError.
    """
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise DefinitionError([Problem(file, line, 0, "there is a NUL character")])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line = before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        bad = error.object[error.start]
        message = f"byte 0x{bad:02x} is not UTF-8; save the file as UTF-8 and try again"
        raise DefinitionError([Problem(file, line, column, message)]) from None
