"""Filters of every log: no private links, and the same failure once in ten seconds.

All processes use both: Django and Celery through the settings, gunicorn as `GunicornLogger`.
"""

import logging
import re
import threading
import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

from config.outages import is_outage

#: Participants' addresses: any part of a query may identify them or let another person act as them;
#: so may a withdrawal token, and the secret of a colleague's invitation. Searches of the admin
#: pages may contain a Prolific ID.
QUERY = re.compile(r"""(/(?:s|admin)/[^\s?"'<>]*\?)[^\s"'<>]+""")
TOKEN = re.compile(r"""(/s/[^/\s?"'<>]+/withdraw/|/invitations/)[^/\s?"'<>]+""")
#: PostgreSQL quotes values of a refused row.
DETAIL = re.compile(r"^DETAIL:.*$", re.MULTILINE)
SECONDS = 10.0
MOST_KINDS = 1000


def masked(text: str) -> str:
    """The text without the private parts of participants' addresses."""
    return DETAIL.sub("DETAIL: …", TOKEN.sub(r"\1…", QUERY.sub(r"\1…", text)))


class MaskingFormatter(logging.Formatter):
    """Masks the whole text, tracebacks included. An outage of the database is one line."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and is_outage(error):
            record = copy(record)
            said = record.getMessage()
            reason = str(error).strip().partition("\n")[0]
            told = "" if reason in said else f": {type(error).__name__}: {reason}"
            record.msg = said + told
            record.args = record.exc_info = record.exc_text = None
        return masked(super().format(record))


@dataclass
class _Kind:
    since: float
    suppressed: int = 0


class OnceInAWhile(logging.Filter):
    """Passes a warning or an error once in ten seconds, and counts equal ones in between.

    Equal means: the same exception from the same line, any outage of the database, or the same
    text.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.clock = clock
        self._kinds: dict[object, _Kind] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        now, kind = self.clock(), _kind_of(record)
        with self._lock:
            if len(self._kinds) > MOST_KINDS:
                self._kinds.clear()
            known = self._kinds.get(kind)
            if known is not None and now - known.since < SECONDS:
                known.suppressed += 1
                return False
            self._kinds[kind] = _Kind(now)
        if known is not None and known.suppressed:
            since = round(now - known.since)
            record.msg = f"{record.getMessage()} ({known.suppressed} more in the last {since} s)"
            record.args = None
        return True


def _kind_of(record: logging.LogRecord) -> object:
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return record.name, record.levelno, record.getMessage()
    if is_outage(error):
        return "outage"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else None
    return record.name, type(error), place
