"""Computing automatic metrics that were asked for, in a worker or a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from analysis.computed_metrics import computed_metrics, possible_metrics, store_metrics
from analysis.metric_settings import metric_settings
from analysis.metrics import METRICS, MetricSettings
from analysis.metrics.perplexity import ImportedPerplexity
from analysis.metrics_requests import options_of
from analysis.models import MetricsRequest
from jobs.runner import Store, Taken


def compute(taken: Taken[MetricsRequest]) -> Store:
    """Compute the metrics that were asked for, or all that are possible."""
    study = taken.job.study
    with _settings(taken) as settings:
        names = taken.job.metrics or possible_metrics(study, settings)
        computed = computed_metrics(study, names, settings, taken.step)
    finish = partial(taken.finish, percent=100, metrics=names)
    return partial(store_metrics, computed, before_storing=finish)


@contextmanager
def _settings(taken: Taken[MetricsRequest]) -> Iterator[MetricSettings]:
    """What the metrics compute with: no endpoint is asked that none of them needs."""
    options = options_of(taken.job)
    if taken.job.metrics:
        options = options.only({METRICS[name].needs for name in taken.job.metrics})
    with metric_settings(options, taken.keep) as settings:
        yield _with_file(settings, taken.job.perplexities)


def _with_file(settings: MetricSettings, given: dict[str, Any] | None) -> MetricSettings:
    """The settings with the perplexities of a file, if there is one."""
    if given is None:
        return settings
    values = {int(response): value for response, value in given["values"].items()}
    return replace(settings, perplexity_source=ImportedPerplexity(values, given["about"]))
