"""A worker's turn at a line of calls, of a judge or another asker.

The provider exchanges data with the endpoint in a separate thread. The main thread does all
database work: it commits each attempt before it is sent, and each answer when it arrives.
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TYPE_CHECKING, Any, Protocol

from django.conf import settings

from judge.endpoints import EndpointHere
from judge.exchange import Reply

if TYPE_CHECKING:
    from judge.providers import Provider

#: After a turn the worker does its other tasks.
TURN_SECONDS = 30.0
#: A turn's minimum length, in durations of a request: at its end, slots stay free until the last
#: answer, unless another process takes them.
REQUESTS_IN_A_TURN = 20
#: Longer waits are left to the sweep.
PATIENCE_SECONDS = 10.0
#: How often to check, for example, whether another worker's probe has been answered.
SHORTEST_PAUSE = 0.1
#: How often a worker renews its leases: it may be late for some of them.
BEATS_IN_A_LEASE = 4
#: How often to look for calls that have become due.
POLL_SECONDS = 0.5


class CallLine(Protocol):
    """The calls of one asker. What `claim` gives has a `request`, and an `attempt` with its id."""

    def claim(self) -> Any | None:
        """Lease the next call that is due, if the limits allow one more."""

    def renew(self, tokens: Iterable[str]) -> None:
        """Show that the worker with these lease tokens is alive."""

    def record(self, claimed: Any, outcome: Future[Reply]) -> Reply | None:
        """Commit an outcome; the reply, if there is one."""

    def seconds_until_due(self) -> float | None:
        """The time until a call may be made; None if there is nothing to wait for."""

    def is_worked_on(self) -> bool:
        """Whether another worker has calls of it."""


class Turn:
    """The requests in flight, and the handling of their outcomes."""

    def __init__(
        self,
        line: CallLine,
        here: EndpointHere,
        provider: "Provider",
        is_ending: Callable[[], bool],
    ) -> None:
        self.line = line
        self.here = here
        self.provider = provider
        self.is_ending = is_ending
        self.in_flight: dict[Future[Reply], Any] = {}
        self.began = time.monotonic()
        self.slowest = 0.0
        self.next_beat = self.began

    def take(self, hand_over: Callable[[], None]) -> bool:
        """Work until the turn is over or nothing is due soon. True if calls may be left and
        `hand_over` was not called.
        """
        try:
            cut_short = self._work()
            if cut_short and self.in_flight:
                taken = len(self.in_flight)
                while len(self.in_flight) == taken:  # the next worker needs a free slot
                    self._settle()
                hand_over()
                cut_short = False
            return cut_short
        finally:
            # After any other error: an answer in flight may be billed, so it is recorded.
            while self.in_flight:
                self._settle()

    def _work(self) -> bool:
        while True:
            if self.is_over():
                return True
            self._send()
            if self.in_flight:
                self._settle()
                continue
            pause = self.line.seconds_until_due()
            if pause is None or pause > PATIENCE_SECONDS or self.line.is_worked_on():
                return False
            time.sleep(max(pause, SHORTEST_PAUSE))

    def is_over(self) -> bool:
        """Whether the worker has other things to do."""
        length = max(TURN_SECONDS, REQUESTS_IN_A_TURN * self.slowest)
        return self.is_ending() or time.monotonic() - self.began >= length

    def _send(self) -> None:
        while len(self.in_flight) < self.here.concurrency:
            claimed = self.line.claim()
            if claimed is None:
                return
            self.in_flight[self.provider.ask(claimed.request)] = claimed

    def _settle(self) -> None:
        """Commit the received outcomes, and show that this worker is alive."""
        if time.monotonic() >= self.next_beat:
            self.line.renew(claimed.attempt.request_id for claimed in self.in_flight.values())
            self.next_beat = time.monotonic() + settings.JUDGE_LEASE_SECONDS / BEATS_IN_A_LEASE
        done, _ = wait(self.in_flight, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            self._record(self.in_flight.pop(future), future)

    def _record(self, claimed: Any, future: Future[Reply]) -> None:
        if reply := self.line.record(claimed, future):
            self.slowest = max(self.slowest, reply.provenance["latency_seconds"])
