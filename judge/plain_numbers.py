"""The one number of an answer in plain text, if its sentence gives it as the score. Pure."""

import re
import unicodedata
from collections.abc import Sequence

from judge.doubts import (
    Unusable,
    check_prose,
    has_number,
    is_announcement,
    names_score,
)
from survey.definition.tasks import Point

#: Digits with whatever joins them, so that 4.5, 3-4 and 4/10 are one token each.
NUMBER = re.compile(r"[-+\u2212]?[0-9](?:[0-9.,:/\u2013\u2212-]*[0-9])?")
INTEGER = re.compile(r"[-+]?[0-9]{1,9}(?:\.0+)?")
#: Space within a line. Were it to run across lines, one answer of empty lines would take minutes.
GAP = r"[^\S\n]"
_END_OF_SENTENCE = re.compile(r"[.!\u3002\uff01]\s|\n")
_LIST_MARKER = re.compile(rf"\A{GAP}*[->*]{GAP}+")
#: Before a number they say that it is not exact, behind it that it is another one.
_NOT_EXACT = re.compile(r"[~<>/!+]")
_GOES_ON = re.compile(rf"{GAP}*(?:[/+%^*\u00b0]|[-\u2013\u2014]{GAP}*(?:\n|\Z))")
_I_RATE = re.compile(r"\bi(?:'d| would)? (?:rate|give|assign)\b", re.IGNORECASE)
_OF = r"/|(?:out of|von|de|sur|van|su|\u0438\u0437|\u0645\u0646)\b"
_UNIT = re.compile(rf"\A{GAP}?(?:[\u5206\u70b9\uc810]|points?\b)")
#: What wraps an answer and says nothing.
_WRAPPING = re.compile(
    r"</?(?:score|answer|rating|final_answer|response|output)>"
    r"|[\u200b\u2060\ufeff*_`#]|[\u2705\u2714\u2611\u2728\ufe0f\U0001f600-\U0001f64f]",
    re.IGNORECASE,
)


def score_in_text(answer: str, scale: Sequence[Point], names: tuple[str, ...] = ()) -> int:
    """The score that an answer gives. `names` are what the study calls what is rated.

    Raises Unusable.
    """
    plain = without_highest(_WRAPPING.sub("", _with_digits(answer)), scale)
    numbers = list(NUMBER.finditer(plain))
    if not numbers:
        raise Unusable("there is no number in the answer")
    if len(numbers) > 1:
        shown = ", ".join(number[0] for number in numbers[:5])
        raise Unusable(f"there are several numbers in the answer: {shown}")
    (number,) = numbers
    if not INTEGER.fullmatch(number[0]):
        raise Unusable(f"{number[0]} is not a whole number")
    score = int(float(number[0]))
    start = start_of_sentence(plain, number.start())
    before, called, after = plain[:start], plain[start : number.start()], plain[number.end() :]
    own = next((point.label for point in scale if point.value == score), "")
    check_labels(plain, scale, score)
    _check_called(_without_label(called, own), number[0], names)
    rest = rest_behind(after, [own])
    if rest is None:
        raise Unusable(f"{number[0]} is not given as the score")
    check_prose(before, rest, beside="the score", names=names)
    return score


def without_highest(text: str, scale: Sequence[Point]) -> str:
    """A text with 4 for `4/5` and `4 out of 5`, where 5 is the highest point."""
    highest = rf"{GAP}*\(?(?:{_OF}){GAP}*{scale[-1].value}(?:\.0)?(?![0-9/])(?![.,][0-9])"
    return re.sub(rf"(?<=[0-9]){highest}", "", text, count=1)


def start_of_sentence(text: str, end: int) -> int:
    """Where the sentence begins in which a place of a text is."""
    return max((found.end() for found in _END_OF_SENTENCE.finditer(text, 0, end)), default=0)


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


def check_labels(text: str, scale: Sequence[Point], score: int) -> None:
    """Raise Unusable where a text has the label, of several words, of another point."""
    own = next((point.label for point in scale if point.value == score), "").casefold()
    around = text.casefold().replace(own, " ") if own else text.casefold()
    for point in scale:
        label = point.label.casefold()
        if point.value != score and label != own and " " in label and label in around:
            raise Unusable(f"it also says {point.label}")


def _with_digits(text: str) -> str:
    """A text with the digits of any script as 0 to 9."""
    return "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in text
    )


def _without_label(text: str, label: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(label)}(?!\w)", " ", text, flags=re.I) if label else text


def _check_called(text: str, number: str, names: tuple[str, ...]) -> None:
    """Raise Unusable unless what stands before a number, in its sentence, calls it the score."""
    called = without_list_marker(text)
    says = any(character.isalnum() for character in called) and not _I_RATE.search(called)
    if _NOT_EXACT.search(called) or has_number(called) or (says and not names_score(called, names)):
        raise Unusable(f"{number} is not given as the score")
    if not is_announcement(called, names):
        raise Unusable(f"{number} is not given as the score")
