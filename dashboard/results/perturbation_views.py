"""Results: asking for perturbations of a study's responses, and their progress."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from analysis.catalogue.subjects import PERTURBATIONS
from analysis.metric_labels import LABELS
from analysis.perturbation_labels import RULE_LABELS, TASK_LABELS
from analysis.perturbation_requests import (
    RESPONSES,
    default_metrics,
    installed_rewriter,
    not_given,
    perturbation_run_of,
    request_perturbations,
)
from analysis.scorer_requests import current_scorer
from dashboard.results.forms import PerturbationForm
from dashboard.results.perturbing import askable_judges, options_for
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.log import record
from dashboard.shared.newest_analysis import include_query
from dashboard.shared.pages import asked_for, wake_worker
from dashboard.shared.roles import Permission
from survey.models import Response, Study

#: The place of the form on that page.
ANCHOR = "perturbations-asked"


def about_perturbations(study: Study) -> dict[str, Any]:
    """What the page of perturbations has in addition to its tables."""
    run = perturbation_run_of(study)
    scorer = current_scorer(study)
    metrics = [LABELS[name] for name in default_metrics(study)]
    _, model = installed_rewriter()
    changed = len(RULE_LABELS) + (len(TASK_LABELS) if model else 0)
    return {
        "requested": run,
        "sources": [*([scorer.name] if scorer else []), *metrics],
        "judges": askable_judges(study),
        "rewriter": model,
        "not_given": not_given(run) if run else [],
        "n_perturbations": changed,
        "usual": min(RESPONSES, Response.objects.filter(scenario__study=study).count()),
    }


@require_POST
@researcher_required
def ask_perturbations(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for perturbations, and wake a worker. Judges, which may cost, need the permission to have
    judges asked.
    """
    study = study_or_404(name)
    page = reverse("results", args=[study, PERTURBATIONS])
    back = redirect(f"{page}{include_query(asked_for(request))}#{ANCHOR}")
    may_ask = request.role is not None and request.role.may(Permission.CHANGE)
    form = PerturbationForm(request.POST, judges=askable_judges(study) if may_ask else [])
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(map(str, errors)))
        return back
    try:
        options = options_for(
            study,
            responses=form.cleaned_data["responses"],
            judges=form.cleaned_data["judges"],
        )
    except ValueError as problem:
        messages.error(request, str(problem))
        return back
    run = request_perturbations(study, options)
    record(study, request.user, "perturbations requested")
    wake_worker(request, run.TASK, run.pk)
    return back
