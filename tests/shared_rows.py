"""Rows that are made once for all tests of a file."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from pytest_django import DjangoDbBlocker


@contextmanager
def undone_after_the_file(blocker: DjangoDbBlocker) -> Iterator[None]:
    """What fixtures of the module write meanwhile is there for each of its tests with `db`.

    It is a transaction around those of the tests, each of which undoes its own changes alone. So
    no test of the file may be `transactional_db`: nobody but this connection sees these rows.
    """
    with blocker.unblock():
        around = transaction.atomic()
        around.__enter__()
    yield
    with blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)
