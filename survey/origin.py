"""Where a change comes from: a page, the API, a command or a worker. Pure.

Web processes and workers say so at the start of each request or task; what says nothing is a
command.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

WEB, API, COMMAND, WORKER = "web", "api", "command", "worker"
_origin: ContextVar[str] = ContextVar("origin", default=COMMAND)


def current_origin() -> str:
    """Where the running code was started from."""
    return _origin.get()


@contextmanager
def started_from(origin: str) -> Iterator[None]:
    """Changes in this block come from `origin`."""
    before = _origin.set(origin)
    try:
        yield
    finally:
        _origin.reset(before)


def is_started_from(origin: str) -> None:
    """All further changes of this thread come from `origin`."""
    _origin.set(origin)
