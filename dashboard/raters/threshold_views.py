"""Researchers' page of thresholds: what others would do, and putting them in force."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from analysis import catalogue
from analysis.exclusion_rule import Threshold
from analysis.labels import labels_of
from analysis.queries import latest_run
from analysis.rule_sets import current_rule_set
from dashboard.raters.forms import ThresholdsForm
from dashboard.raters.trying_thresholds import (
    TriedThresholds,
    put_in_force,
    try_thresholds,
    with_changes,
)
from dashboard.shared import result_tables
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.newest_analysis import (
    NewestAnalysis,
    include_query,
    included,
    newest_analysis,
    newest_of_ratings,
)
from dashboard.shared.pages import analysis_page, asked_for, refusals_told, wake_worker
from dashboard.shared.roles import Permission
from survey.models import Study
from survey.tidy import counted_sources

if TYPE_CHECKING:
    from dashboard.raters.what_if import WhatIf

VERSIONS_SHOWN = 20


@dataclass(frozen=True)
class Slider:
    """A threshold on the page. `most` and `step` are of the slider; the number is free."""

    field: forms.BoundField
    unit: str
    in_force: float
    value: float
    most: float
    step: float


@needs(Permission.READ)
def thresholds(request: ResearcherRequest, name: str) -> HttpResponse:
    """The rules in force, a comparison with other thresholds, and every version so far."""
    study = study_or_404(name)
    analysis = newest_of_ratings(study, asked_for(request))
    context: dict[str, Any] = {}
    if analysis.run:
        tried = try_thresholds(request.GET, study, analysis.run)
        form, what_if = tried.form, tried.what_if
        elbows = analysis.tables("thresholds")["thresholds"]
        about = catalogue.table("thresholds", labels_of(study))
        context = {
            "form": form,
            "sliders": _sliders(form, what_if.largest),
            "choices": [form[name] for name in form.choices],
            "tried": tried.preview(request.GET.get("sort", "")),
            "elbows": result_tables.shown(elbows, about, [[row] for row in elbows.rows]),
            "about_elbows": about,
            **_contrast(what_if),
        }
    versions = study.rule_sets.select_related("author").order_by("-version")
    return analysis_page(
        request,
        study,
        "thresholds",
        "raters/thresholds",
        analysis,
        versions=with_changes(list(versions[: VERSIONS_SHOWN + 1]), labels_of(study)),
        in_force=current_rule_set(study),
        **context,
    )


@needs(Permission.READ)
def outcome(request: ResearcherRequest, name: str) -> HttpResponse:
    """The comparison alone, for updates while a slider moves."""
    study = study_or_404(name)
    include = included(study, asked_for(request))
    run = latest_run(study, counted_sources(include))
    context: dict[str, Any] = {
        "study": study,
        "analysis": {"include": include},
        "labels": labels_of(study),
    }
    if run:
        tried = try_thresholds(request.GET, study, run)
        context |= {
            "form": tried.form,
            "tried": tried.preview(request.GET.get("sort", "")),
            **_contrast(tried.what_if),
        }
    return render(request, "dashboard/raters/_thresholds_outcome.html", context)


@needs(Permission.CHANGE, Permission.CHANGE)
def use(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask whether to use other thresholds; when confirmed, use them and request an analysis."""
    study = study_or_404(name)
    asked = asked_for(request)
    analysis = newest_analysis(study, asked)
    back = reverse("thresholds", args=[study]) + include_query(asked)
    data = request.POST if request.method == "POST" else request.GET
    with refusals_told(request):
        tried = try_thresholds(data, study, analysis.finished_run)
        if request.method == "GET":
            tried.refuse_if_useless()
            return _ask_whether(request, study, analysis, tried)
        rules, asked_run = put_in_force(
            tried,
            study=study,
            instead_of=request.POST.get("instead_of", ""),
            author=request.user,
            include=analysis.include,
        )
        messages.success(
            request,
            f"Rules version {rules.version} is in force. A worker is computing the results.",
        )
        if not asked_run.is_done:
            wake_worker(request, asked_run.TASK, asked_run.pk)
    return redirect(back)


def _ask_whether(
    request: ResearcherRequest, study: Study, analysis: NewestAnalysis, tried: TriedThresholds
) -> HttpResponse:
    return analysis_page(
        request,
        study,
        "thresholds",
        "raters/use_thresholds",
        analysis,
        form=tried.form,
        tried=tried.preview(request.GET.get("sort", "")),
        changes=tried.changes(labels_of(study)),
        in_force=tried.in_force,
        **_contrast(tried.what_if),
    )


def _contrast(what_if: "WhatIf") -> dict[str, Any]:
    return {
        "percent": f"{100 * what_if.confidence:g}" if what_if.confidence else "",
    }


def _sliders(form: ThresholdsForm, largest: Mapping[str, float]) -> list[Slider]:
    """Sliders that reach a little beyond the raters' largest values."""
    sliders = []
    for name, setting in form.thresholds.items():
        about = setting.about
        assert isinstance(about, Threshold)
        most = max(about.most, largest.get(about.measure, 0))
        now: float = form.fields[name].initial
        value = setting.of(form.asked)
        step = 0.1 if about.step == 0.01 and most > 20 else about.step
        end = step * math.ceil(max(most, now, value) / step + 1)
        sliders.append(Slider(form[name], about.unit, now, value, round(end, 2), step))
    return sliders
