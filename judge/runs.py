"""A worker's turn at a judge's calls.

The provider exchanges data with the endpoint in a thread of its own and does nothing else; the
main thread does all database work, and commits each attempt before it is sent and each answer
as it arrives.
"""

import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing

from django.conf import settings

from judge import calls
from judge.calls import Claimed
from judge.configure import JudgeNotReady, check_endpoint
from judge.exchange import ExchangeFailed, Reply
from judge.models import Judge
from judge.parsing import Unusable, parse_score
from judge.providers import Provider

#: After a turn the worker sees to its other tasks, and to a request to shut down.
TURN_SECONDS = 5.0
#: A longer wait than this is left to the sweep.
PATIENCE_SECONDS = 10.0
#: How often calls that became due meanwhile are looked for.
POLL_SECONDS = 0.5


def run(judge_id: int) -> bool:
    """Ask what is due, for one turn. True if another turn is wanted at once."""
    judge = Judge.objects.select_related("study").filter(pk=judge_id).first()
    if judge is None or judge.stopped:
        return False
    try:
        check_endpoint(judge.read_configuration())
    except JudgeNotReady as problem:
        calls.stop(judge_id, str(problem))
        return False
    calls.recover(judge_id)
    provider = Provider(
        base_url=settings.JUDGE_BASE_URL,
        api_key=settings.JUDGE_API_KEY,
        timeout_seconds=settings.JUDGE_TIMEOUT_SECONDS,
    )
    with closing(provider):
        return _Turn(judge_id, provider).take()


class _Turn:
    """The requests in flight, and what happens when they end."""

    def __init__(self, judge_id: int, provider: Provider) -> None:
        self.judge_id = judge_id
        self.provider = provider
        self.in_flight: dict[Future[Reply], Claimed] = {}

    def take(self) -> bool:
        """Work until the turn is over or nothing is due soon. True if it was cut short."""
        try:
            return self._work()
        finally:
            # Whatever else went wrong: an answer on its way may be paid for, so it is recorded.
            while self.in_flight:
                self._settle()

    def _work(self) -> bool:
        turn_ends = time.monotonic() + TURN_SECONDS
        while True:
            over = time.monotonic() >= turn_ends
            if not over and len(self.in_flight) < settings.JUDGE_CONCURRENCY:
                self._send()
            if self.in_flight:
                self._settle()
                continue
            pause = calls.seconds_until_due(self.judge_id)
            if pause is None or pause > PATIENCE_SECONDS or calls.is_worked_on(self.judge_id):
                return False
            if over:
                return True
            time.sleep(max(pause, 0.01))

    def _send(self) -> None:
        for claimed in calls.claim(self.judge_id):
            self.in_flight[self.provider.ask(claimed.request)] = claimed

    def _settle(self) -> None:
        """Commit what has come back."""
        done, _ = wait(self.in_flight, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            self._record(self.in_flight.pop(future), future)

    def _record(self, claimed: Claimed, future: Future[Reply]) -> None:
        try:
            reply = future.result()
            if reply.cut_off:
                raise Unusable("the answer was cut off for its length; see max_tokens")
            task = claimed.task
            score = parse_score(reply.text, task.scale, between=task.kind == "slider")
        except ExchangeFailed as failure:
            calls.record_failure(claimed, failure)
        except Unusable as reason:
            calls.record_unusable(claimed, reply, str(reason))
        else:
            calls.record_score(claimed, reply, score)
