"""Who may see researchers' pages: active staff, and nobody else.

Every page goes through `researcher_required`; every study in an address through `study_or_404`.
`client_address` tells apart the people who try to log in.
The API asks the same of its callers (`IsAdminUser`, in the settings).
"""

from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address
from typing import Concatenate, ParamSpec, TypeVar, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model, QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.defaults import page_not_found

from survey.models import Study
from survey.queries import StudyNotFound, find_study

P = ParamSpec("P")
Row = TypeVar("Row", bound=Model)


class ResearcherRequest(HttpRequest):
    """A request that has passed `researcher_required`."""

    user: User


def researcher_required(
    view: Callable[Concatenate[ResearcherRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Admit active staff; ask anonymous visitors to log in; refuse other accounts (403)."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not (request.user.is_active and request.user.is_staff):
            return render(request, "dashboard/refused.html", status=403)
        return view(cast("ResearcherRequest", request), *args, **kwargs)

    return guarded


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """The page of what is not there (404): with its navigation for researchers alone."""
    is_researchers = not request.path.startswith("/s/") and request.user.is_staff
    if not is_researchers:
        return page_not_found(request, exception)
    reason = exception.args[0] if exception.args else ""  # of unknown addresses it is no text
    why = reason if isinstance(reason, str) else ""
    return render(request, "dashboard/missing.html", {"why": why}, status=404)


def client_address(request: HttpRequest) -> str | None:
    """Where a request comes from, as told by our own proxy where there is one.

    The proxy adds the last address of the header; the client may have written the others. None
    if the text is no address.
    """
    address: str = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        address = request.META.get("HTTP_X_FORWARDED_FOR", address).rpartition(",")[2]
    try:
        return str(ip_address(address.strip().partition("%")[0]))
    except ValueError:
        return None


def study_or_404(name: str) -> Study:
    """The study that an address names, `slug` (newest version) or `slug@version`."""
    try:
        return find_study(name)
    except StudyNotFound as error:
        raise Http404(capfirst(str(error))) from None


def first_or_404(rows: QuerySet[Row], missing: str) -> Row:
    """The first of some rows. Raises Http404 that says what is `missing`."""
    row = rows.first()
    if row is None:
        raise Http404(missing)
    return row


def valid_or_404(form: Form) -> None:
    """Raises Http404 that names the first part of an address that `form` does not take."""
    for name, problems in form.errors.items():
        raise Http404(f"{name} in the address: {problems[0]}")
