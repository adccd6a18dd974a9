"""Requests for automatic metrics: made, found again. `metrics_making` computes them, in a worker.

Nothing here loads what computing needs, so web processes may ask for them.
"""

from django.db import transaction

from analysis.models import MetricsRequest
from survey.models import Study


@transaction.atomic
def request_metrics(study: Study) -> MetricsRequest:
    """A waiting request for the study's metrics, in place of an earlier one, or the one that is
    under way. The caller wakes a worker.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    request, is_new = MetricsRequest.objects.get_or_create(study=study)
    if not is_new and not request.is_under_way:
        request.delete()
        request = MetricsRequest.objects.create(study=study)
    return request


def metrics_request_of(study: Study) -> MetricsRequest | None:
    """The newest request for the study's metrics, if there was one."""
    return MetricsRequest.objects.filter(study=study).first()
