"""The answer to an attention check on a page of its own."""

from django.http import QueryDict
from django.utils.translation import gettext as _

from survey.definition import StudyDefinition
from survey.definition.checks import AttentionItem
from survey.definition.tasks import Point
from survey.forms.checked import Checked


def check_options(definition: StudyDefinition, item: AttentionItem) -> list[Point]:
    """What may be chosen: the item's own options, numbered from 1, or the study's scale."""
    if item.options is not None:
        return [Point(value=n, label=label) for n, label in enumerate(item.options, start=1)]
    assert definition.rating is not None  # the schema asks for options where there is no scale
    return definition.rating.scale


def read_check(sent: QueryDict, options: list[Point]) -> Checked[int | None]:
    """One of the options."""
    allowed = {str(point.value): point.value for point in options}
    value = allowed.get(sent.get("answer", ""))
    if value is None:
        return Checked(None, errors={f"answer-{options[0].value}": _("Choose an answer")})
    return Checked(value, sent={"answer": value})
