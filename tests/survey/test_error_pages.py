"""Pages of last resort: they need no context, no database and no file."""

import sqlite3
from collections.abc import Callable

import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory
from django.views import defaults

from config import urls
from config.outages import server_error


def in_an_outage(request: HttpRequest) -> HttpResponse:
    return failed(OperationalError("connection timeout expired"))


def failed(error: Exception) -> HttpResponse:
    """What is answered where a view raises this."""
    try:
        raise error
    except type(error):
        return server_error(RequestFactory().get("/anywhere/"))


@pytest.mark.parametrize(
    ("view", "status", "title"),
    [
        (lambda request: defaults.bad_request(request, ValueError()), 400, "We could not read"),
        (lambda request: defaults.permission_denied(request, ValueError()), 403, "is not open to"),
        (lambda request: defaults.page_not_found(request, Http404()), 404, "does not exist"),
        (defaults.server_error, 500, "Something went wrong on our side"),
        (in_an_outage, 503, "cannot answer right now"),
    ],
    ids=["400", "403", "404", "500", "503"],
)
def test_error_page_says_what_to_do(
    view: Callable[[HttpRequest], HttpResponse], status: int, title: str
) -> None:
    reply = view(RequestFactory().get("/anywhere/"))
    html = reply.content.decode()
    assert reply.status_code == status
    assert title in html.partition("<h1>")[2].partition("</h1>")[0]
    assert "open its" in html and "you will continue where you left off" in " ".join(html.split())
    assert "/static/" not in html


def sqlite_says(message: str, code: int) -> OperationalError:
    """An error as Django passes it on."""
    cause = sqlite3.OperationalError(message)
    cause.sqlite_errorcode = code
    error = OperationalError(message)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OperationalError("server closed the connection unexpectedly"), 503),
        (InterfaceError("connection already closed"), 503),
        (sqlite_says("database is locked", sqlite3.SQLITE_BUSY), 503),
        (sqlite_says("no such table: survey_study", sqlite3.SQLITE_ERROR), 500),
        (ProgrammingError("no such column"), 500),
        (ValueError(), 500),
    ],
    ids=str,
)
def test_only_an_outage_is_said_to_pass_by_itself(error: Exception, status: int) -> None:
    reply = failed(error)
    assert (reply.status_code, reply.get("Retry-After")) == (
        status,
        "60" if status == 503 else None,
    )


def test_site_uses_these_pages() -> None:
    assert urls.handler500 == "config.outages.server_error"
