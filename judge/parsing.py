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
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from judge.doubts import Unusable, check_prose, explains, has_number, is_announcement, names_score
from judge.json_answers import object_in
from judge.refusing import may_refuse
from survey.definition.tasks import Point

#: Maximum length of an answer in characters.
LONGEST = 10_000

#: Digits with whatever joins them, so that 4.5, 3-4 and 4/10 are one token each.
_NUMBER = re.compile(r"[-+\u2212]?[0-9](?:[0-9.,:/\u2013\u2212-]*[0-9])?")
#: No score has more.
_DIGITS = 9
_INTEGER = re.compile(r"[-+]?[0-9]{1,9}(?:\.0+)?")
#: Space within a line. Were it to run across lines, one answer of empty lines would take minutes.
_GAP = r"[^\S\n]"
_SPACES = r"\s*"
_END_OF_SENTENCE = re.compile(r"[.!\u3002\uff01]\s|\n")
_LIST_MARKER = re.compile(rf"\A{_GAP}*[->*]{_GAP}+")
#: Before a number they say that it is not exact, behind it that it is another one.
_NOT_EXACT = re.compile(r"[~<>/!+]")
_GOES_ON = re.compile(rf"{_GAP}*(?:[/+%^*\u00b0]|[-\u2013\u2014]{_GAP}*(?:\n|\Z))")
#: In the words before a literal: it is no answer.
_LEADS_ELSEWHERE = re.compile(
    r"\b(?:(?:not|never|no|maybe|perhaps|could|might|or|told|asked|print|says?|said|form|format|example)"
    r"\b|n['\u2019]t\b)\W*(?:\w+\W+){0,3}\Z|\b(?:and|to)\W*\Z",
    re.IGNORECASE,
)
_OTHER_DIMENSIONS = re.compile(r"(?:\s*[-*\u2022]?\s*[A-Z][\w ]{1,40}: *[0-9]+\.?)*\s*")
_I_RATE = re.compile(r"\bi(?:'d| would)? (?:rate|give|assign)\b", re.IGNORECASE)
_OF = r"/|(?:out of|von|de|sur|van|su|\u0438\u0437|\u0645\u0646)\b"
_UNITS = "\u5206\u70b9\uc810"
#: What wraps an answer and says nothing.
_WRAPPING = re.compile(
    r"</?(?:score|answer|rating|final_answer|response|output)>"
    r"|[\u200b\u2060\ufeff*_`#]|[\u2705\u2714\u2611\u2728\ufe0f\U0001f600-\U0001f64f]",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"\A(?:response|reply|answer|option)\s+", re.IGNORECASE)
_BOXED = re.compile(r"\$?\\boxed\{([^{}]*)\}\$?")

# What a JSON object may say

_SCORES = ("score", "rating", "final_score", "overall_score", "final_rating", "overall_rating")
_REASONS = re.compile(
    r"(?:brief_|short_)?(?:reason|expla|rationale|justif|comment|analysis|thought|thinking|evidence"
    r"|feedback|summary|critique|note|why|evaluation|assessment|strength|weakness|suggestion|improvement)"
    r"\w*"
)
_ANOTHER = re.compile(
    r"(?<!for_)(?<!for_the_)(?:score|rating)(?!_reason|_expla)|final|revised|after"
)
#: What the score is given to, in words; and how sure the judge is.
_WHAT = {
    "label",
    "dimension",
    "criterion",
    "criteria",
    "aspect",
    "metric",
    "response",
    "reply",
    "item",
}
_WHAT |= {"language", "model"}
_WHICH_OR_HOW_SURE = {"id", "index", "letter", "confidence", "certainty", "probability"}


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
        parts = _parts(value, letters) if letters else [("", value)]
        if dimensions:
            parts = [each for at, part in parts for each in _parts(part, dimensions, at)]
        scores = [_of_part(at, part, scale) for at, part in parts]
    elif value is not None:
        scores = [_scored(value, names)]
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
    highest = rf"(?:{_GAP}*(?:/|out of){_GAP}*[0-9]+(?![0-9]))?"
    value = rf"(?<![0-9])(?<![0-9][.,:/\u2013-]){_NUMBER.pattern}{highest}"
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
    """What stands in place of * in the last occurrence of a literal, if nothing before it makes it
    an example and nothing behind it takes it back. Raises Unusable.
    """
    answer = re.sub("[*`]", "", _checked(text))
    if may_refuse(answer):
        raise Unusable("the answer may be a refusal")
    first, _, last = (_pattern(part) for part in literal.partition("*"))
    whole = re.compile(rf"{first}{_SPACES if first else ''}({value})\s*?{last}", re.IGNORECASE)
    begins = re.compile(first, re.IGNORECASE) if first else whole
    starts = [found.start() for found in begins.finditer(answer)]
    if not starts:
        raise Unusable(f"{literal} is not in the answer")
    found = whole.match(answer, starts[-1])
    if found is None:
        raise Unusable(f"the last {literal} has no usable score")
    rest = re.sub(rf"\A{_GAP}?(?:[{_UNITS}]|points?\b)", "", answer[found.end() :])
    for label in labels:
        rest = re.sub(rf"\A[\W_]*{re.escape(label)}(?!\w)", "", rest, flags=re.IGNORECASE)
    called = _called(answer, found.start())
    said = (
        ""
        if _OTHER_DIMENSIONS.fullmatch(rest)
        else rest.strip(" .,;:!()[]\"'-\u2013\u2014\u3002\n")
    )
    is_called = (
        is_announcement(called) if literal[0].isalpha() else not _LEADS_ELSEWHERE.search(called)
    )
    if not is_called or (said and not explains(said)) or _GOES_ON.match(rest):
        raise Unusable(f"the last {literal} is not given as the score")
    return found[1]


def _pattern(part: str) -> str:
    """The text of a literal beside its place, whose spaces and list marker may differ."""
    words = re.sub(r"\A\s*[-\u2022]\s+", "", part).split()
    pattern = r"\s*".join(map(re.escape, words))
    return rf"{pattern[:-1]}{_GAP}*[:\uff1a]" if pattern.endswith(":") else pattern


def _called(text: str, end: int) -> str:
    """What leads to a place: the sentence before it, or the line before that it continues."""
    start = _start_of_sentence(text, end)
    called = _LIST_MARKER.sub("", text[start:end], count=1)
    if called.strip():
        return called
    lines = text[:start].rstrip().rsplit("\n", 1)
    return lines[-1] if lines[-1].endswith((":", "\uff1a")) else ""


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
    parts = _parts(value, dimensions) if dimensions else [("", value)]
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
    said = _ANSWER.sub("", said.strip()).casefold() if isinstance(said, str) else said
    better = known.get(said) if isinstance(said, str) else None
    if better is None:
        place = f"{at}: " if at else ""
        raise Unusable(f'{place}"better" is not one of {", ".join(known.values())}')
    if isinstance(part, dict):
        _check_other_keys(part, ("better",))
    reason = part.get("reason", "") if isinstance(part, dict) else ""
    return better, reason if isinstance(reason, str) else json.dumps(reason, default=str)


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


def _parts(value: Any, names: Sequence[str], within: str = "") -> list[tuple[str, Any]]:
    """The parts of an answer under letters or dimensions, and where each is. Raises Unusable."""
    parts, own = [], list[str]()
    given = value if isinstance(value, dict) else {}
    for name in names:
        at = f"{within}, {name}" if within else name
        keys = [key for key in given if key == name or _is_named(key, name)]
        if len(keys) > 1:
            raise Unusable(f"there are several scores for {at}")
        part = given[keys[0]] if keys else None
        if part is None:
            raise Unusable(f"there is no score for {at}")
        parts.append((at, part))
        own += keys
    _check_other_keys(given, own)
    return parts


def _is_named(key: str, name: str) -> bool:
    """Whether a key of JSON names a dimension. Letters are as they were given."""
    return len(name) > 1 and key.casefold() == name.casefold()


def _of_part(at: str, part: Any, scale: Sequence[Point]) -> Scored:
    whole = part if isinstance(part, dict) else {"score": part}
    try:
        scored = _scored(whole)
        _check_labels("", whole, scale, scored.score)
    except Unusable as problem:
        raise Unusable(f"{at}: {problem}") from None
    return scored


def _scored(value: dict[str, Any], names: Sequence[str] = ()) -> Scored:
    named = [key for key in value if any(_is_named(key, name) for name in names)]
    if named and named == list(value) and isinstance(value[named[0]], dict):
        return _scored(value[named[0]])
    own = [*named, *(key for key in value if key.casefold() in _SCORES)]
    scores = [value[key] for key in own]
    if len(scores) != 1:
        raise Unusable('the JSON has no single "score"')
    score = _whole(scores[0])
    if score is None:
        given = scores[0]
        shown = repr(float(given)) if isinstance(given, Decimal) else repr(given)
        raise Unusable(f"the score {shown[:40]} is not an integer")
    _check_other_keys(value, own)
    reason = value.get("reason", "")
    return Scored(score, reason if isinstance(reason, str) else json.dumps(reason, default=str))


def _check_labels(prose: str, value: dict[str, Any], scale: Sequence[Point], score: int) -> None:
    """Raise Unusable where prose, or a key of the JSON, has the label of another point."""
    said = [
        str(given).casefold()
        for key, given in value.items()
        if not _REASONS.fullmatch(key.casefold())
    ]
    own = next((point.label for point in scale if point.value == score), "").casefold()
    around = prose.casefold().replace(own, " ") if own else prose.casefold()
    for point in scale:
        label = point.label.casefold()
        if point.value == score or label == own:
            continue
        if any(label in each.replace(own, " ") if own else label in each for each in said):
            raise Unusable(f"it also says {point.label}")
        if " " in label and label in around:
            raise Unusable(f"it also says {point.label}")


def _check_other_keys(value: dict[str, Any], own: Sequence[str]) -> None:
    """Raise Unusable where a JSON object says more than its `own`, and the reasons."""
    for key, given in value.items():
        name = key.casefold()
        if key in own or given in ("", None, [], {}) or name in _WHICH_OR_HOW_SURE:
            continue
        is_reason = _REASONS.fullmatch(name) is not None and not _ANOTHER.search(name)
        if not (is_reason and _is_text(given)) and not (name in _WHAT and isinstance(given, str)):
            raise Unusable(f'the JSON also has "{key}"')
        if isinstance(given, str) and may_refuse(given):
            raise Unusable("the reason may be a refusal")


def _is_text(given: Any) -> bool:
    """Whether a reason is text, or a list of texts or of parts of the reason."""
    if isinstance(given, list):
        return all(isinstance(each, str) for each in given)
    if isinstance(given, dict):
        return all(isinstance(each, str) for each in given.values())
    return isinstance(given, str)


def _whole(score: Any) -> int | None:
    """The whole number that a score is: 4, 4.0 or "4"."""
    if isinstance(score, str) and _INTEGER.fullmatch(score.strip()):
        return int(float(score))
    if isinstance(score, Decimal) and abs(score.adjusted()) <= _DIGITS:
        return int(score) if score == score.to_integral_value() else None
    return score if type(score) is int and abs(score) < 10**_DIGITS else None


def _from_text(answer: str, scale: Sequence[Point], names: tuple[str, ...]) -> int:
    plain = _without_highest(_WRAPPING.sub("", _with_digits(answer)), scale)
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


def _with_digits(text: str) -> str:
    """A text with the digits of any script as 0 to 9."""
    return "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in text
    )


def _without_highest(text: str, scale: Sequence[Point]) -> str:
    """A text with 4 for `4/5` and `4 out of 5`, where 5 is the highest point."""
    highest = rf"{_GAP}*\(?(?:{_OF}){_GAP}*{scale[-1].value}(?:\.0)?(?![0-9/])(?![.,][0-9])"
    return re.sub(rf"(?<=[0-9]){highest}", "", text, count=1)


def _start_of_sentence(text: str, end: int) -> int:
    return max((found.end() for found in _END_OF_SENTENCE.finditer(text, 0, end)), default=0)


def _without_label(text: str, label: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(label)}(?!\w)", " ", text, flags=re.I) if label else text


def _check_called(text: str, number: str, names: tuple[str, ...]) -> None:
    """Raise Unusable unless what stands before a number, in its sentence, calls it the score."""
    called = _LIST_MARKER.sub("", text, count=1)
    says = any(character.isalnum() for character in called) and not _I_RATE.search(called)
    if _NOT_EXACT.search(called) or has_number(called) or (says and not names_score(called, names)):
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
