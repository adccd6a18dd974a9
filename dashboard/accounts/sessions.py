"""Where an account is logged in: its sessions, and ending them.

Sessions have no column for their account. There are only as many as researchers are logged in, so
all are read.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from config.sessions import STARTED
from dashboard.accounts.browsers import browser_called
from dashboard.shared.log import record

#: What the browser called itself at the login.
BROWSER = "browser"
ENDED = "sessions ended"


@dataclass(frozen=True)
class LoggedIn:
    """A session, without the secret by which the browser proves that it has it."""

    name: str
    browser: str
    since: datetime
    #: When it ends if there is no further request.
    ends: datetime


def sessions_of(user: User) -> list[LoggedIn]:
    """Those that are logged in, the newest first."""
    current = [
        LoggedIn(
            name_of(row.session_key),
            browser_called(data.get(BROWSER, "")),
            datetime.fromtimestamp(data[STARTED], UTC),
            row.expire_date,
        )
        for row, data in _rows(user)
        # A change of the password makes the others worthless.
        if constant_time_compare(data.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
    ]
    return sorted(current, key=lambda one: one.since, reverse=True)


def end_sessions(
    user: User, *, author: User | None, only: str | None = None, but: str | None = None
) -> int:
    """End the sessions of an account: all, `only` one, or all `but` one. Returns how many."""
    keys = {name_of(row.session_key): row.session_key for row, _ in _rows(user)}
    chosen = [key for name, key in keys.items() if name != but and (not only or name == only)]
    Session.objects.filter(pk__in=chosen).delete()
    if chosen:
        record(None, author, ENDED, person=user.get_username(), sessions=len(chosen))
    return len(chosen)


def name_of(session_key: str | None) -> str:
    """What a page calls a session: its key is a secret."""
    return salted_hmac("fivefold.session", session_key or "").hexdigest()[:16]


def _rows(user: User) -> Iterator[tuple[Session, dict[str, Any]]]:
    for row in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        data = row.get_decoded()
        if data.get(SESSION_KEY) == str(user.pk):
            yield row, data
