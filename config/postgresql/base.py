"""PostgreSQL may stop answering: frozen, or behind a network that drops everything.

TCP detects a machine that is gone, but not a frozen server: its kernel still acknowledges. So a
page stops waiting at its deadline (see `config.deadline`), and closes the connection.
"""

from time import monotonic
from types import SimpleNamespace
from typing import Any

import psycopg
from django.conf import settings
from django.db.backends.postgresql import base
from psycopg.abc import RV, PQGen

from config.deadline import seconds_left, within

#: How often a wait checks for Ctrl-C, as in psycopg.
INTERVAL_SECONDS = 0.1
#: Time limit for testing a persistent connection: a working server answers at once.
HEALTH_SECONDS = 3.0
#: After a failed connection, the other threads of this process don't try for this long: their pages
#: fail at once instead of after a wait.
SILENT_SECONDS = 1.0


class Connection(psycopg.Connection[Any]):
    """A connection that waits at most until the page's deadline."""

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
    """Django's backend with these connections."""

    Database = SimpleNamespace(  # type: ignore[assignment]  # a module, but for one function
        **{**vars(psycopg), "connect": Connection.connect}
    )
    _silent_until = 0.0

    def get_connection_params(self) -> dict[str, Any]:
        """The settings' parameters; the server also cancels a page's statement that takes
        too long.
        """
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
