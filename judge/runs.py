"""A worker's turn at a judge's calls.

The provider exchanges data with the endpoint in a separate thread. The main thread does all
database work: it commits each attempt before it is sent, and each answer when it arrives.
"""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing

from django.conf import settings

from judge import batch_turns, calls, leases
from judge.answers import record
from judge.attempts import Claimed
from judge.batch_client import BatchClient
from judge.endpoints import EndpointHere, JudgeNotReady, check_endpoint
from judge.exchange import Reply
from judge.models import Judge
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


def run(
    judge_id: int,
    *,
    hand_over: Callable[[], None] = lambda: None,
    is_ending: Callable[[], bool] = lambda: False,
) -> bool:
    """Make due calls for one turn. True if another turn should follow at once.

    A turn that ends with work left calls `hand_over`, so another process can continue while this
    one waits for the last answers. It ends early if the worker `is_ending`.
    """
    judge = Judge.objects.select_related("study").filter(pk=judge_id).first()
    if judge is None or (judge.stopped and not leases.open_batches(judge).exists()):
        return False
    try:
        here = check_endpoint(judge.read_configuration())
    except JudgeNotReady as problem:
        if not judge.stopped:
            calls.stop(judge_id, str(problem))
        return False
    leases.take_up(judge_id)
    leases.recover(judge_id)
    provider = Provider(
        base_url=here.base_url,
        api_key=here.api_key,
        timeout_seconds=settings.JUDGE_TIMEOUT_SECONDS,
        address_setting=here.variable("BASE_URL"),
        model_source=f"the judge's model in study.yaml, or {here.variable('MODEL')}",
    )
    with closing(provider):
        turn = _Turn(judge_id, here, provider, is_ending)
        if turn.take(hand_over):
            return True
        if not judge.read_configuration().asks_in_batches and not judge.batches.exists():
            return False
        client = BatchClient(provider, model=judge.model)
        return batch_turns.take_turn(judge_id, client, is_over=turn.is_over)


class _Turn:
    """The requests in flight, and the handling of their outcomes."""

    def __init__(
        self, judge_id: int, here: EndpointHere, provider: Provider, is_ending: Callable[[], bool]
    ) -> None:
        self.judge_id = judge_id
        self.here = here
        self.provider = provider
        self.is_ending = is_ending
        self.in_flight: dict[Future[Reply], Claimed] = {}
        self.began = time.monotonic()
        self.slowest = 0.0
        self.next_beat = self.began

    def take(self, hand_over: Callable[[], None]) -> bool:
        """Work until the turn is over or nothing is due soon. True if it ended early."""
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
            pause = leases.seconds_until_due(self.judge_id)
            if pause is None or pause > PATIENCE_SECONDS or leases.is_worked_on(self.judge_id):
                return False
            time.sleep(max(pause, SHORTEST_PAUSE))

    def is_over(self) -> bool:
        """Whether the worker has other things to do."""
        length = max(TURN_SECONDS, REQUESTS_IN_A_TURN * self.slowest)
        return self.is_ending() or time.monotonic() - self.began >= length

    def _send(self) -> None:
        while len(self.in_flight) < self.here.concurrency:
            claimed = calls.claim(self.judge_id)
            if claimed is None:
                return
            self.in_flight[self.provider.ask(claimed.request)] = claimed

    def _settle(self) -> None:
        """Commit the received outcomes, and show that this worker is alive."""
        if time.monotonic() >= self.next_beat:
            leases.renew(claimed.attempt.request_id for claimed in self.in_flight.values())
            self.next_beat = time.monotonic() + settings.JUDGE_LEASE_SECONDS / BEATS_IN_A_LEASE
        done, _ = wait(self.in_flight, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            self._record(self.in_flight.pop(future), future)

    def _record(self, claimed: Claimed, future: Future[Reply]) -> None:
        if reply := record(claimed, future):
            self.slowest = max(self.slowest, reply.provenance["latency_seconds"])
