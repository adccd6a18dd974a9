"""A score in the form that a template asks for, such as `Rating: [[*]]`. Pure."""

import re
from collections.abc import Sequence

from judge.doubts import Unusable, explains, is_announcement
from judge.parsing import Scored, check_answer, check_point
from judge.plain_numbers import (
    GAP,
    INTEGER,
    NUMBER,
    rest_behind,
    start_of_sentence,
    without_highest,
    without_list_marker,
)
from judge.refusing import may_refuse
from survey.definition.tasks import Point

#: In the words before a literal: it is no answer.
_LEADS_ELSEWHERE = re.compile(
    r"\b(?:(?:not|never|no|maybe|perhaps|could|might|or|told|asked|print|says?|said|form|format|example)"
    r"\b|n['\u2019]t\b)\W*(?:\w+\W+){0,3}\Z|\b(?:and|to)\W*\Z",
    re.IGNORECASE,
)
_OTHER_DIMENSIONS = re.compile(r"(?:\s*[-*\u2022]?\s*[A-Z][\w ]{1,40}: *[0-9]+\.?)*\s*")


def score_in_literal(
    text: str, literal: str, scale: Sequence[Point], *, between: bool = False
) -> list[Scored]:
    """The score that stands in place of * in the last occurrence of `literal` in `text`, or that is
    all of it: prompts that end in the words before the score are answered so.

    Raises Unusable.
    """
    highest = rf"(?:{GAP}*(?:/|out of){GAP}*[0-9]+(?![0-9]))?"
    value = rf"(?<![0-9])(?<![0-9][.,:/\u2013-]){NUMBER.pattern}{highest}"
    bare = re.fullmatch(rf"[\s*`\"']*({value})[\s*`\"'.]*", text)
    said = bare[1] if bare else _last_in(literal, value, text, [point.label for point in scale])
    token = without_highest(said, scale)
    if not INTEGER.fullmatch(token):
        raise Unusable(f"{token} is not a whole number")
    score = int(float(token))
    check_point(score, scale, between=between)
    return [Scored(score)]


def verdicts_in_literal(
    text: str, literal: str, letters: Sequence[str], *, tie: str
) -> list[Scored]:
    """What stands in place of * in the last occurrence of `literal`: the better of two letters, or
    a tie, which the letter after them says, too. As `parse_verdicts`. Raises Unusable.
    """
    after = chr(ord(letters[-1]) + 1)
    value = rf"(?:a )?{re.escape(tie)}(?!\w)|[{''.join(letters)}{after}](?!\w)"
    said = _last_in(literal, value, text).upper()
    better = tie if said == after or said.endswith(tie.upper()) else said
    return [Scored(1 if better == tie else 2 * (better == letter)) for letter in letters]


def _last_in(literal: str, value: str, text: str, labels: Sequence[str] = ()) -> str:
    """What stands in place of * in the last occurrence of a literal, if nothing before it makes it
    an example and nothing behind it takes it back. Raises Unusable.
    """
    answer = re.sub("[*`]", "", check_answer(text))
    if may_refuse(answer):
        raise Unusable("the answer may be a refusal")
    first, _, last = (_pattern(part) for part in literal.partition("*"))
    leading = rf"{first}\s*" if first else ""
    whole = re.compile(rf"{leading}({value})\s*?{last}", re.IGNORECASE)
    begins = re.compile(first, re.IGNORECASE) if first else whole
    starts = [found.start() for found in begins.finditer(answer)]
    if not starts:
        raise Unusable(f"{literal} is not in the answer")
    found = whole.match(answer, starts[-1])
    if found is None:
        raise Unusable(f"the last {literal} has no usable score")
    rest = rest_behind(answer[found.end() :], labels)
    if rest is None or not (_OTHER_DIMENSIONS.fullmatch(rest) or explains(rest)):
        raise Unusable(f"the last {literal} is not given as the score")
    called = _called(answer, found.start())
    leads_elsewhere = _LEADS_ELSEWHERE.search(called) is not None
    if not is_announcement(called) if literal[0].isalpha() else leads_elsewhere:
        raise Unusable(f"the last {literal} is not given as the score")
    return found[1]


def _pattern(part: str) -> str:
    """The text of a literal beside its place, whose spaces and list marker may differ."""
    words = re.sub(r"\A\s*[-\u2022]\s+", "", part).split()
    pattern = r"\s*".join(map(re.escape, words))
    return rf"{pattern[:-1]}{GAP}*[:\uff1a]" if pattern.endswith(":") else pattern


def _called(text: str, end: int) -> str:
    """What leads to a place: the sentence before it, or the line before that it continues."""
    start = start_of_sentence(text, end)
    called = without_list_marker(text[start:end])
    if called.strip():
        return called
    lines = text[:start].rstrip().rsplit("\n", 1)
    return lines[-1] if lines[-1].endswith((":", "\uff1a")) else ""
