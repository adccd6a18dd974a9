"""The processes of an installation: their commands, and starting and stopping them together.

The commands are defined only in docker-compose.yml. `manage.py serve` and the end-to-end tests read
them there and set their own environment.
"""

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).resolve().parent.parent

# Waits for the end of its input, which means that the parent process has ended, even by SIGKILL.
# Then ends the process $1 like `Process.stop`, and the rest of its group.
GUARD = """
read -r _
kill -TERM $1
for second in 1 2 3 4 5 6 7 8 9 10; do kill -0 $1 || break; sleep 1; done
kill -KILL -$1
"""


def command_of(service: str) -> list[str]:
    """The command of a service in docker-compose.yml, with our own programs from this Python."""
    from ruamel.yaml import YAML  # not above: `config.serving` needs this module, but no YAML

    services = YAML(typ="safe").load(ROOT / "docker-compose.yml")["services"]
    program, *arguments = shlex.split(services[service]["command"])
    ours = Path(sys.executable).with_name(program)
    return [str(ours) if ours.exists() else program, *arguments]


def is_free(host: str, port: int) -> bool:
    """Whether a server can be started on the port."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """An unused port of the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Process:
    """A child in its own process group, with its output in a log file. It ends when we end."""

    name: str
    argv: list[str]
    environment: Mapping[str, str]
    log: Path
    user: str | None
    _reader: BinaryIO
    child: subprocess.Popen[bytes] = field(init=False)
    _guard: subprocess.Popen[bytes] | None = None
    _partial: bytes = b""

    @classmethod
    def start(
        cls,
        name: str,
        argv: list[str],
        *,
        environment: Mapping[str, str],
        logs: Path,
        user: str | None = None,
    ) -> "Process":
        logs.mkdir(parents=True, exist_ok=True)
        log = logs / f"{name}.log"
        if log.exists():
            log.replace(log.with_suffix(".previous.log"))
        log.touch()
        process = cls(name, argv, environment, log, user, log.open("rb"))
        process.launch()
        return process

    def launch(self) -> None:
        """Start the child. An earlier one must have been removed; its log is kept."""
        with self.log.open("ab") as output:
            self.child = subprocess.Popen(  # noqa: S603  our own commands
                self.argv,
                cwd=ROOT,
                env={**self.environment, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                user=self.user,
                start_new_session=True,  # Ctrl-C reaches only our parent's group
            )
        try:
            self._guard = subprocess.Popen(  # noqa: S603  the script above
                ["/bin/sh", "-c", GUARD, "guard", str(self.child.pid)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            self.kill()
            self.child.wait()
            raise

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative if a signal ended it."""
        return self.child.poll()

    def new_lines(self) -> list[str]:
        """The whole lines written to the log since the last call."""
        *lines, self._partial = (self._partial + self._reader.read()).split(b"\n")
        return [line.decode(errors="replace") for line in lines]

    def kill(self, with_signal: signal.Signals = signal.SIGKILL) -> None:
        """Signal the child and all its descendants in the group."""
        with contextlib.suppress(ProcessLookupError):  # it has ended, with its whole group
            os.killpg(self.child.pid, with_signal)

    def clear_away(self) -> None:
        """Kill the child and its group, and wait until none is left."""
        if self._guard is None:
            return  # done before: the id may belong to another process now
        self.kill()
        self.child.wait()
        self._wait_for_the_group()
        self._guard.kill()
        self._guard.communicate()
        self._guard = None

    def stop(self, *, seconds: float = 10) -> None:
        """Ask the child to end; kill the rest of its group after `seconds`."""
        if self.exit_code is None:
            self.child.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(seconds)
        self.clear_away()
        self._reader.close()

    def _wait_for_the_group(self, *, seconds: float = 5) -> None:
        """On a busy machine, a killed process may finish a write before it dies."""
        deadline = time.monotonic() + seconds
        with contextlib.suppress(ProcessLookupError, PermissionError):  # none, or only zombies
            while time.monotonic() < deadline:
                os.killpg(self.child.pid, 0)
                time.sleep(0.01)


@dataclass
class Processes:
    """Processes that run together. Leaving the `with` block stops them all."""

    environment: Mapping[str, str]
    logs: Path
    running: dict[str, Process] = field(default_factory=dict)

    def start(self, name: str, argv: list[str], *, user: str | None = None) -> Process:
        process = Process.start(name, argv, environment=self.environment, logs=self.logs, user=user)
        self.running[name] = process
        return process

    def wait_for(self, process: Process, *, port: int, seconds: float = 120) -> None:
        """Return when `process` accepts connections. Raises ProcessError if it ends or is slow."""
        deadline = time.monotonic() + seconds
        while True:
            if process.exit_code is not None:
                raise ProcessError(f"{process.name} ended with {process.exit_code}", process.log)
            try:
                socket.create_connection(("localhost", port), timeout=1).close()
            except OSError:
                if time.monotonic() > deadline:
                    raise ProcessError(
                        f"{process.name} did not answer in {seconds:.0f} s", process.log
                    ) from None
                time.sleep(0.05)
            else:
                return

    def stop(self, *, seconds: float = 10) -> None:
        deadline = time.monotonic() + seconds
        for process in self.running.values():
            if process.exit_code is None:
                process.child.terminate()  # all at once, so that they end in parallel
        while self.running:
            self.running.popitem()[1].stop(seconds=max(0.0, deadline - time.monotonic()))

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class ProcessError(Exception):
    """A process ended or did not answer; shows the end of its log."""

    def __init__(self, message: str, log: Path) -> None:
        last = log.read_text(errors="replace").strip().splitlines()[-5:]
        super().__init__("\n".join([f"{message}. The end of {log}:", *last]))
