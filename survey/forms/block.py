"""The answers to one block: ratings, ranks, choices, free text, and a check among them."""

from collections.abc import Sequence

from django.http import QueryDict

from survey.answers import BlockAnswers
from survey.content import ResponseContent
from survey.definition import StudyDefinition
from survey.forms.checked import CheckedInput
from survey.forms.tasks import COMPARING_FORMS, RATING_FORMS, BlockReading
from survey.forms.texts import read_text, read_writing


def read_block(
    sent: QueryDict,
    definition: StudyDefinition,
    responses: Sequence[ResponseContent],
    check_place: int | None = None,
) -> CheckedInput[BlockAnswers]:
    """All answers to a block with `responses` in the order of the page, and a check at position
    `check_place`. Errors are in the order of the page.
    """
    reading = BlockReading(definition, responses, sent)
    above = len(responses) if check_place is None else check_place - 1
    rating = definition.rating
    if rating is not None:  # a check is only among ratings
        form = RATING_FORMS[rating.kind]
        form.read(rating, reading, slice(above))
        if check_place is not None:
            form.read_check(rating, reading)
        form.read(rating, reading, slice(above, None))
    for task in definition.comparing:
        COMPARING_FORMS[task.kind].read(task, reading)
    remarks, checked = definition.block_remarks, reading.checked
    for remark in remarks:
        read_text(sent, remark, checked.values.texts, checked)
    checked.values.writing = read_writing(sent, definition, remarks)
    return checked
