"""Rows as metrics take them, and values by name."""

from pandas import DataFrame

from analysis.metrics import METRICS, MetricSettings


def rows(*texts: str, reference: str | None = None, language: str = "en") -> DataFrame:
    return DataFrame(
        {
            "response": [f"r{number}" for number in range(len(texts))],
            "text": list(texts),
            "prompt": "How was it?",
            "reference": reference,
            "language": language,
        }
    )


def value(
    metric: str,
    text: str,
    reference: str | None = None,
    *,
    language: str = "en",
    settings: MetricSettings | None = None,
) -> float:
    """Of one text."""
    one = rows(text, reference=reference, language=language)
    return float(METRICS[metric].of_measured(one, settings or MetricSettings()).iloc[0])
