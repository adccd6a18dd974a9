"""Answers to questions about the participant, and to free-text questions at the study's end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from survey.definition.comprehension import ComprehensionQuestion
from survey.definition.questions import (
    Answer,
    AskedQuestion,
    IntegerQuestion,
    Question,
    ScreeningQuestion,
)
from survey.definition.tasks import TextTask
from survey.forms.checked import CheckedInput
from survey.forms.texts import read_text

#: A question with options of which one must be chosen.
Chosen = ScreeningQuestion | ComprehensionQuestion


@dataclass(frozen=True)
class QuestionForm:
    """How a kind of question is asked: its template, and the message about an answer that it does
    not take.
    """

    template: str
    wrong: Callable[[Any], str]


def _not_whole(question: IntegerQuestion) -> str:
    message = _("Enter a whole number from %(least)s to %(most)s, or leave it empty")
    return message % {"least": question.minimum, "most": question.maximum}


def _not_listed(question: Question) -> str:
    return _("Choose from the list, or leave it empty")


FORMS = {
    "integer": QuestionForm("survey/_number.html", _not_whole),
    "single": QuestionForm("survey/_options.html", _not_listed),
    "multiple": QuestionForm("survey/_options.html", _not_listed),
    "us_state": QuestionForm("survey/_list.html", _not_listed),
}


def form_of(question: AskedQuestion) -> QuestionForm:
    """The form of a question. One without a kind has options of which one is chosen."""
    return FORMS[getattr(question, "kind", "single")]


def question_items(
    questions: Sequence[AskedQuestion],
    shown: Sequence[AskedQuestion],
    sent: Mapping[str, object],
    errors: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Questions as a page shows them; an option is stored in the study's main language."""
    return [
        {
            "question": translated,
            "template": form_of(question).template,
            "several": question.takes_several,
            "options": list(zip(question.offered, translated.offered, strict=True)),
            "value": sent.get(question.name),
            "error": errors.get(f"q-{question.name}"),
        }
        for question, translated in zip(questions, shown, strict=True)
    ]


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
) -> CheckedInput[dict[str, Answer]]:
    """Answers by question, as in `read_choices`; skipped ones are absent, never an error."""
    checked: CheckedInput[dict[str, Answer]] = CheckedInput({})
    for question, translated in zip(questions, shown, strict=True):
        raw = [text.strip() for text in sent.getlist(question.name) if text.strip()]
        if not raw:
            continue
        checked.sent[question.name] = raw if question.takes_several else raw[-1]
        try:
            checked.values[question.name] = question.answer_of(raw)
        except ValueError:
            said = form_of(question).wrong(question)
            checked.errors[f"q-{question.name}"] = f"{translated.question} {said}"
    return checked
