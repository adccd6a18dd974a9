"""chrF: shared sequences of up to six characters.

M. Popović (2015), chrF: character n-gram F-score for automatic MT evaluation.
"""

from functools import cache
from typing import Any

from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings, of_pairs


@cache
def _scorer() -> Any:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()


def chrf(text: str, reference: str, language: str) -> float:
    """chrF2 of one text, from 0 to 100; 0 where one of the texts has no characters."""
    return float(_scorer().sentence_score(text, [reference]).score)


def _signature(settings: MetricSettings) -> dict[str, object]:
    """What sacrebleu says about its settings: after scoring a text, as it knows no references
    before.
    """
    scorer = _scorer()
    scorer.sentence_score("a", ["a"])
    said = scorer.get_signature().info
    names = ("nrefs", "case", "eff", "nc", "nw", "space")
    return {"level": "sentence", "beta": scorer.beta} | {name: said[name] for name in names}


def _of_texts(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    return of_pairs(texts, chrf)


CHRF_2 = Metric(
    name="chrf",
    meaning="Sequences of up to six characters shared with the reference: F-score that weighs "
    "recall twice as much as precision, from 0 to 100",
    higher="more alike",
    of_texts=_of_texts,
    chosen=_signature,
    package="sacrebleu",
    needs_reference=True,
)
