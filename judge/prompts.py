"""A judge's prompt and the form of its answer. Pure.

The judge sees the scenario's prompt and the responses, never their model or condition. It gets one
response (`single`), or all responses of a block (`block`) or two of them (`pair`), labelled with
letters. The words are those of `judge.wording`, or the study's own (`template`).
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from itertools import chain, islice, product
from string import ascii_uppercase
from typing import Any, TypedDict

from judge.configuration import JudgeConfiguration
from judge.examples import RatedExample, shown_for
from judge.wording import PromptWording, wording_of
from survey.definition.dialogue import turns_of
from survey.files.templates import filled

#: Version of the wording and of the seeds (`judge.seeds`). Increase it with every change: scores of
#: two formats belong to different judges. Format 4 has the study's nouns and language,
#: dialogues as lines, and no rubric unless the study gives one. Format 3 has the wording of format
#: 2, and a separate seed for each call.
FORMAT = 4
#: The supported formats, newest first: a judge keeps the format it started with.
FORMATS = (FORMAT, 3, 2)

#: What a judge of pairs says instead of a letter, if neither response is better.
TIE = "tie"
#: English text has about four characters a token.
CHARACTERS_PER_TOKEN = 4
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
TOKENS_PER_SCORE = 8
TOKENS_PER_REASON = 30
#: A judge whose answer ends in a literal explains it first.
TOKENS_PER_EXPLANATION = 150


class Message(TypedDict):
    """One message of a chat."""

    role: str
    content: str


def letters(responses: int) -> list[str]:
    """The labels of a block's responses, in the order shown: A to Z, then AA, AB and so on."""
    doubled = map("".join, product(ascii_uppercase, repeat=2))
    return list(islice(chain(ascii_uppercase, doubled), responses))


def messages(
    configuration: JudgeConfiguration,
    *,
    dimensions: Sequence[str],
    prompt: str,
    context: str,
    responses: Sequence[str],
    scenario: str = "",
) -> list[Message]:
    """The messages that ask for a score of each of `responses` to `prompt`, in this order, on each
    of `dimensions`. Examples are those of other scenarios than `scenario`.
    """
    wording = wording_of(configuration.nouns)
    examples = _examples(wording, configuration, scenario, dimensions)
    context = _told(wording, context)
    shown = _shown(wording, configuration, responses)
    if configuration.template is not None:
        values = {
            "prompt": prompt,
            "context": context,
            "responses": shown,
            "examples": examples.strip(),
        }
        return _from_template(configuration, dimensions, responses, values)
    parts = [f"<context>\n{context}\n</context>"] if context else []
    parts.append(_tagged(wording.prompt_tag, prompt))
    sentence = getattr(wording, configuration.presentation)
    scale = f"{wording.scale}\n{_points(configuration)}\n\n"
    instructions = (
        f"{_with_nouns(sentence, configuration, n=len(responses))}\n\n"
        f"{_questions(wording, configuration, dimensions)}\n\n"
        f"{'' if configuration.presentation == 'pair' else scale}"
        f"{examples}"
        f"{wording.only_texts}\n"
        f"{answer_form(configuration, len(responses), dimensions)}"
    )
    return [
        {"role": "system", "content": instructions},
        {"role": "user", "content": "\n\n".join([*parts, shown])},
    ]


def _from_template(
    configuration: JudgeConfiguration,
    dimensions: Sequence[str],
    responses: Sequence[str],
    values: Mapping[str, str],
) -> list[Message]:
    """The messages of a judge with a template. `values` has what stands in place of `prompt`,
    `context` and the like; those of responses and dimensions are added.
    """
    lettered = zip(letters(len(responses)), responses, strict=True)
    values = {
        **values,
        "response": responses[0],
        "question": _of_each(dimensions, configuration.questions),
        "rubric": _of_each(dimensions, configuration.rubrics),
        "dimension": ", ".join(dimensions),
        "scale": _points(configuration),
        **{f"response_{letter.lower()}": text for letter, text in lettered},
    }
    asked: list[Message] = []
    if configuration.system is not None:
        asked.append({"role": "system", "content": filled(configuration.system, values)})
    return [*asked, {"role": "user", "content": filled(configuration.template or "", values)}]


def _told(wording: PromptWording, context: str) -> str:
    """The context as the judge reads it: a dialogue as lines."""
    turns = turns_of(context) if wording.speakers else []
    if not turns:
        return context
    return "\n".join(wording.speakers[turn.speaker] + turn.text for turn in turns)


def _tagged(tag: str, text: str, *, letter: str = "") -> str:
    named = f' name="{letter}"' if letter else ""
    return f"<{tag}{named}>\n{text}\n</{tag}>"


def _shown(
    wording: PromptWording, configuration: JudgeConfiguration, responses: Sequence[str]
) -> str:
    """The responses between tags; several with their letters."""
    tag = wording.response_tag
    if configuration.presentation == "single":
        (response,) = responses
        return _tagged(tag, response)
    named = zip(letters(len(responses)), responses, strict=True)
    return "\n\n".join(_tagged(tag, text, letter=letter) for letter, text in named)


def _with_nouns(sentence: str, configuration: JudgeConfiguration, *, n: int = 1) -> str:
    nouns = configuration.nouns
    said = nouns.model_dump(exclude={"language"}) if nouns else {}
    return filled(sentence, {"n": str(n), **said})


def _points(configuration: JudgeConfiguration) -> str:
    return "\n".join(f"{point.value} = {point.label}" for point in configuration.scale)


def _examples(
    wording: PromptWording,
    configuration: JudgeConfiguration,
    scenario: str,
    dimensions: Sequence[str],
) -> str:
    """Responses to other prompts, with people's ratings."""
    examples: Sequence[RatedExample] = shown_for(configuration.drawn, scenario)
    if not examples:
        return ""
    parts = [_with_nouns(wording.examples, configuration)]
    for each in examples:
        context = _told(wording, each.context)
        told = f"<context>\n{context}\n</context>\n" if context else ""
        ratings = "\n".join(
            f'<rating dimension="{name}">{each.scores[name]}</rating>'
            if len(dimensions) > 1
            else f"<rating>{each.scores[name]}</rating>"
            for name in dimensions
        )
        parts.append(
            f"<example>\n{told}{_tagged(wording.prompt_tag, each.prompt)}\n"
            f"{_tagged(wording.response_tag, each.response)}\n{ratings}\n</example>"
        )
    return "\n\n".join(parts) + "\n\n"


def _of_each(dimensions: Sequence[str], texts: Mapping[str, str]) -> str:
    """The text of a dimension, or of several, each with its name."""
    if len(dimensions) == 1:
        return texts[dimensions[0]]
    return "\n".join(f"{name}: {texts[name]}" for name in dimensions)


def _questions(
    wording: PromptWording, configuration: JudgeConfiguration, dimensions: Sequence[str]
) -> str:
    """The question of each dimension and its rubric, if there is one; under its name if there are
    several.
    """
    asked = {
        name: "\n\n".join(
            filter(
                None,
                [
                    filled(wording.question, {"question": configuration.questions[name]}),
                    configuration.rubrics[name],
                ],
            )
        )
        for name in dimensions
    }
    if len(asked) == 1:
        return asked[dimensions[0]]
    named = (f"{filled(wording.dimension, {'name': n})}\n{text}" for n, text in asked.items())
    return "\n\n".join([wording.several_dimensions, *named])


def repair(
    asked: Sequence[Message],
    answer: str,
    reason: str,
    *,
    configuration: JudgeConfiguration,
    dimensions: Sequence[str],
    responses: int,
) -> list[Message]:
    """The messages that ask again, after an `answer` without a usable score."""
    wording = wording_of(configuration.nouns)
    form = answer_form(configuration, responses, dimensions)
    again = filled(wording.unusable, {"reason": reason, "form": form})
    # Many endpoints refuse an empty message.
    said: Message = {"role": "assistant", "content": answer.strip() or wording.no_answer}
    return [*asked, said, {"role": "user", "content": again}]


def probe() -> list[Message]:
    """A question that is answered in words, unless the endpoint enforces `probe_schema`."""
    return [{"role": "user", "content": "Say hello in one short English sentence."}]


def probe_schema() -> dict[str, Any]:
    """A schema that no greeting matches by chance."""
    return _object({"score": {"type": "integer", "enum": [3, 4]}})


def answer_schema(
    configuration: JudgeConfiguration, responses: int, dimensions: Sequence[str]
) -> dict[str, Any]:
    """The JSON schema of an answer: a score is one of the points of the scale."""
    reason = {"reason": {"type": "string"}} if configuration.reasons else {}
    if configuration.presentation == "pair":
        better = {"better": {"type": "string", "enum": [*letters(2), TIE]}}
        verdict = _object(reason | better)
        return _object(dict.fromkeys(dimensions, verdict)) if len(dimensions) > 1 else verdict
    values = configuration.values
    point: dict[str, Any] = {"type": "integer", "enum": values}
    if configuration.between:  # endpoints limit the number of values
        point = {"type": "integer", "minimum": values[0], "maximum": values[-1]}
    score = {"score": point}
    # The reason comes first, so the score follows from it and not the reverse.
    rated = _object(reason | score)
    if len(dimensions) > 1:
        rated = _object(dict.fromkeys(dimensions, rated))
    if configuration.presentation == "single":
        return rated
    return _object(dict.fromkeys(letters(responses), rated))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def answer_form(
    configuration: JudgeConfiguration, responses: int, dimensions: Sequence[str]
) -> str:
    """The required form of the answer, in words."""
    wording = wording_of(configuration.nouns)
    low, high = configuration.scale[0].value, configuration.scale[-1].value
    number = wording.point
    if configuration.between:
        number = filled(wording.between, {"low": str(low), "high": str(high)})
    if configuration.presentation == "pair":
        first, second = letters(2)
        number = filled(wording.better, {"first": first, "second": second, "tie": TIE})
    if configuration.answer == "number":
        return filled(wording.only_a_number, {"number": number})
    if configuration.has_literal:
        (name,) = dimensions
        literal = configuration.answer_about(name)
        if configuration.presentation == "pair":
            number = number.replace('"', "")
        return filled(wording.literal, {"literal": literal, "number": number})
    said = "better" if configuration.presentation == "pair" else "score"
    rated = f'"{said}": <{number}>'
    rated = (
        f'{{"reason": "<{wording.sentence}>", {rated}}}'
        if configuration.reasons
        else f"{{{rated}}}"
    )
    if len(dimensions) > 1:
        rated = _named(dict.fromkeys(dimensions, rated))
    if configuration.presentation == "block":
        rated = _named(dict.fromkeys(letters(responses), rated))
    return filled(wording.form, {"form": rated})


def _named(parts: Mapping[str, str]) -> str:
    """A JSON object of parts that are written out already."""
    return "{" + ", ".join(f'"{name}": {part}' for name, part in parts.items()) + "}"


def prompt_hash(asked: Sequence[Message]) -> str:
    """SHA-256 of the messages."""
    return hashlib.sha256(json.dumps(asked, ensure_ascii=False).encode()).hexdigest()


def approximate_tokens(
    asked: Sequence[Message], configuration: JudgeConfiguration, scores: int
) -> tuple[int, int]:
    """Approximate tokens of a call's question, and of its answer with so many scores."""
    question = sum(tokens_in(message["content"]) for message in asked)
    answer = TOKENS_PER_SCORE + (TOKENS_PER_REASON if configuration.reasons else 0)
    explained = TOKENS_PER_EXPLANATION if configuration.has_literal else 0
    return question, answer * scores + explained


def tokens_in(text: str) -> int:
    """Approximate tokens of a text: a Chinese, Japanese or Korean character is one."""
    wide = len(_WIDE.findall(text))
    return wide + (len(text) - wide) // CHARACTERS_PER_TOKEN
