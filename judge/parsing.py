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
from typing import Any

from judge.json_answers import Unusable, object_in
from survey.definition.tasks import Point

#: Maximum length of an answer in characters.
LONGEST = 10_000

#: Digits with whatever joins them, so that 4.5, 3-4 and 4/10 are one token each.
_NUMBER = re.compile(r"[-+\u2212]?[0-9](?:[0-9.,:/\u2013\u2212-]*[0-9])?")
_INTEGER = re.compile(r"[-+]?[0-9]{1,9}(?:\.0+)?")
#: Space within a line. Were it to run across lines, one answer of empty lines would take minutes.
_GAP = r"[^\S\n]"
_NAMED = rf"(?:(?:the|my|overall|final){_GAP}+)*(?:score|rating|answer|result)"
#: It opens its sentence and the number ends its clause: "I would not give a score of 4" is none.
_STATEMENT = re.compile(
    rf"(?:^|[.!?]\s){_GAP}*{_NAMED}{_GAP}*(?::|=|is){_GAP}*[-+]?[0-9]+(?:\.0+)?{_GAP}*"
    r"(?:[.,;:!()]|$|because\b)",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE = re.compile(
    rf"(?:\[?{_NAMED}\]?{_GAP}*(?:(?::|=|is){_GAP}*)?)?[\"'(\[]*[-+]?[0-9]+(?:\.0+)?[\"')\]]*(?P<rest>.*)",
    re.IGNORECASE,
)


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
    answer = _checked(text)
    value = object_in(answer)
    if letters or dimensions:
        if value is None:
            raise Unusable("there is no JSON object in the answer")
        parts = [_part(value, letter) for letter in letters] if letters else [("", value)]
        if dimensions:
            parts = [_part(part, name, at) for at, part in parts for name in dimensions]
        scores = [_of_part(at, part) for at, part in parts]
    elif value is not None:
        scores = [_scored(value)]
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
    value = object_in(_checked(text), others=[*letters, tie])
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
    scores = [value[key] for key in ("score", "rating") if key in value]
    if len(scores) != 1:
        raise Unusable('the JSON has no single "score"')
    score = _whole(scores[0])
    if score is None:
        raise Unusable(f"the score {scores[0]!r} is not an integer")
    reason = value.get("reason", "")
    return Scored(score, reason if isinstance(reason, str) else json.dumps(reason))


def _whole(score: Any) -> int | None:
    """The whole number that a score is: 4, 4.0 or "4"."""
    if isinstance(score, str) and _INTEGER.fullmatch(score.strip()):
        return int(float(score))
    if type(score) is int or (isinstance(score, float) and score.is_integer()):
        return int(score)
    return None


def _from_text(answer: str, scale: Sequence[Point]) -> int:
    highest = scale[-1].value
    plain = re.sub(r"[*_`#]", "", answer)
    plain = re.sub(rf"(?<=[0-9])\s*(?:/|out of)\s*{highest}(?![0-9])(?![.,][0-9])", "", plain)
    numbers = _NUMBER.findall(plain)
    if not numbers:
        raise Unusable("there is no number in the answer")
    if len(numbers) > 1:
        raise Unusable(f"there are several numbers in the answer: {', '.join(numbers[:5])}")
    if not _INTEGER.fullmatch(numbers[0]):
        raise Unusable(f"{numbers[0]} is not a whole number")
    labels = {point.label.casefold() for point in scale if point.value == float(numbers[0])}
    stated = _STATEMENT.search(plain) or any(
        _stands_alone(line.strip(), labels) for line in plain.splitlines()
    )
    if not stated:
        raise Unusable(f"{numbers[0]} is not given as the score")
    return int(float(numbers[0]))


def _stands_alone(line: str, labels: set[str]) -> bool:
    """Whether a line is only a number, perhaps with this point's own label."""
    match = _ALONE.fullmatch(line)
    if not match:
        return False
    rest = match["rest"].strip(" .!=:-()\"'").casefold()
    return rest in labels | {""}
