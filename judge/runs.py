"""A worker's turn at a judge's calls.

The provider exchanges data with the endpoint in a separate thread. The main thread does all
database work: it commits each attempt before it is sent, and each answer when it arrives.
"""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing

from django.conf import settings

from judge import calls, leases
from judge.calls import Claimed
from judge.endpoints import EndpointHere, JudgeNotReady, check_endpoint
from judge.exchange import ExchangeFailed, Reply
from judge.models import Judge
from judge.parsing import Scored, Unusable, keeps_to_probe, parse_scores, parse_verdicts
from judge.prompts import TIE, letters
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
    if judge is None or judge.stopped:
        return False
    try:
        here = check_endpoint(judge.read_configuration())
    except JudgeNotReady as problem:
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
        return _Turn(judge_id, here, provider, is_ending).take(hand_over)


def read_answer(claimed: Claimed, text: str) -> list[Scored]:
    """The scores of a call's responses, each on every dimension. Raises Unusable."""
    configuration = claimed.configuration
    named = letters(len(claimed.responses))
    dimensions = claimed.dimensions if len(claimed.dimensions) > 1 else []
    if configuration.presentation == "pair":
        return parse_verdicts(text, named, tie=TIE, dimensions=dimensions)
    return parse_scores(
        text,
        configuration.scale,
        letters=named if configuration.presentation == "block" else (),
        dimensions=dimensions,
        between=configuration.between,
    )


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
            if self._is_over():
                return True
            self._send()
            if self.in_flight:
                self._settle()
                continue
            pause = leases.seconds_until_due(self.judge_id)
            if pause is None or pause > PATIENCE_SECONDS or leases.is_worked_on(self.judge_id):
                return False
            time.sleep(max(pause, SHORTEST_PAUSE))

    def _is_over(self) -> bool:
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
        try:
            reply = future.result()
            self.slowest = max(self.slowest, reply.provenance["latency_seconds"])
            if claimed.call.is_probe:
                calls.record_probe(claimed, reply, keeps=keeps_to_probe(reply.text))
                return
            if reply.cut_off:
                raise Unusable("the answer was cut off for its length; see max_tokens")
            scored = read_answer(claimed, reply.text)
        except ExchangeFailed as failure:
            calls.record_failure(claimed, failure)
        except Unusable as reason:
            calls.record_unusable(claimed, reply, str(reason))
        else:
            calls.record_scores(claimed, reply, scored)
