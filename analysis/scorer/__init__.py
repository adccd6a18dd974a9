"""A small model that learns from people's ratings to score texts. See docs/scorer.md.

Pure: frames in, frames out. `train` fits and evaluates one, `FittedScorer` scores texts, `card`
says in words how far to trust it.
"""

from analysis.scorer.card import card
from analysis.scorer.fitted import FittedScorer, read_scorer
from analysis.scorer.ngrams import NgramVectors
from analysis.scorer.training import Trained, train

__all__ = [
    "FittedScorer",
    "NgramVectors",
    "Trained",
    "card",
    "read_scorer",
    "train",
]
