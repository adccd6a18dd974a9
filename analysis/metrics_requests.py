"""Requests for automatic metrics: made, found again. `metrics_making` computes them, in a worker.

Nothing here loads what computing needs, so web processes may ask for them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from pydantic import TypeAdapter

from analysis.metric_options import MetricOptions, installed_options
from analysis.models import MetricsRequest
from jobs.asking import refuse_other
from survey.models import Study

OPTIONS = TypeAdapter(MetricOptions)


@transaction.atomic
def request_metrics(
    study: Study,
    metrics: Sequence[str] = (),
    options: MetricOptions | None = None,
    perplexities: Mapping[str, Any] | None = None,
) -> MetricsRequest:
    """A waiting request for the study's `metrics`, or for all that are possible, in place of an
    earlier one; or the same one that is under way. `perplexities` of a file have `values` by
    response, and what is recorded `about` them. The caller wakes a worker. Raises AskedOtherwise.
    """
    asked = {
        "metrics": list(metrics),
        "options": OPTIONS.dump_python(options or installed_options(), mode="json"),
        "perplexities": None if perplexities is None else dict(perplexities),
    }
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    earlier = metrics_request_of(study)
    if earlier is not None and earlier.is_under_way:
        refuse_other(earlier, **asked)
        return earlier
    if earlier is not None:
        earlier.delete()
    return MetricsRequest.objects.create(study=study, **asked)


def options_of(request: MetricsRequest) -> MetricOptions:
    """What was chosen for a request."""
    if request.options is None:
        return installed_options()
    return OPTIONS.validate_python(request.options)


def metrics_request_of(study: Study) -> MetricsRequest | None:
    """The newest request for the study's metrics, if there was one."""
    return MetricsRequest.objects.filter(study=study).first()
