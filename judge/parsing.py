"""Reading a judge's answer: one strict parse, never a default. Pure.

The answer, without its thinking (`judge.completions`), is a JSON object: `{"score": 4}`, with a
`"reason"` or without; for the responses of a block one such object, or a plain number, under each
letter; for several dimensions one under the name of each. It stands alone, in a code fence, or
within prose that can't be meant otherwise (`judge.json_answers`). A judge of a single response on
one dimension that was asked at an endpoint without JSON may also give exactly one number, in
digits, as the score:

- alone on a line: `4`, `4.`, `**4**`, `"4"`, `(4)`, also with its label on the scale
  (`4 = Very empathetic`) or named as a score (`Score: 4`, `[RESULT] 4`);
- or as the opening of a sentence that names it as the score: `My rating is 4, because …`.

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

from judge.completions import may_refuse
from judge.doubts import Unusable, check_prose
from judge.json_answers import object_in
from survey.definition.tasks import Point

#: Maximum length of an answer in characters.
LONGEST = 10_000

#: Digits with whatever joins them, so that 4.5, 3-4 and 4/10 are one token each.
_NUMBER = re.compile(r"[-+\u2212]?[0-9](?:[0-9.,:/\u2013\u2212-]*[0-9])?")
_INTEGER = re.compile(r"[-+]?[0-9]{1,9}(?:\.0+)?")
#: Space within a line. Were it to run across lines, one answer of empty lines would take minutes.
_GAP = r"[^\S\n]"
_NAMED = r"(?:[a-z]{2,20}[ \t]){0,3}(?:score|rating|answer|result)"
#: It opens its sentence and the number ends its clause: "I would not give a score of 4" is none.
_STATEMENT = re.compile(
    rf"(?:^|[.!?]\s){_GAP}*{_NAMED}{_GAP}*(?::|=|is:?){_GAP}*(?P<number>[-+]?[0-9]+(?:\.0+)?){_GAP}*"
    r"(?:[.,;:!()]|$|because\b)",
    re.IGNORECASE | re.MULTILINE,
)
_OTHER_NAMES = (
    "\u8bc4\u5206|\u5206\u6570|\u5f97\u5206|\u6253\u5206|\u7b54\u6848|bewertung|punktzahl|puntuaci\u00f3n"
    "|calificaci\u00f3n|note|pontua\u00e7\u00e3o|punteggio|\u043e\u0446\u0435\u043d\u043a\u0430|\u062a\u0642\u064a\u064a\u0645"
)
#: A line with nothing but the number, and perhaps what it is called.
_ALONE = re.compile(
    rf"[->]?{_GAP}*(?:\[?(?:{_NAMED}|{_OTHER_NAMES})\]?{_GAP}*(?:(?::|\uff1a|=|is|[-\u2013\u2014]){_GAP}*)?)?"
    r"[\"'(\[\u201c\u300c\u300e]*(?P<number>[-+]?[0-9]+(?:\.0+)?)[\"')\]\u201d\u300d\u300f]*(?P<rest>.*)",
    re.IGNORECASE,
)
#: What wraps an answer and says nothing.
_WRAPPING = re.compile(
    r"</?(?:score|answer|rating|final_answer|response|output)>|<\|(?:begin|end)_of_box\|>"
    r"|[\u200b\u2060\ufeff*_`#]|[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\$?\\boxed\{([^{}]*)\}\$?")


#: Keys of a JSON object that say that it is no answer.
_NO_ANSWER = {"draft", "example", "refusal", "error"}
_WORDS_FOR_SCORES = re.compile("score|rating|grade|final|revised|corrected")


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
) -> list[Scored]:
    """The scores that `text` gives on `scale`: one, or one for each of `letters`, in their order;
    with `dimensions`, one for each of these instead, in theirs.

    A score is a point of the scale, or also a value `between` them. Raises Unusable.
    """
    answer = _unboxed(_checked(text))
    value, prose = object_in(answer)
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
        scores = [Scored(_from_text(answer, scale))]
    for each in scores:
        _check_point(each.score, scale, between=between)
    return scores


def score_in_literal(
    text: str, literal: str, scale: Sequence[Point], *, between: bool = False
) -> list[Scored]:
    """The score that stands in place of * in the last occurrence of `literal` in `text`.

    Raises Unusable.
    """
    token = _last_in(literal, rf"{_NUMBER.pattern}(?:{_GAP}*(?:/|out of){_GAP}*[0-9]+)?", text)
    highest = scale[-1].value
    plain = re.sub(rf"(?<=[0-9])\s*(?:/|out of)\s*{highest}\Z", "", token)
    if not _INTEGER.fullmatch(plain):
        raise Unusable(f"{token} is not a whole number")
    score = int(float(plain))
    _check_point(score, scale, between=between)
    return [Scored(score)]


def verdicts_in_literal(
    text: str, literal: str, letters: Sequence[str], *, tie: str
) -> list[Scored]:
    """What stands in place of * in the last occurrence of `literal`: the better of two letters, or
    a tie, which the letter after them says, too. As `parse_verdicts`. Raises Unusable.
    """
    after = chr(ord(letters[-1]) + 1)
    said = _last_in(literal, rf"(?:{'|'.join(letters)}|{after}|{tie})(?!\w)", text).upper()
    better = tie if said in (after, tie.upper()) else said
    return [Scored(1 if better == tie else 2 * (better == letter)) for letter in letters]


def _last_in(literal: str, value: str, text: str) -> str:
    """What stands in place of * in the last occurrence of a literal. Raises Unusable."""
    before, _, after = (
        r"\s*".join(map(re.escape, part.split())) for part in literal.partition("*")
    )
    answer = re.sub("[*`]", "", _checked(text))
    whole = re.compile(rf"{before}\s*({value}){_GAP}*{after}", re.IGNORECASE)
    starts = [
        found.start()
        for found in (re.compile(before, re.IGNORECASE) if before else whole).finditer(answer)
    ]
    if not starts:
        raise Unusable(f"{literal} is not in the answer")
    last = whole.match(answer, starts[-1])
    if last is None:
        raise Unusable(f"the last {literal} has no usable score")
    return last[1]


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
    scores = [given for key, given in value.items() if key.casefold() in ("score", "rating")]
    if len(scores) != 1:
        raise Unusable('the JSON has no single "score"')
    score = _whole(scores[0])
    if score is None:
        given = scores[0]
        shown = float(given) if isinstance(given, Decimal) else given
        raise Unusable(f"the score {shown!r} is not an integer")
    _check_other_keys(value)
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


def _check_other_keys(value: dict[str, Any]) -> None:
    """Raise Unusable where a JSON object says more than a score and its reason."""
    for key, given in value.items():
        name = key.casefold()
        if name in ("score", "rating"):
            continue
        if not isinstance(given, str) or name in _NO_ANSWER or _WORDS_FOR_SCORES.search(name):
            if given not in ("", None, [], {}):
                raise Unusable(f'the JSON also has "{key}"')
        elif may_refuse(given):
            raise Unusable("the reason may be a refusal")


def _whole(score: Any) -> int | None:
    """The whole number that a score is: 4, 4.0 or "4"."""
    if isinstance(score, str) and _INTEGER.fullmatch(score.strip()):
        return int(float(score))
    if type(score) is int or (isinstance(score, Decimal) and score == score.to_integral_value()):
        return int(score)
    return None


def _from_text(answer: str, scale: Sequence[Point]) -> int:
    highest = scale[-1].value
    fraction = rf"(?<=[0-9])\s*(?:/|out of)\s*{highest}(?![0-9/])(?![.,][0-9])"
    plain = re.sub(fraction, "", _WRAPPING.sub("", answer), count=1)
    numbers = _NUMBER.findall(plain)
    if not numbers:
        raise Unusable("there is no number in the answer")
    if len(numbers) > 1:
        raise Unusable(f"there are several numbers in the answer: {', '.join(numbers[:5])}")
    if not _INTEGER.fullmatch(numbers[0].removeprefix("-") if _is_listed(plain) else numbers[0]):
        raise Unusable(f"{numbers[0]} is not a whole number")
    score = int(float(numbers[0]))
    labels = {point.label.casefold() for point in scale if point.value == score}
    found = _stated(plain, labels)
    if found is None:
        raise Unusable(f"{numbers[0]} is not given as the score")
    before, after = plain[: found.start()], plain[found.end("number") :].lstrip("\u5206\u70b9")
    for label in sorted(labels, key=len, reverse=True):
        after = re.sub(rf"\A(\W*){re.escape(label)}(?!\w)", r"\1", after, flags=re.IGNORECASE)
    _check_labels(f"{before} {after}", {}, scale, score)
    check_prose(before, after, beside="the score")
    return score


def _unboxed(answer: str) -> str:
    """An answer with the content of `\\boxed{4}` in its place."""
    return _BOXED.sub(r"\1", answer)


def _is_listed(plain: str) -> bool:
    return plain.lstrip().startswith("- ")


def _stated(plain: str, labels: set[str]) -> re.Match[str] | None:
    """Where the number is given as the score."""
    if found := _STATEMENT.search(plain):
        return found
    start = 0
    for line in plain.split("\n"):
        at = start + len(line) - len(line.lstrip())
        found = _ALONE.fullmatch(plain, at, start + len(line.rstrip()))
        if found:
            rest = found["rest"].strip(" .!=:()\"'\u5206\u70b9").strip("-\u2013\u2014 ").casefold()
            bare = found["rest"].strip()
            if rest in labels or (rest == "" and not bare.startswith(("-", "/"))):
                return found
        start += len(line) + 1
    return None
