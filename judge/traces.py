"""Traces of how texts were generated or stored, which raters should not see. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from judge.chat_tokens import without_end, without_start
from judge.thinking import without_thinking

#: Characters before and after a trace in an example.
AROUND = 20
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_PATTERNS = {
    "a line break that is written out": re.compile(r"(?<!\\)\\r?\\?n(?![a-z])|\\u[0-9a-fA-F]{4}"),
    "an HTML entity": re.compile(
        r"&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|hellip|[mn]dash|#[0-9]{1,6}|#x[0-9a-f]{1,6});",
        re.IGNORECASE,
    ),
    "words of a model about itself": re.compile(
        r"\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b"
        r"|\bi(?:'m|\u2019m| am) (?:just |only )?an? (?:ai\b|(?:large )?language model)"
        r"|\u4f5c\u4e3a(?:\u4e00\u4e2a|\u4e00\u540d)?(?:AI|\u4eba\u5de5\u667a\u80fd|\u8bed\u8a00\u6a21\u578b)",
        re.IGNORECASE,
    ),
    "a control character": re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]"),
    "an invisible character that turns text around": re.compile(r"[\u202a-\u202e\u2066-\u2069]"),
    "an invisible character": re.compile(r"[\u200b\u2060\ufeff\u00ad]"),
    "nothing but a sign for a missing text": re.compile(
        r"\A\s*(?:#?N/?A|NaN|nan|<NA>|None|null|NULL|undefined)\s*\Z"
    ),
}
#: What Windows' encoding makes of the bytes from 80 to 9F, beside those of Latin 1.
_BYTES = {
    ord(bytes([byte]).decode("cp1252")): byte
    for byte in range(0x80, 0xA0)
    if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
_RUN = re.compile(
    "[\u00c2-\u00c5\u00ce-\u00d1\u00d8-\u00db\u00e1-\u00ed\u00f0]"
    f"[\u0080-\u00bf{''.join(map(chr, _BYTES))}]{{1,3}}"
)


#: Most texts have none of these, and need no closer look.
_NEEDS = {
    "a model's thinking": (
        "<",
        "[",
        "\u25c1",
        "\uff1c",
        "thinking...",
        "thought process",
        "analysis",
    ),
    "a token of a chat template": ("<", "[", "assistant"),
    "a line break that is written out": "\\",
    "an HTML entity": "&",
    "words of a model about itself": ("an ai", "an artificial", "language model", "\u4f5c\u4e3a"),
}


@dataclass(frozen=True)
class Trace:
    """A kind of trace, and how the text has it."""

    kind: str
    example: str


def traces_in(text: str) -> Iterator[Trace]:
    """The first trace of each kind."""
    plain = _CODE.sub(lambda code: " " * len(code[0]), text) if "`" in text else text
    lower = plain.lower()
    for kind, find in _FINDERS.items():
        needs = _NEEDS.get(kind)
        if needs and not any(each in lower for each in needs):
            continue
        if (place := find(text if kind in _TAKEN_OFF else plain)) is not None:
            yield Trace(kind, text[max(0, place - AROUND) : place + AROUND].strip())


def _thinking(text: str) -> int | None:
    """Where what a judge's answer would lose as thinking begins."""
    found = without_thinking(text)
    if not found.thoughts and not found.is_unended:
        return None
    return max(0, text.find(found.thoughts[0][:AROUND])) if found.thoughts else 0


def _token(text: str) -> int | None:
    if without_start(text).had_tokens:
        return 0
    ended = without_end(text)
    return len(ended.text) if ended.had_tokens else None


def _mojibake(text: str) -> int | None:
    """Characters that are the bytes of one UTF-8 character, each read by itself."""
    for run in _RUN.finditer(text):
        given = bytes(_BYTES.get(ord(character), ord(character) & 0xFF) for character in run[0])
        length = 2 if given[0] < 0xE0 else 3 if given[0] < 0xF0 else 4
        try:
            given[:length].decode()
        except UnicodeDecodeError:
            continue
        return run.start()
    return None


def _where(pattern: re.Pattern[str]) -> Callable[[str], int | None]:
    def find(text: str) -> int | None:
        found = pattern.search(text)
        return found.start() if found else None

    return find


#: What would be taken off a judge's answer, where code may quote it.
_TAKEN_OFF = {"a model's thinking": _thinking, "a token of a chat template": _token}
_FINDERS: dict[str, Callable[[str], int | None]] = {
    **_TAKEN_OFF,
    "text in a wrong encoding": _mojibake,
    **{kind: _where(pattern) for kind, pattern in _PATTERNS.items()},
}


class Noticed:
    """What was noticed in texts so far: how many have a kind of trace, and the first of them."""

    def __init__(self) -> None:
        self._texts = 0
        self._found: dict[str, tuple[int, str, str]] = {}

    def add(self, place: str, text: str) -> None:
        """Look at one more text."""
        self._texts += 1
        for trace in traces_in(text):
            n, first, example = self._found.get(trace.kind, (0, place, trace.example))
            self._found[trace.kind] = (n + 1, first, example)

    def lines(self, what: str) -> list[str]:
        """A line for each kind. `what` the texts are called, in the plural."""
        return [
            f"{place}: {n} of {self._texts} {what} have {kind}, such as {example!r}"
            for kind, (n, place, example) in self._found.items()
        ]


def notices_of(texts: Iterable[tuple[str, str]], *, what: str) -> list[str]:
    """A line for each kind of trace in texts, each of which comes with its place."""
    noticed = Noticed()
    for place, text in texts:
        noticed.add(place, text)
    return noticed.lines(what)
