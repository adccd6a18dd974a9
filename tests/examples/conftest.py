"""What tests share that fill the database once for a whole file."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker


@pytest.fixture(scope="module")
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Open for all tests of the module, and empty afterwards."""
    with django_db_blocker.unblock():
        yield
        call_command("flush", verbosity=0, interactive=False)
