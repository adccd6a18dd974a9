"""How long does a whole gold run take, compared with what its endpoint's latency allows?

Real workers ask a server that takes a fixed time for each answer, 1, 2 and 4 processes of them
sharing one limit. README.md beside this file says what is measured and how.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # this file is run by its name

from benchmarks.load.servers import Bench, rows
from benchmarks.load.site import Wrong, cpu_seconds
from benchmarks.running.tables import reported
from config.processes import ROOT, Process, ProcessError, Processes, command_of
from tests.servers.connections import connected

REPLICATES = 3
STUDY = f"""\
slug: gold
title: A study to be judged
estimated_minutes: 5
texts: {{information: Read., instructions: Rate., thanks: Thanks.}}
consent: {{statement: I agree.}}
tasks:
  - kind: likert
    scale: [{{value: 1, label: low}}, {{value: 2, label: middle}}, {{value: 3, label: high}}]
    dimensions: [{{name: quality, question: How good is it?}}]
conditions: [a, b, c]
sets: {{"1": [M1]}}
ways_in: [link]
judging:
  judges: [{{name: timed, replicates: {REPLICATES}, seed: 1}}]
"""
PLAN = """
import django
django.setup()
from judge.configure import move_judges_here
from judge.plans import queue_missing
from survey.models import Study
for judge in move_judges_here(Study.objects.get()):
    queue_missing(judge)
"""
#: Of several processes the first would take every slot before the next has come. So they wait at
#: an endpoint that asks for it, and that is known to hold to schemas, and begin together.
WAKE = """
import sys, time
from datetime import datetime, timedelta, timezone
import django
django.setup()
from config.celery import wake
from judge.models import Judge, StructuredOutput
judge, processes, gate = Judge.objects.get(), int(sys.argv[1]), float(sys.argv[2])
began = time.time() + gate
if gate:
    StructuredOutput.objects.create(
        endpoint=judge.endpoint, model=judge.model, support="enforced"
    )
    judge.endpoint.not_before = datetime.fromtimestamp(began, timezone.utc)
    judge.endpoint.save()
print(began, flush=True)
for _ in range(processes):
    wake("judge.run", judge.pk)
"""
GATE_SECONDS = 3.0


@dataclass(frozen=True)
class Options:
    postgres: str | None
    redis: str | None
    calls: int
    latency: float
    concurrency: int

    @property
    def ideal(self) -> float:
        """Seconds with every slot taken all the time."""
        return self.calls * self.latency / self.concurrency

    @property
    def bound(self) -> float:
        """Seconds that a run may take."""
        return 1.1 * self.ideal + 2


@dataclass(frozen=True)
class Measured:
    """One run."""

    seconds: float
    in_flight: int
    cpu: float  # ms of the workers' processes per call
    shares: list[int]  # requests by process


def write_study(folder: Path, responses: int) -> None:
    """A study folder of so many distinct responses."""
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    with (folder / "responses.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["scenario", "set", "prompt", "model", "condition", "response"])
        for number in range(responses):
            scenario, condition = f"S{number // 3}", "abc"[number % 3]
            prompt = f"Prompt {number // 3}, which says in some sentences what is the matter. " * 5
            text = f"Reply {number}, which is about as long as replies of a chat often are. " * 5
            writer.writerow([scenario, "1", prompt, "M1", condition, text])


@contextmanager
def endpoint(options: Options, folder: Path) -> Iterator[int]:
    """The port of a server of its own process that answers after the latency."""
    plan = json.dumps({"latency_seconds": options.latency})
    command = [sys.executable, "-m", "tests.servers.faulty_judge", "--plan", plan]
    with (
        (folder / "endpoint.log").open("w") as log,
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield urlsplit(process.stdout.readline().strip()).port or 0
        finally:
            process.terminate()


def measure(bench: Bench, options: Options, workers: int) -> Measured:
    """One gold run with so many worker processes. Raises Wrong where it is not right."""
    with endpoint(options, bench.folder) as port:
        environment = bench.environment(f"workers_{workers}") | {
            "CELERY_BROKER_URL": "filesystem://localhost",
            "WORKER_PROCESSES": str(workers),
            "JUDGE_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "JUDGE_API_KEY": "",
            "JUDGE_MODEL": "timed",
            "JUDGE_CONCURRENCY": str(options.concurrency),
        }
        if options.redis:
            environment["CELERY_BROKER_URL"] = options.redis
        bench.run("manage.py", "migrate", environment=environment)
        bench.run("manage.py", "load_study", str(bench.study), environment=environment)
        bench.run("-c", PLAN, environment=environment)
        with Processes(environment, bench.folder / f"logs_{workers}") as processes:
            worker = start_worker(processes)
            cpu = cpu_seconds(worker)
            with processes_at(port) as at_port:
                began, ended = whole_run(environment, workers, options)
            cpu = cpu_seconds(worker) - cpu
            with urlopen(f"http://127.0.0.1:{port}/log") as answer:
                log: list[dict[str, Any]] = json.load(answer)
    attempts = rows(environment["DATABASE_URL"], "SELECT outcome FROM judge_attempt")
    if {outcome for (outcome,) in attempts} != {"answered"} or len(attempts) != len(log):
        raise Wrong(f"{len(log)} requests came, {Counter(attempts)} are on record")
    shares = Counter(at_port[entry["port"]] for entry in log)
    return Measured(
        seconds=ended - began,
        in_flight=max(entry["in_flight"] for entry in log),
        cpu=1000 * cpu / options.calls,
        shares=sorted(shares.values(), reverse=True),
    )


def start_worker(processes: Processes) -> Process:
    """The worker of docker-compose.yml, once it is ready."""
    command = ["INFO" if part == "WARNING" else part for part in command_of("worker")]
    worker = processes.start("worker", command)
    while not any(" ready." in line for line in worker.new_lines()):
        if worker.exit_code is not None:
            raise ProcessError("The worker ended", worker.log)
        time.sleep(0.05)
    return worker


@contextmanager
def processes_at(port: int) -> Iterator[dict[int, int]]:
    """Notes which process each connection to the port is of, by the ports of the other end."""
    seen: dict[int, int] = {}
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            seen.update(connected(port))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def whole_run(
    environment: Mapping[str, str], workers: int, options: Options
) -> tuple[float, float]:
    """Wake every process and wait for the last answer: when it began, when that was committed.

    One process alone begins when it is woken, and finds out first what the endpoint can do.
    """
    gate = GATE_SECONDS if workers > 1 else 0
    wake = [sys.executable, "-c", WAKE, str(workers), str(gate)]
    done = subprocess.run(
        wake, check=True, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    began = float(done.stdout)
    url = environment["DATABASE_URL"]
    deadline = time.time() + 10 * options.bound
    while rows(url, "SELECT count(*) FROM judge_call WHERE answered_at IS NULL") != [(0,)]:
        if time.time() > deadline:
            raise Wrong(f"not over after {10 * options.bound:.0f} s")
        time.sleep(0.25)
    ((last,),) = rows(url, "SELECT max(answered_at) FROM judge_call")
    return began, datetime.fromisoformat(str(last)).replace(tzinfo=UTC).timestamp()


COLUMNS = ("processes", "measured", "most in flight", "CPU per call", "requests by process")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", help="URL of a server where a database may be made")
    parser.add_argument("--redis", help="URL of a Redis database that may be emptied")
    parser.add_argument("--calls", type=int, default=306, help=f"a multiple of {3 * REPLICATES}")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds an answer takes")
    parser.add_argument("--concurrency", type=int, default=6, help="requests in flight at most")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="processes")
    given = parser.parse_args()
    options = Options(given.postgres, given.redis, given.calls, given.latency, given.concurrency)
    title = (
        f"{options.calls} calls of {options.latency:g} s, {options.concurrency} at a time, "
        f"{'PostgreSQL' if options.postgres else 'SQLite'}, "
        f"{'Redis' if options.redis else 'broker in files'}: "
        f"{options.ideal:.1f} s at least, at most {options.bound:.1f} s"
    )
    kept = True
    with ExitStack() as stack, reported(title, *COLUMNS) as add:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fivefold-bench-")))
        write_study(folder / "study", options.calls // REPLICATES)
        for workers in given.workers:
            bench = Bench(stack, folder, folder / "study", options.postgres, workers)
            run = measure(bench, options, workers)
            good = run.seconds <= options.bound and run.in_flight <= options.concurrency
            kept = kept and good
            add(
                workers,
                f"{run.seconds:.1f} s{'' if good else ', too much'}",
                run.in_flight,
                f"{run.cpu:.1f} ms",
                ", ".join(map(str, run.shares)),
            )
    if not kept:
        raise Wrong("a run took too long, or the limit was exceeded")


if __name__ == "__main__":
    try:
        main()
    except (Wrong, ProcessError, CalledProcessError, psycopg.OperationalError) as error:
        sys.exit(f"Failed: {error}")
