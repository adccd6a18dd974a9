"""The `judging:` part of study.yaml. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, field_validator, model_validator

from judge.examples import ExamplesDefinition
from judge.money import Budget, Price
from judge.rubrics import PRESETS
from survey.definition import StudyDefinition
from survey.definition.dimension_names import DimensionName
from survey.definition.parts import Name, Part, Text, written_like, wrong
from survey.definition.points import Point
from survey.files.suggestions import did_you_mean, not_among
from survey.files.templates import pieces_of

JudgeName = Annotated[
    str,
    written_like(
        r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}",
        "is no name of a judge: begin with a letter or digit, and use only letters a to z, digits "
        "and . _ : -, at most 100 in all",
    ),
]
EndpointName = Name
Presentation = Literal["single", "block", "pair"]
Orders = Literal["rotated", "both"]
PresetName = Literal["one_line", "anchored", "three_components"]

#: What a file has in place of the section where no judge scores the responses.
NO_JUDGE = "none"
#: The endpoint of JUDGE_BASE_URL and similar settings.
DEFAULT_ENDPOINT = "default"
#: Parts of a request that other keys of a judge determine, or that are not allowed.
OUR_PARAMETERS = {
    *("model", "messages", "temperature", "seed", "max_tokens"),
    *("response_format", "n", "stream", "stream_options"),
    *("tools", "tool_choice", "functions", "function_call"),
}


#: What a judge of pairs gives each of the two responses.
VERDICTS = [Point(value=n, label=label) for n, label in enumerate(("worse", "tie", "better"))]


def checked_options(options: dict[str, Any]) -> dict[str, Any]:
    """Options that are sent unchanged. Raises ValueError for what other keys set."""
    if taken := sorted(OUR_PARAMETERS & options.keys()):
        raise ValueError(f"{taken[0]!r} is not an option: another key sets it")
    try:
        json.dumps(options, allow_nan=False)
    except ValueError:
        raise ValueError("infinity and nan can't be sent") from None
    return options


class JudgeDefinition(Part):
    """A study's description of one judge. Addresses and keys come from the environment."""

    name: JudgeName = "judge"
    endpoint: EndpointName = DEFAULT_ENDPOINT
    #: Null: the endpoint's model in the environment.
    model: Text | None = None
    #: The model's family, for the warning about judging its own family.
    family: Text | None = None
    preset: PresetName | None = None
    rubric: Text | dict[DimensionName, Text] | None = None
    #: The whole prompt with places for texts (`places_of`); null: that of `judge.prompts`.
    template: Text | None = None
    #: The message before the template's, to the system.
    system: Text | None = None
    #: How a judge with a template answers: `json`, `number`, or a literal with * for the score,
    #: such as `[[*]]` or `{dimension}: *`, whose last occurrence counts. Null: json.
    answer: Text | None = None
    #: Null: every dimension of the study.
    dimensions: list[DimensionName] | None = Field(default=None, min_length=1)
    #: Null: the study's own, without its half points. A judge with another scale can't be gold.
    scale: list[Point] | None = Field(default=None, min_length=2, max_length=11)
    #: `single` shows one response, `block` all those of a block in permuted order, `pair` shows two
    #: of a block, in both orders, and asks which is better.
    presentation: Presentation = "single"
    #: How a block's order changes from call to call: `rotated` by one position, or `both`, where
    #: every second call reverses the order of the one before.
    orders: Orders = "rotated"
    #: Whether one call asks about all dimensions, instead of a call for each.
    together: bool = False
    #: Whether the judge gives a sentence with each score.
    reasons: bool = False
    #: Calls per response (or block) and dimension; the gold score is the mean of their scores.
    replicates: int = Field(default=3, ge=1, le=100)
    #: Null: the endpoint's default; some models refuse a request with a temperature.
    temperature: float | None = Field(default=1.0, ge=0, le=2)
    #: Null: the endpoint's default. A truncated answer is never read as a score.
    max_tokens: int | None = Field(default=None, ge=16)
    #: Each call's seed is derived from it (`judge.seeds`), so a run can be repeated.
    seed: int | None = Field(default=None, ge=0, le=2**31)
    #: Sent unchanged, such as OpenRouter's `provider`.
    options: dict[str, Any] = {}
    price: Price | None = None
    #: Whether its calls are asked in batches, which cost less and are answered within a day.
    batch: bool = False
    #: Rated responses that the prompt shows.
    examples: ExamplesDefinition | None = None

    @field_validator("options")
    @classmethod
    def _options_are_not_ours(cls, options: dict[str, Any]) -> dict[str, Any]:
        return checked_options(options)

    @field_validator("scale")
    @classmethod
    def _values_rise(cls, scale: list[Point] | None) -> list[Point] | None:
        values = [point.value for point in scale or []]
        if values != sorted(set(values)):
            raise ValueError("values must increase")
        if any(value % 1 for value in values):
            raise ValueError("a judge gives whole points only")
        return scale

    @model_validator(mode="after")
    def _template_is_whole(self) -> "JudgeDefinition":
        if self.template is None:
            for key in ("system", "answer"):
                if getattr(self, key) is not None:
                    raise wrong((key,), "only a judge with a template has it")
            return self
        fields: list[str] = []
        for key in ("template", "system"):
            try:
                pieces = pieces_of(getattr(self, key) or "")
            except ValueError as problem:
                raise wrong((key,), str(problem)) from None
            named = [name for _, name in pieces if name is not None]
            known = places_of(self.presentation)
            for name in named:
                if name not in known:
                    raise wrong((key,), f"place {not_among(name, known).format(name)}")
            fields += named
        if why := self._what_the_template_lacks(fields):
            raise wrong(("template",), why)
        return self

    def _what_the_template_lacks(self, fields: list[str]) -> str:
        """Why it can't be answered as the study says; empty if it can."""
        shows = {"single": "response", "block": "responses"}.get(self.presentation)
        if shows is not None and shows not in fields:
            return f"has no {{{shows}}}: the judge would not see what it rates"
        if shows is None and "responses" not in fields and not set(PAIR) <= set(fields):
            return f"has no {{responses}}, nor both of {{{PAIR[0]}}} and {{{PAIR[1]}}}"
        if (self.rubric or self.preset) and "rubric" not in fields:
            return f"has no {{rubric}}, but the judge has a {'rubric' if self.rubric else 'preset'}"
        if self.examples is not None and "examples" not in fields:
            return "has no {examples}, but the judge has examples"
        return ""

    @model_validator(mode="after")
    def _answer_can_be_read(self) -> "JudgeDefinition":
        if self.answer in (None, "json"):
            return self
        if self.answer != "number" and (why := _what_is_wrong_with(self.answer)):
            raise wrong(("answer",), why)
        if self.presentation == "block" or self.together:
            raise wrong(("answer",), "several scores in one answer need answer: json")
        if self.presentation == "pair" and self.answer == "number":
            raise wrong(("answer",), "a judge of pairs answers with a letter: give json or a text")
        if self.reasons:
            raise wrong(("reasons",), "only an answer in json has reasons of its own")
        return self

    @model_validator(mode="after")
    def _keys_agree(self) -> "JudgeDefinition":
        if self.preset is not None and self.rubric is not None:
            raise wrong(("preset",), "give either preset or rubric, not both")
        if self.orders == "both" and self.presentation != "block":
            raise wrong(("orders",), "only a judge with presentation: block sees orders")
        if self.orders == "both" and self.replicates % 2:
            message = "with orders: both, give an even number of replicates"
            raise wrong(("replicates",), message)
        if self.presentation == "pair" and self.replicates % 2:
            message = (
                "a judge of pairs sees each pair in both orders: give an even number of replicates"
            )
            raise wrong(("replicates",), message)
        if self.presentation == "pair" and self.scale is not None:
            raise wrong(("scale",), "a judge of pairs says which is better, and has no scale")
        if self.examples is not None and (self.presentation == "pair" or self.scale is not None):
            other = "compares pairs" if self.presentation == "pair" else "has a scale of its own"
            message = f"its examples are ratings on the study's scale, but this judge {other}"
            raise wrong(("examples",), message)
        return self


def _what_is_wrong_with(literal: str) -> str:
    """Why no score can be read from an answer in this form; empty if one can."""
    form = "write json, number, or a text with one * where the score stands, such as [[*]]"
    n = literal.count("*")
    if n != 1:
        places = f"{n} places (*)" if n else "no place"
        return f"{literal!r} has {places} for the score: {form}"
    if literal.strip() == "*":
        return f"{literal!r} has no text beside the score: {form}"
    if len(literal.splitlines()) > 1:
        return f"{literal!r} has a line break: give one line"
    for name in _PLACE.findall(literal):
        if name != "dimension":
            return f"place {not_among(name, ['dimension']).format(name)}"
    return ""


#: What looks like a place in a literal. Other braces are text, as in {"score": *}.
_PLACE = re.compile(r"\{(\s*\w+\s*)\}")
#: The two responses of a pair, apart.
PAIR = ("response_a", "response_b")


def places_of(presentation: Presentation) -> tuple[str, ...]:
    """What a template can have between braces."""
    usual = ("prompt", "context", "question", "rubric", "dimension", "examples")
    if presentation == "pair":
        return ("responses", *PAIR, *usual)
    return ("responses" if presentation == "block" else "response", "scale", *usual)


class JuryDefinition(Part):
    """Several judges as one source: each response's score is the mean or median of theirs."""

    name: JudgeName
    judges: list[JudgeName] = Field(min_length=2)
    combine: Literal["mean", "median"] = "mean"


class JudgingDefinition(Part):
    """The judges of a study's responses, the gold one, and the budget. `none` in a file is a study
    without a judge.
    """

    #: Empty: no judge scores the responses.
    judges: list[JudgeDefinition] = [JudgeDefinition()]
    juries: list[JuryDefinition] = []
    #: A judge or a jury. Null: the first judge. The dashboard and `manage.py gold` change it too.
    gold: JudgeName | None = None
    budget: Budget = Budget()
    #: Evaluated model → its family.
    families: dict[str, Text] = {}
    #: The cost-benefit margin of the alternative annotator test: 0.1 for crowd workers, 0.15 for
    #: skilled raters, 0.2 for experts (Calderon et al. 2025).
    epsilon: float = Field(default=0.1, ge=0, lt=1)

    @property
    def gold_name(self) -> str:
        """The judge whose scores should be gold; empty without a judge."""
        return self.gold or next((judge.name for judge in self.judges), "")

    @model_validator(mode="before")
    @classmethod
    def _may_be_none(cls, section: Any) -> Any:
        if isinstance(section, str) and section.casefold() == NO_JUDGE:
            return {"judges": []}
        if not isinstance(section, Mapping):
            raise ValueError(f"expected keys and values, or {NO_JUDGE} for a study without a judge")
        return section

    @model_validator(mode="after")
    def _judges_are_known(self) -> "JudgingDefinition":
        names = [judge.name for judge in self.judges]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise wrong(("judges", number, "name"), f"{name!r} is repeated")
        for number, jury in enumerate(self.juries):
            if jury.name in names:
                raise wrong(("juries", number, "name"), f"{jury.name!r} is repeated")
            for at, member in enumerate(jury.judges):
                path = ("juries", number, "judges", at)
                if member in jury.judges[:at]:
                    raise wrong(path, f"{member!r} is repeated")
                self._known(member, path)
            names.append(jury.name)
        if self.gold is not None and self.gold not in names:
            near = did_you_mean(self.gold, names)
            raise wrong(("gold",), f"{self.gold!r} is not among the judges and juries{near}")
        for number, judge in enumerate(self.judges):
            if judge.batch and judge.price is None and self.budget.money is not None:
                message = (
                    "is missing: an answer in a batch has no cost, so a judge with batch: true and "
                    "a budget in money needs a price"
                )
                raise wrong(("judges", number, "price"), message)
        return self

    def _known(self, name: str, path: tuple[str | int, ...]) -> None:
        names = [judge.name for judge in self.judges]
        if name not in names:
            raise wrong(path, f"{name!r} is not among the judges{did_you_mean(name, names)}")

    def contradictions(self, study: StudyDefinition) -> list[tuple[tuple[str | int, ...], str]]:
        """Conflicts with the study: the path (below `judging`), and the reason."""
        if study.rating is None:
            why = "the study has no ratings that a judge could give: remove this section"
            return [((), why)] if self.judges else []
        conflicts: list[tuple[tuple[str | int, ...], str]] = []
        for number, judge in enumerate(self.judges):
            path = ("judges", number)
            conflicts += [((*path, *at), why) for at, why in _misfits(judge, study)]
            if judge.name == self.gold_name and not on_scale_of_study(judge, study):
                message = "gold scores must use the study's scale; choose another judge as gold"
                key = "presentation" if judge.presentation == "pair" else "scale"
                conflicts.append(((*path, key), message))
        judges = {judge.name: judge for judge in self.judges}
        for number, jury in enumerate(self.juries):
            for at, member in enumerate(jury.judges):
                if not on_scale_of_study(judges[member], study):
                    message = f"the scores of {member!r} are not on the study's scale"
                    conflicts.append((("juries", number, "judges", at), message))
        return conflicts


def _misfits(
    judge: JudgeDefinition, study: StudyDefinition
) -> list[tuple[tuple[str | int, ...], str]]:
    conflicts: list[tuple[tuple[str | int, ...], str]] = []
    rated = [dimension.name for dimension in study.rated.dimensions]
    for number, name in enumerate(judge.dimensions or []):
        if name not in rated:
            near = did_you_mean(name, rated)
            message = f"{name!r} is not rated; choose from {', '.join(rated)}{near}"
            conflicts.append((("dimensions", number), message))
    asked = [name for name in judge.dimensions or rated if name in rated]
    if judge.together and len(asked) < 2:
        conflicts.append((("together",), "there is only one dimension to ask about"))
    if judge.template and len(asked) > 1 and not _says_what_is_asked(judge):
        message = (
            "has no {question}, {rubric} or {dimension}: each of the dimensions would get the same "
            "prompt. Name one of them under dimensions"
        )
        conflicts.append((("template",), message))
    preset = PRESETS.get(judge.preset or "")
    texts = judge.rubric if isinstance(judge.rubric, dict) else preset.texts if preset else {}
    key = "preset" if preset else "rubric"
    if texts and (missing := [name for name in asked if name not in texts]):
        there = ", ".join(texts)
        conflicts.append(((key,), f"does not cover {missing[0]!r}, only {there}"))
    if isinstance(judge.rubric, dict):
        unknown = [name for name in judge.rubric if name not in asked]
        conflicts += [(("rubric", name), "is not a dimension that it judges") for name in unknown]
    points = judge.scale or whole_points(study)
    values = [point.value for point in points]
    if len(points) < 2:
        message = "the study's scale has no two whole points; give the judge a scale of its own"
        conflicts.append(((), message))
    if preset and preset.values and judge.presentation == "pair":
        message = "describes the points of a scale, which a judge of pairs lacks; give it a rubric"
        conflicts.append((("preset",), message))
    elif preset and preset.values and values != list(preset.values):
        described = ", ".join(map(str, preset.values))
        message = (
            f"describes the points {described}; give the judge a scale of these points, or a rubric"
        )
        conflicts.append((("preset",), message))
    return conflicts


def _says_what_is_asked(judge: JudgeDefinition) -> bool:
    """Whether a judge's template differs by dimension."""
    named = {name for _, name in pieces_of(f"{judge.template}{judge.system or ''}")}
    return bool(named & {"question", "rubric", "dimension"})


class AnyJudge(Protocol):
    """What a judge's description and its configuration share."""

    @property
    def presentation(self) -> Presentation: ...

    @property
    def scale(self) -> list[Point] | None: ...


def on_scale_of_study(judge: AnyJudge, study: StudyDefinition) -> bool:
    """Whether a judge's scores can be compared with the study's ratings."""
    if study.rating is None or judge.presentation == "pair":
        return False
    scale = judge.scale
    if scale is None or list(scale) == whole_points(study):
        return True
    values = [value for value in study.rated.values if value % 1 == 0]
    return [point.value for point in scale] == values


def whole_points(study: StudyDefinition) -> list[Point]:
    """The points of the study's scale that a judge gives: no halves, which only raters give."""
    return [point for point in study.rated.scale if point.value % 1 == 0]
