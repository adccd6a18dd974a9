"""Servers that are restarted after an unexpected end."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from config.processes import Process, ProcessError

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 60.0
#: After this running time, the pause is reset to the first one. A server that fails sooner after
#: its very first start can't be started at all.
HEALTHY_SECONDS = 60.0


@dataclass
class Supervised:
    """A running server. After an end it is restarted after 1 s, then 2, 4 … up to 60 s."""

    process: Process
    clock: Callable[[], float] = time.monotonic
    pause: float = FIRST_PAUSE_SECONDS
    restarts: int = 0
    _started: float = field(init=False)
    _due: float | None = None

    def __post_init__(self) -> None:
        self._started = self.clock()

    def tend(self) -> str:
        """Check the server; call it repeatedly. Returns a message, if there is one.

        Processes of an ended server are killed at once: they must not keep the port, or continue
        work that the next one will do. Raises ProcessError for a server that fails at its very
        first start.
        """
        now = self.clock()
        if self._due is not None:
            return self._start_again(now) if now >= self._due else ""
        code = self.process.exit_code
        if code is None:
            return ""
        self.process.clear_away()
        if not self.restarts and code > 0 and now - self._started < HEALTHY_SECONDS:
            raise ProcessError(f"{self.process.name} ended with {code}", self.process.log)
        if now - self._started >= HEALTHY_SECONDS:
            self.pause = FIRST_PAUSE_SECONDS
        return self._wait(f"ended unexpectedly ({_how(code)})", now)

    def _wait(self, what: str, now: float) -> str:
        news = (
            f"{self.process.name} {what}. It will be restarted in {self.pause:g} s. "
            f"See {self.process.log}"
        )
        self._due = now + self.pause
        self.pause = min(2 * self.pause, LONGEST_PAUSE_SECONDS)
        with self.process.log.open("a", encoding="utf-8") as log:
            log.write(f"{datetime.now():%Y-%m-%d %H:%M:%S} serve: {news}\n")  # noqa: DTZ005  as all logs
        return news

    def _start_again(self, now: float) -> str:
        self.restarts += 1
        self._started, self._due = now, None
        try:
            self.process.launch()
        except OSError as error:  # the machine is out of processes or memory for now
            return self._wait(f"could not be started ({error.strerror})", now)
        return ""


def _how(code: int) -> str:
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
