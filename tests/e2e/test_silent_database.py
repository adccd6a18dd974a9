"""PostgreSQL falls silent: nothing is refused and nothing answered, as behind a dead network."""

import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from config.postgresql.base import SILENT_SECONDS
from tests.e2e.installation import Installation, new_installation, own_database, prepared
from tests.e2e.person import OpenPage, somebody
from tests.e2e.small import choose, values_and_revisions
from tests.e2e.studies import open_small
from tests.hostile.targets import Visitor, fill
from tests.hostile.wire import Connection
from tests.prolific import arrival
from tests.servers.silent_proxy import SilentProxy

pytestmark = pytest.mark.postgresql
SECONDS = 2


class Site(NamedTuple):
    """An installation without a worker, and the network to its database."""

    installation: Installation
    network: SilentProxy


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("silent")
    shutil.copytree(prepared().folder, folder, dirs_exist_ok=True)
    with own_database(folder, like=prepared()) as url:
        database = urlsplit(url)
        with SilentProxy.before(database.port or 5432) as network:
            through = f"{database.username}@127.0.0.1:{network.port}"
            installation = new_installation(
                folder,
                database._replace(netloc=through).geturl(),
                DATABASE_SECONDS=str(SECONDS),
                DATABASE_CONNECT_SECONDS=str(SECONDS),
                WEB_CONCURRENCY="1",
            )
            with installation.processes:
                open_small(installation, folder, slug="small")
                installation.start("web")
                yield Site(installation, network)
                installation.processes.stop(seconds=0.5)


def test_silence_is_told_and_passes(site: Site) -> None:
    installation, network = site
    visitor = Visitor(Connection(installation.port))
    assert visitor.open(f"/s/small/{arrival('person')}") == 200
    while "/page/2/" not in visitor.path:
        visitor.go_on()
    page, answers = visitor.path, fill(visitor.html)

    with network.silence():
        before = time.monotonic()
        answer = visitor.ask("POST", page, answers)
        waited = time.monotonic() - before
        with ThreadPoolExecutor(8) as pool:  # twice as many as there are threads
            asked = [
                pool.submit(Visitor(Connection(installation.port)).open, "/s/small/")
                for _ in range(8)
            ]
            statuses = [future.result() for future in asked]
        waited_all = time.monotonic() - before - waited
    assert (answer.status, answer.header("retry-after")) == (503, "60")
    assert b"nothing that you sent before is lost" in b" ".join(answer.body.split())
    assert statuses == [503] * 8
    # Each waits at most for a kept connection and for a new one, and a thread does so twice.
    assert waited < 2 * SECONDS + 2
    assert waited_all < 2 * (2 * SECONDS + 2)

    over = time.monotonic()
    while visitor.open(page, answers) == 503:  # for a second more, nobody asks it
        assert time.monotonic() - over < 10
    assert visitor.path == "/s/small/page/3/"
    assert installation.query("SELECT count(*) FROM survey_rating") == [(3,)]
    log = installation.processes.running["web"].log.read_text()
    lines = [line for line in log.splitlines() if "Service Unavailable" in line]
    assert 1 <= len(lines) <= 2
    assert "Traceback" not in log


def test_what_was_chosen_meanwhile_is_there_when_the_page_comes_back(
    site: Site, new_page: OpenPage
) -> None:
    person = somebody(site.installation, "small", new_page(phone=True))
    person.begin()
    choose(person, "3")
    with site.network.silence():
        person.press("Continue")
        heading = person.page.get_by_role("heading", level=1)
        expect(heading).to_have_text("This site cannot answer right now")
    time.sleep(SILENT_SECONDS)  # in which threads without a connection do not ask for one
    person.page.go_back()
    assert person.chosen() == ["3", "3", "3"]
    person.press("Continue")
    assert person.number == 3
    assert values_and_revisions(person) == [(3, 0)] * 3
