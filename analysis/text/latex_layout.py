"""How a LaTeX table fits a page: its size, which way it stands, and which texts break.

Widths are estimated from numbers of characters, for a page of LaTeX's `article`, the narrowest
that is common. Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

#: What stands for one character in LaTeX, and what for none.
COMMAND = re.compile(r"\\[A-Za-z]+(\{\})?|\\.")
UNSEEN = re.compile(r"[${}]|\^(?=\{)")
#: Where a text may go on in the next line.
BREAK = re.compile(r"(?<=-)|\s+")
LONG = 35  # lines; a longer table may run over several pages
TURNED_LONG = 22
BREAK_FROM = 32  # characters; longer texts are set in lines of their own


@dataclass(frozen=True)
class LatexColumn:
    """A column's heading and cells as LaTeX; `is_text` where they are no numbers."""

    heading: str
    cells: list[str]
    is_text: bool


@dataclass(frozen=True)
class Size:
    """A size of type: what sets it, points of a digit and of a letter, and between two columns."""

    commands: tuple[str, ...]
    digit: float
    letter: float
    between: float

    def points(self, column: LatexColumn, characters: int) -> float:
        return characters * (self.letter if column.is_text else self.digit)


@dataclass(frozen=True)
class LatexLayout:
    """`align` are the columns' alignments, `headings` broken in lines."""

    size: Size
    is_turned: bool
    is_long: bool
    align: list[str]
    headings: list[str]


USUAL = Size((r"\small",), 4.7, 4.4, 12)
SMALL = Size((r"\scriptsize", r"\setlength{\tabcolsep}{3pt}"), 4.1, 3.8, 6)
UPRIGHT, TURNED = 345, 550  # points of a line
#: In this order until one fits: the size, whether the page is turned, and the most characters of a
#: line of text.
WAYS = [
    (USUAL, False, BREAK_FROM),
    (SMALL, False, BREAK_FROM),
    (SMALL, False, 16),
    (SMALL, True, BREAK_FROM),
    (SMALL, True, 16),
    (SMALL, True, 10),
    (SMALL, True, 6),
]  # fmt: skip


def layout(columns: Sequence[LatexColumn]) -> LatexLayout:
    """The first way in which the columns fit, else the narrowest."""
    for size, is_turned, most in WAYS:
        widths = [_width(column, most) for column in columns]
        taken = sum(map(size.points, columns, widths)) + len(widths) * size.between
        if taken <= (TURNED if is_turned else UPRIGHT):
            break
    broken = [c.is_text and _longest(c) > w for c, w in zip(columns, widths, strict=True)]
    return LatexLayout(
        size,
        is_turned,
        _lines(columns, widths) > (TURNED_LONG if is_turned else LONG),
        [
            _paragraph(size.points(column, width)) if breaks else "l" if column.is_text else "r"
            for column, width, breaks in zip(columns, widths, broken, strict=True)
        ],
        [
            _stacked(column, width if breaks else _longest(column))
            for column, width, breaks in zip(columns, widths, broken, strict=True)
        ],
    )


@lru_cache(maxsize=2**16)  # a column is measured several times, and most cells are not the first
def seen(latex: str) -> int:
    """About how many characters one sees of some LaTeX."""
    return len(UNSEEN.sub("", COMMAND.sub("x", latex)))


def _width(column: LatexColumn, most: int) -> int:
    """Characters of the widest line, where texts have at most so many if their words let them."""
    longest = _longest(column)
    if column.is_text and longest > most:
        longest = max(most, *(_widest_word(cell) for cell in column.cells))
    return max(longest, _widest_word(column.heading))


def _longest(column: LatexColumn) -> int:
    return max(map(seen, column.cells), default=0)


def _widest_word(latex: str) -> int:
    return max((seen(word) for word in BREAK.split(latex)), default=0)


def _lines(columns: Sequence[LatexColumn], widths: Sequence[int]) -> int:
    """Lines of all rows, of which the one with most text needs most."""
    needed = [
        [-(-seen(cell) // width) if width else 1 for cell in column.cells]
        for column, width in zip(columns, widths, strict=True)
    ]
    return sum(max(1, *of_row) for of_row in zip(*needed, strict=True))


def _paragraph(points: float) -> str:
    """A column of lines that break; a word of wide letters has a little room."""
    points += 4
    return rf">{{\raggedright\arraybackslash}}p{{{points:.0f}pt}}"


def _stacked(column: LatexColumn, width: int) -> str:
    """The heading, in lines that are no wider than they must be."""
    width = max(width, _widest_word(column.heading))
    lines: list[str] = []
    for word in column.heading.split():
        if lines and seen(lines[-1]) + 1 + seen(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    if len(lines) < 2:
        return column.heading
    side, stack = "l" if column.is_text else "r", r"\\".join(lines)
    return rf"\shortstack[{side}]{{{stack}}}"
