"""`manage.py serve`, the heart of `make run`: from an empty folder to a site with people in it."""

import os
import re
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import requests
from playwright.sync_api import Page, expect

from config.processes import Process, free_port
from tests.e2e.installation import new_installation, prepared
from tests.survey import small_study

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]
Serve = Callable[..., Process]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start `manage.py serve` on the test's own data folder; what still runs is stopped."""
    names = ("PATH", "HOME", "LANG")
    environment = {name: os.environ[name] for name in names if name in os.environ}
    environment |= {
        "DATA_DIR": str(tmp_path / "data"),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'data' / 'fivefold.sqlite3'}",
        "CELERY_BROKER_URL": "filesystem://localhost",
        "SECRET_KEY": "for tests only",
        "JUDGE_API_KEY": "",
        "WEB_CONCURRENCY": "1",  # each process more costs a second of computing at every start
        "WORKER_PROCESSES": "1",
    }
    with ExitStack() as stack:

        def start(port: int, **settings: str) -> Process:
            process = Process.start(
                "serve",
                [sys.executable, "manage.py", "serve", "--port", str(port)],
                environment={**environment, **settings},
                logs=tmp_path / "logs",
            )
            stack.callback(end, process)
            return process

        yield start


def end(process: Process) -> None:
    """End it and all it started at once: nobody needs what a worker would still finish."""
    for pid in descendants(process):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.stop(seconds=60)


@pytest.fixture(scope="session")
def in_use(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of an installation with a study: no start makes the example, nor raters."""
    folder = tmp_path_factory.mktemp("in-use")
    data = folder / "data"
    shutil.copytree(prepared().folder, data)
    (folder / "study.yaml").write_text(small_study.YAML, encoding="utf-8")
    (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    installation = new_installation(data, f"sqlite:///{data / 'fivefold.sqlite3'}")
    installation.manage("load_study", folder)
    return data


@pytest.fixture
def set_up(in_use: Path, tmp_path: Path) -> None:
    """The test's data folder is not empty but in use, so that a start has little to do."""
    shutil.copytree(in_use, tmp_path / "data")


def until(process: Process, pattern: str, *, seconds: float = 120) -> str:
    """Wait until something the process has said matches; returns the match's last group."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := re.search(pattern, process.log.read_text()):
            return found[found.lastindex or 0]
        assert process.exit_code is None, f"ended: {process.log.read_text()}"
        with suppress(subprocess.TimeoutExpired):
            process.child.wait(timeout=0.05)
    raise AssertionError(f"not said in {seconds} s: {pattern!r} in {process.log.read_text()}")


def descendants(process: Process) -> list[int]:
    """Every process that it started, and those that they started."""
    return children_of(process.child.pid)


def children_of(ancestor: int) -> list[int]:
    """All that descend from it."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True
    ).stdout
    parents = {
        int(pid): int(ppid)
        for pid, ppid, state in (line.split() for line in listed.splitlines())
        if not state.startswith("Z")
    }
    found, new = [], [ancestor]
    while new:
        new = [pid for pid, parent in parents.items() if parent in new]
        found += new
    return found


def still_running(pids: list[int]) -> list[int]:
    """Those that have not ended within seconds: a signal takes its time on a busy machine."""
    deadline = time.monotonic() + 10
    while (left := [pid for pid in pids if runs(pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state.rpartition(")")[2].split()[0] not in "ZX"


@dataclass
class Paid:
    """A server that stands for every service with a price, and the paths that it was asked for."""

    url: str
    asked: list[str]


@pytest.fixture
def paid() -> Iterator[Paid]:
    class Counting(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.send_error(503)

        def do_GET(self) -> None:
            self.do_POST()

    asked: list[str] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Counting) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Paid(f"http://127.0.0.1:{server.server_port}/v1", asked)
        server.shutdown()


def with_keys(url: str) -> dict[str, str]:
    """Settings with a key for everything that can cost money."""
    return {
        "JUDGE_BASE_URL": url,
        "JUDGE_API_KEY": "key",
        "JUDGE_ENDPOINTS": "lab",
        "JUDGE_LAB_BASE_URL": url,
        "JUDGE_LAB_API_KEY": "key",
        **{f"METRICS_{of}_ENDPOINT": "lab" for of in ("EMBEDDINGS", "PERPLEXITY")},
        **{f"METRICS_{of}_MODEL": "m" for of in ("EMBEDDINGS", "PERPLEXITY")},
        "REWRITER_ENDPOINT": "lab",
        "REWRITER_MODEL": "m",
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": "key",
    }


def judged(folder: Path) -> int:
    """How many questions about the example were answered."""
    with closing(sqlite3.connect(folder / "fivefold.sqlite3")) as database:
        answered = "SELECT COUNT(*) FROM judge_call WHERE state = 'answered'"
        return int(database.execute(answered).fetchone()[0])


def test_first_start_fills_the_example_and_a_second_keeps_it_and_keys_cost_nothing(
    serve: Serve, new_page: Callable[..., Page], paid: Paid, tmp_path: Path
) -> None:
    port = free_port()
    first = serve(port, **with_keys(paid.url))
    password = until(first, r"Password +(\S+)")
    until(first, r"judge: .*stand-in.*306 calls")
    until(first, r"simulate: simulated raters take the example")
    wait_for(lambda: judged(tmp_path / "data") or paid.asked)
    assert requests.get(f"http://localhost:{port}/s/empathy/", timeout=30).status_code == 200

    children = descendants(first)
    assert children
    os.kill(first.child.pid, signal.SIGINT)
    until_end(first)
    assert first.exit_code == 0
    assert still_running(children) == []

    before = judged(tmp_path / "data")
    second = serve(port, **with_keys(paid.url))
    assert until(second, r"Password +(\S+)") == password
    until(second, r"simulate: simulated raters take the example")  # the first was interrupted
    wait_for(lambda: judged(tmp_path / "data") > before or paid.asked)
    assert paid.asked == []
    page = new_page()
    page.goto(f"http://localhost:{port}/")
    page.locator("input[name=username]").fill("researcher")
    page.locator("input[name=password]").fill(password)
    page.locator("form:has(input[name=password]) button").click()
    expect(page.locator("body")).to_contain_text("empathy")
    assert (tmp_path / "data" / "researcher-password.txt").stat().st_mode & 0o777 == 0o600

    children = descendants(second)
    second.child.terminate()
    assert until_end(second).rstrip().endswith("Stopped.")
    assert second.exit_code == 0
    assert still_running(children) == []


def until_end(process: Process) -> str:
    """Wait until the process has ended; returns all it said."""
    process.child.wait(timeout=60)
    return process.log.read_text()


def master_of(serve: Process, program: str) -> int:
    """The process that started all others of a server."""
    return min(pid for pid in descendants(serve) if program in command_of(pid))


def command_of(pid: int) -> str:
    with suppress(OSError):  # it has ended
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def megabytes_of(process: Process) -> int:
    status = Path(f"/proc/{process.child.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024


@pytest.mark.usefixtures("set_up")
def test_killed_servers_start_again_and_leave_nothing_behind(serve: Serve, tmp_path: Path) -> None:
    port = free_port()
    process = serve(port)
    until(process, "Logs")
    assert megabytes_of(process) < 40, "it loads Django, and only watches the others"
    for program, name in (("celery", "worker"), ("gunicorn", "web")):
        master = master_of(process, program)
        wait_for(lambda: children_of(master))  # noqa: B023  called at once
        family = [master, *children_of(master)]
        os.kill(master, signal.SIGKILL)
        log = tmp_path / "data" / "logs" / f"{name}.log"
        said = f"{name} ended unexpectedly (killed by SIGKILL). It will be restarted in 1 s. "
        until(process, re.escape(f"{said}See {log}"))
        assert still_running(family) == []
        assert said in log.read_text()
    wait_for(lambda: requests.get(f"http://localhost:{port}/login/", timeout=30).status_code == 200)
    wait_for(lambda: children_of(master_of(process, "celery")))

    os.kill(master_of(process, "celery"), signal.SIGKILL)
    until(process, "worker ended .* restarted in 2 s")
    children = descendants(process)
    process.child.send_signal(signal.SIGINT)  # in the middle of the pause
    assert until_end(process).rstrip().endswith("Stopped.")
    assert (process.exit_code, still_running(children)) == (0, [])


def wait_for(true: Callable[[], object]) -> None:
    """Ask again and again, also while nobody is there to answer."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(requests.RequestException, ValueError):  # neither a server nor its process
            if true():
                return
        time.sleep(0.05)
    raise AssertionError("not within a minute")


@pytest.mark.usefixtures("set_up")
def test_killed_it_takes_everything_with_it_and_starts_again_but_never_twice(
    serve: Serve, tmp_path: Path
) -> None:
    port = free_port()
    process = serve(port)
    until(process, "Logs")
    ends = [os.pidfd_open(pid) for pid in descendants(process)]
    assert ends
    os.kill(process.child.pid, signal.SIGKILL)
    for end in ends:
        assert select.select([end], [], [], 30)[0], "still there after 30 s"
        os.close(end)

    again = serve(port)
    until(again, "Logs")
    kept = (tmp_path / "data" / "serve.env").read_text()
    second = serve(free_port())
    assert until_end(second) == (
        f"CommandError: Fivefold runs already on {tmp_path / 'data'}, at http://localhost:{port}\n"
    )
    assert (second.exit_code, again.exit_code) == (1, None)
    assert (tmp_path / "data" / "serve.env").read_text() == kept


def test_data_of_a_newer_version_gets_one_clear_line(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "fivefold.sqlite3")) as database, database:
        database.execute("CREATE TABLE django_migrations (id, app, name, applied)")
        database.execute(
            "INSERT INTO django_migrations VALUES (1, 'survey', '9999_from_tomorrow', '2030-01-01')"
        )
    process = serve(free_port())
    assert until_end(process).splitlines()[1:] == [
        "CommandError: The database is that of a newer Fivefold: survey has 9999_from_tomorrow, "
        "of which this one knows nothing. "
        "Update Fivefold, or choose another folder: make run DATA_DIR=…"
    ]
    assert process.exit_code == 1


def test_taken_port_gets_one_clear_line(serve: Serve, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = serve(port)
        assert until_end(process) == (
            f"CommandError: Port {port} is taken. Choose another: make run PORT={port + 1}\n"
        )
    assert process.exit_code == 1
    assert not (tmp_path / "data" / "fivefold.sqlite3").exists()


@pytest.mark.parametrize("port", [0, 65536])
def test_impossible_port_gets_one_clear_line(serve: Serve, port: int) -> None:
    assert until_end(serve(port)) == (
        f"CommandError: '{port}' is no port: PORT takes a number from 1 to 65535\n"
    )


def test_missing_secret_gets_one_clear_line(serve: Serve) -> None:
    process = serve(free_port(), SECRET_KEY="")
    said = until_end(process)
    assert process.exit_code == 1
    assert said.count("\n") == 1
    assert "SECRET_KEY" in said


def test_data_folder_that_cannot_be_one_gets_one_clear_line(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file, no folder")
    said = until_end(serve(free_port()))
    reason = f"[Errno 20] Not a directory: '{tmp_path / 'data'}"
    assert said.startswith(f"DATA_DIR can't be written to: {reason}")
    assert len(said.splitlines()) == 1


def test_database_that_is_none_gets_one_clear_line(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "fivefold.sqlite3").write_text("no database at all " * 100)
    process = serve(free_port())
    assert until_end(process).splitlines()[1:] == [
        "CommandError: The database can't be used: file is not a database"
    ]
    assert process.exit_code == 1


def test_local_prolific_is_started_beside_the_site_and_used_by_other_shells(
    serve: Serve, set_up: None, tmp_path: Path
) -> None:
    port = free_port()
    process = serve(port, PROLIFIC="local")
    said = until(process, r"Prolific +(http://127.0.0.1:\d+/.*)\n")
    assert said.endswith(
        "(a stand-in, nobody is paid; connect with the token local-prolific-token)"
    )
    assert "Local Prolific" in requests.get(said.split()[0], timeout=30).text
    [told] = (
        line.removeprefix("PROLIFIC_URL=")
        for line in (tmp_path / "data" / "serve.env").read_text().splitlines()
        if line.startswith("PROLIFIC_URL=")
    )
    assert told == f"{said.split()[0]}api/v1"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"PROLIFIC": "real"}, "PROLIFIC=real: give `local`"),
        ({"PROLIFIC": "local", "PUBLIC": "survey.lakeside.edu"}, "PUBLIC and PROLIFIC=local"),
        (
            {"PROLIFIC": "local", "PROLIFIC_URL": "http://127.0.0.1:9/api/v1"},
            "remove PROLIFIC_URL from .env",
        ),
    ],
)
def test_local_prolific_that_can_not_be_used_gets_one_clear_line(
    serve: Serve, settings: dict[str, str], said: str
) -> None:
    process = serve(free_port(), **settings)
    until_end(process)
    assert process.exit_code == 1
    assert said in process.log.read_text()
    assert len(process.log.read_text().splitlines()) == 1
