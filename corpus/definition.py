"""A generation file: models, conditions and the template of what they are asked. Pure."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from corpus.problems import CorpusProblem
from judge.definition import DEFAULT_ENDPOINT, EndpointName, checked_options
from judge.money import Budget, Price
from judge.prompts import Message, tokens_in
from survey.definition.dialogue import DialogueTurn, turns_of
from survey.definition.options import SentFile, ValueLabels
from survey.definition.parts import Part, Text, refuse_repeats, written_like, wrong
from survey.files.apart import read_apart
from survey.files.names import one_name
from survey.files.suggestions import not_among
from survey.files.templates import filled, pieces_of
from survey.files.yaml_file import YamlFile

#: What a template can have between braces.
FIELDS = ("prompt", "context")
#: Tokens that an answer is expected to have at most, if nothing limits it.
EXPECTED_TOKENS = 400
ConditionName = Annotated[
    Text, written_like(r".{1,100}", "has a line break, or over 100 characters")
]
ModelName = Annotated[Text, written_like(r".{1,200}", "has a line break, or over 200 characters")]


def check_template(template: str) -> str:
    """The template, if each of its fields is known. Raises ValueError."""
    fields = [name for _, name in pieces_of(template) if name is not None]
    for name in fields:
        if name not in FIELDS:
            raise ValueError(f"field {not_among(name, FIELDS)}".format(name))
    if "prompt" not in fields:
        raise ValueError("has no {prompt}: every scenario would get the same question")
    return template


class ConditionUnknown(CorpusProblem):
    """A condition that a generation file does not have."""

    about = "condition"


class Sampling(Part):
    """How an endpoint draws an answer. Null leaves a value to the endpoint."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    #: Each text's own seed is derived from it (`judge.seeds.own_seed`).
    seed: int | None = Field(default=None, ge=0, le=2**31)
    #: Sent unchanged, such as `top_p`.
    options: dict[str, Any] = {}

    @field_validator("options")
    @classmethod
    def _options_are_not_ours(cls, options: dict[str, Any]) -> dict[str, Any]:
        return checked_options(options)

    def but(self, other: "Sampling | None") -> "Sampling":
        """With what another one says."""
        if other is None:
            return self
        said = {name: getattr(other, name) for name in other.model_fields_set}
        return self.model_copy(update=said)


class Condition(Part):
    """What is special to a condition; the rest is as the file says for all."""

    template: str | None = None
    system: Text | None = None
    sampling: Sampling | None = None

    @field_validator("template")
    @classmethod
    def _template(cls, template: str | None) -> str | None:
        return None if template is None else check_template(template)


class GeneratingModel(Part):
    """A model of the study, and where it answers."""

    name: ModelName
    endpoint: EndpointName = DEFAULT_ENDPOINT
    #: Its name at the endpoint, one for all conditions or one for each. Null: the endpoint's own.
    served_as: Text | dict[ConditionName, Text] | None = None
    #: Null: all.
    conditions: list[ConditionName] | None = Field(default=None, min_length=1)
    sampling: Sampling | None = None
    price: Price | None = None


class Reference(Part):
    """The system that the responses of the corpus are of."""

    model: ModelName
    condition: ConditionName


class GenerationDefinition(Part):
    """A whole file: one template, models × conditions."""

    template: str = "{prompt}"
    #: The message before the template's, to the system.
    system: Text | None = None
    conditions: dict[ConditionName, Condition] = Field(min_length=1)
    models: list[GeneratingModel] = Field(min_length=1)
    sampling: Sampling = Sampling()
    #: Texts per scenario, model and condition.
    replicates: int = Field(default=1, ge=1, le=100)
    reference: Reference | None = None
    #: Set → its models, as in study.yaml. Null: one set without a name.
    sets: dict[Text, list[ModelName]] | None = Field(default=None, min_length=1)
    budget: Budget = Budget()

    @field_validator("template")
    @classmethod
    def _template(cls, template: str) -> str:
        return check_template(template)

    @model_validator(mode="after")
    def _names_are_known(self) -> "GenerationDefinition":
        names = [model.name for model in self.models]
        refuse_repeats("model", names)
        for number, model in enumerate(self.models):
            _known(model.conditions or [], self.conditions, ("models", number, "conditions"))
            if isinstance(model.served_as, dict):
                _known(model.served_as, self.conditions, ("models", number, "served_as"))
        for name, members in (self.sets or {}).items():
            _known(members, names, ("sets", name))
        if self.sets is not None:
            in_sets = {model for members in self.sets.values() for model in members}
            if left := [name for name in names if name not in in_sets]:
                raise wrong(("sets",), f"{left[0]!r} is in no set")
        if self.reference and (self.reference.model, self.reference.condition) in self.systems:
            raise wrong(("reference",), "is one of the models' systems")
        return self

    def condition(self, name: str = "") -> str:
        """The condition called `name`; the first one without a name. Raises ConditionUnknown."""
        name = one_name(name)
        if name and name not in self.conditions:
            known = list(self.conditions)
            raise ConditionUnknown(f"condition {not_among(name, known).format(name)}")
        return name or next(iter(self.conditions))

    @property
    def systems(self) -> dict[tuple[str, str], GeneratingModel]:
        """(model, condition) → the model, in the file's order."""
        return {
            (model.name, condition): model
            for model in self.models
            for condition in model.conditions or self.conditions
        }

    def messages(self, condition: str, *, prompt: str, context: str) -> list[Message]:
        """What a model is asked about a scenario under a condition. Earlier turns are messages of
        their own, unless the template has a place for them.
        """
        special = self.conditions[condition]
        template = special.template or self.template
        system = special.system or self.system
        asked: list[Message] = [{"role": "system", "content": system}] if system else []
        if all(name != "context" for _, name in pieces_of(template)):
            asked += [_message(turn) for turn in turns_of(context)]
        text = filled(template, {"prompt": prompt, "context": context})
        return [*asked, {"role": "user", "content": text}]

    def sampling_of(self, model: GeneratingModel, condition: str) -> Sampling:
        """How a model's answers under a condition are drawn."""
        return self.sampling.but(self.conditions[condition].sampling).but(model.sampling)


def read_definition(file: SentFile) -> GenerationDefinition:
    """A generation file, read in a process of its own. Raises DefinitionError."""
    yaml = read_apart(file.name, YamlFile, file.content, file=file.name)
    return yaml.check(GenerationDefinition, yaml.plain())


def _message(turn: DialogueTurn) -> Message:
    """An earlier turn. Endpoints take a tool's only as the answer to a call."""
    if turn.speaker == "tool":
        return {"role": "user", "content": f"Tool: {turn.text}"}
    return {"role": turn.speaker, "content": turn.text}


def _known(
    names: "list[str] | Mapping[str, Any]",
    known: "list[str] | Mapping[str, Any]",
    path: tuple[str | int, ...],
) -> None:
    for name in names:
        if name not in known:
            raise wrong(path, not_among(name, list(known)).format(name))


#: Answered texts that can count as missing.
Doubtful = Literal["cut_off", "likely_refusals"]
DOUBTFUL_LABELS: Mapping[Doubtful, str] = {
    "cut_off": "Texts that were cut off",
    "likely_refusals": "Texts whose words may be a refusal",
}
LeaveOut = Literal["text", "scenario", "model"]
LEAVE_OUT_LABELS: Mapping[LeaveOut, str] = {
    "text": "the text",
    "scenario": "its scenario",
    "model": "its model",
}


class MissingTexts(Part):
    """How missing, cut-off and refused texts are handled when responses are written."""

    leave_out: Annotated[LeaveOut | None, ValueLabels(LEAVE_OUT_LABELS)] = Field(
        default=None,
        title="For a text that was refused, filtered or failed, leave out",
        description="what to leave out for a text that was refused, filtered or failed; by "
        "default nothing is written then",
    )
    without: Annotated[list[Doubtful], ValueLabels(DOUBTFUL_LABELS)] = Field(
        default=[], title="Count as missing, too", description="what counts as missing, too"
    )
    with_refusals: bool = Field(
        default=False, title="A refusal that the endpoint names is a response"
    )


class GeneratorConfiguration(Part):
    """A model at an endpoint of one installation, and how it draws its answers."""

    base_url: str
    model: str
    temperature: float | None
    max_tokens: int | None
    seed: int | None
    options: dict[str, Any]

    endpoint: str
    price: Price | None

    def fingerprint(self) -> str:
        """SHA-256 of everything that can influence an answer."""
        counted = self.model_dump(exclude={"endpoint", "price"})
        canonical = json.dumps(counted, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()


def served_as(model: GeneratingModel, condition: str, otherwise: str) -> str:
    """A model's name at its endpoint under a condition."""
    if isinstance(model.served_as, dict):
        return model.served_as.get(condition, otherwise)
    return model.served_as or otherwise


def approximate_tokens(messages: list[Message], max_tokens: int | None) -> tuple[int, int]:
    """Approximate tokens of a question and its answer."""
    question = sum(tokens_in(message["content"]) for message in messages)
    answer = EXPECTED_TOKENS if max_tokens is None else min(max_tokens, EXPECTED_TOKENS)
    return question, answer


@dataclass(frozen=True)
class ResponseRow:
    """One response of the sample's responses.csv."""

    scenario: str
    set_name: str
    model: str
    condition: str


def rows_of(definition: GenerationDefinition, scenarios: list[str]) -> Iterator[ResponseRow]:
    """The responses of a study, scenario by scenario and set by set, the reference last."""
    sets = definition.sets or {"": [model.name for model in definition.models]}
    for scenario in scenarios:
        for set_name, members in sets.items():
            for model, condition in definition.systems:
                if model in members:
                    yield ResponseRow(scenario, set_name, model, condition)
            if reference := definition.reference:
                yield ResponseRow(scenario, set_name, reference.model, reference.condition)
