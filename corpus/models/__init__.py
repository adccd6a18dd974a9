"""Corpora, the scenarios drawn from them, and the texts that models write for these.

The texts of a corpus are in files (`corpus.store`); the database knows what they are.
"""

from corpus.models.corpora import Corpus, Sample, SampledScenario
from corpus.models.generation import Generation, GenerationAttempt, Generator

__all__ = [
    "Corpus",
    "Generation",
    "GenerationAttempt",
    "Generator",
    "Sample",
    "SampledScenario",
]
