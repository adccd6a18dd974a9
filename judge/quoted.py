"""Parts of a text that quote others: code, and the JSON objects of answers. Pure.

Tags of thinking and tokens of templates are only mentioned there.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: Backslashes that JSON refuses, or reads as control characters, though TeX is meant.
_BACKSLASH = re.compile(
    r"\\(?:(?P<tex>[bf](?=[A-Za-z])|u(?![0-9A-Fa-f]{4})|[^\"\\/bfnrtu]"
    r"|(?:nabla|neg|neq|not|notin|nu|rangle|rho|right|rightarrow|rm|tan|tanh|tau|text|textbf|textit"
    r"|tfrac|theta|times|to|top|triangle)(?![A-Za-z]))|.)",
    re.DOTALL,
)
_INLINE = re.compile(r"(?<!`)`(?!`)[^`\n]+`(?!`)")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_INDENTED = re.compile(r" {4}|\t")
BEGINS_OBJECT = re.compile(r"\{(?=\s*\")")
#: A text that does not end goes on to the end, or each of its quotes would be tried.
_IN_OBJECT = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}]', re.DOTALL)
#: So many braces are looked at: a text of nothing else must not take minutes.
_TRIES = 8


@dataclass(frozen=True)
class Quoted:
    """Where a text quotes something, and whether that is a block of lines."""

    start: int
    end: int
    is_block: bool = False


def with_tex(text: str) -> str:
    """JSON whose backslashes of TeX are kept as written."""
    return _BACKSLASH.sub(lambda found: "\\" * (found["tex"] is not None) + found[0], text)


def quoted_in(text: str) -> list[Quoted]:
    """The code and JSON objects of a text."""
    found = list(_objects(text))
    if "`" in text:
        found += [Quoted(*code.span()) for code in _INLINE.finditer(text)]
    return found + list(_blocks(text))


def marked(text: str, quoted: Iterable[Quoted]) -> bytearray:
    """For each character of a text whether it stands in one of these."""
    marks = bytearray(len(text))
    for each in quoted:
        marks[each.start : each.end] = b"\1" * (each.end - each.start)
    return marks


def _objects(text: str) -> Iterator[Quoted]:
    at = 0
    for _ in range(_TRIES):
        begins = BEGINS_OBJECT.search(text, at)
        if begins is None:
            return
        end = _end_of_object(text, begins.start())
        if end is not None:
            yield Quoted(begins.start(), end)
        at = end or begins.end()


def _end_of_object(text: str, start: int) -> int | None:
    depth = 0
    for found in _IN_OBJECT.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            try:
                json.loads(with_tex(text[start : found.end()]), strict=False)
            except (ValueError, RecursionError):
                return None
            return found.end()
    return None


def _blocks(text: str) -> Iterator[Quoted]:
    """Fenced code that ends, and indented code behind an empty line."""
    at = begun = 0
    fence = ""
    is_indented, was_empty = False, True
    for line in text.splitlines(keepends=True):
        marks = _FENCE.match(line)
        if is_indented and line.strip() and not _INDENTED.match(line):
            yield Quoted(begun, at, is_block=True)
            is_indented = False
        if fence:
            if marks and marks[1].startswith(fence) and not line[marks.end() :].strip():
                yield Quoted(begun, at + len(line), is_block=True)
                fence = ""
        elif marks and not is_indented:
            fence, begun = marks[1], at
        elif was_empty and not is_indented and line.strip() and _INDENTED.match(line):
            is_indented, begun = True, at
        was_empty = not line.strip()
        at += len(line)
    if is_indented:
        yield Quoted(begun, at, is_block=True)
