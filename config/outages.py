"""Outages of the database: how to recognise the error, and the page for it."""

import sqlite3
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import get_template
from django.views import defaults

RETRY_SECONDS = 60


def is_outage(error: BaseException | None) -> bool:
    """Whether the database did not do its work: no answer, down, locked or full. A refused
    statement does not count, although SQLite uses the same error class for some.
    """
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    return getattr(error.__cause__, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR


def server_error(request: HttpRequest) -> HttpResponse:
    """The page for an exception: 503 in an outage, else Django's own for 500."""
    if not is_outage(sys.exc_info()[1]):
        return defaults.server_error(request)
    page = get_template("503.html").render()
    return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_SECONDS)})
