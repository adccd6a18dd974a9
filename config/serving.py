"""The processes of `manage.py serve` while the site is up: started, watched, stopped together.

`serve` prepares everything and then becomes this program. It only waits, so it loads neither Django
nor any app: they would only take memory.
"""

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO, NamedTuple, NoReturn, Protocol

from config.processes import ROOT, Process, ProcessError, Processes
from config.supervision import Supervised

WARNINGS = (" WARNING ", " ERROR ", " CRITICAL ", "[ERROR]", "Traceback")
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Server(NamedTuple):
    """A process of the site, and the name of its log."""

    name: str
    argv: list[str]


class FirstJob(NamedTuple):
    """A command that runs once while the site is up; `what` is printed at its start."""

    name: str
    what: str
    argv: list[str]


@dataclass
class Site:
    """What is to run, and what is printed about it. The first server answers at `port`, and the
    proxy, if there is one, at `proxy_port`. The web server writes `reached_file` when the printed
    link is opened; `reached` has a message for each content of that file.
    """

    data: str
    port: int
    environment: dict[str, str]
    servers: list[Server]
    proxy: Server | None = None
    proxy_port: int = 0
    proxy_environment: dict[str, str] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    jobs: list[FirstJob] = field(default_factory=list)
    reached_file: str = ""
    reached: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, file: IO[str]) -> "Site":
        site = cls(**json.load(file))
        site.servers = [Server(*server) for server in site.servers]
        site.jobs = [FirstJob(*job) for job in site.jobs]
        site.proxy = Server(*site.proxy) if site.proxy else None
        return site


class Lock(Protocol):
    def fileno(self) -> int: ...


def become_supervisor(site: Site, claim: Lock, *others: Lock) -> NoReturn:
    """Replace this process by the one that runs the site, which keeps all locks and empties the
    file of `claim` at its end.
    """
    with tempfile.TemporaryFile("w+") as file:
        json.dump(asdict(site), file)
        file.seek(0)
        for kept in (file, claim, *others):
            os.set_inheritable(kept.fileno(), True)
        sys.stdout.flush()
        os.chdir(ROOT)
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)  # until the new program handles them
        numbers = [str(file.fileno()), str(claim.fileno())]
        os.execv(sys.executable, [sys.executable, "-m", "config.serving", *numbers])  # noqa: S606


def main(site_number: str, claim_number: str) -> None:
    with os.fdopen(int(site_number)) as file:
        site = Site.read(file)
    try:
        with stopped_by_signals():
            run(site)
    except ProcessError as error:
        sys.exit(f"CommandError: {error}")
    except OSError as error:
        sys.exit(f"CommandError: {site.data} can't be used: {error}")
    except KeyboardInterrupt:
        say("Stopped.")
    finally:
        os.ftruncate(int(claim_number), 0)


def run(site: Site) -> None:
    """Run the site until the process is interrupted. Raises ProcessError, OSError."""
    environment = {**os.environ, **site.environment}
    with Processes(environment, Path(site.data) / "logs") as processes:
        web, *_ = [processes.start(*server) for server in site.servers]
        processes.wait_for(web, port=site.port)
        if site.proxy:
            processes.environment = {**environment, **site.proxy_environment}
            processes.wait_for(processes.start(*site.proxy), port=site.proxy_port)
        for text in site.links:
            say(text)
        watch(site, processes)


def watch(site: Site, processes: Processes) -> None:
    """Print warnings of the logs, restart servers that end, run the jobs one after the other."""
    servers = [Supervised(process) for process in processes.running.values()]
    jobs, job = list(site.jobs), None
    while True:
        say_if_reached(site)
        for server in servers:
            show(server.process, only=WARNINGS)
            if news := server.tend():
                say(news)
        if job is not None:
            show(job)
            if job.exit_code is not None:
                if job.exit_code != 0:
                    say(f"{job.name} failed; the site goes on. See {job.log}")
                processes.running.pop(job.name).stop()
                job = None
        elif jobs:
            name, what, command = jobs.pop(0)
            say(f"{name}: {what}")
            job = processes.start(name, command)
        time.sleep(0.2)


def say_if_reached(site: Site) -> None:
    """Report once from which network the printed link was opened."""
    if not site.reached_file or not Path(site.reached_file).exists():
        return
    network = Path(site.reached_file).read_text(encoding="utf-8")
    Path(site.reached_file).unlink()
    say(site.reached[network])


def show(process: Process, *, only: Sequence[str] = ("",)) -> None:
    for line in process.new_lines():
        if any(mark in line for mark in only):
            say(f"{process.name}: {line}")


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Let SIGTERM and a closed terminal end the block as Ctrl-C does, once."""

    def stop(number: int, frame: FrameType | None) -> None:
        for name in STOPPING:
            signal.signal(name, signal.SIG_IGN)  # the children are being stopped: let that finish
        with suppress(OSError):  # the terminal may be gone
            os.write(1, b"\nStopping ...\n")  # not print, which may be what was interrupted
        raise KeyboardInterrupt

    for name in STOPPING:
        signal.signal(name, stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    yield


if __name__ == "__main__":
    main(*sys.argv[1:])
