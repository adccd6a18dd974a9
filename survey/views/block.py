"""The page of one block: its scenario, its responses, and what is asked of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from survey import access, answers, paradata
from survey.content import BlockContent, StudyContent
from survey.definition import StudyDefinition
from survey.definition.attention_checks import AttentionItem
from survey.definition.dialogue import turns_of
from survey.definition.tasks import AskedTask
from survey.definition.text_language import differs, language_of
from survey.forms.block import read_block
from survey.forms.tasks import (
    CHECK,
    COMPARING_FORMS,
    RATING_FORMS,
    BlockPage,
    ComparingForm,
    RatingForm,
)
from survey.forms.texts import text_items, text_name
from survey.interface import INTERFACE
from survey.models import AttentionCheck, FreeAnswer, Participant, Presentation, Rating
from survey.notices import ai_policy
from survey.rendering.responses import look_of
from survey.views.participant import last_page, show_page, to_next_page


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
    page = BlockPage(definition, responses, sent, errors)
    rating = definition.rating
    return {
        "scenario": block,  # `block` means the template's own
        "wording": page.wording,
        **shown_context(block.context, content.languages, definition.language),
        "instructions": definition.texts.instructions,
        "written_in": differs(block.language, definition.language),  # the prompt
        "entries": _entries(page, check, item),
        "rating": _shown(RATING_FORMS[rating.kind], rating, page) if rating else None,
        "panels": [_shown(COMPARING_FORMS[t.kind], t, page) for t in definition.comparing],
        "texts": text_items(definition, definition.block_remarks, sent, errors, writing),
        "ai_policy": ai_policy(definition),
        "look": look_of(definition),
        "errors": errors,
    }


def _shown(
    form: RatingForm[Any] | ComparingForm[Any], task: AskedTask, page: BlockPage
) -> dict[str, Any]:
    return {"template": form.template, **form.shown(task, page)}


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
        response = block.responses[rating.response_id].public_id
        at = (rating.task, rating.dimension)
        name, value = definition.input_of(*at, response=response, value=rating.value)
        sent[name] = value
    for answer in FreeAnswer.objects.filter(presentation=presentation):
        sent[text_name(answer.name)] = answer.text
    return sent


def written_before(
    participant: Participant, presentation: Presentation | None
) -> dict[str, dict[str, Any]]:
    """How the free answers of a block, or of the study's end, were written, by name."""
    given = FreeAnswer.objects.filter(participant=participant, presentation=presentation)
    return {row.pop("name"): row for row in given.values("name", *paradata.WRITING)}


def _entries(
    page: BlockPage, check: AttentionCheck | None, item: AttentionItem | None
) -> list[dict[str, Any]]:
    """The responses, each with its questions, and a check among them."""
    total = len(page.responses)
    rating = page.definition.rating
    entries: list[dict[str, Any]] = []
    for number, (response, title) in enumerate(
        zip(page.responses, page.titles, strict=True), start=1
    ):
        entries.append(
            {
                "title": title,
                "place": page.wording.place(number, total),
                "public_id": response.public_id,
                "text": response.text,
                "written_in": differs(response.language, page.definition.language),
                "questions": [
                    page.asked(
                        rating.input_name(response.public_id, one.name), question=one.question
                    )
                    for one in rating.dimensions
                ]
                if rating
                else [],
            }
        )
    if check is not None and item is not None:
        assert check.place is not None
        entry = {
            "statement": item.statement,
            "place": _("One more item"),
            "questions": [page.asked(CHECK, question=_("Your answer"))],
        }
        entries.insert(check.place - 1, entry)
    return entries
