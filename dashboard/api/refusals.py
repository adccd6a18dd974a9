"""Refusals in the API: one line that says why, with status 400, where a page shows it in red."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from django import forms
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from analysis.locked_plans import PlanRefused
from analysis.manual_decisions import DecisionRefused
from analysis.theme_coding import CodingRefused
from config.refusal_codes import CODES
from corpus.problems import CorpusProblem
from dashboard.accounts.prolific import NotConnected
from dashboard.importing.files import ImportRefused
from dashboard.judges.gold_choice import NotChosen
from dashboard.judges.label_drawing import NotDrawn
from dashboard.overview.opening import NotOpened
from dashboard.payments.asking import without_ids
from dashboard.payments.orders import OrderRefused
from dashboard.payments.rejections import RejectionRefused
from dashboard.payments.settling import SettleRefused
from dashboard.prolific.recruiting import FieldRefused, what_now
from dashboard.prolific.steps import StepRefused
from dashboard.prolific.terms import AmountRefused
from dashboard.prolific.waves import WaveRefused
from dashboard.raters.trying_thresholds import ThresholdsRefused
from dashboard.rehearsal.simulations import NotAsked
from survey.files.problems import DefinitionError
from survey.prolific.errors import ProlificError
from survey.refusals import NOTHING_CHANGED, RequestRefused
from survey.studies import StateError

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


@contextmanager
def refusals(renamed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Turn refusals of what is done within into answers. `renamed` are fields of the API by those
    of forms.

    Raises RequestRefused, ValidationError.
    """
    try:
        yield
    except FieldRefused as why:
        field = (renamed or {}).get(why.field, why.field)
        raise ValidationError({field: [str(why)]}) from None
    except ProlificError as error:
        raise RequestRefused(without_ids(f"{error} {what_now(error)}")) from None
    except DefinitionError as error:
        raise ValidationError({"file": [*error.lines, NOTHING_CHANGED]}) from None
    except ImportRefused as error:
        raise ValidationError({"file": [*str(error).splitlines(), NOTHING_CHANGED]}) from None
    except NotOpened as refusal:
        raise RequestRefused(f"{refusal}: {' '.join(refusal.reasons)} {NOTHING_CHANGED}") from None
    except (
        *(CodingRefused, DecisionRefused, NotAsked, NotChosen, NotDrawn, PlanRefused),
        *(StateError, ThresholdsRefused, CorpusProblem),
        *(NotConnected, StepRefused, WaveRefused),
        *(OrderRefused, AmountRefused, RejectionRefused, SettleRefused),
    ) as why:
        said = f"{str(why).rstrip('.')}."
        more = "" if "Nothing was " in said else f" {NOTHING_CHANGED}"
        raise RequestRefused(said + more) from None


def checked(form: Form, renamed: Mapping[str, str] | None = None) -> Form:
    """A page's form that is filled in by the API. Raises ValidationError by field."""
    if form.is_valid():
        return form
    errors = {
        (renamed or {}).get(name, name if name != "__all__" else "detail"): list(map(str, said))
        for name, said in form.errors.items()
    }
    raise ValidationError(errors)
