"""A score in the form that a template asks for, such as `Rating: [[*]]`. Pure.

The last one counts if it stands alone in its line, or behind words that only announce it, and the
line before it does not lead elsewhere ("A perfect summary looks like this:").
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import regex

from judge.doubts import (
    Unusable,
    doubt,
    doubtful_behind,
    is_announcement,
    lacks_response,
    verdict_words,
)
from judge.parsing import Scored, check_answer, check_point
from judge.plain_numbers import (
    GAP,
    INTEGER,
    NUMBER,
    between_digits,
    check_labels,
    of_highest,
    other_scores,
    rest_behind,
    start_of_sentence,
    without_ends,
    without_highest,
    without_list_marker,
)
from judge.refusing import may_refuse
from survey.definition.points import Point
from survey.definition.word_edges import BEGINS
from survey.files.digits import ascii_digits

#: What says nothing in an answer or a literal; a star may also mark an item of a list.
_UNUSED = re.compile(r"\*(?!\s)|(?<=\S)\*|`|\\(?:boxed|(?=[\[\]]))")
_TAG = re.compile(r"</?\w[^<>\n]{0,40}>")
_HIDDEN = re.compile("<!--|~~")
_COLON = rf"(?: (?:score|rating))?{GAP}*[:\uff1a]\s*"
#: An answer may be no more than the place of a literal.
_BEFORE_BARE, _BEHIND_BARE = r"[\s*`\"'\[(]*", r"[\s*`\"'\])]*\.?\s*"
_AROUND_SENTENCE = " \t\n*_`\"')]}>\u201d\u2019\u300d\uff09"
_ENDS_SENTENCE = tuple(".!?\u2026\u3002\uff01\uff1f\u0964\u061f")
_ITEM = re.compile(rf"{GAP}*(?:[-*\u2022]|[0-9]{{1,2}}[.)]){GAP}")
#: What a line of more words says goes on in the sentences before it.
_WORDS_OF_HEADING = 3


def score_in_literal(
    text: str,
    literal: str,
    scale: Sequence[Point],
    *,
    between: bool = False,
    name: str = "",
    others: Sequence[str] = (),
) -> list[Scored]:
    """The score that stands in place of * in the last occurrence of `literal` in `text`, or that is
    all of it: prompts that end in the words before the score are answered so. `name` is the
    dimension's; behind the score may stand those of `others`, the judge's other dimensions.

    Raises Unusable.
    """
    highest = rf"(?:{GAP}*(?:/|out of){GAP}*[0-9]+(?![0-9]))?"
    value = rf"(?<![0-9])(?<![0-9][.,:/\u2013-]){NUMBER.pattern}{highest}"
    names = (name,) if name else ()
    before, said, rest = _last_in(
        without_ends(literal, scale),
        value,
        without_ends(ascii_digits(text), scale),
        lambda _: names,
    )
    token = without_highest(said, scale)
    if not INTEGER.fullmatch(token):
        raise Unusable(f"{token} is not a whole number")
    score = int(float(token))
    check_point(score, scale, between=between)
    if others_said := other_scores(before, scale, score, names):
        raise Unusable(f"it also says {others_said[0]}")
    check_labels(rest, scale, score)
    rest = re.sub(rf"\A{of_highest(scale)}", "", rest)
    own = next((point.label for point in scale if point.value == score), "")
    behind = rest_behind(rest, [own])
    if behind is None or not _is_of_others(behind, others, scale):
        _check_behind(literal, behind)
    return [Scored(score)]


def verdicts_in_literal(
    text: str, literal: str, letters: Sequence[str], *, tie: str
) -> list[Scored]:
    """What stands in place of * in the last occurrence of `literal`: the better of two letters, or
    a tie, which the letter after them says, too. As `parse_verdicts`. Raises Unusable.
    """
    after = chr(ord(letters[-1]) + 1)
    # "A reply" has an article, "[a]" has none.
    letter = (
        rf"(?:(?-i:A(?! +[a-z])|(?!A)[{''.join(letters)}{after}])"
        rf"|(?<=[\[(])[{''.join(letters)}{after}])(?!\w)"
    )

    def better_of(said: str) -> str:
        is_tie = said.upper() == after or said.upper().endswith(tie.upper())
        return tie if is_tie else said.upper()

    def words_of(said: str) -> tuple[str, ...]:
        better = better_of(said)
        return (better, *(verdict_words("ties" if better == tie else "wins")))

    value = rf"(?:a )?{re.escape(tie)}(?!\w)|{letter}"
    before, found, rest = _last_in(literal, value, text, words_of)
    better = better_of(found)
    clause = before[start_of_sentence(before, len(before)) :]
    if re.search(rf"\b[{''.join(letters)}]\b(?<!{better[-1]})", clause):
        raise Unusable(f"the text beside the last {literal} names another one")
    _check_behind(literal, rest_behind(rest, [tie] if better == tie else []))
    return [Scored(1 if better == tie else 2 * (better == letter)) for letter in letters]


def _last_in(
    literal: str, value: str, text: str, names_of: Callable[[str], tuple[str, ...]]
) -> tuple[str, str, str]:
    """What stands before the last occurrence of a literal, in its place of *, and behind it.
    `names_of` a value may stand where it is announced.

    Raises Unusable where what stands before makes it an example, or another one.
    """
    answer = _UNUSED.sub(between_digits, check_answer(text))
    if may_refuse(answer) or lacks_response(answer):
        raise Unusable("the answer may be a refusal")
    if _HIDDEN.search(answer):
        raise Unusable("parts of the answer are struck out or hidden")
    if bare := regex.fullmatch(rf"{_BEFORE_BARE}({value}){_BEHIND_BARE}", answer, regex.IGNORECASE):
        return "", bare[1], ""
    whole, begins = _patterns(literal, value)
    starts = [found.start() for found in begins.finditer(answer)]
    if not starts:
        raise Unusable(f"{literal} is not in the answer")
    found = whole.match(answer, starts[-1])
    if found is None:
        raise Unusable(f"the last {literal} has no usable score")
    given = [each for each in (whole.match(answer, start) for start in starts) if each]
    is_alone = len({each[1].upper() for each in given}) == 1
    between = [answer[each.end() : found.start()] for each in given[:-1]]
    is_named = any(map(str.isalpha, literal.partition("*")[0]))
    if not is_alone and any(_is_next_to(text, is_named=is_named) for text in between):
        raise Unusable(f"there are several {literal} side by side")
    if not _is_given(answer, found.start(), is_alone=is_alone, names=names_of(found[1])):
        raise Unusable(f"the last {literal} is not given as the score")
    return answer[: found.start()], found[1], answer[found.end() :]


def _patterns(literal: str, value: str) -> tuple[Any, Any]:
    """What matches a literal with its value, and its beginning. Where it has words, the brackets
    around its place may be missing.
    """
    first, last = literal.split("*")
    has_words = any(character.isalpha() for character in first)
    if has_words:
        first, last = first.rstrip(" [(").rstrip(), last.lstrip(" ])")
    before, behind = _pattern(first), _pattern(last)
    edge = BEGINS if has_words and before[:1].isalpha() and before[:1].isascii() else ""
    gap = "" if before.endswith(r"\s*") or not before else r"\s*"
    opened, closed = (
        (r"[\[(]{0,2}\s*", r"\s*[\])]{0,2}") if has_words else (r"[\[(]?\s*", r"\s*[\])]?")
    )
    behind = rf"\s*{behind}" if behind else ""
    flags = regex.IGNORECASE
    whole = regex.compile(rf"{edge}{before}{gap}{opened}({value}){closed}{behind}", flags)
    return whole, regex.compile(edge + before, flags) if before else whole


def _pattern(part: str) -> str:
    """The text of a literal beside its place, whose spaces, colons and list marker may differ."""
    text = re.sub(r"\A\s*[-\u2022]\s+", "", _UNUSED.sub("", part))
    words = re.sub(r"\s*([:\uff1a])\s*", r"\1", text).split()
    patterns = (re.escape(word).replace("_", "[_ ]") for word in words)
    return re.sub("[:\uff1a]", lambda _: _COLON, r"\s*".join(patterns))


def _is_next_to(between: str, *, is_named: bool) -> bool:
    """Whether two literals stand in one sentence or, if they have no words, in a list."""
    is_list = not is_named and not any(map(str.isalpha, between))
    return is_list or start_of_sentence(between, len(between)) == 0


def _is_given(text: str, start: int, *, is_alone: bool, names: tuple[str, ...]) -> bool:
    """Whether nothing before a literal means another one, or an example."""
    sentence = start_of_sentence(text, start)
    own = _TAG.sub(" ", without_list_marker(text[sentence:start]))
    if any(map(str.isalpha, own)):
        return is_announcement(own, names)
    before = _TAG.sub(" ", text[:sentence]).rstrip(_AROUND_SENTENCE)
    line = before.rsplit("\n", 1)[-1]
    if not before or before.endswith(_ENDS_SENTENCE) or is_announcement(line, names):
        return True
    if line.endswith((",", "\uff0c", "\u3001")):
        return is_alone
    is_heading = line.lstrip().startswith("#") or line.endswith((":", "\uff1a"))
    if is_heading or not is_alone:
        return False
    return _ITEM.match(line) is not None or len(line.split()) > _WORDS_OF_HEADING


def _check_behind(literal: str, rest: str | None) -> None:
    """Raise Unusable where what stands behind a literal may take it back."""
    if rest is None:
        raise Unusable(f"the last {literal} is not given as the score")
    if doubtful := doubtful_behind(rest):
        raise doubt(doubtful, f"the last {literal}")


def _is_of_others(text: str, others: Sequence[str], scale: Sequence[Point]) -> bool:
    """Whether a text is only lines such as `- Clarity: 4` about other dimensions."""
    names = "|".join(re.escape(name).replace("_", "[_ ]") for name in others)
    number = rf"\[{{0,2}}[0-9]+\]{{0,2}}(?:{of_highest(scale)})?"
    line = rf"{GAP}*(?:[-*\u2022]{GAP}*)?(?:{names or '(?!)'}){_COLON}{number}\.?{GAP}*"
    return all(
        re.fullmatch(line, each, re.IGNORECASE) for each in text.splitlines() if each.strip()
    )
