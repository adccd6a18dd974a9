"""How long a page may wait for the database.

A request has a deadline, so that a silent database holds no thread for ever. Workers and commands
have none: what they ask may take its time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from django.conf import settings
from django.http import HttpRequest, HttpResponse

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


def seconds_left() -> float | None:
    """Until the deadline, 0 once it is over; None where there is none."""
    deadline = _deadline.get()
    return None if deadline is None else max(0.0, deadline - monotonic())


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """A deadline for the block; an earlier one stays in force."""
    left = seconds_left()
    token = _deadline.set(monotonic() + (seconds if left is None else min(seconds, left)))
    try:
        yield
    finally:
        _deadline.reset(token)


def database_deadline(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: a page gets DATABASE_SECONDS of the database's time, all its questions together.

    What is streamed after that has no deadline: a long download goes on.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        with within(settings.DATABASE_SECONDS):
            return get_response(request)

    return middleware
