"""Refusals in the API: why something was not done, by field or under `detail`."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django import forms
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from config.refusal_codes import CODES
from survey.refusals import RequestRefused

Form = TypeVar("Form", bound=forms.Form)


def answer_to(error: Exception, context: dict[str, Any]) -> Response | None:
    """The framework's answer; Python reads JSON level by level, and not any number of levels."""
    if isinstance(error, RecursionError):
        error = ParseError("The JSON is nested too deeply.")
    if isinstance(error, RequestRefused):
        error = _as_exception(error, getattr(context.get("view"), "renamed", {}))
    answer: Response | None = exception_handler(error, context)
    return answer


def _as_exception(why: RequestRefused, renamed: Mapping[str, str]) -> APIException:
    about = renamed.get(why.about, why.about)
    answer = APIException({about: why.listed} if about else why.sentences)
    answer.status_code = CODES[why.kind].status
    return answer


def checked(form: Form, renamed: Mapping[str, str] | None = None) -> Form:
    """A page's form that is filled in by the API. Raises ValidationError by field."""
    if form.is_valid():
        return form
    errors = {
        (renamed or {}).get(name, name if name != "__all__" else "detail"): list(map(str, said))
        for name, said in form.errors.items()
    }
    raise ValidationError(errors)
