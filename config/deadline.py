"""How long a page may wait for the database.

A request has a deadline, so a database that does not answer blocks no thread for ever. Workers and
commands have none: their queries can take long.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from django.conf import settings
from django.http import HttpRequest, HttpResponse

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


def seconds_left() -> float | None:
    """Seconds until the deadline, 0 after it; None if there is none."""
    deadline = _deadline.get()
    return None if deadline is None else max(0.0, deadline - monotonic())


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """A deadline for the block; an earlier one still applies."""
    left = seconds_left()
    token = _deadline.set(monotonic() + (seconds if left is None else min(seconds, left)))
    try:
        yield
    finally:
        _deadline.reset(token)


def database_deadline(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: all queries of a page together get DATABASE_SECONDS.

    Streamed content has no deadline: a long download continues.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        with within(settings.DATABASE_SECONDS):
            return get_response(request)

    return middleware
