"""Sessions in the database, looked up only by possible keys."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import VALID_KEY_CHARS


class SessionStore(db.SessionStore):
    """Django's, but a cookie that can't be a key has no session: PostgreSQL refuses queries for
    text with a NUL.
    """

    def __init__(self, session_key: str | None = None) -> None:
        super().__init__(session_key if set(session_key or "") <= set(VALID_KEY_CHARS) else None)
