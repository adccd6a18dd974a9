"""An installation of its own: nothing but these tests may change its rows."""

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import browser  # noqa: F401  a fixture
from tests.e2e.installation import Installation, running_installation


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with running_installation(tmp_path_factory.mktemp("hostile"), worker=False) as running:
        yield running
