"""Scores texts by metrics: the one entry point."""

from collections.abc import Callable, Iterator, Sequence

import pandas as pd
from pandas import DataFrame, Series

from analysis.metrics.catalogue import METRICS
from analysis.metrics.metric import COLUMNS, Metric, MetricSettings
from analysis.not_computed import NotComputed
from survey.files.names import one_name
from survey.files.suggestions import did_you_mean

#: Texts between two reports of progress.
BLOCK = 50


def _silent(done: int, total: int) -> None:
    """Report nothing."""


def score(
    texts: DataFrame,
    metrics: Sequence[str],
    settings: MetricSettings | None = None,
    progress: Callable[[int, int], None] = _silent,
) -> DataFrame:
    """The value of each text by each metric: `response`, `metric`, `value` (float64; NaN where a
    metric is not defined), in the order of `metrics` and then of `texts`.

    `texts` has the columns of `metric.COLUMNS`. `progress` gets the number of values that are
    done and of all. Before anything is computed, raises NotComputed for an unknown metric and for
    one that lacks what it needs, and ValueError for texts that are not as they should be.
    """
    settings = settings or MetricSettings()
    chosen = [_metric(name) for name in dict.fromkeys(metrics)]
    for metric in chosen:
        metric.recorded(settings)
    _check(texts)
    texts = texts.reset_index(drop=True)
    for name in ("text", "prompt", "reference"):  # however accents are written
        texts[name] = texts[name].map(one_name, na_action="ignore")
    parts: dict[str, list[Series[float]]] = {metric.name: [] for metric in chosen}
    done = 0
    for metric, block in _blocks(texts, chosen):
        parts[metric.name].append(metric.of_measured(block, settings))
        done += len(block)
        progress(done, len(texts) * len(chosen))
    return _long(texts, parts)


def _metric(name: str) -> Metric:
    if name not in METRICS:
        raise NotComputed(f"there is no metric {name!r}{did_you_mean(name, list(METRICS))}")
    return METRICS[name]


def _check(texts: DataFrame) -> None:
    if missing := [name for name in COLUMNS if name not in texts]:
        raise ValueError(f"texts lack the column {missing[0]!r}")
    repeated = texts["response"][texts["response"].duplicated()]
    if len(repeated):
        raise ValueError(f"the response {repeated.iloc[0]!r} is there twice")
    without = texts["response"][~texts["text"].map(lambda text: isinstance(text, str))]
    if len(without):
        raise ValueError(f"the response {without.iloc[0]!r} has no text")


def _blocks(texts: DataFrame, metrics: Sequence[Metric]) -> Iterator[tuple[Metric, DataFrame]]:
    """What is computed together. All metrics of a block follow each other: some take the same."""
    yield from ((metric, texts) for metric in metrics if metric.of_all)
    for start in range(0, len(texts), BLOCK):
        block = texts.iloc[start : start + BLOCK]
        yield from ((metric, block) for metric in metrics if not metric.of_all)


def _long(texts: DataFrame, parts: "dict[str, list[Series[float]]]") -> DataFrame:
    values = [
        DataFrame({"response": texts["response"], "metric": name, "value": pd.concat(series)})
        for name, series in parts.items()
        if series
    ]
    if not values:
        return DataFrame({"response": [], "metric": [], "value": Series(dtype="float64")})
    return pd.concat(values, ignore_index=True)
