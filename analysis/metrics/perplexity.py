"""Perplexity: how surprising a language model finds a text."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings


def perplexity(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    """exp(−mean of ln p(token)) over the tokens of each text, at least 1; NaN where the source has
    no value.
    """
    assert settings.perplexity_source
    return settings.perplexity_source.perplexity(texts)


@dataclass(frozen=True)
class ImportedPerplexity:
    """Perplexities that were computed elsewhere, by `response`; others have no value."""

    values: Mapping[int, float] | Mapping[str, float]
    #: What is known of them, such as the file's digest.
    settings: Mapping[str, object] = field(default_factory=dict)

    def perplexity(self, texts: DataFrame) -> "Series[float]":
        """The value of each text, indexed like `texts`."""
        return texts["response"].map(dict(self.values)).astype("float64")


def _chosen(settings: MetricSettings) -> dict[str, object]:
    assert settings.perplexity_source
    return dict(settings.perplexity_source.settings)


PERPLEXITY = Metric(
    name="perplexity",
    meaning="exp of the mean negative log-probability that a language model gives a text's tokens",
    higher="more surprising to the model",
    of_texts=perplexity,
    chosen=_chosen,
    needs="perplexity_source",
)
