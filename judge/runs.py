"""A worker's turn at a judge's calls."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import closing

from judge import batch_turns, calls, leases
from judge.answers import record
from judge.attempts import Claimed
from judge.batch_client import BatchClient
from judge.endpoints import JudgeNotReady, check_endpoint
from judge.exchange import Reply
from judge.models import Judge
from judge.providers import Provider
from judge.turns import Turn


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
    provider = Provider.at(
        here, model_source=f"the judge's model in study.yaml, or {here.variable('MODEL')}"
    )
    with closing(provider):
        turn = Turn(_Calls(judge_id), here, provider, is_ending)
        if turn.take(hand_over):
            return True
        if not judge.read_configuration().asks_in_batches and not judge.batches.exists():
            return False
        client = BatchClient(provider, model=judge.model)
        return batch_turns.take_turn(judge_id, client, is_over=turn.is_over)


class _Calls:
    """The line of a judge's calls."""

    def __init__(self, judge_id: int) -> None:
        self.judge_id = judge_id

    def claim(self) -> Claimed | None:
        return calls.claim(self.judge_id)

    def renew(self, tokens: Iterable[str]) -> None:
        leases.renew(tokens)

    def record(self, claimed: Claimed, outcome: Future[Reply]) -> Reply | None:
        return record(claimed, outcome)

    def seconds_until_due(self) -> float | None:
        return leases.seconds_until_due(self.judge_id)

    def is_worked_on(self) -> bool:
        return leases.is_worked_on(self.judge_id)
