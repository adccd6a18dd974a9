"""Sessions in the database, looked up by what can be a key alone."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import VALID_KEY_CHARS


class SessionStore(db.SessionStore):
    """Django's, but a cookie that no key can be is no session: PostgreSQL refuses to be asked
    for text with a NUL."""

    def __init__(self, session_key: str | None = None) -> None:
        super().__init__(session_key if set(session_key or "") <= set(VALID_KEY_CHARS) else None)
