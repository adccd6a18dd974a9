"""Recording what came back for a call: its scores, or why there are none."""

from concurrent.futures import Future

from judge import calls
from judge.attempts import Asked
from judge.exchange import ExchangeFailed, Reply
from judge.parsing import Scored, Unusable, keeps_to_probe, parse_scores, parse_verdicts
from judge.prompts import TIE, letters


def read_answer(asked: Asked, text: str) -> list[Scored]:
    """The scores of a call's responses, each on every dimension. Raises Unusable."""
    configuration = asked.configuration
    named = letters(len(asked.responses))
    dimensions = asked.dimensions if len(asked.dimensions) > 1 else []
    if configuration.presentation == "pair":
        return parse_verdicts(text, named, tie=TIE, dimensions=dimensions)
    return parse_scores(
        text,
        configuration.scale,
        letters=named if configuration.presentation == "block" else (),
        dimensions=dimensions,
        between=configuration.between,
    )


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
        calls.record_probe(asked, reply, keeps=keeps_to_probe(reply.text))
        return reply
    try:
        if reply.cut_off:
            raise Unusable("the answer was cut off for its length; see max_tokens")
        scored = read_answer(asked, reply.text)
    except Unusable as reason:
        calls.record_unusable(asked, reply, str(reason))
    else:
        calls.record_scores(asked, reply, scored)
    return reply
