"""Reading a page as people do: its tables as rows of texts, and its text without markup."""

import re
from html.parser import HTMLParser
from typing import Any

LEFT_OUT = {"script", "style", "head"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.cell: list[str] | None = None
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in LEFT_OUT
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.cell = []

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in LEFT_OUT
        if tag in ("th", "td") and self.cell is not None:
            self.tables[-1][-1].append(_squeezed(self.cell))
            self.cell = None

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.text.append(data)
            if self.cell is not None:
                self.cell.append(data)


def _squeezed(pieces: list[str]) -> str:
    return re.sub(r"\s+", " ", " ".join(pieces)).strip()


def _read(answer: Any) -> _Reader:
    reader = _Reader()
    reader.feed(answer.content.decode())
    return reader


def text_of(answer: Any) -> str:
    """What the page says, in one line."""
    return _squeezed(_read(answer).text)


def tables_of(answer: Any) -> list[list[list[str]]]:
    """The page's tables, each as rows of cells."""
    return _read(answer).tables


def table_headed(answer: Any, first: str) -> list[list[str]]:
    """The page's first table whose first heading is `first`."""
    return next(table for table in tables_of(answer) if table[0][0] == first)
