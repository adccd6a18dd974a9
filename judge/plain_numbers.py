"""The one number of an answer in plain text, if its sentence gives it as the score. Pure."""

import re
from collections.abc import Sequence

from judge.doubts import (
    EMOJI,
    SENTENCE_ENDS,
    TAG,
    THINGS,
    Unusable,
    check_prose,
    has_number,
    is_announcement,
    names_score,
)
from survey.definition.points import Point
from survey.files.digits import ascii_digits

#: Digits with whatever joins them, so that 4.5, 3-4 and 4/10 are one token each.
NUMBER = re.compile(r"[-+\u2212]?[0-9](?:[0-9.,:/\u2013\u2212-]*[0-9])?")
INTEGER = re.compile(r"[-+]?[0-9]{1,9}(?:\.0+)?")
#: Space within a line. Were it to run across lines, one answer of empty lines would take minutes.
GAP = r"[^\S\n]"
_LIST_MARKER = re.compile(rf"\A{GAP}*[->*]{GAP}+")
#: Before a number they say that it is not exact, behind it that it is another one.
_NOT_EXACT = re.compile(r"[~<>/!+?\uff1f\u20ac\u00a7]")
_GOES_ON = re.compile(rf"{GAP}*(?:[/+%^*\u00b0]|[-\u2013\u2014]{GAP}*(?:[\])\n]|\Z))")
_I_RATE = re.compile(
    r"\bi(?:'d| would)? (?:rate|give|assign)\b|\bich (?:bewerte|gebe|vergebe)\b"
    r"|\bje (?:donne|lui donne)\b|\u6211(?:\u4f1a|\u5c06)?[\u7ed9\u6253]",
    re.IGNORECASE,
)
_OF = r"/|(?:out of|von|de|sur|van|su|\u0438\u0437|\u0645\u0646)\b"
#: "The rating for answer 4".
_IS_AN_INDEX = re.compile(
    rf"(?:{THINGS.pattern}|\u56de\u590d|\u6807\u51c6\W*)[ #]*\Z", re.IGNORECASE
)
#: It may be a minus.
_DASH = re.compile(r"[-\u2010-\u2015\uff0d\ufe63]\s*\Z")
_BEGINS_AN_ITEM = re.compile(rf"[.)]{GAP}+\w")
_UNIT = re.compile(
    rf"\A{GAP}?(?:[\u5206\u70b9\uc810]|(?:points?|punkte?n?|puntos|pontos|punti)\b)?"
    rf"(?:\u3067\u3059|{GAP}?\u0939\u0948)?",
    re.IGNORECASE,
)
#: What wraps an answer and says nothing.
_WRAPPING = re.compile(rf"(?:{TAG}|[\u200b\u2060\ufeff*_`#]|{EMOJI})+", re.IGNORECASE)


def score_in_text(answer: str, scale: Sequence[Point], names: tuple[str, ...] = ()) -> int:
    """The score that an answer gives. `names` are those of the dimensions asked about.

    Raises Unusable.
    """
    plain = without_ends(_WRAPPING.sub(between_digits, ascii_digits(answer)), scale)
    plain = without_highest(plain, scale)
    numbers = list(NUMBER.finditer(plain))
    if not numbers:
        raise Unusable("there is no number in the answer")
    if len(numbers) > 1:
        shown = ", ".join(number[0] for number in numbers[:5])
        raise Unusable(f"there are several numbers in the answer: {shown}")
    (number,) = numbers
    if scale[0].value < 0 and _DASH.search(plain[: number.start()]):
        raise Unusable(f"{number[0]} may have a sign")
    if not INTEGER.fullmatch(number[0]):
        raise Unusable(f"{number[0]} is not a whole number")
    score = int(float(number[0]))
    start = start_of_sentence(plain, number.start())
    before, called, after = plain[:start], plain[start : number.start()], plain[number.end() :]
    own = next((point.label for point in scale if point.value == score), "")
    check_labels(plain, scale, score)
    _check_called(_without_label(called, own), number[0], names)
    rest = rest_behind(after, [own])
    if rest is None or _is_numbering(before, called, rest):
        raise Unusable(f"{number[0]} is not given as the score")
    check_prose(before, rest, beside="the score", names=names)
    return score


def other_scores(
    text: str, scale: Sequence[Point], score: int, names: tuple[str, ...] = ()
) -> list[str]:
    """The sentences of a text that give another score than this, as `Final rating: 4` does."""
    given = []
    for part in SENTENCE_ENDS.split(text):
        sentence = without_highest(part, scale)
        found = NUMBER.search(sentence)
        if found is None or any(map(str.isalnum, sentence[found.end() :])):
            continue
        called = without_list_marker(sentence[: found.start()])
        says = _I_RATE.search(called) or names_score(called, names)
        is_own = INTEGER.fullmatch(found[0]) is not None and float(found[0]) == score
        if says and is_announcement(called, names) and not is_own:
            given.append(sentence.strip())
    return given


def _is_numbering(before: str, called: str, rest: str) -> bool:
    """Whether a number only counts, as in `4. It offers help.`, or in `no. 4`."""
    if any(character.isalnum() for character in called):
        return False
    is_item = _BEGINS_AN_ITEM.match(rest) is not None
    return is_item or bool(before.strip() and before[-1] != "\n")


def between_digits(found: re.Match[str]) -> str:
    """What stands for wrapping: a space where digits would join."""
    text, start, end = found.string, found.start(), found.end()
    return " " if text[start - 1 : start].isdigit() and text[end : end + 1].isdigit() else ""


def without_ends(text: str, scale: Sequence[Point]) -> str:
    """A text without what it says of the whole scale: `Score (1-5): 4` without `(1-5)`, where 1 is
    its lowest and 5 its highest point.
    """
    low, high = (re.escape(str(point.value)) for point in (scale[0], scale[-1]))
    ends = rf"{low}{GAP}*(?:-|\u2013|\u2014|to){GAP}*{high}"
    whole = (
        rf"\({GAP}*(?:{ends}|(?:out of|/){GAP}*{high}){GAP}*\)"
        rf"|\bon a scale (?:of|from) {ends}\b,?"
    )
    return re.sub(whole, "", text, flags=re.IGNORECASE)


def without_highest(text: str, scale: Sequence[Point]) -> str:
    """A text with 4 for `4/5` and `4 out of 5`, where 5 is the highest point."""
    return re.sub(rf"(?<=[0-9]){of_highest(scale)}", "", text, count=1)


def of_highest(scale: Sequence[Point]) -> str:
    """The pattern of `/5`, and the like, where 5 is the highest point."""
    return rf"{GAP}*\(?(?:{_OF}){GAP}*{scale[-1].value}(?:\.0)?(?![0-9/])(?![.,][0-9])"


def start_of_sentence(text: str, end: int) -> int:
    """Where the sentence begins in which a place of a text is."""
    return max((found.end() for found in SENTENCE_ENDS.finditer(text, 0, end)), default=0)


def without_list_marker(text: str) -> str:
    """A line without the hyphen that makes it one of a list."""
    return _LIST_MARKER.sub("", text, count=1)


def rest_behind(text: str, labels: Sequence[str]) -> str | None:
    """What stands behind a number, without a unit and one of these labels; None if the number goes
    on.
    """
    rest = _UNIT.sub("", text)
    for label in filter(None, labels):
        rest, found = re.subn(
            rf"\A([\W_]*){re.escape(label)}(?!\w)", r"\1", rest, count=1, flags=re.IGNORECASE
        )
        if found:
            return rest
    return None if _GOES_ON.match(rest) else rest


def check_labels(
    text: str, scale: Sequence[Point], score: int, *, of_one_word: bool = False
) -> None:
    """Raise Unusable where a text has the label of another point: of several words, or also
    `of_one_word`.
    """
    own = next((point.label for point in scale if point.value == score), "").casefold()
    labels = [point.label for point in scale if of_one_word or " " in point.label]
    for found in _any_label([*labels, own]).finditer(text):
        if found[0].casefold() != own:
            raise Unusable(f"it also says {found[0]}")


def _without_label(text: str, label: str) -> str:
    return _any_label([label]).sub(" ", text)


def _any_label(labels: Sequence[str]) -> re.Pattern[str]:
    """One of these labels, the longest first, as words of their own. Chinese parts no words."""
    told = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True) if label)
    return re.compile(rf"(?<![A-Za-z0-9])(?:{told or '(?!)'})(?![A-Za-z0-9])", re.IGNORECASE)


def _check_called(text: str, number: str, names: tuple[str, ...]) -> None:
    """Raise Unusable unless what stands before a number, in its sentence, calls it the score."""
    called = without_list_marker(text)
    if _IS_AN_INDEX.search(called):
        raise Unusable(f"{number} is not given as the score")
    says = any(character.isalnum() for character in called) and not _I_RATE.search(called)
    if _NOT_EXACT.search(called) or has_number(called) or (says and not names_score(called, names)):
        raise Unusable(f"{number} is not given as the score")
    if not is_announcement(called, names):
        raise Unusable(f"{number} is not given as the score")
