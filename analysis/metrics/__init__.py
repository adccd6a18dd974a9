"""Automatic metrics of texts: a number for each response. See docs/metrics.md.

`score` computes them; `METRICS` says what they are.
"""

from analysis.metrics.catalogue import CORE, METRICS
from analysis.metrics.metric import Embedder, Metric, MetricSettings
from analysis.metrics.scoring import score

__all__ = ["CORE", "METRICS", "Embedder", "Metric", "MetricSettings", "score"]
