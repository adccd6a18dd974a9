"""Results: asking for perturbations of a study's responses, and their progress."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from analysis.catalogue.subjects import PERTURBATIONS
from analysis.metric_labels import LABELS
from analysis.perturbation_labels import RULE_LABELS, TASK_LABELS
from analysis.perturbation_requests import (
    RESPONSES,
    UNDER_WAY,
    PerturbationOptions,
    default_metrics,
    installed_rewriter,
    perturbation_run_of,
    request_perturbations,
)
from analysis.scorer_requests import current_scorer
from dashboard.results.forms import PerturbationForm
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.log import record
from dashboard.shared.newest_analysis import include_query
from dashboard.shared.pages import asked_for, wake_worker
from dashboard.shared.roles import Permission
from judge.queries import GoldSource, current_judges
from survey.models import Response, Study

#: The place of the form on that page.
ANCHOR = "perturbations-asked"
#: What a judge is asked about in addition: each text as it is.
UNCHANGED = "unchanged"


def about_perturbations(study: Study) -> dict[str, Any]:
    """What the page of perturbations has in addition to its tables."""
    run = perturbation_run_of(study)
    scorer = current_scorer(study)
    metrics = [LABELS[name] for name in default_metrics(study)]
    _, model = installed_rewriter()
    changed = len(RULE_LABELS) + (len(TASK_LABELS) if model else 0)
    return {
        "requested": run,
        "is_perturbing": run is not None and run.state in UNDER_WAY,
        "sources": [*([scorer.name] if scorer else []), *metrics],
        "judges": _judges(study),
        "rewriter": model,
        "n_perturbations": changed,
        "usual": min(RESPONSES, Response.objects.filter(scenario__study=study).count()),
    }


def _judges(study: Study) -> list[str]:
    """The judges that can be asked about changed texts, by key."""
    return [
        GoldSource(judge=judge).key
        for judge in current_judges(study).order_by("name")
        if judge.read_configuration().presentation == "single"
    ]


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
    form = PerturbationForm(request.POST, judges=_judges(study) if may_ask else [])
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(map(str, errors)))
        return back
    endpoint, model = installed_rewriter()
    judges = tuple(form.cleaned_data["judges"])
    options = PerturbationOptions(
        perturbations=(
            *RULE_LABELS,
            *(TASK_LABELS if model else ()),
            *((UNCHANGED,) if judges else ()),
        ),
        responses=form.cleaned_data["responses"],
        scorer=current_scorer(study) is not None,
        metrics=default_metrics(study),
        judges=judges,
        endpoint=endpoint,
        model=model,
    )
    if not (options.scorer or options.metrics or options.judges):
        messages.error(
            request, "Nothing would score the texts: train a scorer, or compute metrics first."
        )
        return back
    run = request_perturbations(study, options)
    record(study, request.user, "perturbations requested")
    wake_worker(request, "analysis.perturbations", run.pk)
    return back


@require_GET
@researcher_required
def perturbations_state(request: ResearcherRequest, name: str) -> HttpResponse:
    """How far the study's perturbations are; a header says when to reload the page."""
    run = perturbation_run_of(study_or_404(name))
    context = {"requested": run, "doing": "Perturbing"}
    response = render(request, "dashboard/results/_job_progress.html", context)
    if run is None or run.state not in UNDER_WAY:
        response["X-Finished"] = "1"
    return response
