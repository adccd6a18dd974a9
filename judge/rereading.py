"""Stored answers of judges that are read otherwise now. Nothing is changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from judge.attempts import asked
from judge.completions import Ended, ReadCompletion, read_completion
from judge.doubts import Unusable
from judge.models import Attempt, Judge
from judge.queries import scoring_calls
from judge.questions import ABOUT
from judge.reading import scores_of

Outcome = Attempt.Outcome


@dataclass(frozen=True)
class ReadOtherwise:
    """An answer, what was made of it, and what would be made of it now."""

    attempt: Attempt
    before: str
    now: str


def read_otherwise(judge: Judge) -> Iterator[ReadOtherwise]:
    """The answers of a judge whose score would differ now, and those without one that would have
    one.
    """
    configuration = judge.read_configuration()
    attempts = Attempt.objects.filter(
        call__in=scoring_calls(judge), outcome__in=Attempt.CAME_BACK, http_status=200
    )
    about = [f"call__{name}" for name in ABOUT]
    attempts = attempts.select_related("batch", *about).prefetch_related("call__scores")
    for attempt in attempts.order_by("call_id", "number").iterator(chunk_size=500):
        known = asked(attempt, configuration)
        before = _before(attempt, known.responses, known.dimensions)
        try:
            scored = scores_of(
                _said(attempt),
                configuration,
                responses=len(known.responses),
                dimensions=known.dimensions,
            )
        except Unusable as reason:
            now = f"no score: {reason}" if attempt.outcome == Outcome.ANSWERED else before
        else:
            now = _listed([each.score for each in scored])
        if now != before:
            yield ReadOtherwise(attempt, before, now)


def _said(attempt: Attempt) -> ReadCompletion:
    """A stored completion, read again. How it ended is as it was noted then."""
    reason = attempt.provenance.get("finish_reason")
    said = read_completion(attempt.raw_text, beside=attempt.thinking, finish_reason=reason)
    is_refusal = attempt.outcome == Outcome.REFUSED
    return replace(said, ended=Ended.REFUSED) if is_refusal else said


def _before(attempt: Attempt, responses: Sequence[int], dimensions: Sequence[str]) -> str:
    """The stored scores, in the order in which they are read; else why there are none."""
    if attempt.outcome != Outcome.ANSWERED:
        return f"no score: {attempt.error}"
    scores = {
        (score.response_id, score.dimension or attempt.call.dimension): score.value
        for score in attempt.call.scores.all()
    }
    return _listed([scores.get(at) for at in product(responses, dimensions)])


def _listed(scores: Sequence[int | None]) -> str:
    return ", ".join("none" if score is None else str(score) for score in scores)
