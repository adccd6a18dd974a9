"""What every test can use. The shape under test comes from the environment (see `run.py`)."""

import gc
import os
import re
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from socketserver import StreamRequestHandler
from typing import Any

import pytest
from django.conf import settings

from tests.e2e.installation import place_for_prepared

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
        "--long",
        action="store_true",
        help="more random cases: tests marked `long`, more simulated studies and raters, ten times "
        "the hostile requests",
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
    """A skipped test checks nothing, so a run with one does not pass; nor does one that lost a test
    on the way.
    """
    config = session.config
    if hasattr(config, "workeroutput"):  # of pytest-xdist
        config.workeroutput["counts"] = config.stash[COUNTS]
        return
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or config.option.collectonly or COUNTS not in config.stash:
        return
    counts = config.stash[COUNTS]
    ran = len(
        {
            report.nodeid
            for reports in terminal.stats.values()
            for report in reports
            if isinstance(report, pytest.TestReport)
        }
    )
    left_out = "".join(f", {n:,} left out: {why}" for why, n in sorted(counts["left_out"].items()))
    terminal.write_line(f"\nTests: {counts['collected']:,} collected{left_out}; {ran:,} ran")
    wrong = []
    if terminal.stats.get("skipped"):
        wrong.append("tests were skipped")
    if ran != counts["to_run"]:
        wrong.append(f"{counts['to_run']:,} tests should have run")
    if wrong and session.exitstatus == pytest.ExitCode.OK:
        terminal.write_line(f"The run fails: {'; '.join(wrong)}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Each process of pytest-xdist collects the same tests."""
    counts = getattr(node, "workeroutput", {}).get("counts")
    if counts:
        node.config.stash[COUNTS] = counts


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


#: How many tests were collected, left out by reason, and are to run.
COUNTS = pytest.StashKey[dict[str, Any]]()
HERE = Path(__file__).parent
#: Where tests start an installation whatever their fixture is called.
END_TO_END = HERE / "e2e"
SERVERS = {"installation", "live_server", "server_with", "walks"}
STARTING = {"browser", *SERVERS}
#: Fixtures that compute a whole analysis.
ANALYSED = {"run", "run_with_simulated"}
#: Folders that `--quick` does not even read: none of their tests belongs to it, or hardly one.
UNREAD_WHEN_QUICK = [
    *(HERE / name for name in ("dashboard", "e2e", "examples", "hostile")),
    # Their tests compute whole tables or load models, tens of them a second at best.
    *(HERE / "analysis" / name for name in ("figures", "judges", "metrics", "tables")),
]
#: Nor files whose tests all have such a mark.
MARKED_UNREAD_WHEN_QUICK = re.compile(r"(?m)^pytestmark = .*\bmark\.(django_db|e2e|slow)\b")
ON_POSTGRESQL_ALONE = ("postgresql", "writers_side_by_side")
SHAPED = {"db", "transactional_db", *SERVERS}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not config.getoption("--quick"):
        return None
    if collection_path in UNREAD_WHEN_QUICK:
        return True
    if collection_path.suffix == ".py":
        return bool(MARKED_UNREAD_WHEN_QUICK.search(collection_path.read_text())) or None
    return None


@pytest.hookimpl(trylast=True)  # after pytest has chosen by -k and -m
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
    reasons = {item: why for item in items if (why := why_left_out(item, config))}
    config.stash[COUNTS] = {
        "collected": len(items),
        "left_out": dict(Counter(reasons.values())),
        "to_run": len(items) - len(reasons),
    }
    config.hook.pytest_deselected(items=list(reasons))
    items[:] = [item for item in items if item not in reasons]


def why_left_out(item: pytest.Item, config: pytest.Config) -> str | None:
    """Why a test is not for this shape or run, or None where it runs."""
    on_sqlite = settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")
    second, quick, long = (config.getoption(f"--{name}") for name in ("skip-pure", "quick", "long"))
    marked = item.get_closest_marker
    needs_published = "published_responses" in getattr(item, "fixturenames", ())
    reasons = {
        "only for PostgreSQL": on_sqlite and any(map(marked, ON_POSTGRESQL_ALONE)),
        "no database": second and not uses_services(item),
        "embedded": second and marked("embedded"),
        "not quick": quick and (uses_services(item) or marked("slow")),
        "long": not long and marked("long"),
        "no PUBLISHED_RESPONSES": needs_published and not published_file(),
    }
    return next((why for why, applies in reasons.items() if applies), None)


def uses_services(item: pytest.Item) -> bool:
    """Whether a test touches a database or a broker."""
    return bool(
        SHAPED.intersection(getattr(item, "fixturenames", ()))
        or item.get_closest_marker("django_db")
        or item.get_closest_marker("e2e")
    )
