"""A worker and a web server that nobody supervises: when their first process is killed, the others
end by themselves.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from config.processes import Process, command_of
from tests.e2e.installation import Installation, children_of, running_installation
from tests.servers.connections import connected
from tests.servers.faulty_judge import FaultyJudge, faulty_judge
from tests.survey import small_study

pytestmark = pytest.mark.e2e
#: A master's children: two that work, and the clock of `--beat`.
WORKER_CHILDREN = 3
#: Celery as it is where the system ends nobody with their parent, such as on macOS.
ELSEWHERE = """
import sys
from celery import platforms
platforms.set_pdeathsig = lambda name: None
from celery.__main__ import main
sys.exit(main())
"""


REQUESTED = """
from analysis.runs import request_run
from survey.models import Study
request_run(study=Study.objects.get(), sources=["{source}"])
"""


@pytest.fixture(scope="module")
def silent_judge() -> Iterator[FaultyJudge]:
    """A judge that takes questions and answers none."""
    with faulty_judge() as server:
        server.answering.clear()
        yield server


@pytest.fixture(scope="module")
def site(
    silent_judge: FaultyJudge, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("masters")
    asking = {"JUDGE_BASE_URL": silent_judge.base_url, "JUDGE_MODEL": "m", "SWEEP_SECONDS": "1"}
    with running_installation(folder / "site", worker=False, **asking) as running:
        (folder / "study.yaml").write_text(small_study.YAML, encoding="utf-8")
        (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
        running.manage("load_study", folder)
        yield running


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline, "not within two minutes"
        time.sleep(0.05)


def survivors(process: Process, family: list[int]) -> list[str]:
    """Kill the master alone; which of its children are still there half a minute later."""
    ends = {pid: os.pidfd_open(pid) for pid in family}
    os.kill(process.child.pid, signal.SIGKILL)
    process.child.wait()
    left = []
    for pid, end in ends.items():
        if not select.select([end], [], [], 30)[0]:
            left.append(Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "))
        os.close(end)
    return left


def test_idle_worker_ends_with_its_killed_master(site: Installation) -> None:
    worker = site.start("worker")
    until(lambda: len(children_of(worker)) == WORKER_CHILDREN)
    family = children_of(worker)
    assert survivors(worker, family) == []
    site.processes.running.pop("worker").stop()


def test_worker_at_work_ends_with_its_killed_master_on_any_system(
    site: Installation, silent_judge: FaultyJudge
) -> None:
    site.manage("judge", "small")
    elsewhere = [sys.executable, "-c", ELSEWHERE, *command_of("worker")[1:]]
    worker = site.processes.start("worker", elsewhere)
    until(lambda: bool(connected(silent_judge.server_port)))
    until(lambda: len(children_of(worker)) == WORKER_CHILDREN)
    assert survivors(worker, children_of(worker)) == []
    assert connected(silent_judge.server_port) == {}
    site.processes.running.pop("worker").stop()


def test_children_that_are_killed_are_replaced_the_clock_too(site: Installation) -> None:
    worker = site.start("worker")
    # It has started then. A worker whose children die while it starts ends, and they with it.
    wait_for_a_run(site, source="participant")
    for killed in children_of(worker):
        kill_and_wait_for_another(worker, killed)
    assert "the worker's clock ended" in worker.log.read_text(encoding="utf-8")
    wait_for_a_run(site, source="simulated")
    site.stop("worker")


def kill_and_wait_for_another(worker: Process, child: int) -> None:
    with suppress(ProcessLookupError):  # it may have ended by itself, after much memory
        os.kill(child, signal.SIGKILL)
    until(lambda: len(set(children_of(worker)) - {child}) == WORKER_CHILDREN)


def wait_for_a_run(site: Installation, source: str) -> None:
    """Ask for a run of the analyses that only the clock wakes a worker for, and wait for it."""
    site.manage_all(("shell", "-c", REQUESTED.format(source=source)))
    states = "SELECT state FROM analysis_analysisrun ORDER BY id"
    until(lambda: site.query(states)[-1] == ("done",))


def test_web_server_ends_with_its_killed_master(site: Installation) -> None:
    web = site.processes.running["web"]
    family = children_of(web)
    assert family
    assert survivors(web, family) == []
    site.processes.running.pop("web").stop()
