"""What may be sent, decided by its length before any of it is read.

Participants send short forms. Researchers send files, which Django keeps on the disk while it reads
them, so these have a limit, too.
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
    """Middleware: 413 for a body that is too long, 411 for one that does not say how long it is.

    What is left for participants' pages fits into memory: no file of theirs reaches the disk.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        status = _refusal(request)
        if status is None:
            return get_response(request)
        if status == 413 and not _is_of_participants(request):
            page = get_template("dashboard/too_large.html").render(
                {"largest_mb": LARGEST_UPLOAD // 1000**2}
            )
        else:
            page = get_template("400.html").render()
        return HttpResponse(page, status=status)

    return middleware


def _is_of_participants(request: HttpRequest) -> bool:
    return request.path_info.startswith(PARTICIPANTS)


def _refusal(request: HttpRequest) -> int | None:
    largest = LARGEST_UPLOAD
    if _is_of_participants(request):
        largest = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    length = request.META.get("CONTENT_LENGTH") or "0"
    if "HTTP_TRANSFER_ENCODING" in request.META:
        return 411
    if not length.isdecimal() or len(length) > 18 or int(length) > largest:
        return 413
    return None
