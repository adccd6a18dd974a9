"""Results: asking for perturbations of a study's responses, and their progress."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from analysis.catalogue.subjects import PERTURBATIONS
from analysis.metric_labels import LABELS
from analysis.perturbation_labels import RULE_LABELS, TASK_LABELS
from analysis.perturbation_options import RESPONSES
from analysis.perturbation_requests import (
    askable_judges,
    default_metrics,
    installed_rewriter,
    not_given,
    perturbation_run_of,
)
from analysis.scorer_requests import current_scorer
from dashboard.results.forms import PerturbationForm
from dashboard.results.perturbing import ask_to_perturb
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.newest_analysis import include_query
from dashboard.shared.pages import asked_for, refusals_told, wake_worker
from dashboard.shared.roles import Permission
from survey.models import Response, Study

#: The place of the form on that page.
ANCHOR = "perturbations-asked"


def about_perturbations(study: Study) -> dict[str, Any]:
    """What the page of perturbations has in addition to its tables."""
    run = perturbation_run_of(study)
    scorer = current_scorer(study)
    metrics = [LABELS[name] for name in default_metrics(study)]
    model = installed_rewriter().model
    usual = min(RESPONSES, Response.objects.filter(scenario__study=study).count())
    changed = len(RULE_LABELS) + (len(TASK_LABELS) if model else 0)
    return {
        "requested": run,
        "sources": [*([scorer.name] if scorer else []), *metrics],
        "judges": askable_judges(study),
        "rewriter": model,
        "not_given": not_given(run) if run else [],
        "n_perturbations": changed,
        "perturbation_form": PerturbationForm(initial={"responses": usual}, auto_id="perturbed-%s"),
    }


@needs(change=Permission.COMPUTE)
def ask_perturbations(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for perturbations, and wake a worker."""
    study, form = study_or_404(name), PerturbationForm(request.POST)
    with refusals_told(request):
        run = ask_to_perturb(study, form.asked, request.user)
        wake_worker(request, run.TASK, run.pk)
    page = reverse("results", args=[study, PERTURBATIONS])
    return redirect(f"{page}{include_query(asked_for(request))}#{ANCHOR}")
