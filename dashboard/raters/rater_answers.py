"""What one rater answered, with the gold scores and the means of others."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from analysis.labels import labels_of
from analysis.models import AnalysisRun
from dashboard.shared.block_labels import block_label
from dashboard.shared.newest_analysis import tables_of
from survey.definition.labels import usual
from survey.definition.tasks import KINDS
from survey.models import AttentionCheck, Participant, Rating, Study
from survey.tidy import RATING_TASKS, cells_of, definition_of

ITEM = ("scenario", "set", "model", "condition", "dimension")


@dataclass(frozen=True)
class RaterAnswer:
    """What a rater gave a response; names are labels. Positions are None if an import lacks them.

    `others` is the mean of the other included raters. It and `gold` are None if the analysis has
    none.
    """

    block_position: int | None
    block: str
    response_position: int | None
    model: str
    condition: str
    dimension: str
    value: str
    gold: float | None
    others: float | None
    revisions: int


def answers_of(person: Participant, study: Study, run: AnalysisRun | None) -> list[RaterAnswer]:
    """Every rating, rank and choice of a rater, in the order in which they saw the responses."""
    items = {
        tuple(row[name] for name in ITEM): row for row in tables_of(run, "items")["items"].rows
    }
    counts = (
        run is not None and run.rater_quality.filter(participant=person, included=True).exists()
    )
    cells, labels = cells_of(study), labels_of(study)
    rows = Rating.objects.filter(presentation__participant=person).select_related("presentation")
    answers = []
    for rating in rows.order_by("id"):
        shown = rating.presentation
        cell = cells[shown.block_id, rating.response_id]
        scenario, set_name, model, condition = cell.names
        order = shown.response_order or []
        place = order.index(rating.response_id) + 1 if rating.response_id in order else None
        item = items.get((*cell.names, rating.dimension)) if _is_rating(rating) else None
        answer = RaterAnswer(
            shown.position,
            block_label(labels, scenario, set_name),
            place,
            labels.text("models", model),
            labels.text("conditions", condition),
            labels.text("dimensions", rating.dimension) if rating.dimension else "",
            _in_words(rating),
            item["gold"] if item else None,
            _mean_of_others(item, rating.value if counts else None) if item else None,
            rating.revisions,
        )
        key = (shown.position or 0, place or cell.place, rating.task, rating.pk)
        answers.append((key, answer))
    return [answer for _, answer in sorted(answers, key=lambda pair: pair[0])]


def _is_rating(rating: Rating) -> bool:
    return rating.task in RATING_TASKS


def _in_words(rating: Rating) -> str:
    return KINDS[rating.task].in_words(rating.value)


def _mean_of_others(item: dict[str, Any], own: float | None) -> float | None:
    """The mean of an item's ratings; without the `own` one, where it is among them."""
    n, total = item["n"], item["total"]
    if own is not None:
        n, total = n - 1, total - own
    return total / n if n else None


@dataclass(frozen=True)
class CheckAnswer:
    """An attention check: what was asked, answered, and would have been right."""

    check: AttentionCheck
    label: str
    statement: str
    answer: str
    right: str


def checks_of(person: Participant, study: Study) -> list[CheckAnswer]:
    """The attention checks that a rater was shown or had ahead of them, in their order."""
    return list(_checks(person, study))


def _checks(person: Participant, study: Study) -> Iterator[CheckAnswer]:
    definition = definition_of(study)
    known = {check.name: check for check in definition.attention_checks}
    for check in person.attention_checks.order_by("page"):
        item, label = known.get(check.name), usual(check.name)
        if item is None:
            yield CheckAnswer(check, label, "", str(check.answer or ""), "")
            continue
        labels = {point.value: point.label for point in definition.check_scale(item)}
        answer = "" if check.answer is None else labels.get(check.answer, str(check.answer))
        yield CheckAnswer(check, label, item.statement, answer, labels.get(item.right_answer, ""))


def about(person: Participant) -> list[tuple[str, str]]:
    """What a rater said about themselves, screening included: name of the question, answer."""
    return [
        (answer.name, ", ".join(answer.value) if isinstance(answer.value, list) else answer.value)
        for answer in person.demographic_answers.order_by("id")
    ]
