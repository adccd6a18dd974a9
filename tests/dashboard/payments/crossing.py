"""Two workers at one Prolific, of which one goes a step at a time, in every order of their steps.

A step ends at a request to Prolific, or also when that was carried out: a worker stands still there
until it is its turn. Everything else is real: the database, its locks, the requests.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from django.db import connections

from examples.local_prolific.server import LocalProlific

#: The steps of a run: whose each was, and whether the other worker could have gone instead.
Steps = list[tuple[int, bool]]
#: Whose step is next, of the workers that are not at their end.
Choose = Callable[[Sequence[int]], int]
LONGEST_STEP = 60.0


def every_order(run: Callable[[Choose], Steps]) -> Iterator[Steps]:
    """Run with each order of the workers' steps, one after the other."""
    beginning: list[int] = []
    while True:
        steps = run(_following(beginning))
        yield list(steps)
        while steps and steps[-1] != (0, True):
            steps.pop()
        if not steps:
            return
        beginning = [worker for worker, _ in steps[:-1]] + [1]


def _following(beginning: Sequence[int]) -> Choose:
    """Follow a beginning, and go on with the first worker that is not at its end."""
    rest = iter(beginning)
    return lambda able: next(rest, able[0])


class _Worker:
    def __init__(self, token: str) -> None:
        self.token = token
        self.thread = ThreadPoolExecutor(max_workers=1)
        self.go, self.stands = threading.Semaphore(0), threading.Semaphore(0)
        self.fault = ("", "")
        self.job: Future[None] | None = None
        self.is_over = True

    def begin(self, job: Callable[[], None], fault: tuple[str, str]) -> None:
        self.fault, self.is_over = fault, False
        self.job = self.thread.submit(self._work, job)

    def _work(self, job: Callable[[], None]) -> None:
        self.go.acquire()
        try:
            job()
        finally:
            self.is_over = True
            self.stands.release()

    def step(self) -> None:
        self.go.release()
        assert self.stands.acquire(timeout=LONGEST_STEP), "a worker waits for the other one"


class Crossing:
    """Two workers with a token each. `moments` are those at which they stand still."""

    def __init__(
        self, server: LocalProlific, tokens: Sequence[str], moments: Sequence[str]
    ) -> None:
        self._workers = [_Worker(token) for token in tokens]
        self._server, self._moments = server, moments
        server.between = self._between

    def run(
        self,
        jobs: Sequence[Callable[[], None]],
        choose: Choose,
        faults: Sequence[tuple[str, str]] = (("", ""), ("", "")),
    ) -> Steps:
        """Let each worker do its job. A fault is a request, and what happens to the first that
        fits.
        """
        for worker, job, fault in zip(self._workers, jobs, faults, strict=True):
            worker.begin(job, fault)
        steps: Steps = []
        while able := [n for n, worker in enumerate(self._workers) if not worker.is_over]:
            chosen = choose(able)
            self._workers[chosen].step()
            steps.append((chosen, len(able) == len(self._workers)))
        for worker in self._workers:
            assert worker.job is not None
            worker.job.result()
        return steps

    def close(self) -> None:
        self._server.between = lambda token, request, moment: None
        for worker in self._workers:
            worker.thread.submit(connections.close_all).result()
            worker.thread.shutdown()

    def _between(self, token: str, request: str, moment: str) -> None:
        worker = next((one for one in self._workers if one.token == token), None)
        if worker is None or worker.is_over:
            return
        if moment in self._moments:
            worker.stands.release()
            worker.go.acquire()
        on, fault = worker.fault
        if moment == "asked" and fault and request.startswith(on):
            worker.fault = ("", "")
            self._server.faults.add(fault, on=request)


@contextmanager
def crossing(
    server: LocalProlific, tokens: Sequence[str], moments: Sequence[str]
) -> Iterator[Crossing]:
    workers = Crossing(server, tokens, moments)
    try:
        yield workers
    finally:
        workers.close()
