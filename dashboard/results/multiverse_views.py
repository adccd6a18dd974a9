"""Results: asking for the multiverse of an analysis, and its progress."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from analysis.catalogue.subjects import ORDER
from dashboard.results.asking import ask_for_multiverse
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.newest_analysis import include_query
from dashboard.shared.pages import asked_for, refusals_told, wake_worker
from dashboard.shared.roles import Permission

#: The place of the button on that page.
ANCHOR = "multiverse-asked"


@needs(change=Permission.COMPUTE)
def ask(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for the multiverse of the newest analysis, and wake a worker for it."""
    study = study_or_404(name)
    include = asked_for(request)
    back = redirect(f"{reverse('results', args=[study, ORDER])}{include_query(include)}#{ANCHOR}")
    with refusals_told(request):
        multiverse = ask_for_multiverse(study, include, author=request.user)
        if multiverse.is_done:
            messages.success(request, "The multiverse of this analysis is already computed.")
        else:
            wake_worker(request, multiverse.TASK, multiverse.pk)
    return back
