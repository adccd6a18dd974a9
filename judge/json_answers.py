"""The one JSON object in a judge's answer, if what stands around it leaves no doubt. Pure.

A wrong score is worse than none: where other text may mean another score, the judge is asked again.
"""

import json
from decimal import Decimal
from typing import Any, NoReturn

from judge.doubts import Unusable, check_prose
from judge.quoted import with_tex


def object_in(
    answer: str, *, names: tuple[str, ...] = (), explained: bool = True
) -> tuple[dict[str, Any] | None, str]:
    """The one JSON object in an answer, and the prose around it; None where there are no braces at
    all.

    Unless it may be `explained`, prose only announces the object. `names` are those of the
    dimensions asked about. Raises Unusable.
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
    before, after = text[:first], text[end:]
    if "{" in after or "}" in before + after:
        raise Unusable("there are other braces beside the JSON object")
    check_prose(before, after, beside="the JSON object", names=names, explained=explained)
    return value, f"{before} {after}"


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
