"""Raters: the funnel, the list, and decisions that exclude."""

from collections.abc import Collection
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import (
    HttpResponse,
)
from django.shortcuts import redirect

from analysis.labels import labels_of
from analysis.manual_decisions import (
    DecisionOptions,
    decided_in_words,
    exclusions_in_force,
)
from analysis.quality_rules import DECISION
from analysis.rule_sets import rules_of
from dashboard.raters import decisions
from dashboard.raters.forms import ExcludeForm
from dashboard.raters.funnel import funnel_bars, shown_rater
from dashboard.raters.rater_list import TEXTS, RaterFilter, rater_rows
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.newest_analysis import included, newest_of_ratings
from dashboard.shared.pages import analysis_page, asked_for, refusals_told, wake_worker
from dashboard.shared.roles import Permission
from dashboard.shared.stored_tables import sortable_columns
from survey.models import Participant, Study
from survey.tidy import definition_of

RATERS_SHOWN = 100


#: What only raters have who rated.
OF_RATINGS = ("n_ratings", "sigma", "mae")
RATER_COLUMNS = {
    "participant": "Rater",
    "source": "Source",
    "n_ratings": "Ratings",
    "duration_seconds": "Minutes",
    "sigma": "σ",
    "mae": "MAE",
}


@needs(Permission.READ)
def raters(request: ResearcherRequest, name: str) -> HttpResponse:
    """The funnel, and the raters in pages, chosen and sorted as asked for."""
    study = study_or_404(name)
    analysis = newest_of_ratings(study, asked_for(request))
    steps = analysis.tables("funnel")["funnel"]
    labels = labels_of(study)
    context: dict[str, Any] = {"labels": labels}
    if analysis.run:
        rules = rules_of(analysis.run.rule_set)
        definition = definition_of(study)
        asked = RaterFilter.of(study, analysis, request.GET)
        choice = asked.chosen
        pages = Paginator(asked.qs, RATERS_SHOWN)
        page = pages.get_page(request.GET.get("page"))
        sort = choice.pop("sort", "participant")
        rated = definition.rating is not None
        left_out = () if rated else OF_RATINGS
        columns = {name: label for name, label in RATER_COLUMNS.items() if name not in left_out}
        context |= {
            "form": asked.form,
            "is_chosen": bool(choice),
            "page": page,
            "page_numbers": pages.get_elided_page_range(page.number),
            "raters": [shown_rater(rater, rules) for rater in rater_rows(analysis.run, page)],
            "columns": sortable_columns(columns, texts=TEXTS, sort=sort),
            "rated": rated,
            "records_writing": definition.record_writing,
            "writing_rules": [(rule.label, rule.in_words()) for rule in rules.writing.rules],
        }
        shown = [rater["id"] for rater in context["raters"]]
        decisions = exclusions_in_force(study, among=shown)
        out = {decision.participant_id: decision for decision in decisions}
        context["decided"] = [(rater, out.get(rater["id"])) for rater in context["raters"]]
    funnel = funnel_bars(steps)
    has_decisions = any(step["step"] == DECISION for step in steps.rows)
    context |= {"funnel": funnel, "has_decisions": has_decisions}
    return analysis_page(request, study, "raters", "raters/raters", analysis, **context)


#: What follows a decision that was recorded.
RECOMPUTING = "A worker is computing the results."


@needs(change=Permission.CHANGE)
def exclude(request: ResearcherRequest, name: str) -> HttpResponse:
    """Exclude people who did not match the lists of submissions, and request an analysis."""
    study = study_or_404(name)
    form = ExcludeForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"{form.problem} Nothing was changed.")
        return redirect("submissions", study)
    people = list(study.participants.filter(pk__in=form.participants))
    decide(request, study, people, form.chosen)
    return redirect("raters", study)


def decide(
    request: ResearcherRequest,
    study: Study,
    people: Collection[Participant],
    options: DecisionOptions,
) -> None:
    """Record a decision, say so, and wake a worker for the analysis."""
    with refusals_told(request):
        include = included(study, asked_for(request))
        decided = decisions.decide(study, people, options, request.user, include=include)
        said = decided_in_words(decided.changed, excluded=options.excluded)
        messages.success(request, f"{said} {RECOMPUTING}")
        if not decided.run.is_done:
            wake_worker(request, decided.run.TASK, decided.run.pk)
