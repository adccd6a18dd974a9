"""The one JSON object in a judge's answer, if what stands around it leaves no doubt. Pure.

A wrong score is worse than none: where other text may mean another score, the judge is asked again.
"""

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NoReturn

from judge.doubts import Unusable, check_prose
from judge.quoted import with_tex


def object_in(
    answer: str, *, others: Sequence[str] = (), names: tuple[str, ...] = ()
) -> tuple[dict[str, Any] | None, str]:
    """The one JSON object in an answer, and the prose around it; None where there are no braces at
    all.

    `others` are words one of which the object gives: around it, no other one may stand. `names` are
    those of the dimensions asked about. Raises Unusable.
    """
    first = answer.find("{")
    if first < 0:
        if "}" in answer:  # what is left of an object whose texts have a tag of thinking
            raise Unusable("the answer looks like JSON but is not")
        return None, answer
    text = with_tex(answer)
    first = text.find("{")
    decoder = json.JSONDecoder(
        strict=False,
        object_pairs_hook=_each_once,
        parse_constant=_no_constant,
        parse_float=Decimal,
    )
    try:
        value, end = decoder.raw_decode(text, first)
    except Unusable:
        raise
    except (ValueError, RecursionError, ArithmeticError):  # nested braces; endless exponents
        raise Unusable("the answer looks like JSON but is not") from None
    if not isinstance(value, dict):  # nothing else begins with a brace
        return None, answer
    before, after = text[:first], text[end:]
    if "{" in after or "}" in before + after:
        raise Unusable("there are other braces beside the JSON object")
    check_prose(before, after, beside="the JSON object", names=names, explained=not others)
    _check_others(f"{before} {after}", value, others)
    return value, f"{before} {after}"


def _check_others(prose: str, value: dict[str, Any], others: Sequence[str]) -> None:
    """Raise Unusable where the text around an object names another of `others` than the object."""
    if not others:
        return
    words = r"(?<!\w)(?:" + "|".join(map(re.escape, others)) + r")(?!\w)"
    given = {word.casefold() for word in re.findall(words, str(value), re.IGNORECASE)}
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
