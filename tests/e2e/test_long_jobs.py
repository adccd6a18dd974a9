"""Analyses that take longer than their lease, computed by real workers: each finishes once, whether
its worker is alone, is watched by another one, is killed, is suspended, or is told to stop.
"""

import signal
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import requests

from config.processes import ROOT, Process, command_of
from tests.e2e.installation import Installation, running_installation
from tests.e2e.studies import WAYS_IN
from tests.survey import small_study

LEASE = timedelta(seconds=2)
#: So many that a fast machine is at it for several leases, too.
RESAMPLES = 80_000
#: Simulated raters need seconds, and the rules ask for minutes.
RULES = "\nquality: {duration_minutes: {minimum: 0, maximum: 75}}\n"
TOKEN = "fivefold_of-a-program-of-this-test"
GIVE_TOKEN = f"""
from django.contrib.auth.models import User
from dashboard.accounts.models import ApiToken
from dashboard.accounts.tokens import digest_of
user = User.objects.get()
digest = digest_of("{TOKEN}")
ApiToken.objects.create(user=user, name="t", scope="change", studies=["small"], digest=digest)
"""
RUN = "SELECT state, attempts, error, started_at, finished_at FROM analysis_analysisrun"
RESULTS = "SELECT kind, name FROM analysis_result WHERE run_id = %s"


class Site:
    """An installation whose workers are started by the test, and its API."""

    def __init__(self, running: Installation) -> None:
        self.running = running
        self.by_token = {"Authorization": f"Token {TOKEN}"}
        self.raters = [
            name for (name,) in running.query("SELECT pseudonym FROM survey_participant")
        ]

    def post(self, address: str, **sent: Any) -> Any:
        url = f"{self.running.url}/api/studies/small/{address}"
        answer = requests.post(url, json=sent, headers=self.by_token, timeout=60)
        assert answer.ok, answer.text
        return answer.json()

    def ask(self) -> int:
        """The id of a new analysis: one more rater is excluded."""
        rater = self.raters.pop()
        decided = self.post(
            "decisions/?include=simulated", raters=[rater], excluded=True, reason="left the room"
        )
        return int(decided["run"]["id"])

    def start(self, worker: str) -> Process:
        """Start a worker of one process; the first one keeps the timetable, too."""
        command = command_of("worker")
        if worker != "worker":
            command.remove("--beat")
        return self.running.processes.start(worker, command)

    def stop_workers(self) -> None:
        for name in ("worker", "worker_2"):
            if name in self.running.processes.running:
                self.running.kill(name)

    def suspend(self, worker: Process) -> None:
        """Suspend it between two writes: within one it would keep its lock, for which every other
        worker would wait.
        """
        while True:
            worker.kill(signal.SIGSTOP)
            if not any(map(self.running.is_locked, ("survey_study", "analysis_analysisrun"))):
                return
            worker.kill(signal.SIGCONT)
            time.sleep(0.01)

    def run(self, run: int) -> tuple[str, int, str, Any, Any]:
        ((state, attempts, error, started, finished),) = self.running.query(
            f"{RUN} WHERE id = %s", [run]
        )
        return state, attempts, error, started, finished

    def wait_until(self, run: int, is_so: Callable[[str, int], bool], what: str) -> None:
        until = time.monotonic() + 300
        while not is_so(*self.run(run)[:2]):
            assert time.monotonic() < until, f"waited until {what}: {self.run(run)}"
            time.sleep(0.05)

    def wait_until_running(self, run: int) -> None:
        self.wait_until(run, lambda state, attempts: state == "running", "it runs")

    def finished_once(self, run: int) -> int:
        """How often a worker took it, once it is done, outlived its lease and is stored once."""
        self.wait_until(run, lambda state, attempts: state not in ("waiting", "running"), "its end")
        state, attempts, error, started, finished = self.run(run)
        assert (state, error) == ("done", "")
        assert moment(finished) - moment(started) > 3 * LEASE
        results = self.running.query(RESULTS, [run])
        assert results and len(results) == len(set(results))
        return attempts


def moment(stored: Any) -> datetime:
    """A time as either database gives it."""
    return stored if isinstance(stored, datetime) else datetime.fromisoformat(stored)


@pytest.fixture(scope="module")
def prepared_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("long")
    settings = {
        "JOB_LEASE_SECONDS": str(LEASE.total_seconds()),
        "SWEEP_SECONDS": "1",
        "WORKER_PROCESSES": "1",
        "WEB_CONCURRENCY": "1",
    }
    with running_installation(folder / "site", worker=False, **settings) as running:
        load(running, folder)
        yield Site(running)


def load(running: Installation, folder: Path) -> None:
    text = small_study.YAML + WAYS_IN + RULES
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    recipe = (ROOT / "analysis" / "recipes" / "sound.yaml").read_text(encoding="utf-8")
    long = recipe.replace("resamples: 2000", f"resamples: {RESAMPLES}")
    assert long != recipe
    (folder / "recipes").mkdir()
    (folder / "recipes" / "sound.yaml").write_text(long, encoding="utf-8")
    running.manage_all(
        ("load_study", folder),
        ("set_study", "small", "open", "--rehearsal"),
        ("simulate", "small", "--participants", "14", "--seed", "1"),
        ("shell", "--verbosity", "0", "-c", GIVE_TOKEN),
    )


@pytest.fixture
def site(prepared_site: Site) -> Iterator[Site]:
    """The site without a worker."""
    yield prepared_site
    prepared_site.stop_workers()


def test_long_analysis_beside_a_second_worker_is_computed_once(site: Site) -> None:
    for worker in ("worker", "worker_2"):
        wait_for_line(site.start(worker), "[queues]")  # it has started
    assert site.finished_once(site.ask()) == 1


def test_analysis_of_a_killed_worker_is_computed_by_another(site: Site) -> None:
    site.start("worker_2")
    run = site.ask()
    site.wait_until_running(run)
    site.start("worker")
    site.running.kill("worker_2")
    assert site.finished_once(run) == 2


def test_suspended_worker_that_wakes_up_late_stores_nothing(site: Site) -> None:
    suspended = site.start("worker_2")
    run = site.ask()
    site.wait_until_running(run)
    site.start("worker")
    site.suspend(suspended)
    site.wait_until(run, lambda state, attempts: attempts == 2, "another worker has it")
    suspended.kill(signal.SIGCONT)
    assert site.finished_once(run) == 2
    wait_for_line(suspended, f"run {run} of small@1 is no longer this worker's: its work ends")


def test_stopped_analysis_frees_its_worker_and_leaves_nothing(site: Site) -> None:
    worker = site.start("worker")
    run = site.ask()
    site.wait_until_running(run)
    stopped = site.post(f"analyses/{run}/stop/")
    assert (stopped["state"], stopped["error"]) == ("stopped", "Stopped by researcher.")
    wait_for_line(worker, f"run {run} of small@1 is no longer this worker's: its work ends")
    again = site.post("analysis/?include=simulated")["id"]
    assert again != run
    assert site.finished_once(again) == 1
    assert site.run(run)[0] == "stopped"
    assert site.running.query(RESULTS, [run]) == []
    assert site.post(f"analyses/{again}/stop/")["state"] == "done"


def wait_for_line(process: Process, text: str) -> None:
    until, lines = time.monotonic() + 120, list[str]()
    while not any(text in line for line in lines):
        assert time.monotonic() < until, f"waited for {text!r}: {lines}"
        time.sleep(0.05)
        lines += process.new_lines()
