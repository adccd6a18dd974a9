"""Computing automatic metrics that were asked for on a page or by the API, in a worker."""

import logging

from django.db import OperationalError

from analysis.computed_metrics import compute_metrics, possible_metrics
from analysis.metric_options import installed_options
from analysis.metric_settings import NOT_COMPUTED, metric_settings
from analysis.models import MetricsRequest
from jobs import leases
from jobs.heartbeat import kept
from jobs.leases import Lost

logger = logging.getLogger(__name__)


def execute_metrics(request_id: int) -> bool:
    """Compute what was asked for, or store why it failed. False if there was nothing to take."""
    request = leases.claim(MetricsRequest.objects.select_related("study"), request_id)
    if request is None:
        return False
    try:
        with kept(request):
            _compute(request)
        leases.finish(request, percent=100)
    except OperationalError:
        raise  # the database went away or stayed locked: once the lease is over it is tried again
    except Lost:
        logger.info("%s are no longer this worker's", request)
    except NOT_COMPUTED as problem:
        leases.refuse(request, str(problem))
    except Exception as error:  # whatever it was: the row has to say that it failed
        logger.exception("%s failed", request)
        leases.fail(request, error)
    return True


def _compute(request: MetricsRequest) -> None:
    """Compute all that is possible here. Raises Lost and NOT_COMPUTED."""

    def keep(done: int = 0, of: int = 0) -> None:
        told = {"percent": 100 * done // of} if of else {}
        if not leases.is_kept(request, **told):
            raise Lost

    study = request.study
    with metric_settings(installed_options(), while_waiting=keep) as settings:
        compute_metrics(study, possible_metrics(study, settings), settings, keep)
