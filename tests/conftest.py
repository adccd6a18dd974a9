"""What every test can use. The shape under test comes from the environment (see `run.py`)."""

import gc
import os
import re
from contextlib import ExitStack
from pathlib import Path
from socketserver import StreamRequestHandler

import pytest
from django.conf import settings

from tests.e2e.installation import place_for_prepared
from tests.run import SHARES, changed_last, share_of_files
from tests.statements import chosen

pytest_plugins = ["tests.approved"]

# Looking for cycles among all that pandas and pytest keep took a tenth of the time.
gc.set_threshold(50_000, 20, 20)
# A live server sends the head and the body of an answer apart: without this, the second waits until
# the first is acknowledged, which takes 40 ms.
StreamRequestHandler.disable_nagle_algorithm = True


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--skip-pure",
        action="store_true",
        help="leave out what no database or broker can change: it ran on the first shape",
    )
    parser.addoption(
        "--quick",
        action="store_true",
        help="only what needs neither a database nor a server, and little computing",
    )
    parser.addoption(
        "--approve",
        action="store_true",
        help="write the texts that tests compare into their documents: see tests/approved.py",
    )
    parser.addoption(
        "--in-turn",
        type=int,
        metavar="N",
        help=f"of what takes turns only share N of {SHARES}, from 0: see `takes_turns`",
    )
    parser.addoption(
        "--long",
        action="store_true",
        help="tests marked `long`, more simulated studies and raters, ten times the hostile "
        "requests: what `make test-long` adds",
    )


def pytest_configure(config: pytest.Config) -> None:
    published_file()
    if not hasattr(config, "workerinput"):  # the process that starts those of pytest-xdist, if any
        at_end = ExitStack()
        config.add_cleanup(at_end.close)
        os.environ.update(at_end.enter_context(place_for_prepared()))


def pytest_report_header() -> list[str]:
    database = settings.DATABASES["default"]["ENGINE"].rpartition(".")[2]
    path = published_file()
    checked = f"checked in addition, {path}" if path else "not checked, no PUBLISHED_RESPONSES"
    return [
        f"shape: {database}, broker {settings.CELERY_BROKER_URL.partition(':')[0]}",
        f"published responses: {checked}",
    ]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skipped test checks nothing, so a run with one does not pass."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and terminal.stats.get("skipped"):
        terminal.write_line("\nThe run fails because tests were skipped", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def published_file() -> Path | None:
    """The responses of the published study, which are not part of this repository."""
    name = os.environ.get("PUBLISHED_RESPONSES")
    if not name:
        return None
    path = Path(name).resolve()
    if not path.is_file():
        raise pytest.UsageError(
            f"PUBLISHED_RESPONSES is not a file: {path}. Correct the path, or unset the variable"
        )
    return path


@pytest.fixture(scope="session")
def published_responses() -> Path:
    """The published study's responses.csv. Without it, tests that ask for it are deselected."""
    path = published_file()
    assert path is not None
    return path


@pytest.fixture(scope="session")
def long_run(request: pytest.FixtureRequest) -> bool:
    """Whether to check by as many random cases as `make test-long` has time for."""
    return bool(request.config.getoption("--long"))


HERE = Path(__file__).parent
#: Where tests start an installation whatever their fixture is called.
END_TO_END = HERE / "e2e"
SERVERS = {"installation", "live_server", "server_with", "walks"}
STARTING = {"browser", *SERVERS}
#: Fixtures that compute a whole analysis.
ANALYSED = {"run", "run_with_simulated"}
#: Folders of `analysis` whose tests know no database.
PURE = ("figures", "judges", "metrics", "planning", "raters", "stats", "tables", "text")
#: Folders that a run does not even read: none of their tests belongs to it, or hardly one.
UNREAD = {
    "--skip-pure": [
        HERE / "examples",
        *(HERE / "analysis" / name for name in PURE),
    ],
    "--quick": [
        *(HERE / name for name in ("dashboard", "e2e", "examples", "hostile")),
        # Their tests compute whole tables or load models, tens of them a second at best.
        *(HERE / "analysis" / name for name in ("figures", "judges", "metrics", "tables")),
    ],
}
#: Nor files whose tests all have such a mark.
UNREAD_MARKS = {
    "--skip-pure": re.compile(r"(?m)^pytestmark = .*\bmark\.embedded\b"),
    "--quick": re.compile(r"(?m)^pytestmark = .*\bmark\.(django_db|e2e|slow|in_turn)\b"),
}
ON_POSTGRESQL_ALONE = ("postgresql", "writers_side_by_side")
SHAPED = {"db", "transactional_db", *SERVERS}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    options = [option for option in UNREAD if config.getoption(option)]
    if any(collection_path in UNREAD[option] for option in options):
        return True
    if options and collection_path.suffix == ".py":
        text = collection_path.read_text()
        return True if any(UNREAD_MARKS[option].search(text) for option in options) else None
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        starts = STARTING.intersection(getattr(item, "fixturenames", ()))
        if starts or item.path.parent == END_TO_END:
            item.add_marker("e2e")
        if ANALYSED.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
    # Files that start servers or browsers take longest, then those that compute; with the last of
    # them at work alone, the other processes of a run had nothing to do for minutes.
    starting, slow = (
        {item.path for item in items if item.get_closest_marker(name)} for name in ("e2e", "slow")
    )
    items.sort(key=lambda item: (item.path not in starting, item.path not in slow))
    excluded = {item for item in items if is_excluded(item, config)}
    excluded |= not_their_turn([item for item in items if item not in excluded], config)
    config.hook.pytest_deselected(items=list(excluded))
    items[:] = [item for item in items if item not in excluded]


def is_excluded(item: pytest.Item, config: pytest.Config) -> bool:
    """Whether a test is not for this shape or run, or compares with a file that is not given."""
    on_sqlite = settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")
    return bool(
        (on_sqlite and any(map(item.get_closest_marker, ON_POSTGRESQL_ALONE)))
        or (config.getoption("--skip-pure") and not is_shaped(item))
        or (
            config.getoption("--quick")
            and (uses_services(item) or any(map(item.get_closest_marker, ("slow", "in_turn"))))
        )
        or (item.get_closest_marker("long") and not config.getoption("--long"))
        or ("published_responses" in getattr(item, "fixturenames", ()) and not published_file())
    )


def not_their_turn(items: list[pytest.Item], config: pytest.Config) -> set[pytest.Item]:
    """What takes turns and is in another share, unless its file is among the last changed."""
    share = config.getoption("--in-turn")
    if share is None:
        return set()
    taking = [item for item in items if takes_turns(item, config)]
    files = {item.path for item in taking}
    mine = share_of_files(files, share) | changed_last(files)
    return {item for item in taking if item.path not in mine}


def takes_turns(item: pytest.Item, config: pytest.Config) -> bool:
    """Whether some commits do without a test: the marked ones, and on the second shape all that
    ran on the first and is not needed to execute each SQL statement.
    """
    on_second = config.getoption("--skip-pure")
    if on_second and item.nodeid in chosen():
        return False
    if item.get_closest_marker("in_turn"):
        return True
    return on_second and not any(map(item.get_closest_marker, ON_POSTGRESQL_ALONE))


def is_shaped(item: pytest.Item) -> bool:
    """Whether a test may come out differently on another database or broker."""
    return uses_services(item) and not item.get_closest_marker("embedded")


def uses_services(item: pytest.Item) -> bool:
    """Whether a test touches a database or a broker."""
    return bool(
        SHAPED.intersection(getattr(item, "fixturenames", ()))
        or item.get_closest_marker("django_db")
        or item.get_closest_marker("e2e")
    )
