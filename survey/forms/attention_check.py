"""The answer to an attention check on a page of its own."""

from django.http import QueryDict
from django.utils.translation import gettext as _

from survey.definition.points import Point
from survey.forms.checked import CheckedInput


def read_check(sent: QueryDict, options: list[Point]) -> CheckedInput[float | None]:
    """One of the options."""
    allowed = {str(point.value): point.value for point in options}
    value = allowed.get(sent.get("answer", ""))
    if value is None:
        return CheckedInput(None, errors={f"answer-{options[0].value}": _("Choose an answer")})
    return CheckedInput(value, sent={"answer": value})
