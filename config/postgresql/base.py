"""PostgreSQL may fall silent: frozen, or behind a network that drops everything.

TCP notices a machine that is gone, but not a server that is frozen: its kernel goes on
acknowledging. So a page stops waiting by itself (see `config.deadline`), and closes a connection
whose answer nobody waits for any more.
"""

from time import monotonic
from types import SimpleNamespace
from typing import Any

import psycopg
from django.conf import settings
from django.db.backends.postgresql import base
from psycopg.abc import RV, PQGen

from config.deadline import seconds_left, within

#: How often a wait looks for Ctrl-C, as psycopg's own.
INTERVAL_SECONDS = 0.1
#: A kept connection is asked whether it still works: a sound server answers at once.
HEALTH_SECONDS = 3.0
#: After a connection could not be made in time, the other threads of this process don't try
#: theirs for so long: their pages say at once what they would say after a wait.
SILENT_SECONDS = 1.0


class Connection(psycopg.Connection[Any]):
    """A connection that waits no longer than the page has left."""

    def wait(
        self, gen: PQGen[RV], interval: float = INTERVAL_SECONDS, timeout: float | None = None
    ) -> RV:
        left = seconds_left()
        if left is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, left if timeout is None else min(left, timeout))
        except psycopg.OperationalError:
            if seconds_left():
                raise
            self.close()
            raise psycopg.OperationalError("PostgreSQL did not answer in time") from None


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, with such connections."""

    Database = SimpleNamespace(  # type: ignore[assignment]  # a module, but for one function
        **{**vars(psycopg), "connect": Connection.connect}
    )
    _silent_until = 0.0

    def get_connection_params(self) -> dict[str, Any]:
        """Those of the settings; the server, too, ends a page's statement that takes too long."""
        parameters: dict[str, Any] = super().get_connection_params()
        if seconds_left() is not None:
            limit = round(settings.DATABASE_SECONDS * 1000)
            parameters["options"] = (
                f"{parameters.get('options', '')} -c statement_timeout={limit}"
                f" -c idle_in_transaction_session_timeout={4 * limit}"
            )
        return parameters

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if monotonic() < DatabaseWrapper._silent_until:
            raise psycopg.OperationalError("PostgreSQL is silent; not asked again for a second")
        try:
            return super().get_new_connection(conn_params)
        except psycopg.errors.ConnectionTimeout:
            DatabaseWrapper._silent_until = monotonic() + SILENT_SECONDS
            raise

    def is_usable(self) -> bool:
        with within(HEALTH_SECONDS):
            return bool(super().is_usable())
