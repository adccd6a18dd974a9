"""Answers to questions about the participant, and to free-text questions at the study's end."""

from collections.abc import Sequence

from django.http import QueryDict
from django.utils.translation import gettext as _

from survey.answers import DemographicValue
from survey.definition.comprehension import ComprehensionQuestion
from survey.definition.questions import (
    ChoiceQuestion,
    IntegerQuestion,
    Question,
    ScreeningQuestion,
)
from survey.definition.tasks import TextTask
from survey.files.digits import ascii_number
from survey.forms.checked import CheckedInput
from survey.forms.texts import read_text
from survey.regions import STATES

#: A question with options of which one must be chosen.
Chosen = ScreeningQuestion | ComprehensionQuestion


def read_choices(
    sent: QueryDict, questions: Sequence[Chosen], shown: Sequence[Chosen]
) -> CheckedInput[dict[str, str]]:
    """One option for every question. Options are sent and stored in the study's main language;
    messages use the questions as `shown`.
    """
    checked: CheckedInput[dict[str, str]] = CheckedInput({})
    for question, translated in zip(questions, shown, strict=True):
        answer = sent.get(question.name, "")
        if answer in question.options:
            checked.values[question.name] = checked.sent[question.name] = answer
        else:
            checked.errors[f"q-{question.name}"] = _("Choose an answer: %s") % translated.question
    return checked


def read_closing(sent: QueryDict, tasks: Sequence[TextTask]) -> CheckedInput[dict[str, str]]:
    """The free answers at the end, by name."""
    checked: CheckedInput[dict[str, str]] = CheckedInput({})
    for task in tasks:
        read_text(sent, task, checked.values, checked)
    return checked


def read_demographics(
    sent: QueryDict, questions: Sequence[Question], shown: Sequence[Question]
) -> CheckedInput[dict[str, DemographicValue]]:
    """Answers by question, as in `read_choices`; skipped ones are absent, never an error."""
    checked: CheckedInput[dict[str, DemographicValue]] = CheckedInput({})
    for question, translated in zip(questions, shown, strict=True):
        raw = [text.strip() for text in sent.getlist(question.name) if text.strip()]
        if not raw:
            continue
        checked.sent[question.name] = raw if question.kind == "multiple" else raw[-1]
        try:
            checked.values[question.name] = _answer(question, raw)
        except ValueError as error:
            checked.errors[f"q-{question.name}"] = f"{translated.question} {error}"
    return checked


def _answer(question: Question, raw: list[str]) -> DemographicValue:
    if isinstance(question, IntegerQuestion):
        text = ascii_number(raw[-1])
        is_number = text.isdecimal() and text.isascii() and len(text) <= 9
        if not is_number or not question.minimum <= int(text) <= question.maximum:
            message = _("Enter a whole number from %(least)s to %(most)s, or leave it empty")
            raise ValueError(message % {"least": question.minimum, "most": question.maximum})
        return int(text)
    options = question.offered if isinstance(question, ChoiceQuestion) else list(STATES)
    if any(text not in options for text in raw):
        raise ValueError(_("Choose from the list, or leave it empty"))
    if question.kind == "multiple":
        return [option for option in options if option in raw]
    return raw[-1]
