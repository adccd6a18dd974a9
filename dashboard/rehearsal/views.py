"""Design › Rehearsal: sending simulated raters, and what the analysis finds of what was planted."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django_tables2 import RequestConfig

from analysis import catalogue
from analysis.labels import labels_of
from dashboard.rehearsal.findings import analysis_of_rehearsal, found_counts
from dashboard.rehearsal.forms import SimulationForm
from dashboard.rehearsal.simulations import CrowdOptions, ask_for_raters, next_seed, simulations_of
from dashboard.shared import result_tables
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.pages import analysis_page, asked_for, refusals_told, wake_worker
from dashboard.shared.roles import Permission
from survey.models import Participant, Study
from survey.simulated.record import crowds_of


@needs(Permission.READ, Permission.CHANGE)
def rehearsal(request: ResearcherRequest, name: str) -> HttpResponse:
    """What was planted in simulated raters, and which of it the analysis finds; sending raters."""
    study = study_or_404(name)
    form = SimulationForm(initial={"seed": next_seed(study)}, study=study)
    if request.method == "POST":
        form = SimulationForm(request.POST, request.FILES, study=study)
        if form.is_valid() and _ask(request, study, form.chosen):
            return redirect("rehearsal", study)
    analysis = analysis_of_rehearsal(study, asked_for(request))
    about = catalogue.table("planted", labels_of(study))
    table = analysis.tables("planted")["planted"]
    shown = result_tables.shown(table, about, [[row] for row in table.rows])
    RequestConfig(request, paginate={"per_page": result_tables.ROWS_SHOWN}).configure(shown)
    return analysis_page(
        request,
        study,
        "rehearsal",
        "rehearsal/rehearsal",
        analysis,
        form=form,
        simulation=simulations_of(study).first(),
        crowds=crowds_of(study),
        n_simulated=study.participants.filter(source=Participant.Source.SIMULATED).count(),
        about=about,
        shown=shown,
        counts=found_counts(table),
        locked=(analysis.run.manifest.get("plan") if analysis.run else None),
    )


def _ask(request: ResearcherRequest, study: Study, options: CrowdOptions) -> bool:
    """Whether raters were asked for; else the page says why not."""
    with refusals_told(request):
        asked, notices = ask_for_raters(study, options, request.user)
        for notice in notices:
            messages.warning(request, notice)
        wake_worker(request, asked.TASK, asked.pk)
        return True
    return False
