"""Limits for requests, checked by their length before they are read.

Participants, and programs by the API, send short texts. Researchers send files, which Django stores
on disk while it reads them, so these have a limit too.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import get_template

PARTICIPANTS = "/s/"
#: As in deploy/Caddyfile.
LARGEST_UPLOAD = 50 * 1000 * 1000


def refuse_large_bodies(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: 413 for a body that is too long, 411 for one without a length.

    Accepted requests to participants' pages fit into memory: none is stored on disk.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        status = _refusal(request)
        if status is None:
            return get_response(request)
        if status == 413 and not _is_of_participants(request):
            page = get_template("dashboard/too_large.html").render(
                {"largest_mb": _largest(request) // 1000**2}
            )
        else:
            page = get_template("400.html").render()
        return HttpResponse(page, status=status)

    return middleware


def _is_of_participants(request: HttpRequest) -> bool:
    return request.path_info.startswith(PARTICIPANTS)


def _largest(request: HttpRequest) -> int:
    """Files alone may be large: JSON of 50 MB becomes objects of gigabytes."""
    has_files = request.META.get("CONTENT_TYPE", "").lower().startswith("multipart/form-data")
    if has_files and not _is_of_participants(request):
        return LARGEST_UPLOAD
    return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


def _refusal(request: HttpRequest) -> int | None:
    length = request.META.get("CONTENT_LENGTH") or "0"
    if "HTTP_TRANSFER_ENCODING" in request.META:
        return 411
    if not length.isdecimal() or len(length) > 18 or int(length) > _largest(request):
        return 413
    return None
