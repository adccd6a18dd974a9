"""Scores of machine judges, and the decisions about the gold source.

The database is the queue: a `Call` is a row with a state and a lease, an `Attempt` is one request
that was (or may have been) sent. A call is identified by (response or block, dimension, judge,
replicate). An answered call is never made again, so nothing is knowingly paid twice.
"""

from judge.models.asking import Asker, Endpoint, QueuedCall, SentAttempt
from judge.models.calls import Attempt, Batch, Call, Score
from judge.models.gold import GoldDecision, GoldScore, GoldSet
from judge.models.judging import STAND_IN, EndpointTrait, Judge, Judging, Jury, StructuredOutput

__all__ = [
    "STAND_IN",
    "Asker",
    "Attempt",
    "Batch",
    "Call",
    "Endpoint",
    "EndpointTrait",
    "GoldDecision",
    "GoldScore",
    "GoldSet",
    "Judge",
    "Judging",
    "Jury",
    "QueuedCall",
    "Score",
    "SentAttempt",
    "StructuredOutput",
]
