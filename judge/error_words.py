"""What an endpoint says of an error, whatever shape its body has. Pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice

from judge.completions import FILTERED_CODES

#: Where errors have their words, the better ones first, in lower case. An object or a list is read
#: before a text: inner words are more exact.
MESSAGES = (
    *("metadata", "raw", "innererror", "message", "msg", "detail", "details", "errors"),
    *("error_message", "errormessage", "error_msg", "errormsg", "status_msg", "base_resp"),
    *("error_description", "faultstring", "fault", "description", "error", "title"),
)
#: What names an error that has no message, the better ones first.
LABELS = ("code", "type", "reason", "status")
STATUSES = {"code", "status", "statuscode", "status_code"}
#: What an answer has that is no error, though it may not be a completion of our kind.
ANSWERS = ("choices", "content", "output", "candidates")
#: How deep an error is read, and how many of a list.
DEEPEST, MOST = 10, 20
#: Characters of a message, and of a label or a parameter.
LONGEST, LONGEST_LABEL = 10_000, 100
#: Characters that are shown of an endpoint's own words.
SHOWN = 300
_PHRASES = {status.phrase.casefold() for status in HTTPStatus}
#: Named values of an error, those of outer objects first.
Facts = list[tuple[str, object]]


@dataclass(frozen=True)
class ErrorWords:
    """What an endpoint says of an error."""

    text: str = ""
    #: An HTTP status that it gives with other words.
    code: int | None = None
    #: The part of the request that it names.
    parameter: str | None = None
    is_filtered: bool = False

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return bool(self.text)


def words_of(error: object) -> ErrorWords:
    """What an error says: a JSON value, or a text with one."""
    text, facts = _read(error)
    codes = [_status(value) for name, value in facts if name in STATUSES]
    parameters = [value for name, value in facts if name == "param" and _is_name(value)]
    stated = {str(value).casefold() for name, value in facts if name in ("code", "type")}
    return ErrorWords(
        text or next(_labels(facts), ""),
        next((code for code in reversed(codes) if code), None),
        str(parameters[-1]) if parameters else None,
        bool(stated & FILTERED_CODES) or any(name == "flagged_input" for name, _ in facts),
    )


def error_in(text: str) -> ErrorWords:
    """The words of a response's body, if it is the JSON of an error, as such or as an event."""
    body = _opened(text) or _opened(_first_event(text))
    if isinstance(body, dict) and not body.get("error") and any(map(body.get, ANSWERS)):
        return ErrorWords()
    return words_of(body)


def first_line(text: str) -> str:
    """The first line of an error in plain text; empty for a web page and for broken JSON."""
    line = text.strip().split("\n", 1)[0]
    return "" if line[:1] in "<{[" else " ".join(line.split())


def _read(error: object, depth: int = 0) -> tuple[str, Facts]:
    """The message in an error, and its facts."""
    facts: Facts = []
    if isinstance(error, str):
        inside = _opened(error) if depth < DEEPEST else None
        said, facts = _read(inside, depth + 1) if inside else ("", facts)
        return said or _cleaned(error), facts
    if depth > DEEPEST:
        return "", facts
    if isinstance(error, list):
        read = [_read(each, depth + 1) for each in error[:MOST]]
        return next((each for each in read if each[0]), read[0] if read else ("", facts))
    if not isinstance(error, dict):
        return "", facts
    named = {str(name).casefold(): value for name, value in error.items() if value}
    facts += [(name, value) for name, value in named.items() if isinstance(value, str | int)]
    place = ".".join(map(str, named["loc"])) if isinstance(named.get("loc"), list) else ""
    facts += [("param", place)] if place else []
    messages = []
    present = [name for name in MESSAGES if name in named]
    for name in sorted(present, key=lambda name: isinstance(named[name], str)):
        said, inner = _read(named[name], depth + 1)
        if not said and name == "errors" and isinstance(named[name], dict):
            fields = islice(named[name].items(), MOST)
            said, inner = _read([{"loc": [a], "msg": b} for a, b in fields], depth + 1)
        messages += [said] if said else []
        facts += inner
    best = min(messages, key=_is_label, default="")
    return f"{place}: {best}" if place and best else best, facts


def _opened(text: str) -> object:
    """The JSON in a text; None if it is none."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _first_event(text: str) -> str:
    """The data of the first server-sent event."""
    lines = (line.strip() for line in text.splitlines())
    return next((line[5:].strip() for line in lines if line.startswith("data:")), "")


def _cleaned(text: str) -> str:
    """A message on one line; empty for a web page."""
    text = " ".join(text[:LONGEST].split())
    return "" if text[:9].casefold().startswith(("<!doctype", "<html")) else text


def _is_label(text: str) -> bool:
    """Whether a text is the mere name of an error, such as `bad_request` or `Bad Request`."""
    return text.casefold() in _PHRASES or (text.isascii() and " " not in text)


def _labels(facts: Facts) -> Iterator[str]:
    for label in LABELS:
        for name, value in reversed(facts):
            if name == label and _is_name(value) and not _status(value):
                yield str(value)


def _is_name(value: object) -> bool:
    """Whether a value is a short text. LiteLLM writes a missing one as "None"."""
    return isinstance(value, str) and len(value) <= LONGEST_LABEL and value != "None"


def _status(value: object) -> int | None:
    """The status of an HTTP error that a value is."""
    if isinstance(value, str) and len(value) == len("500") and value.isdecimal():
        value = int(value)
    return value if type(value) is int and 400 <= value <= 599 else None
