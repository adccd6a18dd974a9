"""Computing automatic metrics that were asked for on a page or by the API, in a worker."""

from functools import partial

from analysis.computed_metrics import computed_metrics, possible_metrics, store_metrics
from analysis.metric_options import installed_options
from analysis.metric_settings import NOT_COMPUTED, metric_settings
from analysis.models import MetricsRequest
from jobs.runner import Store, Taken, Work


def _compute(taken: Taken[MetricsRequest]) -> Store:
    """Compute all that is possible here."""
    study = taken.job.study
    with metric_settings(installed_options(), taken.keep) as settings:
        computed = computed_metrics(study, possible_metrics(study, settings), settings, taken.step)

    def store() -> None:
        store_metrics(computed, before_storing=partial(taken.finish, percent=100))

    return store


COMPUTING = Work(_compute, refused=NOT_COMPUTED)
