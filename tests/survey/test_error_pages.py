"""Pages of last resort: they need no context, no database and no file."""

from collections.abc import Callable

import pytest
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory
from django.views import defaults


@pytest.mark.parametrize(
    ("view", "status", "title"),
    [
        (lambda request: defaults.bad_request(request, ValueError()), 400, "We could not read"),
        (lambda request: defaults.permission_denied(request, ValueError()), 403, "is not open to"),
        (lambda request: defaults.page_not_found(request, Http404()), 404, "does not exist"),
        (defaults.server_error, 500, "Something went wrong on our side"),
    ],
    ids=["400", "403", "404", "500"],
)
def test_error_page_says_what_to_do(
    view: Callable[[HttpRequest], HttpResponse], status: int, title: str
) -> None:
    reply = view(RequestFactory().get("/anywhere/"))
    html = reply.content.decode()
    assert reply.status_code == status
    assert title in html.partition("<h1>")[2].partition("</h1>")[0]
    assert "open its" in html and "you will continue where you were" in " ".join(html.split())
    assert "/static/" not in html
