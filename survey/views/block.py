"""The page of one block: its scenario, its responses, and what is asked of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from survey import access, answers, paradata
from survey.content import BlockContent, ResponseContent, StudyContent
from survey.definition import StudyDefinition
from survey.definition.checks import AttentionItem
from survey.definition.tasks import RankingTask, RatingTask, TextTask
from survey.forms.block import (
    BEST,
    CHECK,
    WORST,
    block_texts,
    label_of,
    rank_name,
    rating_name,
    read_block,
    text_name,
)
from survey.models import AttentionCheck, FreeAnswer, Participant, Presentation, Rating
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
    check = _check_inside(content, participant, number)
    item = definition.check(check.name) if check is not None else None
    sent: Mapping[str, object] = {}
    errors: dict[str, str] = {}
    if request.method == "POST":
        checked = read_block(request.POST, definition, responses, item)
        sent, errors = checked.sent, checked.errors
        if not errors:
            answers.record_block(
                participant=participant,
                presentation=presentation,
                answers=checked.values,
                check=check,
                right_answer=item.right_answer if item is not None else None,
                paradata=paradata.read_page(request.POST.get("paradata", ""), responses),
                last=last_page(participant.study, content),
                at=access.time_of(request, participant),
            )
            return to_next_page(participant, content, number)
    elif presentation.shown_at is None:
        shown_at = access.time_of(request, participant)
        Presentation.objects.filter(pk=presentation.pk).update(shown_at=shown_at)
    elif presentation.answered_at is not None:
        sent = _given(presentation, block, check)
    values = {
        "scenario": block,  # `block` means the template's own
        "entries": _entries(definition, responses, check, item, sent, errors),
        "panels": _panels(definition, responses, sent, errors),
        "texts": text_items(block_texts(definition), sent, errors),
        "markdown": definition.response_format == "markdown",
        "errors": errors,
    }
    return show_page(request, "survey/block.html", participant, content, number, values)


def _check_inside(
    content: StudyContent, participant: Participant, number: int
) -> AttentionCheck | None:
    if not content.checks_inside_blocks:
        return None
    return AttentionCheck.objects.filter(participant=participant, page=number).first()


def _given(
    presentation: Presentation, block: BlockContent, check: AttentionCheck | None
) -> dict[str, object]:
    """What was answered before, as the form would send it."""
    sent: dict[str, object] = {CHECK: check.answer} if check is not None else {}
    for rating in Rating.objects.filter(presentation=presentation):
        response = block.responses[rating.response_id]
        if rating.task == "ranking":
            sent[rank_name(response)] = rating.value
        elif rating.task == "best_worst":
            sent[BEST if rating.value > 0 else WORST] = response.public_id
        else:
            sent[rating_name(response, rating.dimension)] = rating.value
    for answer in FreeAnswer.objects.filter(presentation=presentation):
        sent[text_name(answer.name)] = answer.text
    return sent


def _entries(
    definition: StudyDefinition,
    responses: Sequence[ResponseContent],
    check: AttentionCheck | None,
    item: AttentionItem | None,
    sent: Mapping[str, object],
    errors: Mapping[str, str],
) -> list[dict[str, Any]]:
    """The responses from top to bottom, each with its questions, and a check among them."""
    task = definition.rating
    entries: list[dict[str, Any]] = [
        {
            "label": label_of(definition, number),
            "public_id": response.public_id,
            "text": response.text,
            "questions": _questions(task, response, sent, errors) if task else [],
        }
        for number, response in enumerate(responses, start=1)
    ]
    if check is not None and item is not None:
        assert check.place is not None and task is not None
        question = {
            "name": CHECK,
            "scale": task.scale,
            "value": sent.get(CHECK),
            "error": errors.get(f"{CHECK}-{task.values[0]}"),
        }
        entries.insert(check.place - 1, {"statement": item.statement, "questions": [question]})
    return entries


def _questions(
    task: RatingTask,
    response: ResponseContent,
    sent: Mapping[str, object],
    errors: Mapping[str, str],
) -> list[dict[str, Any]]:
    slider = task if task.kind == "slider" else None
    questions = []
    for dimension in task.dimensions:
        name = rating_name(response, dimension.name)
        questions.append(
            {
                "question": dimension.question,
                "name": name,
                "scale": task.scale,
                "slider": slider,
                "value": sent.get(name),
                "error": errors.get(name if slider else f"{name}-{task.values[0]}"),
            }
        )
    return questions


def _panels(
    definition: StudyDefinition,
    responses: Sequence[ResponseContent],
    sent: Mapping[str, object],
    errors: Mapping[str, str],
) -> dict[str, Any]:
    """What is asked of the block as a whole: ranks, and the choice of best and worst."""
    labelled = [
        (label_of(definition, number), response)
        for number, response in enumerate(responses, start=1)
    ]
    panels: dict[str, Any] = {}
    if definition.ranking is not None:
        panels["ranking"] = _ranking(definition.ranking, labelled, sent, errors)
    if definition.best_worst is not None:
        task = definition.best_worst
        panels["choices"] = [
            {
                "name": name,
                "question": question,
                "options": [(response.public_id, label) for label, response in labelled],
                "value": sent.get(name),
                "error": next((errors[i] for i in errors if i.startswith(f"{name}-")), None),
            }
            for name, question in ((BEST, task.best), (WORST, task.worst))
        ]
    return panels


def _ranking(
    task: RankingTask,
    labelled: Sequence[tuple[str, ResponseContent]],
    sent: Mapping[str, object],
    errors: Mapping[str, str],
) -> dict[str, Any]:
    rows = []
    for label, response in labelled:
        name = rank_name(response)
        error = next((errors[i] for i in errors if i.startswith(f"{name}-")), None)
        rows.append({"label": label, "name": name, "value": sent.get(name), "error": error})
    ranks = range(1, len(labelled) + 1)
    return {"question": task.question, "ties": task.ties, "ranks": ranks, "rows": rows}


def text_items(
    tasks: Sequence[TextTask], sent: Mapping[str, object], errors: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Free questions as a page shows them."""
    return [
        {
            "task": task,
            "name": (name := text_name(task.name)),
            "value": sent.get(name, ""),
            "error": errors.get(name),
        }
        for task in tasks
    ]
