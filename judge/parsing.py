"""Reading a judge's answer: one strict parse, never a default. Pure.

The answer, without its thinking (`judge.completions`), is a JSON object: `{"score": 4}`, with a
`"reason"` or without; for the responses of a block one such object, or a plain number, under each
letter; for several dimensions one under the name of each. It stands alone, in a code fence, or
within prose that can't be meant otherwise (`judge.doubts`). A judge of a single response on one
dimension that was asked at an endpoint without JSON may also give exactly one number, in digits, as
the score: alone (`4.`, `**4**`, `4 = Very empathetic`) or named by its sentence (`Score: 4`,
`- Empathy: 4`, `My rating is 4, because …`).

`4/5` and `4 out of 5` count as 4 where 5 is the highest point of the scale, since nothing else
can be meant. `"4"` and `4.0` are 4.

Refused: no number, number words, several numbers or scores (even twice the same), ranges, other
decimals, percentages, a number that merely occurs in the text, and whatever is not on the scale.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from judge.doubts import Unusable, check_prose, explains, is_announcement, names_score
from judge.json_answers import object_in
from judge.refusing import may_refuse
from survey.definition.tasks import Point

#: Maximum length of an answer in characters.
LONGEST = 10_000

#: Digits with whatever joins them, so that 4.5, 3-4 and 4/10 are one token each.
_NUMBER = re.compile(r"[-+\u2212]?[0-9](?:[0-9.,:/\u2013\u2212-]*[0-9])?")
_INTEGER = re.compile(r"[-+]?[0-9]{1,9}(?:\.0+)?")
#: Space within a line. Were it to run across lines, one answer of empty lines would take minutes.
_GAP = r"[^\S\n]"
_END_OF_SENTENCE = re.compile(r"[.!\u3002\uff01]\s|\n")
_LIST_MARKER = re.compile(rf"{_GAP}*[->*]{_GAP}+")
#: Before a number they say that it is not exact, behind it that it is another one.
_NOT_EXACT = re.compile(r"[~\u2248<>\u00b1\u2264\u2265]")
_GOES_ON = re.compile(rf"{_GAP}*(?:[/+%^*\u00b0]|[-\u2013\u2014]{_GAP}*(?:\n|\Z))")
_DENIES = re.compile(r"\b(?:not|never|no|nor|without)\b|n['\u2019]t\b", re.IGNORECASE)
_UNITS = "\u5206\u70b9\uc810"
#: What wraps an answer and says nothing.
_WRAPPING = re.compile(
    r"</?(?:score|answer|rating|final_answer|response|output)>|<\|(?:begin|end)_of_box\|>"
    r"|[\u200b\u2060\ufeff*_`#]|[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\$?\\boxed\{([^{}]*)\}\$?")

# What a JSON object may say

_SCORES = ("score", "rating")
_REASONS = re.compile(
    "reason|expla|rationale|justif|comment|analysis|thought|think|evidence|feedback|summary|critique"
    "|note|why"
)
#: What the score is given to, or how sure the judge is.
_WHAT_AND_HOW_SURE = {"label", "dimension", "criterion", "criteria", "aspect", "metric", "id"}
_WHAT_AND_HOW_SURE |= {"response", "reply", "item", "index", "letter", "language", "model"}
_WHAT_AND_HOW_SURE |= {"confidence", "certainty", "probability", "min", "max", "scale"}
_WHAT_AND_HOW_SURE |= {"min_score", "max_score"}


@dataclass(frozen=True)
class Scored:
    """One score, and the judge's reason."""

    score: int
    reason: str = ""


def parse_scores(
    text: str,
    scale: Sequence[Point],
    *,
    letters: Sequence[str] = (),
    dimensions: Sequence[str] = (),
    between: bool = False,
    names: tuple[str, ...] = (),
) -> list[Scored]:
    """The scores that `text` gives on `scale`: one, or one for each of `letters`, in their order;
    with `dimensions`, one for each of these instead, in theirs.

    A score is a point of the scale, or also a value `between` them. `names` are what the study
    calls what is rated. Raises Unusable.
    """
    answer = _unboxed(_checked(text))
    value, prose = object_in(answer, names=names)
    if letters or dimensions:
        if value is None:
            raise Unusable("there is no JSON object in the answer")
        parts = [_part(value, letter) for letter in letters] if letters else [("", value)]
        if dimensions:
            parts = [_part(part, name, at) for at, part in parts for name in dimensions]
        scores = [_of_part(at, part) for at, part in parts]
    elif value is not None:
        scores = [_scored(value)]
        _check_labels(prose, value, scale, scores[0].score)
    else:
        scores = [Scored(_from_text(answer, scale, names))]
    for each in scores:
        _check_point(each.score, scale, between=between)
    return scores


def score_in_literal(
    text: str, literal: str, scale: Sequence[Point], *, between: bool = False
) -> list[Scored]:
    """The score that stands in place of * in the last occurrence of `literal` in `text`, or that is
    all of it: prompts that end in the words before the score are answered so.

    Raises Unusable.
    """
    value = rf"(?<![0-9.,]){_NUMBER.pattern}(?:{_GAP}*(?:/|out of){_GAP}*[0-9]+(?![0-9]))?"
    bare = re.fullmatch(rf"[\s*`\"']*({value})[\s*`\"'.]*", text)
    said = bare[1] if bare else _last_in(literal, value, text, [point.label for point in scale])
    token = _without_highest(said, scale)
    if not _INTEGER.fullmatch(token):
        raise Unusable(f"{token} is not a whole number")
    score = int(float(token))
    _check_point(score, scale, between=between)
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
    """What stands in place of * in the last occurrence of a literal, which nothing in its sentence
    may take back. Raises Unusable.
    """
    answer = re.sub("[*`]", "", _checked(text))
    if may_refuse(answer):
        raise Unusable("the answer may be a refusal")
    first, _, last = (r"\s*".join(map(re.escape, part.split())) for part in literal.partition("*"))
    leading = rf"{first}\s*" if first else ""
    whole = re.compile(rf"{leading}({value}){_GAP}*{last}", re.IGNORECASE)
    begins = re.compile(first, re.IGNORECASE) if first else whole
    starts = [found.start() for found in begins.finditer(answer)]
    if not starts:
        raise Unusable(f"{literal} is not in the answer")
    found = whole.match(answer, starts[-1])
    if found is None:
        raise Unusable(f"the last {literal} has no usable score")
    called = answer[_start_of_sentence(answer, found.start()) : found.start()]
    rest = answer[found.end() :].split("\n", 1)[0]
    for label in labels:
        rest = re.sub(rf"\A[\W_]*{re.escape(label)}(?!\w)", "", rest, flags=re.IGNORECASE)
    rest = rest.strip(" .,;:!()[]\"'-\u2013\u2014\u3002")
    called = _LIST_MARKER.sub("", called, count=1)
    is_called = is_announcement(called) if literal[0].isalpha() else not _DENIES.search(called)
    if not is_called or (rest and not explains(rest)):
        raise Unusable(f"the last {literal} is not given as the score")
    return found[1]


def _check_point(score: int, scale: Sequence[Point], *, between: bool) -> None:
    """Raise Unusable for what is no score."""
    inside = between and scale[0].value <= score <= scale[-1].value
    if not inside and score not in {point.value for point in scale}:
        raise Unusable(f"{score} is not on the scale")


def parse_verdicts(
    text: str, letters: Sequence[str], *, tie: str, dimensions: Sequence[str] = ()
) -> list[Scored]:
    """What `text` says of two responses with these letters: 2 for the better one, 0 for the other,
    1 for both of a `tie`; the responses in turn, each on every one of `dimensions`.

    The answer is a JSON object: `{"better": "A"}`, or one under the name of each of several
    dimensions. Raises Unusable.
    """
    value, _ = object_in(_checked(text), others=[*letters, tie])
    if value is None:
        raise Unusable("there is no JSON object in the answer")
    parts = [_part(value, name) for name in dimensions] if dimensions else [("", value)]
    verdicts = [_verdict(at, part, letters, tie) for at, part in parts]
    return [
        Scored(1 if better == tie else 2 * (better == letter), reason)
        for letter in letters
        for better, reason in verdicts
    ]


def _verdict(at: str, part: Any, letters: Sequence[str], tie: str) -> tuple[str, str]:
    """The better letter, or the tie, and the reason."""
    said = part.get("better") if isinstance(part, dict) else part
    known = {name.casefold(): name for name in [*letters, tie]}
    better = known.get(said.strip().casefold()) if isinstance(said, str) else None
    if better is None:
        place = f"{at}: " if at else ""
        raise Unusable(f'{place}"better" is not one of {", ".join(known.values())}')
    if isinstance(part, dict):
        _check_other_keys(part, ("better",))
    reason = part.get("reason", "") if isinstance(part, dict) else ""
    return better, reason if isinstance(reason, str) else json.dumps(reason)


def keeps_to_probe(text: str) -> bool:
    """Whether the endpoint enforced the schema for an answer to `judge.prompts.probe`."""
    try:
        return json.loads(text) in ({"score": 3}, {"score": 4})
    except (ValueError, RecursionError):
        return False


def _checked(answer: str) -> str:
    if not answer.strip():
        raise Unusable("the answer is empty")
    if len(answer) > LONGEST:
        raise Unusable(f"the answer is longer than {LONGEST} characters")
    return answer.strip()


def _part(value: Any, name: str, within: str = "") -> tuple[str, Any]:
    """The part of an answer under a letter or a dimension, and where that is."""
    at = f"{within}, {name}" if within else name
    part = value.get(name) if isinstance(value, dict) else None
    if part is None:
        raise Unusable(f"there is no score for {at}")
    return at, part


def _of_part(at: str, part: Any) -> Scored:
    try:
        return _scored(part if isinstance(part, dict) else {"score": part})
    except Unusable as problem:
        raise Unusable(f"{at}: {problem}") from None


def _scored(value: dict[str, Any]) -> Scored:
    scores = [given for key, given in value.items() if key.casefold() in _SCORES]
    if len(scores) != 1:
        raise Unusable('the JSON has no single "score"')
    score = _whole(scores[0])
    if score is None:
        given = scores[0]
        shown = float(given) if isinstance(given, Decimal) else given
        raise Unusable(f"the score {shown!r} is not an integer")
    _check_other_keys(value, _SCORES)
    reason = value.get("reason", "")
    return Scored(score, reason if isinstance(reason, str) else json.dumps(reason, default=str))


def _check_labels(prose: str, value: dict[str, Any], scale: Sequence[Point], score: int) -> None:
    """Raise Unusable where prose, or a key of the JSON, has the label of another point."""
    said = [str(given).strip().casefold() for key, given in value.items() if key != "reason"]
    own = next((point.label for point in scale if point.value == score), "").casefold()
    around = prose.casefold().replace(own, " ") if own else prose.casefold()
    for point in scale:
        label = point.label.casefold()
        if point.value == score or label == own:
            continue
        if label in said or (" " in label and label in around):
            raise Unusable(f"it also says {point.label}")


def _check_other_keys(value: dict[str, Any], own: Sequence[str]) -> None:
    """Raise Unusable where a JSON object says more than its `own`, and the reasons."""
    for key, given in value.items():
        name = key.casefold()
        if name in own or given in ("", None, [], {}):
            continue
        if not (_REASONS.search(name) or name in _WHAT_AND_HOW_SURE):
            raise Unusable(f'the JSON also has "{key}"')
        if isinstance(given, str) and may_refuse(given):
            raise Unusable("the reason may be a refusal")


def _whole(score: Any) -> int | None:
    """The whole number that a score is: 4, 4.0 or "4"."""
    if isinstance(score, str) and _INTEGER.fullmatch(score.strip()):
        return int(float(score))
    if type(score) is int or (isinstance(score, Decimal) and score == score.to_integral_value()):
        return int(score)
    return None


def _from_text(answer: str, scale: Sequence[Point], names: tuple[str, ...]) -> int:
    plain = _without_highest(_WRAPPING.sub("", answer), scale)
    numbers = list(_NUMBER.finditer(plain))
    if not numbers:
        raise Unusable("there is no number in the answer")
    if len(numbers) > 1:
        shown = ", ".join(number[0] for number in numbers[:5])
        raise Unusable(f"there are several numbers in the answer: {shown}")
    (number,) = numbers
    if not _INTEGER.fullmatch(number[0]):
        raise Unusable(f"{number[0]} is not a whole number")
    score = int(float(number[0]))
    start = _start_of_sentence(plain, number.start())
    before, called, after = plain[:start], plain[start : number.start()], plain[number.end() :]
    own = next((point.label for point in scale if point.value == score), "")
    _check_labels(plain, {}, scale, score)
    _check_called(_without_label(called, own), number[0], names)
    check_prose(before, _checked_rest(after, own, number[0]), beside="the score", names=names)
    return score


def _without_highest(text: str, scale: Sequence[Point]) -> str:
    """A text with 4 for `4/5` and `4 out of 5`, where 5 is the highest point."""
    highest = rf"{_GAP}*\(?(?:/|out of){_GAP}*{scale[-1].value}(?![0-9/])(?![.,][0-9])"
    return re.sub(rf"(?<=[0-9]){highest}", "", text, count=1)


def _start_of_sentence(text: str, end: int) -> int:
    return max((found.end() for found in _END_OF_SENTENCE.finditer(text, 0, end)), default=0)


def _without_label(text: str, label: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(label)}(?!\w)", " ", text, flags=re.I) if label else text


def _check_called(text: str, number: str, names: tuple[str, ...]) -> None:
    """Raise Unusable unless what stands before a number, in its sentence, calls it the score."""
    called = _LIST_MARKER.sub("", text, count=1)
    says = any(character.isalnum() for character in called)
    if _NOT_EXACT.search(called) or (says and not names_score(called, names)):
        raise Unusable(f"{number} is not given as the score")
    if not is_announcement(called, names):
        raise Unusable(f"{number} is not given as the score")


def _checked_rest(text: str, label: str, number: str) -> str:
    """What stands behind a number, without its label. Raises Unusable if it goes on."""
    rest = re.sub(rf"\A{_GAP}?(?:[{_UNITS}]|points?\b)", "", text)
    if label:
        rest, found = re.subn(
            rf"\A([\W_]*){re.escape(label)}(?!\w)", r"\1", rest, count=1, flags=re.IGNORECASE
        )
        if found:
            return rest
    if _GOES_ON.match(rest):
        raise Unusable(f"{number} is not given as the score")
    return rest


def _unboxed(answer: str) -> str:
    """An answer with the content of `\\boxed{4}` in its place."""
    return _BOXED.sub(r"\1", answer)
