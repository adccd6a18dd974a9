"""Results: asking for the automatic metrics of a study, and their progress."""

from typing import Any

from django.db.models import Count, Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from analysis.catalogue.subjects import METRICS
from analysis.metric_options import installed_options
from analysis.metrics_requests import UNDER_WAY, metrics_request_of, request_metrics
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.newest_analysis import include_query
from dashboard.shared.pages import asked_for, wake_worker
from survey.models import Study

#: The place of the button on that page.
ANCHOR = "metrics-asked"


def about_metrics(study: Study) -> dict[str, Any]:
    """What the page of metrics says above its tables."""
    here = installed_options()
    chosen = {"embeddings": here.embeddings, "perplexity": here.perplexity}
    return {
        "requested": metrics_request_of(study),
        "computed": study.computed_metrics.aggregate(n=Count("id"), at=Max("computed_at")),
        "endpoints": [(what, one.model) for what, one in chosen.items() if one.model],
    }


@require_POST
@researcher_required
def ask_metrics(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for the metrics of the study, and wake a worker for them."""
    study = study_or_404(name)
    include = asked_for(request)
    wake_worker(request, "analysis.metrics", request_metrics(study).pk)
    page = reverse("results", args=[study, METRICS])
    return redirect(f"{page}{include_query(include)}#{ANCHOR}")


@require_GET
@researcher_required
def metrics_state(request: ResearcherRequest, name: str) -> HttpResponse:
    """How far the study's metrics are; a header says when to reload the page."""
    row = metrics_request_of(study_or_404(name))
    response = render(request, "dashboard/results/_metrics_progress.html", {"requested": row})
    if row is None or row.state not in UNDER_WAY:
        response["X-Finished"] = "1"
    return response
