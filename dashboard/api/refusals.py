"""Refusals in the API: one line that says why, with status 400, where a page shows it in red."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from django import forms
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.serializers import Serializer
from rest_framework.status import HTTP_400_BAD_REQUEST

from dashboard.accounts.prolific import NotConnected
from dashboard.importing.files import ImportRefused
from dashboard.payments.asking import without_ids
from dashboard.payments.orders import OrderRefused
from dashboard.payments.rejections import RejectionRefused
from dashboard.payments.settling import SettleRefused
from dashboard.prolific.recruiting import FieldRefused, what_now
from dashboard.prolific.steps import StepRefused
from dashboard.prolific.terms import AmountRefused
from dashboard.prolific.waves import WaveRefused
from survey.files.problems import DefinitionError
from survey.prolific.errors import ProlificError

Form = TypeVar("Form", bound=forms.Form)
NOTHING_CHANGED = "Nothing was changed."


class Refused(APIException):
    """What was asked for was not done; the text says why."""

    status_code = HTTP_400_BAD_REQUEST
    default_code = "refused"


class RefusedSerializer(Serializer[object]):
    """Why something was refused: by field, or under `detail`."""


@contextmanager
def refusals(renamed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Turn refusals of what is done within into answers. `renamed` are fields of the API by those
    of forms.

    Raises Refused, ValidationError.
    """
    try:
        yield
    except FieldRefused as why:
        field = (renamed or {}).get(why.field, why.field)
        raise ValidationError({field: [str(why)]}) from None
    except ProlificError as error:
        raise Refused(without_ids(f"{error} {what_now(error)}")) from None
    except DefinitionError as error:
        raise ValidationError({"file": [*error.lines, NOTHING_CHANGED]}) from None
    except ImportRefused as error:
        raise ValidationError({"file": [*str(error).splitlines(), NOTHING_CHANGED]}) from None
    except (
        *(NotConnected, StepRefused, WaveRefused),
        *(OrderRefused, AmountRefused, RejectionRefused, SettleRefused),
    ) as why:
        said = str(why)
        more = "" if said.endswith(NOTHING_CHANGED) else f" {NOTHING_CHANGED}"
        raise Refused(said + more) from None


def checked(form: Form, renamed: Mapping[str, str] | None = None) -> Form:
    """A page's form that is filled in by the API. Raises ValidationError by field."""
    if form.is_valid():
        return form
    errors = {
        (renamed or {}).get(name, name if name != "__all__" else "detail"): list(map(str, said))
        for name, said in form.errors.items()
    }
    raise ValidationError(errors)
