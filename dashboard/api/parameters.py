"""What requests to the API say in common: the study, whom to include, the caller."""

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from dashboard.shared.forms import IncludeForm
from survey.models import Participant

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


def asked_for(request: Request) -> list[str]:
    """The experts or test people that an address asks for by name; nobody where it does not say: a
    file is not labelled as a page is.
    """
    form = IncludeForm(request.query_params)
    if not form.is_valid():
        raise ValidationError({"include": list(map(str, form.errors["include"]))})
    return form.chosen or []
