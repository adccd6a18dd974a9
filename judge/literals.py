"""A score in the form that a template asks for, such as `Rating: [[*]]`. Pure."""

import re
from collections.abc import Sequence

from judge.doubts import Unusable, doubt, doubtful_behind, doubting, is_announcement
from judge.parsing import Scored, check_answer, check_point
from judge.plain_numbers import (
    GAP,
    INTEGER,
    NUMBER,
    check_labels,
    of_highest,
    rest_behind,
    start_of_sentence,
    without_ends,
    without_highest,
    without_list_marker,
)
from judge.refusing import may_refuse
from survey.definition.tasks import Point
from survey.files.digits import ascii_digits

#: In the words before a literal: it is no answer.
_LEADS_ELSEWHERE = re.compile(
    rf"(?:{doubting('before_a_literal')}|n['\u2019]t\b|\be\.g\.|\u4e0d)\W*(?:\w+\W+){{0,3}}\Z"
    r"|\b(?:and|to)\W*\Z|<!--\W*\Z",
    re.IGNORECASE,
)
_OTHER_DIMENSION = re.compile(
    rf"{GAP}*(?:[-*\u2022]{GAP}*)?(?!Out )([A-Z][\w ]{{1,40}}): *[0-9]+\.?{GAP}*"
)
_COLON = rf"{GAP}*[:\uff1a]\s*"
#: An answer may be no more than the place of a literal.
_BEFORE_BARE, _BEHIND_BARE = r"[\s*`\"'\[]*", r"[\s*`\"'\]]*\.?\s*"


def score_in_literal(
    text: str, literal: str, scale: Sequence[Point], *, between: bool = False
) -> list[Scored]:
    """The score that stands in place of * in the last occurrence of `literal` in `text`, or that is
    all of it: prompts that end in the words before the score are answered so.

    Raises Unusable.
    """
    highest = rf"(?:{GAP}*(?:/|out of){GAP}*[0-9]+(?![0-9]))?"
    value = rf"(?<![0-9])(?<![0-9][.,:/\u2013-]){NUMBER.pattern}{highest}"
    said, rest = _last_in(literal, value, without_ends(ascii_digits(text), scale))
    token = without_highest(said, scale)
    if not INTEGER.fullmatch(token):
        raise Unusable(f"{token} is not a whole number")
    score = int(float(token))
    check_point(score, scale, between=between)
    check_labels(rest, scale, score)
    rest = re.sub(rf"\A{of_highest(scale)}", "", rest)
    own = next((point.label for point in scale if point.value == score), "")
    _check_behind(literal, rest_behind(rest, [own]))
    return [Scored(score)]


def verdicts_in_literal(
    text: str, literal: str, letters: Sequence[str], *, tie: str
) -> list[Scored]:
    """What stands in place of * in the last occurrence of `literal`: the better of two letters, or
    a tie, which the letter after them says, too. As `parse_verdicts`. Raises Unusable.
    """
    after = chr(ord(letters[-1]) + 1)
    value = rf"(?:a )?{re.escape(tie)}(?!\w)|[{''.join(letters)}{after}](?!\w)"
    found, rest = _last_in(literal, value, text)
    said = found.upper()
    better = tie if said == after or said.endswith(tie.upper()) else said
    _check_behind(literal, rest_behind(rest, [tie] if better == tie else []))
    return [Scored(1 if better == tie else 2 * (better == letter)) for letter in letters]


def _last_in(literal: str, value: str, text: str) -> tuple[str, str]:
    """What stands in place of * in the last occurrence of a literal, if nothing before it makes it
    an example, and what stands behind it. Raises Unusable.
    """
    answer = re.sub("[*`]|\\\\boxed", "", check_answer(text))
    if may_refuse(answer):
        raise Unusable("the answer may be a refusal")
    if bare := re.fullmatch(rf"{_BEFORE_BARE}({value}){_BEHIND_BARE}", answer, re.IGNORECASE):
        return bare[1], ""
    first, _, last = (_pattern(part) for part in literal.partition("*"))
    leading = rf"{first}\s*" if first else ""
    whole = re.compile(rf"{leading}[\[(]?({value})[\])]?\s*?{last}", re.IGNORECASE)
    begins = re.compile(first, re.IGNORECASE) if first else whole
    starts = [found.start() for found in begins.finditer(answer)]
    if not starts:
        raise Unusable(f"{literal} is not in the answer")
    found = whole.match(answer, starts[-1])
    if found is None:
        raise Unusable(f"the last {literal} has no usable score")
    before = filter(None, (whole.match(answer, start) for start in starts))
    is_alone = len({each[1].upper() for each in before}) == 1
    if not _is_given(answer, found.start(), is_named=literal[0].isalpha(), is_alone=is_alone):
        raise Unusable(f"the last {literal} is not given as the score")
    return found[1], answer[found.end() :]


def _is_given(text: str, start: int, *, is_named: bool, is_alone: bool) -> bool:
    """Whether nothing before a literal means another one, or an example.

    Before one that begins with a word (`is_named`), its line only announces it, as before one that
    is not the only value.
    """
    own = _own_line(text, start)
    if (is_named or not is_alone) and not is_announcement(own):
        return False
    called = own if own.strip() else _leading_line(text, start)
    leads_elsewhere = not called.isascii() or _LEADS_ELSEWHERE.search(called)
    return is_announcement(called) or not leads_elsewhere


def _check_behind(literal: str, rest: str | None) -> None:
    """Raise Unusable where what stands behind a literal may take it back."""
    if rest is None:
        raise Unusable(f"the last {literal} is not given as the score")
    if not _is_of_other_dimensions(rest) and (doubtful := doubtful_behind(rest)):
        raise doubt(doubtful, f"the last {literal}")


def _is_of_other_dimensions(text: str) -> bool:
    """Whether a text is only lines such as `- Clarity: 4`."""
    lines = map(_OTHER_DIMENSION.fullmatch, filter(str.strip, text.splitlines()))
    return all(line and not is_announcement(line[1]) for line in lines)


def _pattern(part: str) -> str:
    """The text of a literal beside its place, whose spaces, colons and list marker may differ."""
    words = re.sub(r"\A\s*[-\u2022]\s+", "", part).split()
    patterns = (re.escape(word).replace("_", "[_ ]") for word in words)
    return re.sub("[:\uff1a]", lambda _: _COLON, r"\s*".join(patterns))


def _own_line(text: str, end: int) -> str:
    """What stands before a place in its sentence and line."""
    return without_list_marker(text[start_of_sentence(text, end) : end])


def _leading_line(text: str, end: int) -> str:
    """The line that a place continues: the one before it if it ends in a colon, or is a heading."""
    line = text[: start_of_sentence(text, end)].rstrip().rsplit("\n", 1)[-1]
    return line if line.endswith((":", "\uff1a")) or line.lstrip().startswith("#") else ""
