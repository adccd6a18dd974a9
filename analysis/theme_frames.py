"""Coded open answers as tidy tables. Coders are letters there: names stay in the database."""

from collections.abc import Sequence

from pandas import DataFrame

from analysis.tables.themes import ThemesData
from analysis.theme_coding import answers_to_code, code_book, codings_of, letters_of
from survey.definition.tasks import kinds_in
from survey.models import BlockResponse, Presentation, Rating, Response, Study


def read_themes(study: Study, sources: Sequence[str]) -> ThemesData:
    """The code book, the open answers and what coders decided. Call it inside `reading()`."""
    codes = [code.name for code in code_book(study)]
    if not codes:
        return ThemesData()
    letters = letters_of(study)
    systems = _systems(study, sources)
    answers = [
        (answer, person, name, *systems.get(presentation, ("", "")))
        for answer, person, name, presentation in answers_to_code(study, sources).values_list(
            "id", "participant__pseudonym", "name", "presentation_id"
        )
    ]
    decided = codings_of(study, sources).order_by("id").prefetch_related("codes")
    codings = [(one.answer_id, letters[one.coder_id], one.pk) for one in decided]
    given = [(one.pk, code.name) for one in decided for code in one.codes.all()]
    return ThemesData(
        codes,
        DataFrame(answers, columns=["answer", "participant", "question", "model", "condition"]),
        DataFrame(codings, columns=["answer", "coder", "coding"]),
        DataFrame(given, columns=["coding", "code"]),
    )


def _systems(study: Study, sources: Sequence[str]) -> dict[int, tuple[str, str]]:
    """The system that an answer is about, by presentation: the one of a page that shows one
    response, or the one that was chosen as best there.
    """
    chosen = Rating.objects.filter(
        presentation__participant__study=study,
        presentation__participant__source__in=list(sources),
        task__in=kinds_in("choice"),
        value=1,
    ).order_by("-id")
    names = ("presentation_id", "response__system__model", "response__system__condition")
    systems = {row[0]: (row[1], row[2]) for row in chosen.values_list(*names)}
    alone, known = _only_responses(study), _known(study)
    shown = Presentation.objects.filter(
        participant__study=study, participant__source__in=list(sources)
    )
    for presentation, block, order in shown.values_list("id", "block_id", "response_order"):
        on_page = order if order else [alone.get(block)]
        if len(on_page) == 1 and on_page[0] in known:
            systems.setdefault(presentation, known[on_page[0]])
    return systems


def _known(study: Study) -> dict[int, tuple[str, str]]:
    """The system of each response."""
    responses = Response.objects.filter(scenario__study=study)
    rows = responses.values_list("id", "system__model", "system__condition")
    return {response: (model, condition) for response, model, condition in rows}


def _only_responses(study: Study) -> dict[int, int]:
    """The response of each block that has one."""
    members: dict[int, list[int]] = {}
    rows = BlockResponse.objects.filter(block__study=study).values_list("block_id", "response_id")
    for block, response in rows:
        members.setdefault(block, []).append(response)
    return {block: responses[0] for block, responses in members.items() if len(responses) == 1}
