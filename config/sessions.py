"""Sessions in the database, looked up only by possible keys; those of accounts have two limits.

Only accounts have such sessions: participants are known by a cookie of their own
(`survey/access.py`).
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.base_session import AbstractBaseSession
from django.utils import timezone

#: When the account logged in, in seconds since 1970.
STARTED = "started_at"
#: A request within so long of the last noted one is not noted: most requests write nothing.
NOTED_EVERY = timedelta(minutes=1)


class SessionStore(db.SessionStore):
    """Django's, but a cookie that can't be a key has no session (PostgreSQL refuses queries for
    text with a NUL), and an account's session ends SESSION_IDLE_HOURS after its last request and
    SESSION_DAYS after the login.

    The end is the row's `expire_date`. It moves without a change of the session's data, so a
    request beside a form never overwrites what the form stored.
    """

    def __init__(self, session_key: str | None = None) -> None:
        super().__init__(session_key if set(session_key or "") <= set(VALID_KEY_CHARS) else None)

    def load(self) -> dict[str, Any]:
        row = self._get_session_from_db()  # type: ignore[attr-defined]  # not in its stubs
        data: dict[str, Any] = self.decode(row.session_data) if row else {}
        if row is None or SESSION_KEY not in data:
            return data
        now = timezone.now()
        if STARTED not in data:  # it is older than these limits
            data[STARTED] = now.timestamp()
            self.modified = True
        end = _end(data, now)
        if end <= now:
            self._session_key = None
            return {}
        if abs(end - row.expire_date) > NOTED_EVERY:
            self.model.objects.filter(pk=row.pk).update(expire_date=end)
        return data

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        if SESSION_KEY in data:
            data.setdefault(STARTED, timezone.now().timestamp())
        return super().create_model_instance(data)

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        """When the row ends."""
        if SESSION_KEY in self:
            return _end(self, timezone.now())
        return super().get_expiry_date(**kwargs)

    def get_expiry_age(self, **kwargs: Any) -> int:
        """When the browser forgets the cookie, in seconds: not before the longest session ends."""
        if SESSION_KEY in self:
            return round(timedelta(days=settings.SESSION_DAYS).total_seconds())
        return super().get_expiry_age(**kwargs)


def _end(data: Any, now: datetime) -> datetime:
    """When an account's session ends if `now` has its last request."""
    started = datetime.fromtimestamp(data[STARTED], UTC)
    return min(
        now + timedelta(hours=settings.SESSION_IDLE_HOURS),
        started + timedelta(days=settings.SESSION_DAYS),
    )
