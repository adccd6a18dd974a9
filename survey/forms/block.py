"""The answers to one block: ratings, ranks, choices, free text, and a check among them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from survey import paradata
from survey.answers import AnswerKey, BlockAnswers
from survey.content import ResponseContent
from survey.definition import StudyDefinition
from survey.definition.dimension_names import in_forms
from survey.definition.tasks import BestWorstTask, RankingTask, RatingTask, SliderTask, TextTask
from survey.files.digits import ascii_number
from survey.forms.checked import CheckedInput, clean_text
from survey.page_wording import PageWording, capitalized, wording_of

#: A number of up to six digits, perhaps with decimals.
_TYPED = re.compile(r"-?[0-9]{1,6}(?:[.,][0-9]{1,10})?")
#: The step of sliders with half points.
HALF = 0.5
CHECK = "check"
BEST, WORST = "best", "worst"


def rating_name(response: ResponseContent, dimension: str) -> str:
    """Name of the inputs that rate a response on a dimension."""
    return f"r-{response.public_id}-{in_forms(dimension)}"


def rank_name(response: ResponseContent, number: str) -> str:
    """Name of the inputs that give a response its rank; `number` as
    `StudyDefinition.numbered` has it.
    """
    return f"rank{number}-{response.public_id}"


def text_name(name: str) -> str:
    """Name of the input for the free answer called `name`."""
    return f"text-{name}"


def writing_name(name: str) -> str:
    """Name of the hidden input with how the free answer called `name` was written."""
    return f"writing-{name}"


@dataclass
class _Reading:
    """A block's form while it is read: `responses` in the order of the page."""

    sent: QueryDict
    definition: StudyDefinition
    responses: Sequence[ResponseContent]
    checked: CheckedInput[BlockAnswers] = field(
        default_factory=lambda: CheckedInput(BlockAnswers())
    )

    def named(self) -> list[tuple[str, ResponseContent]]:
        """Each response with what the page calls it."""
        total = len(self.responses)
        return [
            (self.wording.which(number, total), response)
            for number, response in enumerate(self.responses, start=1)
        ]

    @cached_property
    def wording(self) -> PageWording:
        """Heading and nouns of the page."""
        return wording_of(self.definition)

    def ratings(self, task: RatingTask, named: Sequence[tuple[str, ResponseContent]]) -> None:
        allowed = _allowed(task)
        for which, response in named:
            for dimension in task.dimensions:
                name = rating_name(response, dimension.name)
                raw = self.sent.get(name, "").strip()
                value = allowed.get(_number(raw) if task.kind == "slider" else raw)
                if value is not None:
                    cell = AnswerKey(task.kind, response.id, dimension.name)
                    self.checked.values.ratings[cell] = value
                    self.checked.sent[name] = value
                    continue
                self.checked.sent[name] = raw if task.kind == "slider" else None
                target = name if task.kind == "slider" else f"{name}-{task.values[0]}"
                self.checked.errors[target] = _rating_error(
                    task, which, dimension.question if len(task.dimensions) > 1 else "", raw
                )

    def ranks(self, task: RankingTask) -> None:
        allowed = {str(rank): rank for rank in range(1, len(self.responses) + 1)}
        taken: set[int] = set()
        number = self.definition.numbered(task.kind, task.dimension)
        several = len(self.definition.answers_in("rank")) > 1
        for which, response in self.named():
            name = rank_name(response, number)
            rank = allowed.get(self.sent.get(name, ""))
            self.checked.sent[name] = rank
            if rank is None:
                message = _("Choose a rank for %s") % which
                if several:
                    message = _("Choose a rank for %(which)s: %(question)s")
                    message %= {"which": which, "question": task.question}
                self.checked.errors[f"{name}-1"] = message
                continue
            if rank in taken and not task.ties:
                message = _("%(which)s has rank %(rank)s, which another one has")
                said = {"which": capitalized(which), "rank": rank}
                self.checked.errors[f"{name}-{rank}"] = message % said
            taken.add(rank)
            self.checked.values.ratings[AnswerKey(task.kind, response.id, task.dimension)] = rank

    def choices(self, task: BestWorstTask) -> None:
        by_public_id = {response.public_id: response for response in self.responses}
        chosen = {}
        number = self.definition.numbered(task.kind, task.dimension)
        best, worst = f"{BEST}{number}", f"{WORST}{number}"
        for name, question, value in ((best, task.best, 1), (worst, task.worst, -1)):
            response = by_public_id.get(self.sent.get(name, ""))
            self.checked.sent[name] = response.public_id if response else None
            if response is None:
                first = f"{name}-{self.responses[0].public_id}"
                message = _("Choose one of the %(responses)s: %(question)s")
                said = {"responses": self.wording.responses, "question": question}
                self.checked.errors[first] = message % said
            else:
                chosen[name] = response
                cell = AnswerKey(task.kind, response.id, task.dimension)
                self.checked.values.ratings[cell] = value
        if len(chosen) == 2 and chosen[best] == chosen[worst]:
            first = f"{worst}-{chosen[worst].public_id}"
            self.checked.errors[first] = _("Choose two different %s") % self.wording.responses

    def check(self) -> None:
        rating = self.definition.rated
        slider = rating if isinstance(rating, SliderTask) else None
        allowed = _allowed(rating)
        raw = self.sent.get(CHECK, "").strip()
        answer = allowed.get(_number(raw) if slider else raw)
        self.checked.sent[CHECK] = raw if slider and answer is None else answer
        self.checked.values.check = answer
        if answer is None:
            first = CHECK if slider else f"{CHECK}-{rating.values[0]}"
            message = _("Choose an answer: %s") % _("One more item")
            if raw and slider:
                message = _("One more item: enter a whole number from %(least)s to %(most)s")
                if slider.step == HALF:
                    message = _(
                        "One more item: enter a whole or half number from %(least)s to %(most)s"
                    )
                elif slider.step != 1:
                    message = _(
                        "One more item: enter a number from %(least)s to %(most)s, in steps of "
                        "%(step)s"
                    )
                message %= _ends(slider)
            self.checked.errors[first] = message


def _allowed(task: RatingTask) -> dict[str, float]:
    """The values of ratings, as they are sent."""
    return {str(value): value for value in task.values}


def _number(typed: str) -> str:
    """A number as the scale's values are written, from any digits, minus sign and decimal mark of a
    keyboard. Empty if it is none.
    """
    number = ascii_number(typed)
    if not _TYPED.fullmatch(number):
        return ""
    value = float(number.replace(",", "."))
    return str(int(value) if value.is_integer() else value)


def _ends(slider: SliderTask) -> dict[str, float]:
    return {"least": slider.minimum, "most": slider.maximum, "step": slider.step}


def _rating_error(task: RatingTask, which: str, question: str, raw: str) -> str:
    if raw and isinstance(task, SliderTask):
        message = _("%(which)s: enter a whole number from %(least)s to %(most)s")
        if task.step == HALF:
            message = _("%(which)s: enter a whole or half number from %(least)s to %(most)s")
        elif task.step != 1:
            message = _(
                "%(which)s: enter a number from %(least)s to %(most)s, in steps of %(step)s"
            )
        return message % {"which": capitalized(which), **_ends(task)}
    if question:
        message = _("Choose a rating for %(which)s: %(question)s")
        return message % {"which": which, "question": question}
    return _("Choose a rating for %s") % which


def read_text(
    sent: QueryDict, task: TextTask, values: dict[str, str], checked: CheckedInput[Any]
) -> None:
    """Add the answer to `task` to `values`, or a message to the errors."""
    name = text_name(task.name)
    text = clean_text(sent.get(name, ""))
    values[task.name] = text
    checked.sent[name] = text
    if not text and task.required:
        checked.errors[name] = _("Write an answer: %s") % task.question
    elif text and len(text) < task.minimum:
        checked.errors[name] = _("Write at least %(least)s characters: %(question)s") % {
            "least": task.minimum,
            "question": task.question,
        }
    elif len(text) > task.maximum:
        checked.errors[name] = _("Write at most %(most)s characters; you wrote %(length)s") % {
            "most": task.maximum,
            "length": len(text),
        }


def read_writing(
    sent: QueryDict, definition: StudyDefinition, tasks: Sequence[TextTask]
) -> dict[str, dict[str, Any]]:
    """How the answers to `tasks` were written, by name; only what a script measured, and only if
    participants are told so.
    """
    if not definition.record_writing:
        return {}
    measured = {
        task.name: paradata.read_writing(sent.get(writing_name(task.name), "")) for task in tasks
    }
    return {name: fields for name, fields in measured.items() if fields}


def read_block(
    sent: QueryDict,
    definition: StudyDefinition,
    responses: Sequence[ResponseContent],
    check_place: int | None = None,
) -> CheckedInput[BlockAnswers]:
    """All answers to a block with `responses` in the order of the page, and a check at position
    `check_place`. Errors are in the order of the page.
    """
    reading = _Reading(sent, definition, responses)
    named = reading.named()
    above = len(named) if check_place is None else check_place - 1
    if definition.rating is not None:
        reading.ratings(definition.rating, named[:above])
    if check_place is not None:
        reading.check()
    if definition.rating is not None:
        reading.ratings(definition.rating, named[above:])
    for task in definition.comparing:
        if isinstance(task, RankingTask):
            reading.ranks(task)
        elif isinstance(task, BestWorstTask):
            reading.choices(task)
    for remark in definition.block_remarks:
        read_text(sent, remark, reading.checked.values.texts, reading.checked)
    remarks = definition.block_remarks
    reading.checked.values.writing = read_writing(sent, definition, remarks)
    return reading.checked
