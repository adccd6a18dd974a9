"""What requests to the API say in common: the study, whom to include, the caller."""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from dashboard.shared.forms import IncludeForm
from survey.models import Participant

Sent = TypeVar("Sent", bound=Serializer[Any])
STUDY = OpenApiParameter(
    "name", str, OpenApiParameter.PATH, description="`slug` (its newest version) or `slug@version`"
)
INCLUDE = OpenApiParameter(
    "include",
    str,
    many=True,
    enum=list(map(str, Participant.NOT_COUNTED)),
    description="Experts or test people to include; they never count unless asked for here.",
)


def user_of(request: Request) -> User:
    """The caller, whom `IsResearcher` has admitted."""
    assert isinstance(request.user, User)
    return request.user


def read_sent(request: Request, form: type[Sent]) -> Sent:
    """What was sent, checked. Raises ValidationError by field."""
    sent = form(data=request.data)
    sent.is_valid(raise_exception=True)
    return sent


def read_query(request: Request, form: type[Sent]) -> Sent:
    """What an address says after its `?`, checked. Raises ValidationError by field."""
    sent = form(data=request.query_params)
    sent.is_valid(raise_exception=True)
    return sent


def sent_by(request: Request, form: type[Serializer[Any]]) -> dict[str, Any]:
    """The values that were sent, checked. Raises ValidationError by field."""
    return dict(read_sent(request, form).validated_data)


def one_of(request: Request, name: str, values: Sequence[str]) -> str | None:
    """What a filter chooses; None where the address does not have it. Raises ValidationError."""
    chosen = request.query_params.get(name)
    if chosen is None or chosen in values:
        return chosen
    said = f"{name} takes {', '.join(map(str, values))}, not {chosen[:80]!r}."
    raise ValidationError({name: [said]})


def asked_for(request: Request) -> list[str]:
    """The experts or test people that an address asks for by name; nobody where it does not say: a
    file is not labelled as a page is.
    """
    form = IncludeForm(request.query_params)
    if not form.is_valid():
        raise ValidationError({"include": list(map(str, form.errors["include"]))})
    return form.chosen or []
