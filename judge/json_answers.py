"""The one JSON object in a judge's answer, if what stands around it leaves no doubt. Pure.

A wrong score is worse than none: where other text may mean another score, the judge is asked again.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from judge.completions import may_refuse

#: Backslashes that JSON refuses, or reads as control characters, though TeX is meant.
_BACKSLASH = re.compile(
    r"\\(?:(?P<tex>[bf](?=[A-Za-z])|u(?![0-9A-Fa-f]{4})|[^\"\\/bfnrtu]"
    r"|(?:nabla|neg|neq|not|notin|nu|rangle|rho|right|rightarrow|rm|tan|tanh|tau|text|textbf|textit"
    r"|tfrac|theta|times|to|top|triangle)(?![A-Za-z]))|.)",
    re.DOTALL,
)
_FENCE = re.compile(r"```[A-Za-z0-9]*")
#: Around an object they say nothing.
_PUNCTUATION = " \t\r\n`*_#>[]().,;:!-\"'\uff1a\u3002"
_DOUBTS = re.compile(
    r"\b(?:would|could|should|might|maybe|perhaps|example|e\.g|such as|sample|template"
    r"|placeholder|format|draft|initial|initially|at first|my first|first|actually|wait|hmm|instead"
    r"|rather|correction|corrected|revised?|reconsider\w*|changed?|adjust\w*|second thought"
    r"|wrong|mistake\w*|too \w+|higher|lower|warmer|colder|stronger|weaker|raise|unless|cannot"
    r"|can't|won't|unable|refuse|decline|sorry|zero|two|three|four|five|six|seven|eight|nine|ten"
    r"|half|hundred|neither|either|unsure|uncertain|not sure|hard to say|between)\b"
    r"|(?:^|[.!?\n])\s{0,3}(?:no|not|but|or|however|well(?!\Z))\b|\?",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"\b(?:the|is|it|its|my|this|that|here|of|and|to|hope|i)\b", re.IGNORECASE)
#: A line that announces an object, in any language.
_LONGEST_ANNOUNCEMENT = 60


class Unusable(ValueError):
    """An answer without a usable score; the message gives the reason."""


def object_in(answer: str, *, others: Sequence[str] = ()) -> dict[str, Any] | None:
    """The one JSON object in an answer; None where there are no braces at all.

    `others` are words one of which the object gives: around it, no other one may stand. Raises
    Unusable.
    """
    first = answer.find("{")
    if first < 0:
        if "}" in answer:  # what is left of an object whose texts have a tag of thinking
            raise Unusable("the answer looks like JSON but is not")
        return None
    text = _BACKSLASH.sub(lambda found: "\\" * (found["tex"] is not None) + found[0], answer)
    first = text.find("{")
    decoder = json.JSONDecoder(
        strict=False, object_pairs_hook=_each_once, parse_constant=_no_constant
    )
    try:
        value, end = decoder.raw_decode(text, first)
    except Unusable:
        raise
    except (ValueError, RecursionError):  # the latter from extremely nested braces
        raise Unusable("the answer looks like JSON but is not") from None
    if not isinstance(value, dict):  # nothing else begins with a brace
        return None
    before, after = text[:first], text[end:]
    if "{" in after or "}" in before + after:
        raise Unusable("there are other braces beside the JSON object")
    _check(before, after)
    _check_others(f"{before} {after}", value, others)
    return value


def _check(before: str, after: str) -> None:
    """Raise Unusable where the text around an object may take it back, or mean another one."""
    if after.lstrip(" `\n")[:1] == "?":
        raise Unusable("there is a question mark behind the JSON object")
    for text in (before, after):
        prose = _FENCE.sub(" ", text).strip(_PUNCTUATION).replace("\u2019", "'")
        if not prose:
            continue
        if any(character.isnumeric() for character in prose):
            raise Unusable("there are other numbers beside the JSON object")
        if doubt := _DOUBTS.search(prose):
            word = doubt[0].strip(" .!?\n") or doubt[0].strip()
            raise Unusable(f"the text beside the JSON object leaves doubts: {word}")
        if may_refuse(prose):
            raise Unusable("the text beside the JSON object may be a refusal")
        if not _ENGLISH.search(prose) and not (text is before and _announces(text)):
            raise Unusable("there is other text beside the JSON object")


def _announces(text: str) -> bool:
    line = _FENCE.sub(" ", text).strip(" `*_#>\n")
    is_short = len(line) <= _LONGEST_ANNOUNCEMENT and "\n" not in line
    return is_short and line[-1:] in (":", "\uff1a")


def _check_others(prose: str, value: dict[str, Any], others: Sequence[str]) -> None:
    """Raise Unusable where the text around an object names another of `others` than the object."""
    if not others:
        return
    words = r"(?<!\w)(?:" + "|".join(map(re.escape, others)) + r")(?!\w)"
    given = {word.casefold() for word in re.findall(words, json.dumps(value), re.IGNORECASE)}
    for word in re.findall(words, prose):
        if word.casefold() not in given:
            raise Unusable(f"the text beside the JSON object names {word}")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; keys must be unique."""
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise Unusable(f'the JSON has "{name}" twice')
        values[name] = value
    return values


def _no_constant(name: str) -> NoReturn:
    raise Unusable(f"{name} is no number")
