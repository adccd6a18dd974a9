"""Recording what came back for a call: its scores, or why there are none."""

from concurrent.futures import Future

from judge import calls
from judge.attempts import Asked
from judge.completions import Ended
from judge.doubts import Unusable
from judge.exchange import ExchangeFailed, Reply
from judge.parsing import keeps_to_probe
from judge.reading import scores_of


def record(asked: Asked, outcome: Future[Reply]) -> Reply | None:
    """Commit the outcome of an attempt, whose future is done; returns the reply, if there is one.

    The future's exception is ExchangeFailed.
    """
    try:
        reply = outcome.result()
    except ExchangeFailed as failure:
        calls.record_failure(asked, failure)
        return None
    if asked.call.is_probe:
        calls.record_probe(asked, reply, keeps=keeps_to_probe(reply.said.answer))
        return reply
    if reply.said.ended is not Ended.COMPLETE:
        calls.record_incomplete(asked, reply, reply.said.why_not_whole)
        return reply
    try:
        scored = scores_of(
            reply.said,
            asked.configuration,
            responses=len(asked.responses),
            dimensions=asked.dimensions,
        )
    except Unusable as reason:
        calls.record_unusable(asked, reply, str(reason))
    else:
        calls.record_scores(asked, reply, scored)
    return reply
