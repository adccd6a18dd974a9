"""Reading a judge's answer: one strict parse, never a default. Pure.

The answer, without its thinking (`judge.completions`), is a JSON object: `{"score": 4}`, with a
`"reason"` or without; for the responses of a block one such object, or a plain number, under each
letter; for several dimensions one under the name of each. It stands alone, in a code fence, or
within prose that can't be meant otherwise (`judge.doubts`). A judge of a single response on one
dimension may also give exactly one number, in digits, as
the score: alone (`4.`, `**4**`, `4 = Very empathetic`) or named by its sentence (`Score: 4`,
`- Empathy: 4`, `My rating is 4, because …`).

`4/5` and `4 out of 5` count as 4 where 5 is the highest point of the scale, since nothing else
can be meant. `"4"` and `4.0` are 4.

Refused: no number, number words, several numbers or scores (even twice the same), ranges, other
decimals, percentages, a number that merely occurs in the text, and whatever is not on the scale.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from judge.doubts import Unusable, lacks_response
from judge.json_answers import object_in
from judge.plain_numbers import (
    INTEGER,
    check_labels,
    other_scores,
    score_in_text,
    without_highest,
)
from judge.refusing import may_refuse
from survey.definition.points import Point
from survey.files.digits import ascii_digits

#: Maximum length of an answer in characters.
LONGEST = 10_000

#: Such as `Response` before a letter.
_ONE_WORD = re.compile(r"\A[^\W\d_]{2,}\s*(?=[A-Z]\Z)")
_BOXED = re.compile(r"\$?\\boxed\{([^{}]*)\}\$?")
#: Around the label of a point, which may be numbered.
_LABEL_EDGES = re.compile(r"\A[\W_]+|[\W_]+\Z")
_NUMBERED = re.compile(r"\A\W*[0-9]+\s*[-:=.)(]")
_PLACEHOLDER = re.compile(r"\s*(?:<[^<>]*>|\[[^\[\]]*\]|\.\.\.|\u2026)\s*")
#: A value of so many words is a reason, whatever its key.
_WORDS_OF_PROSE = 4
_ONLY_A_NUMBER = re.compile(r"\W*[0-9][0-9./]*\W*")
_BEGINS_WITH_A_NUMBER = re.compile(rf"({INTEGER.pattern})(?:\s*[-=:(\u2013]\s*(.+?)\)?)?\Z")
_UNIT = re.compile(r"(?<=[0-9])(?:\s*(?:points?|stars?)|[\u5206\u70b9\uc810])?\.?\Z", re.IGNORECASE)
_COUNTED = re.compile(r"[0-9]+")
#: No score has more.
_DIGITS = 9

# What a JSON object may say

_SCORES = {"score", "rating", "final_score", "overall_score", "final_rating", "overall_rating"}
_REASONS = re.compile(
    r"(?:brief_|short_)?(?:reason|expla|rationale|justif|comment|analysis|thought|thinking|evidence"
    r"|feedback|summary|critique|note|why|evaluation|assessment|strength|weakness|suggestion|improvement"
    r"|begr\u00fcndung|erkl\u00e4rung|raz[o\u00f3]n|explic|raison|motiv|\u7406\u7531|\u539f\u56e0|\u89e3\u91ca"
    r"|\u8bf4\u660e|\u0627\u0644\u0633\u0628\u0628)\w*"
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
_DIMENSION = {"dimension", "criterion", "criteria", "aspect", "metric"}
#: In a part of an answer, whose part it is.
_WHOSE = _WHAT | {"id", "index", "letter"}
#: The whole answer may stand under one of these.
_AROUND = {
    "result",
    "evaluation",
    "response",
    "answer",
    "rating",
    "output",
    "judgment",
    "judgement",
}
_AROUND |= {"assessment", "scores"}
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

    A score is a point of the scale, or also a value `between` them. `names` are those of the
    dimensions asked about. Raises Unusable.
    """
    answer = _unboxed(check_answer(text))
    value, prose = object_in(answer, names=names)
    if letters or dimensions:
        if value is None:
            raise Unusable("there is no JSON object in the answer")
        parts = _parts(value, letters) if letters else [("", value)]
        if dimensions:
            parts = [each for at, part in parts for each in _parts(part, dimensions, at)]
        scores = [_of_part(at, part, scale) for at, part in parts]
    elif value is not None:
        scores = [_scored(value, scale, names)]
        check_labels(prose, scale, scores[0].score)
        _check_label(value, scale, scores[0].score)
    else:
        scores = [Scored(score_in_text(answer, scale, names))]
    for each in scores:
        check_point(each.score, scale, between=between)
    return scores


def check_point(score: int, scale: Sequence[Point], *, between: bool) -> None:
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
    value, prose = object_in(check_answer(text), explained=False)
    if value is None:
        raise Unusable("there is no JSON object in the answer")
    parts = _parts(value, dimensions) if dimensions else [("", value)]
    verdicts = [_verdict(at, part, letters, tie) for at, part in parts]
    _check_others(prose, [*letters, tie], [better for better, _ in verdicts])
    return [
        Scored(1 if better == tie else 2 * (better == letter), reason)
        for letter in letters
        for better, reason in verdicts
    ]


def _check_others(prose: str, letters: Sequence[str], given: Sequence[str]) -> None:
    """Raise Unusable where the text around an object names another letter than the object."""
    words = rf"(?<!\w)(?:{'|'.join(map(re.escape, letters))})(?!\w)"
    for word in re.findall(words, prose):
        if word not in given:
            raise Unusable(f"the text beside the JSON object names {word}")


def _verdict(at: str, part: Any, letters: Sequence[str], tie: str) -> tuple[str, str]:
    """The better letter, or the tie, and the reason."""
    known = {name.casefold(): name for name in [*letters, tie]}
    given = part if isinstance(part, dict) else {"better": part}
    given = {"better" if key.casefold() == "better" else key: said for key, said in given.items()}
    better = known.get(_letter(given.get("better")))
    where = f"{at}: " if at else ""
    if better is None:
        raise Unusable(f'{where}"better" is not one of {", ".join(known.values())}')
    _check_other_keys(given, ("better",))
    texts = [text for name, each in given.items() if name != "better" for text in _texts_in(each)]
    for said in map(_letter, texts):
        if known.get(said, better) != better:
            raise Unusable(f"{where}it also says {known[said]}")
    for other in letters:
        wins = rf"\b{other}\b(?: (?:is|was))?(?: (?:clearly|much|slightly))? (?:better|wins)\b"
        if other != better and any(re.search(wins, text) for text in texts):
            raise Unusable(f"{where}it also says that {other} is better")
    return better, _reason(given)


def _reason(value: dict[str, Any]) -> str:
    reason = value.get("reason", "")
    return reason if isinstance(reason, str) else json.dumps(reason, default=str)


def _letter(said: Any) -> str:
    """`a` of `Response A` and `A.`; empty for what is no text."""
    return _ONE_WORD.sub("", said.strip(" .*\n")).casefold() if isinstance(said, str) else ""


def keeps_to_probe(text: str) -> bool:
    """Whether the endpoint enforced the schema for an answer to `judge.prompts.probe`."""
    try:
        return json.loads(text) in ({"score": 3}, {"score": 4})
    except (ValueError, RecursionError):
        return False


def check_answer(answer: str) -> str:
    """An answer without space around it. Raises Unusable."""
    if not answer.strip():
        raise Unusable("the answer is empty")
    if len(answer) > LONGEST:
        raise Unusable(f"the answer is longer than {LONGEST} characters")
    return answer.strip()


def _parts(value: Any, names: Sequence[str], within: str = "") -> list[tuple[str, Any]]:
    """The parts of an answer under letters or dimensions, and where each is. Raises Unusable."""
    parts, own = [], list[str]()
    given = _inside(value) if isinstance(value, dict) else {}
    for name in names:
        at = f"{within}, {name}" if within else name
        keys = [key for key in given if key == name or _is_named(key, name)]
        if len(keys) > 1:
            raise Unusable(f"there are several scores for {at}")
        part = given[keys[0]] if keys else None
        if part is None:
            raise Unusable(f"there is no score for {at}")
        _check_what(part, at, name, names)
        parts.append((at, part))
        own += keys
    _check_other_keys(given, own)
    return parts


def _check_what(part: Any, at: str, name: str, names: Sequence[str]) -> None:
    """Raise Unusable where a part says that it is about another one of `names`."""
    others = {each.casefold() for each in names if each != name}
    for key, given in part.items() if isinstance(part, dict) else ():
        if key.casefold() in _WHOSE and isinstance(given, str) and _letter(given) in others:
            raise Unusable(f"{at} is about {given}")


def _is_named(key: str, name: str) -> bool:
    """Whether a key of JSON names a dimension, or a letter, as `Response A` does."""
    if len(name) > 1:
        return key.casefold() == name.casefold()
    return name in key and _letter(key) == name.casefold()


def _of_part(at: str, part: Any, scale: Sequence[Point]) -> Scored:
    whole = part if isinstance(part, dict) else {"score": part}
    try:
        scored = _scored(whole, scale)
        _check_label(whole, scale, scored.score)
    except Unusable as problem:
        raise Unusable(f"{at}: {problem}") from None
    return scored


def _scored(value: dict[str, Any], scale: Sequence[Point], names: Sequence[str] = ()) -> Scored:
    value = _inside(value, names)
    named = _named(value, names)
    scores_of_names = {
        f"{name}_{word}".casefold() for name in names for word in ("score", "rating")
    }
    if "score" in value:
        named = [key for key in named if key != "reason"]
    others = _SCORES | scores_of_names
    own = [*named, *(key for key in value if key.casefold() in others and key not in named)]
    scores = [value[key] for key in own]
    if len(scores) != 1:
        raise Unusable('the JSON has no single "score"')
    score = _whole(scores[0], scale)
    if score is None:
        given = scores[0]
        shown = repr(float(given)) if isinstance(given, Decimal) else repr(given)
        raise Unusable(f"the score {shown[:40]} is not an integer")
    _check_other_keys(value, own, scale=scale, score=score, names=names)
    return Scored(score, "" if "reason" in own else _reason(value))


def _inside(value: dict[str, Any], names: Sequence[str] = ()) -> dict[str, Any]:
    """The one object within an object that has nothing else."""
    if len(value) != 1:
        return value
    ((key, inside),) = value.items()
    wraps = key.casefold() in _AROUND or _named(value, names)
    return inside if wraps and isinstance(inside, dict) else value


def _named(value: dict[str, Any], names: Sequence[str]) -> list[str]:
    return [key for key in value if any(_is_named(key, name) for name in names)]


def _check_label(value: dict[str, Any], scale: Sequence[Point], score: int) -> None:
    """Raise Unusable where what the score is given to has another point's label or number."""
    for key, given in value.items():
        if key.casefold() in _WHAT and isinstance(given, str):
            check_labels(given, scale, score, of_one_word=True)
            if any(number != str(score) for number in _COUNTED.findall(ascii_digits(given))):
                raise Unusable(f"it also says {given[:40]}")


def _check_other_keys(
    value: dict[str, Any],
    own: Sequence[str],
    *,
    scale: Sequence[Point] = (),
    score: int | None = None,
    names: Sequence[str] = (),
) -> None:
    """Raise Unusable where a JSON object says more than its `own`, and the reasons, or where these
    say another score.
    """
    for key, given in value.items():
        name = key.casefold()
        if key in own or given in ("", None, [], {}) or name in _WHICH_OR_HOW_SURE:
            continue
        is_reason = _REASONS.fullmatch(name) is not None or _is_prose(given)
        is_reason = is_reason and not _ANOTHER.search(name)
        texts = list(_texts_in(given))
        if name != "reason" and scale and any(_gives_score(each, scale) for each in texts):
            is_reason = False  # an `assessment` may be another score; a reason was asked for
        if not (is_reason and _is_text(given)) and not (name in _WHAT and isinstance(given, str)):
            raise Unusable(f'the JSON also has "{key}"')
        if name in _DIMENSION and names and not any(_is_about(given, each) for each in names):
            raise Unusable(f"the score is about {given}")
        for text in texts:
            if may_refuse(text) or lacks_response(text):
                raise Unusable("the reason may be a refusal")
            if _PLACEHOLDER.fullmatch(text):
                raise Unusable("the form is repeated, not filled in")
            if score is not None and (said := _other_point(text, scale, score)):
                raise Unusable(f"it also says {said[:40]}")


def _is_prose(given: Any) -> bool:
    return isinstance(given, str) and len(given.split()) >= _WORDS_OF_PROSE


def _is_about(given: str, name: str) -> bool:
    return name.replace("_", " ").casefold() in given.replace("_", " ").casefold()


def _texts_in(given: Any) -> Iterator[str]:
    """The texts of a reason: itself, or those of its parts."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, list | dict):
        for each in given.values() if isinstance(given, dict) else given:
            yield from _texts_in(each)


def _other_point(text: str, scale: Sequence[Point], score: int) -> str:
    """What a text says of another point: a sentence that gives it, or its label, which is all of
    the text; empty if it says nothing of that.
    """
    said = _LABEL_EDGES.sub("", _NUMBERED.sub("", ascii_digits(text))).casefold()
    if said and any(point.label.casefold() == said for point in scale if point.value != score):
        return text
    return next(iter(other_scores(text, scale, score)), "")


def _gives_score(text: str, scale: Sequence[Point]) -> bool:
    if _ONLY_A_NUMBER.fullmatch(ascii_digits(text)):
        return True
    try:
        score_in_text(text, scale)
    except Unusable:
        return False
    return True


def _is_text(given: Any) -> bool:
    """Whether a reason is text, or a list of texts or of parts of the reason."""
    if isinstance(given, list):
        return all(isinstance(each, str) for each in given)
    if isinstance(given, dict):
        has_score = any(key.casefold() in _SCORES for key in given)
        return not has_score and all(isinstance(each, str) for each in given.values())
    return isinstance(given, str)


def _whole(score: Any, scale: Sequence[Point]) -> int | None:
    """The whole number that a score is: 4, 4.0, "4", "4/5" or "4 - Very empathetic"."""
    if isinstance(score, str):
        said = _UNIT.sub("", ascii_digits(score).strip())
        found = _BEGINS_WITH_A_NUMBER.match(without_highest(said, scale))
        number = int(float(found[1])) if found else None
        label = found[2] if found else ""
        labels = [point.label.casefold() for point in scale if point.value == number]
        return number if not label or label.casefold() in labels else None
    if isinstance(score, Decimal) and abs(score.adjusted()) <= _DIGITS:
        return int(score) if score == score.to_integral_value() else None
    return score if type(score) is int and abs(score) < 10**_DIGITS else None


def _unboxed(answer: str) -> str:
    """An answer with the content of `\\boxed{4}` in its place."""
    return _BOXED.sub(r"\1", answer)
