"""What a page sent, checked.

Plain functions instead of Django forms: a block page has a few dozen inputs whose names come
from the study, and rendering them as widgets would take most of the time of a page.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from django.http import QueryDict

from survey.answers import Cell, DemographicValue
from survey.content import ResponseContent
from survey.definition.study import ChoiceQuestion, IntegerQuestion, LikertTask, Question
from survey.regions import STATES

Values = TypeVar("Values")


@dataclass
class Checked(Generic[Values]):
    """Values that can be stored, what was sent (to show it again), and what is wrong.

    `errors` maps the id of the input to go to onto a message.
    """

    values: Values
    sent: dict[str, object] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def cell_name(response: ResponseContent, dimension: str) -> str:
    """Name of the radio group of one response and dimension."""
    return f"r-{response.public_id}-{dimension}"


def read_block(
    sent: QueryDict, responses: Sequence[ResponseContent], task: LikertTask
) -> Checked[dict[Cell, int]]:
    """One value of the scale for every response (in page order) and dimension."""
    allowed = {str(point.value): point.value for point in task.scale}
    checked: Checked[dict[Cell, int]] = Checked({})
    for number, response in enumerate(responses, start=1):
        for dimension in task.dimensions:
            name = cell_name(response, dimension.name)
            value = allowed.get(sent.get(name, ""))
            if value is None:
                checked.errors[f"{name}-{task.scale[0].value}"] = (
                    f"Choose a rating for response {number}"
                    + (f": {dimension.question}" if len(task.dimensions) > 1 else "")
                )
            else:
                checked.values[response.id, dimension.name] = value
                checked.sent[name] = value
    return checked


def read_check(sent: QueryDict, task: LikertTask) -> Checked[int | None]:
    """One value of the scale."""
    allowed = {str(point.value): point.value for point in task.scale}
    value = allowed.get(sent.get("answer", ""))
    if value is None:
        return Checked(None, errors={f"answer-{task.scale[0].value}": "Choose an answer"})
    return Checked(value, sent={"answer": value})


def read_demographics(
    sent: QueryDict, questions: Sequence[Question]
) -> Checked[dict[str, DemographicValue]]:
    """Answers by question; skipped ones are absent, and never an error."""
    checked: Checked[dict[str, DemographicValue]] = Checked({})
    for question in questions:
        raw = [text.strip() for text in sent.getlist(question.name) if text.strip()]
        if not raw:
            continue
        checked.sent[question.name] = raw if question.kind == "multiple" else raw[-1]
        try:
            checked.values[question.name] = _answer(question, raw)
        except ValueError as error:
            checked.errors[f"q-{question.name}"] = str(error)
    return checked


def _answer(question: Question, raw: list[str]) -> DemographicValue:
    if isinstance(question, IntegerQuestion):
        text = raw[-1]
        if (
            not (text.isascii() and text.isdecimal() and len(text) <= 9)
            or not question.minimum <= int(text) <= question.maximum
        ):
            raise ValueError(
                f"{question.question} Enter a whole number from {question.minimum} "
                f"to {question.maximum}, or leave it empty"
            )
        return int(text)
    options = question.offered if isinstance(question, ChoiceQuestion) else list(STATES)
    if any(text not in options for text in raw):
        raise ValueError(f"{question.question} Choose from the list, or leave it empty")
    if question.kind == "multiple":
        return [option for option in options if option in raw]
    return raw[-1]
