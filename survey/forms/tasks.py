"""The form of each kind of task: what its template shows, and what is read of what was sent."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from django.http import QueryDict
from django.utils.translation import gettext as _

from survey.answers import AnswerKey, BlockAnswers
from survey.content import ResponseContent
from survey.definition import StudyDefinition
from survey.definition.tasks import (
    BestWorstTask,
    ComparingTask,
    LikertTask,
    RankingTask,
    RatingTask,
    SliderTask,
)
from survey.definition.text_language import differs
from survey.files.digits import ascii_number
from survey.forms.checked import CheckedInput
from survey.page_wording import PageWording, capitalized, wording_of
from survey.rendering.openings import opening
from survey.rendering.responses import look_of

#: A number of up to six digits, perhaps with decimals.
_TYPED = re.compile(r"-?[0-9]{1,6}(?:[.,][0-9]{1,10})?")
#: The step of sliders with half points.
HALF = 0.5
#: Name of the inputs of a check among the responses.
CHECK = "check"

Rating = TypeVar("Rating", bound=RatingTask)
Comparing = TypeVar("Comparing", bound=ComparingTask)


@dataclass
class AskedBlock:
    """A block of a study: `responses` in the order of the page."""

    definition: StudyDefinition
    responses: Sequence[ResponseContent]

    @cached_property
    def wording(self) -> PageWording:
        """Heading and nouns of the page."""
        return wording_of(self.definition)

    def number(self, task: ComparingTask) -> str:
        """What names of the task's inputs have."""
        return self.definition.numbered(task.kind, task.dimension)


@dataclass
class BlockPage(AskedBlock):
    """A block's page: what was answered, and what is wrong."""

    sent: Mapping[str, object]
    errors: Mapping[str, str]

    @cached_property
    def titles(self) -> list[str]:
        """The headings of the responses."""
        total = len(self.responses)
        return [self.wording.title(number, total) for number in range(1, total + 1)]

    def asked(self, name: str, *, question: str = "") -> dict[str, Any]:
        """A question whose inputs have this name."""
        wrong = (i for i in self.errors if i == name or i.startswith(f"{name}-"))
        error = self.errors.get(next(wrong, ""), "") if self.errors else ""
        return {
            "name": name,
            "question": question,
            "value": self.sent.get(name),
            "error": error,
            "wrong": bool(error),
        }

    def named(self) -> list[tuple[ResponseContent, dict[str, Any]]]:
        """The responses, each with what stands next to an input about it."""
        return [
            (
                response,
                {
                    "title": title,
                    "text": response.text,
                    "written_in": differs(response.language, self.definition.language),
                    "opening": opening(response.text, look_of(self.definition)),
                },
            )
            for response, title in zip(self.responses, self.titles, strict=True)
        ]


@dataclass
class BlockReading(AskedBlock):
    """A block's form while it is read."""

    form: QueryDict
    checked: CheckedInput[BlockAnswers] = field(
        default_factory=lambda: CheckedInput(BlockAnswers())
    )

    @cached_property
    def named(self) -> list[tuple[str, ResponseContent]]:
        """Each response with what messages call it."""
        total = len(self.responses)
        return [
            (self.wording.which(number, total), response)
            for number, response in enumerate(self.responses, start=1)
        ]


# ── Ratings ──────────────────────────────────────────────────────────────────────────────────


class RatingForm(Generic[Rating]):
    """Inputs for every response and dimension, and the same ones for a check among them."""

    #: Shows one question.
    template: ClassVar[str]

    def shown(self, task: Rating, page: BlockPage) -> dict[str, Any]:
        """What is the same for all questions of a page."""
        raise NotImplementedError

    def plain(self, raw: str) -> str:
        """What was sent, as values are written."""
        return raw

    def kept(self, raw: str) -> str | None:
        """What the page shows again of a value that is none."""
        return None

    def first_input(self, name: str, task: Rating) -> str:
        """The id of the input that an error leads to."""
        return f"{name}-{task.values[0]}"

    def off_scale(self, task: Rating, which: str) -> str:
        """The message about a value that is none; empty where nobody can send one."""
        return ""

    def check_off_scale(self, task: Rating) -> str:
        """The same, of a check."""
        return ""

    def read(self, task: Rating, reading: BlockReading, places: slice) -> None:
        """The ratings of the responses at these places of the page."""
        values = {str(value): value for value in task.values}
        checked = reading.checked
        for which, response in reading.named[places]:
            for dimension in task.dimensions:
                name = task.input_name(response.public_id, dimension.name)
                raw = reading.form.get(name, "").strip()
                value = values.get(self.plain(raw))
                if value is not None:
                    key = AnswerKey(task.kind, response.id, dimension.name)
                    checked.values.ratings[key] = value
                    checked.sent[name] = value
                    continue
                checked.sent[name] = self.kept(raw)
                message = self.off_scale(task, which) if raw else ""
                asked = dimension.question if len(task.dimensions) > 1 else ""
                checked.errors[self.first_input(name, task)] = message or _missing(which, asked)

    def read_check(self, task: Rating, reading: BlockReading) -> None:
        """The answer to a check among the responses."""
        raw = reading.form.get(CHECK, "").strip()
        answer = {str(value): value for value in task.values}.get(self.plain(raw))
        reading.checked.values.check = answer
        reading.checked.sent[CHECK] = self.kept(raw) if answer is None else answer
        if answer is None:
            message = self.check_off_scale(task) if raw else ""
            message = message or _("Choose an answer: %s") % _("One more item")
            reading.checked.errors[self.first_input(CHECK, task)] = message


def _missing(which: str, question: str) -> str:
    if question:
        message = _("Choose a rating for %(which)s: %(question)s")
        return message % {"which": which, "question": question}
    return _("Choose a rating for %s") % which


class LikertForm(RatingForm[LikertTask]):
    """A radio button for each point."""

    template = "survey/_scale.html"

    def shown(self, task: LikertTask, page: BlockPage) -> dict[str, Any]:
        return {"scale": tuple((point.value, point.label) for point in task.scale)}


class SliderForm(RatingForm[SliderTask]):
    """A line, and a field for the number."""

    template = "survey/_slider.html"

    def shown(self, task: SliderTask, page: BlockPage) -> dict[str, Any]:
        hint = _("A whole number from %(least)s (%(left)s) to %(most)s (%(right)s)")
        if task.step == HALF:
            hint = _("A whole or half number from %(least)s (%(left)s) to %(most)s (%(right)s)")
        elif task.step != 1:
            hint = _(
                "A number from %(least)s (%(left)s) to %(most)s (%(right)s), in steps of %(step)s"
            )
        ends = {
            "least": str(task.minimum),
            "left": task.left,
            "most": str(task.maximum),
            "right": task.right,
            "step": str(task.step),
        }
        return {
            **ends,
            "hint": hint % ends,
            "step": "" if task.step == 1 else str(task.step),
            "is_positive": task.minimum >= 0,
            "longest": max(6, *(len(str(value)) for value in task.values)),
        }

    def plain(self, raw: str) -> str:
        """From any digits, minus sign and decimal mark of a keyboard. Empty if it is no number."""
        number = ascii_number(raw)
        if not _TYPED.fullmatch(number):
            return ""
        value = float(number.replace(",", "."))
        return str(int(value) if value.is_integer() else value)

    def kept(self, raw: str) -> str | None:
        return raw

    def first_input(self, name: str, task: SliderTask) -> str:
        return name

    def off_scale(self, task: SliderTask, which: str) -> str:
        message = _("%(which)s: enter a whole number from %(least)s to %(most)s")
        if task.step == HALF:
            message = _("%(which)s: enter a whole or half number from %(least)s to %(most)s")
        elif task.step != 1:
            message = _(
                "%(which)s: enter a number from %(least)s to %(most)s, in steps of %(step)s"
            )
        return message % {"which": capitalized(which), **self._ends(task)}

    def check_off_scale(self, task: SliderTask) -> str:
        message = _("One more item: enter a whole number from %(least)s to %(most)s")
        if task.step == HALF:
            message = _("One more item: enter a whole or half number from %(least)s to %(most)s")
        elif task.step != 1:
            message = _(
                "One more item: enter a number from %(least)s to %(most)s, in steps of %(step)s"
            )
        return message % self._ends(task)

    @staticmethod
    def _ends(task: SliderTask) -> dict[str, float]:
        return {"least": task.minimum, "most": task.maximum, "step": task.step}


# ── Comparisons ──────────────────────────────────────────────────────────────────────────────


class ComparingForm(Generic[Comparing]):
    """A panel below the responses."""

    template: ClassVar[str]

    def shown(self, task: Comparing, page: BlockPage) -> dict[str, Any]:
        """What the template shows."""
        raise NotImplementedError

    def read(self, task: Comparing, reading: BlockReading) -> None:
        """What was sent about the responses of the page."""
        raise NotImplementedError


class RankingForm(ComparingForm[RankingTask]):
    """The ranks next to every response."""

    template = "survey/_ranking.html"

    def shown(self, task: RankingTask, page: BlockPage) -> dict[str, Any]:
        number = page.number(task)
        rows = [
            page.asked(task.input_name(response.public_id, number)) | named
            for response, named in page.named()
        ]
        return {
            "number": number,
            "several": self._is_one_of_several(page, task),
            "question": task.question,
            "ties": task.ties,
            "ranks": tuple((rank, str(rank)) for rank in range(1, len(rows) + 1)),
            "rows": rows,
        }

    def read(self, task: RankingTask, reading: BlockReading) -> None:
        allowed = {str(rank): rank for rank in range(1, len(reading.responses) + 1)}
        taken: set[int] = set()
        number, checked = reading.number(task), reading.checked
        for which, response in reading.named:
            name = task.input_name(response.public_id, number)
            rank = allowed.get(reading.form.get(name, ""))
            checked.sent[name] = rank
            if rank is None:
                message = _("Choose a rank for %s") % which
                if self._is_one_of_several(reading, task):
                    message = _("Choose a rank for %(which)s: %(question)s")
                    message %= {"which": which, "question": task.question}
                checked.errors[f"{name}-1"] = message
                continue
            if rank in taken and not task.ties:
                message = _("%(which)s has rank %(rank)s, which another one has")
                said = {"which": capitalized(which), "rank": rank}
                checked.errors[f"{name}-{rank}"] = message % said
            taken.add(rank)
            checked.values.ratings[AnswerKey(task.kind, response.id, task.dimension)] = rank

    @staticmethod
    def _is_one_of_several(block: AskedBlock, task: RankingTask) -> bool:
        return sum(other.kind == task.kind for other in block.definition.comparing) > 1


class BestWorstForm(ComparingForm[BestWorstTask]):
    """The responses to choose from, for the best and for the worst one."""

    template = "survey/_choice.html"

    def shown(self, task: BestWorstTask, page: BlockPage) -> dict[str, Any]:
        options = [named | {"value": response.public_id} for response, named in page.named()]
        return {
            "choices": [
                page.asked(name, question=question) | {"options": options}
                for name, question, _value in self._asked(task, page)
            ]
        }

    def read(self, task: BestWorstTask, reading: BlockReading) -> None:
        by_public_id = {response.public_id: response for response in reading.responses}
        checked, chosen = reading.checked, []
        for name, question, value in self._asked(task, reading):
            response = by_public_id.get(reading.form.get(name, ""))
            checked.sent[name] = response.public_id if response else None
            if response is None:
                message = _("Choose one of the %(responses)s: %(question)s")
                said = {"responses": reading.wording.responses, "question": question}
                checked.errors[f"{name}-{reading.responses[0].public_id}"] = message % said
                continue
            if response in chosen:
                message = _("Choose two different %s") % reading.wording.responses
                checked.errors[f"{name}-{response.public_id}"] = message
            chosen.append(response)
            key = AnswerKey(task.kind, response.id, task.dimension)
            checked.values.ratings[key] = value

    @staticmethod
    def _asked(task: BestWorstTask, block: AskedBlock) -> list[tuple[str, str, float]]:
        """Each question with the name of its inputs and the value that it gives to a response."""
        number = block.number(task)
        questions = {"best": task.best, "worst": task.worst}
        return [(f"{word}{number}", questions[word], value) for word, value in task.words.items()]


RATING_FORMS: dict[str, RatingForm[Any]] = {"likert": LikertForm(), "slider": SliderForm()}
COMPARING_FORMS: dict[str, ComparingForm[Any]] = {
    "ranking": RankingForm(),
    "best_worst": BestWorstForm(),
}
