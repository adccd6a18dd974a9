"""The audit log: writing a line, and the middleware that tells where lines come from.

`overview.events` has the words, `overview.log` reads it.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from dashboard.shared.access import needs_of, study_or_404
from survey.models import Study, StudyEvent
from survey.origin import API, WEB, started_from

DOWNLOADED = "downloaded"
#: The same file for the same person is one line in this time: programs read page by page.
SAME_DOWNLOAD = timedelta(minutes=10)


def record(
    study: Study | None, author: User | AnonymousUser | None, action: str, **detail: Any
) -> None:
    """Write a line about a study, or about an account where there is none.

    `overview.events` says the whole numbers in `detail`, `name` and `person`.
    """
    known = author if isinstance(author, User) else None
    StudyEvent.objects.create(study=study, author=known, action=action, detail=detail)


def keep_log(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: lines of a request say whether it came to a page or to the API; each download
    leaves one. A file is not sent if its line can't be written.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        with started_from(API if request.path_info.startswith("/api/") else WEB):
            response = get_response(request)
            match = request.resolver_match
            if (
                match is not None
                and request.method == "GET"
                and response.status_code == 200
                and (rule := needs_of(match.func)) is not None
                and rule.is_download
            ):
                _record_download(request, match.kwargs.get("name", ""))
        return response

    return middleware


def _record_download(request: HttpRequest, name: str) -> None:
    assert isinstance(request.user, User)
    study = study_or_404(name) if name else None
    file = request.path_info.partition(f"/studies/{name}/")[2] if name else request.path_info
    since = timezone.now() - SAME_DOWNLOAD
    same = StudyEvent.objects.filter(study=study, author=request.user, action=DOWNLOADED)
    if not same.filter(at__gt=since, detail__name=file).exists():
        record(study, request.user, DOWNLOADED, name=file)
