"""A judge's configuration with its endpoint: all that its scores depend on. Pure."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticUndefined

from judge.definition import (
    VERDICTS,
    JudgeDefinition,
    Orders,
    Presentation,
    whole_points,
)
from judge.examples import ExamplesDefinition, RatedExample
from judge.money import Price
from judge.rubrics import ONE_LINE, PRESETS
from judge.wording import NOUNS, Nouns, written_in
from survey.definition import StudyDefinition
from survey.definition.parts import Part
from survey.definition.points import Point


class JudgeConfiguration(Part):
    """A judge's configuration in one installation: all that its scores depend on, and some more.

    Fields outside its fingerprint (`ASIDE`) can change without a new version of the judge.
    """

    name: str
    base_url: str
    model: str
    stand_in: bool
    #: By dimension.
    questions: dict[str, str]
    rubrics: dict[str, str]
    scale: list[Point]
    #: Whether the scale only labels its ends, and values between them are scores too.
    between: bool
    presentation: Presentation
    reasons: bool
    temperature: float | None
    max_tokens: int | None
    seed: int | None
    options: dict[str, Any]
    #: The prompt's wording and the seeds: `judge.prompts.FORMAT` at the time.
    prompt_format: int

    endpoint: str
    replicates: int
    family: str | None
    price: Price | None

    # Fields with a default came later. They count in the fingerprint where they have another
    # value, so that judges of before stay the same.
    orders: Orders = "rotated"
    together: bool = False
    batch: bool = False
    examples: ExamplesDefinition | None = None
    #: The examples that were drawn as `examples` says; empty before.
    drawn: list[RatedExample] = []
    #: None: up to format 3, whose words are of a message and its replies.
    nouns: Nouns | None = None
    template: str | None = None
    system: str | None = None
    #: `json`, `number` or a literal.
    answer: str = "json"

    @property
    def has_literal(self) -> bool:
        """Whether it answers in a text in which * is the score."""
        return self.answer not in ("json", "number")

    def answer_about(self, dimension: str) -> str:
        """How it answers about a dimension: `json`, `number`, or that text."""
        return self.answer.replace("{dimension}", dimension)

    @property
    def asks_in_batches(self) -> bool:
        """Whether its calls are asked in batches. The stand-in costs nothing and has none."""
        return self.batch and not self.stand_in

    @property
    def dimensions(self) -> list[str]:
        return list(self.questions)

    @property
    def dimensions_of_calls(self) -> list[str]:
        """The dimension of each call about a response or block; empty where it is about all."""
        return [""] if self.together else self.dimensions

    def asked_in(self, dimension: str) -> list[str]:
        """The dimensions that a call asks about, by its own.

        All of them are in the order of their names: PostgreSQL does not keep that of JSON.
        """
        return [dimension] if dimension else sorted(self.questions)

    @property
    def values(self) -> list[int]:
        """Every possible score, in increasing order."""
        values = [int(point.value) for point in self.scale]
        return list(range(values[0], values[-1] + 1)) if self.between else values

    def fingerprint(self) -> str:
        """SHA-256 of everything that can influence a score."""
        later = {name: field.default for name, field in type(self).model_fields.items()}
        counted = {
            name: value
            for name, value in self.model_dump(exclude=ASIDE).items()
            if later[name] is PydanticUndefined or value != later[name]
        }
        canonical = json.dumps(counted, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()


#: The endpoint's name (its address counts), the number of replicates, descriptions, and whether
#: requests are sent one by one: an answer in a batch is the same model's.
ASIDE = {"endpoint", "replicates", "family", "price", "batch"}


def configuration_of(
    judge: JudgeDefinition,
    study: StudyDefinition,
    *,
    base_url: str,
    model: str,
    stand_in: bool,
    prompt_format: int,
) -> JudgeConfiguration:
    """A judge of a study, with `model` at `base_url`."""
    task = study.rated
    asked = judge.dimensions or [dimension.name for dimension in task.dimensions]
    questions = {d.name: d.question for d in task.dimensions if d.name in asked}
    is_neutral = prompt_format >= NEUTRAL_SINCE
    return JudgeConfiguration(
        name=judge.name,
        base_url=base_url,
        model=model,
        stand_in=stand_in,
        questions=questions,
        rubrics={name: _rubric(judge, name, is_neutral=is_neutral) for name in questions},
        scale=VERDICTS if judge.presentation == "pair" else judge.scale or whole_points(study),
        between=judge.scale is None and task.between,
        presentation=judge.presentation,
        reasons=judge.reasons,
        temperature=judge.temperature,
        max_tokens=judge.max_tokens,
        seed=judge.seed,
        options=judge.options,
        prompt_format=prompt_format,
        endpoint=judge.endpoint,
        replicates=judge.replicates,
        family=judge.family,
        price=judge.price,
        orders=judge.orders,
        together=judge.together,
        batch=judge.batch,
        examples=judge.examples,
        nouns=nouns_of(study) if is_neutral else None,
        template=judge.template,
        system=judge.system,
        answer=judge.answer or "json",
    )


#: The first format of prompts with the study's own nouns, and without a rubric by default.
NEUTRAL_SINCE = 4


def nouns_of(study: StudyDefinition) -> Nouns:
    """What a study calls prompts and responses, in its language."""
    neutral = dict(zip(NAMED, NOUNS[written_in(study.language)], strict=True))
    own = study.wording.model_dump(include=set(NAMED), exclude_none=True) if study.wording else {}
    return Nouns(language=study.language, **(neutral | own))


NAMED = ("prompt", "response", "responses")


def _rubric(judge: JudgeDefinition, dimension: str, *, is_neutral: bool) -> str:
    if isinstance(judge.rubric, str):
        return judge.rubric
    if isinstance(judge.rubric, Mapping):
        return judge.rubric[dimension]
    if judge.preset is None and is_neutral:
        return ""
    preset = PRESETS[judge.preset or ONE_LINE]
    return preset.texts.get(dimension, preset.text)
