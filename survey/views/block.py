"""The page of one block: its scenario, its responses, and what is asked of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from unicodedata import east_asian_width

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from survey import access, answers, paradata
from survey.content import BlockContent, ResponseContent, StudyContent
from survey.definition import StudyDefinition
from survey.definition.attention_checks import AttentionItem
from survey.definition.dialogue import turns_of
from survey.definition.tasks import (
    KINDS,
    BestWorstTask,
    ComparingTask,
    RankingTask,
    SliderTask,
    TextTask,
)
from survey.definition.text_language import differs, language_of
from survey.forms.block import (
    BEST,
    CHECK,
    HALF,
    WORST,
    rank_name,
    rating_name,
    read_block,
    text_name,
    writing_name,
)
from survey.interface import INTERFACE
from survey.models import AttentionCheck, FreeAnswer, Participant, Presentation, Rating
from survey.notices import ai_policy
from survey.page_wording import wording_of
from survey.rendering.responses import Look, look_of, shown
from survey.templatetags.points import Scale
from survey.views.participant import last_page, show_page, to_next_page

#: Length of the beginning of a response that is repeated next to its label, where the response
#: itself is far up the page. In columns: a Chinese character takes two.
OPENING = 70


def show_block(
    request: HttpRequest,
    participant: Participant,
    content: StudyContent,
    presentation: Presentation,
) -> HttpResponse:
    """Show the block, or record what was sent."""
    number, order = presentation.page, presentation.response_order
    assert number is not None and order is not None
    definition = content.in_language(participant.language)
    block = content.blocks[presentation.block_id]
    responses = [block.responses[response_id] for response_id in order]
    check = None
    if presentation.has_check:
        check = AttentionCheck.objects.get(participant=participant, page=number)
    item = definition.check(check.name) if check is not None else None
    measured: dict[str, Any] = {}
    writing: answers.Writing = {}
    sent: Mapping[str, object] = {}
    errors: dict[str, str] = {}
    if request.method == "POST":
        place = check.place if check is not None else None
        checked = read_block(request.POST, definition, responses, place)
        sent, errors = checked.sent, checked.errors
        measured = paradata.read_page(request.POST.get("paradata", ""), responses)
        writing = checked.values.writing
        if not errors:
            answers.record_block(
                participant=participant,
                presentation=presentation,
                answers=checked.values,
                check=check,
                right_answer=item.right_answer if item is not None else None,
                paradata=measured,
                last=last_page(participant.study, content),
                at=access.time_of(request, participant),
            )
            return to_next_page(participant, content, number)
    elif presentation.shown_at is None:
        shown_at = access.time_of(request, participant)
        shown = Presentation.objects.filter(pk=presentation.pk)
        shown.update(shown_at=shown_at, interface=INTERFACE)
    elif presentation.answered_at is not None:
        sent = given_answers(definition, presentation, block, check)
        writing = written_before(participant, presentation)
        measured = {name: getattr(presentation, name) for name in paradata.FIELDS}
    elif presentation.interface != INTERFACE:  # updated since it was shown, and not answered yet
        Presentation.objects.filter(pk=presentation.pk).update(interface=INTERFACE)
    values = block_context(
        content, definition, block, order, check=check, sent=sent, errors=errors, writing=writing
    ) | {"measured": paradata.page_text(measured, responses)}
    return show_page(request, "survey/block.html", participant, content, number, values)


def block_context(
    content: StudyContent,
    definition: StudyDefinition,
    block: BlockContent,
    order: Sequence[int],
    *,
    check: AttentionCheck | None = None,
    sent: Mapping[str, object] = {},
    errors: Mapping[str, str] = {},
    writing: Mapping[str, Any] = {},
) -> dict[str, Any]:
    """What survey/block.html shows of a block in the language of `definition`: response ids in
    `order`, what was `sent`, what is wrong about it, and how the free answers were written so far.
    It reads and records nothing.
    """
    responses = [block.responses[response_id] for response_id in order]
    item = definition.check(check.name) if check is not None else None
    page = _Page(definition, responses, sent, errors)
    return {
        "scenario": block,  # `block` means the template's own
        "wording": page.wording,
        **shown_context(block.context, content.languages, definition.language),
        "instructions": definition.texts.instructions,
        "written_in": differs(block.language, definition.language),  # the prompt
        "entries": page.entries(check, item),
        "scale": page.scale,
        "slider": page.slider(),
        "rankings": [page.ranking(t) for t in definition.comparing if isinstance(t, RankingTask)],
        "panels": [page.choices(t) for t in definition.comparing if isinstance(t, BestWorstTask)],
        "texts": text_items(definition, definition.block_remarks, sent, errors, writing),
        "ai_policy": ai_policy(definition),
        "look": look_of(definition),
        "errors": errors,
    }


def shown_context(context: str, pages: Sequence[str], page: str) -> dict[str, Any]:
    """What survey/_context.html shows: a dialogue's turns, or the context as a whole, each with its
    language where it is not that of this `page`. `pages` are the languages of the study's.
    """

    def written_in(text: str) -> str:
        return differs(language_of(text, pages=pages).language, page)

    turns = [
        {"speaker": turn.speaker, "text": turn.text, "written_in": written_in(turn.text)}
        for turn in turns_of(context)
    ]
    return {"turns": turns, "context_in": written_in(context) if context and not turns else ""}


def given_answers(
    definition: StudyDefinition,
    presentation: Presentation,
    block: BlockContent,
    check: AttentionCheck | None,
) -> dict[str, object]:
    """What was answered before, as the form would send it."""
    sent: dict[str, object] = {CHECK: check.answer} if check is not None else {}
    for rating in Rating.objects.filter(presentation=presentation):
        response = block.responses[rating.response_id]
        if issubclass(KINDS[rating.task], ComparingTask):
            number = definition.numbered(rating.task, rating.dimension)
            if rating.task == "ranking":
                sent[rank_name(response, number)] = rating.value
            else:
                sent[f"{BEST if rating.value > 0 else WORST}{number}"] = response.public_id
        else:
            sent[rating_name(response, rating.dimension)] = rating.value
    for answer in FreeAnswer.objects.filter(presentation=presentation):
        sent[text_name(answer.name)] = answer.text
    return sent


def written_before(
    participant: Participant, presentation: Presentation | None
) -> dict[str, dict[str, Any]]:
    """How the free answers of a block, or of the study's end, were written, by name."""
    given = FreeAnswer.objects.filter(participant=participant, presentation=presentation)
    return {row.pop("name"): row for row in given.values("name", *paradata.WRITING)}


@lru_cache(maxsize=1024)
def opening(text: str, look: Look) -> dict[str, Any]:
    """How a response begins, and whether it goes on."""
    line = shown(text, look).words
    columns = 0
    for length, character in enumerate(line):
        columns += 2 if east_asian_width(character) in "WF" else 1
        if columns > OPENING:
            return {"text": line[:length].rstrip(), "cut": True}
    return {"text": line, "cut": False}


@dataclass
class _Page:
    """A block's page: `responses` from top to bottom, what was answered, and what is wrong."""

    definition: StudyDefinition
    responses: Sequence[ResponseContent]
    sent: Mapping[str, object]
    errors: Mapping[str, str]

    def __post_init__(self) -> None:
        rating = self.definition.rating
        self.scale: Scale = tuple((p.value, p.label) for p in rating.scale) if rating else ()
        total = len(self.responses)
        self.wording = wording_of(self.definition)
        self.titles = [self.wording.title(number, total) for number in range(1, total + 1)]

    def entries(
        self, check: AttentionCheck | None, item: AttentionItem | None
    ) -> list[dict[str, Any]]:
        """The responses, each with its questions, and a check among them."""
        total = len(self.responses)
        rating = self.definition.rating
        dimensions = rating.dimensions if rating else []
        entries: list[dict[str, Any]] = []
        for number, (response, title) in enumerate(
            zip(self.responses, self.titles, strict=True), start=1
        ):
            entries.append(
                {
                    "title": title,
                    "place": self.wording.place(number, total),
                    "public_id": response.public_id,
                    "text": response.text,
                    "written_in": differs(response.language, self.definition.language),
                    "questions": [
                        self._asked(rating_name(response, one.name), question=one.question)
                        for one in dimensions
                    ],
                }
            )
        if check is not None and item is not None:
            assert check.place is not None
            entry = {
                "statement": item.statement,
                "place": _("One more item"),
                "questions": [self._asked(CHECK, question=_("Your answer"))],
            }
            entries.insert(check.place - 1, entry)
        return entries

    def slider(self) -> dict[str, Any] | None:
        """The line on which responses are rated, if that is how."""
        task = self.definition.rating
        if not isinstance(task, SliderTask):
            return None
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

    def ranking(self, task: RankingTask) -> dict[str, Any]:
        """An order that is asked for."""
        number = self.definition.numbered(task.kind, task.dimension)
        rows = [
            self._asked(rank_name(response, number)) | self._named(response, title)
            for response, title in zip(self.responses, self.titles, strict=True)
        ]
        ranks = tuple((rank, str(rank)) for rank in range(1, len(rows) + 1))
        return {
            "number": number,
            "several": len(self.definition.answers_in("rank")) > 1,
            "question": task.question,
            "ties": task.ties,
            "ranks": ranks,
            "rows": rows,
        }

    def choices(self, task: BestWorstTask) -> list[dict[str, Any]]:
        """A choice of best and worst that is asked for."""
        number = self.definition.numbered(task.kind, task.dimension)
        options = [
            self._named(response, title) | {"value": response.public_id}
            for response, title in zip(self.responses, self.titles, strict=True)
        ]
        return [
            self._asked(f"{BEST}{number}", question=task.best) | {"options": options},
            self._asked(f"{WORST}{number}", question=task.worst) | {"options": options},
        ]

    def _asked(self, name: str, *, question: str = "") -> dict[str, Any]:
        wrong = (i for i in self.errors if i == name or i.startswith(f"{name}-"))
        error = self.errors.get(next(wrong, ""), "") if self.errors else ""
        return {
            "name": name,
            "question": question,
            "value": self.sent.get(name),
            "error": error,
            "wrong": bool(error),
        }

    def _named(self, response: ResponseContent, title: str) -> dict[str, Any]:
        return {
            "title": title,
            "text": response.text,
            "written_in": differs(response.language, self.definition.language),
            "opening": opening(response.text, look_of(self.definition)),
        }


def text_items(
    definition: StudyDefinition,
    tasks: Sequence[TextTask],
    sent: Mapping[str, object],
    errors: Mapping[str, str],
    writing: Mapping[str, Any] = {},
) -> list[dict[str, Any]]:
    """Free questions as a page shows them, with how they were written so far if that is
    recorded.
    """
    items = []
    for task in tasks:
        name = text_name(task.name)
        length = _("From %(least)s to %(most)s characters")
        if not task.minimum:
            length = _("At most %(most)s characters")
        items.append(
            {
                "task": task,
                "name": name,
                "length": length % {"least": task.minimum, "most": task.maximum},
                "value": sent.get(name, ""),
                "error": errors.get(name),
                "writing_name": writing_name(task.name) if definition.record_writing else "",
                "writing": paradata.writing_text(writing.get(task.name, {})),
            }
        )
    return items
