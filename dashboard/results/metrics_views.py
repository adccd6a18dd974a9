"""Results: asking for the automatic metrics of a study, and their progress."""

from typing import Any

from django.db.models import Count, Max
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from analysis.catalogue.subjects import METRICS
from analysis.metric_options import installed_options
from analysis.metrics_requests import metrics_request_of
from analysis.text.cells import Table
from analysis.text.metric_tables import METRIC_MEANS, metric_tables
from dashboard.results.forms import MetricsForm
from dashboard.results.metrics_asking import ask_for_metrics
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.newest_analysis import NewestAnalysis, include_query
from dashboard.shared.pages import asked_for, note, refusals_told, wake_worker
from dashboard.shared.roles import Permission
from survey.definition.labels import Labels
from survey.models import Study

#: The place of the button on that page.
ANCHOR = "metrics-asked"


def about_metrics(study: Study, analysis: NewestAnalysis, labels: Labels) -> dict[str, Any]:
    """What the page of metrics has in addition to its tables: how to compute them, and their means
    as papers print them.
    """
    means = analysis.tables(METRIC_MEANS)[METRIC_MEANS]
    rows = [list(row.values()) for row in means.rows]
    here = installed_options()
    chosen = {"embeddings": here.embeddings, "perplexity": here.perplexity}
    return {
        "requested": metrics_request_of(study),
        "metrics_form": MetricsForm(auto_id="metrics-%s"),
        "computed": study.computed_metrics.aggregate(n=Count("id"), at=Max("computed_at")),
        "endpoints": [(what, one.model) for what, one in chosen.items() if one.model],
        "metric_tables": metric_tables(Table(METRIC_MEANS, means.columns, rows, labels)),
    }


@needs(change=Permission.COMPUTE)
def ask_metrics(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for the metrics of the study, and wake a worker for them."""
    study, form = study_or_404(name), MetricsForm(request.POST, request.FILES)
    with refusals_told(request):
        asked, notices = ask_for_metrics(study, form.asked, request.user)
        note(request, notices)
        wake_worker(request, asked.TASK, asked.pk)
    page = reverse("results", args=[study, METRICS])
    return redirect(f"{page}{include_query(asked_for(request))}#{ANCHOR}")
