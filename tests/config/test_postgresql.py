"""A page stops waiting for PostgreSQL by itself; workers and commands wait as long as it takes."""

from collections.abc import Iterator
from time import monotonic

import pytest
from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from config.deadline import seconds_left, within
from tests.servers.silent_proxy import SilentProxy


def test_deadline_of_a_block_ends_with_it_and_never_grows() -> None:
    assert seconds_left() is None
    with within(5):
        with within(60):
            assert 4 < (seconds_left() or 0) <= 5
        with within(0):
            assert seconds_left() == 0
        assert (seconds_left() or 0) > 4
    assert seconds_left() is None


@pytest.fixture
def network(db: None) -> Iterator[SilentProxy]:
    with SilentProxy.before(int(connection.settings_dict["PORT"])) as proxy:
        yield proxy


@pytest.fixture
def database(network: SilentProxy) -> Iterator[BaseDatabaseWrapper]:
    """The test database, through a network that may fall silent."""
    wrapper = connection.copy(alias="through the network")
    wrapper.settings_dict |= {"HOST": "127.0.0.1", "PORT": network.port}
    type(wrapper)._silent_until = 0  # type: ignore[attr-defined]  # ours
    yield wrapper
    wrapper.close()
    type(wrapper)._silent_until = 0  # type: ignore[attr-defined]


def ask(database: BaseDatabaseWrapper, statement: str = "SELECT 1") -> object:
    with database.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


@pytest.mark.postgresql
def test_page_waits_no_longer_than_its_deadline(
    database: BaseDatabaseWrapper, network: SilentProxy
) -> None:
    assert ask(database) == 1
    before = monotonic()
    with network.silence(), within(0.3), pytest.raises(OperationalError, match="not answer in tim"):
        ask(database)
    assert 0.3 <= monotonic() - before < 2
    assert database.connection.closed  # its late answer is nobody's
    database.close()
    assert ask(database) == 1


@pytest.mark.postgresql
def test_kept_connection_that_is_dead_is_replaced(
    database: BaseDatabaseWrapper, network: SilentProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("config.postgresql.base.HEALTH_SECONDS", 0.2)
    ask(database)
    with network.silence():
        assert not database.is_usable()


@pytest.mark.postgresql
def test_one_connection_that_could_not_be_made_speaks_for_the_next(
    database: BaseDatabaseWrapper, network: SilentProxy
) -> None:
    database.settings_dict["OPTIONS"] = {**database.settings_dict["OPTIONS"], "connect_timeout": 2}
    with network.silence(), within(10):
        with pytest.raises(OperationalError, match="connection timeout expired"):
            ask(database)
        before = monotonic()
        with pytest.raises(OperationalError, match="is silent; not asked again"):
            ask(database)
        assert monotonic() - before < 0.5


@pytest.mark.postgresql
def test_server_ends_the_statements_of_pages_alone(database: BaseDatabaseWrapper) -> None:
    assert ask(database, "SHOW statement_timeout") == "0"
    assert ask(database, "SHOW client_connection_check_interval") == "10s"
    assert ask(database, "SHOW random_page_cost") == "1.1"
    database.close()
    with within(60):
        assert ask(database, "SHOW statement_timeout") == "15s"
        assert ask(database, "SHOW idle_in_transaction_session_timeout") == "1min"


@pytest.mark.postgresql
def test_machine_that_is_gone_is_noticed(database: BaseDatabaseWrapper) -> None:
    ask(database)
    given = database.connection.info.get_parameters()
    assert {
        name: given[name] for name in ("connect_timeout", "tcp_user_timeout", "keepalives_idle")
    } == {"connect_timeout": "5", "tcp_user_timeout": "30000", "keepalives_idle": "30"}
