"""Researchers' page of thresholds: what others would do, and putting them in force."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from analysis import catalogue
from analysis.exclusion_rule import Threshold
from analysis.labels import labels_of
from analysis.models import AnalysisRun, RuleSet
from analysis.quality_rules import QualityRules, changes_in_words
from analysis.queries import latest_run
from analysis.rule_sets import current_rule_set, rules_of, set_rules
from analysis.runs import request_run
from dashboard.raters.forms import ThresholdsForm
from dashboard.shared import result_tables
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.log import record
from dashboard.shared.newest_analysis import (
    include_query,
    included,
    newest_analysis,
    newest_of_ratings,
)
from dashboard.shared.pages import analysis_page, asked_for, wake_worker
from survey.definition.labels import Labels
from survey.models import Study
from survey.tidy import counted_sources

if TYPE_CHECKING:
    from dashboard.raters.threshold_preview import ThresholdPreview
    from dashboard.raters.thresholds import WhatIf

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


@require_GET
@researcher_required
def thresholds(request: ResearcherRequest, name: str) -> HttpResponse:
    """The rules in force, a comparison with other thresholds, and every version so far."""
    study = study_or_404(name)
    analysis = newest_of_ratings(study, asked_for(request))
    context: dict[str, Any] = {}
    if analysis.run:
        form, what_if = _asked(request.GET, study, analysis.run)
        elbows = analysis.tables("thresholds")["thresholds"]
        about = catalogue.table("thresholds", labels_of(study))
        context = {
            "form": form,
            "sliders": _sliders(form, what_if.largest),
            "choices": [form[name] for name in form.choices],
            "tried": _preview(what_if, form, request.GET.get("sort", "")),
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
        versions=_with_changes(list(versions[: VERSIONS_SHOWN + 1]), labels_of(study)),
        in_force=current_rule_set(study),
        **context,
    )


@require_GET
@researcher_required
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
        form, what_if = _asked(request.GET, study, run)
        context |= {
            "form": form,
            "tried": _preview(what_if, form, request.GET.get("sort", "")),
            **_contrast(what_if),
        }
    return render(request, "dashboard/raters/_thresholds_outcome.html", context)


@require_http_methods(["GET", "POST"])
@researcher_required
def use(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask whether to use other thresholds; when confirmed, use them and request an analysis."""
    study = study_or_404(name)
    asked = asked_for(request)
    analysis = newest_analysis(study, asked)
    run = analysis.run
    back = reverse("thresholds", args=[study]) + include_query(asked)
    if run is None:
        messages.error(request, "No analysis yet: press “Compute”, then try other thresholds.")
        return redirect(back)
    data = request.POST if request.method == "POST" else request.GET
    form, what_if = _asked(data, study, run)
    in_force = current_rule_set(study)
    if not form.is_valid():
        for problem in form.problems:
            messages.error(request, problem)
        return redirect(back)
    if form.asked == rules_of(in_force):
        messages.error(request, "These thresholds are in force already.")
        return redirect(back)
    if request.method == "GET":
        return analysis_page(
            request,
            study,
            "thresholds",
            "raters/use_thresholds",
            analysis,
            form=form,
            tried=_preview(what_if, form, request.GET.get("sort", "")),
            changes=changes_in_words(rules_of(in_force), form.asked, labels_of(study)),
            in_force=in_force,
            **_contrast(what_if),
        )
    if request.POST.get("instead_of") != str(in_force.version):
        messages.error(
            request,
            f"Nothing was changed: rules version {in_force.version} came into force meanwhile. "
            "Check its thresholds first.",
        )
        return redirect(back)
    _put_in_force(request, study, form.asked, analysis.include)
    return redirect(back)


def _put_in_force(
    request: ResearcherRequest, study: Study, rules: QualityRules, include: list[str]
) -> None:
    newest = set_rules(study=study, rules=rules, author=request.user)
    record(study, request.user, "thresholds", name=f"rules version {newest.version}")
    run = request_run(study=study, sources=counted_sources(include))
    messages.success(
        request,
        f"Rules version {newest.version} is in force. A worker is computing the results.",
    )
    if run.state != AnalysisRun.State.DONE:
        wake_worker(request, "analysis.run", run.pk)


def _asked(data: Any, study: Study, run: AnalysisRun) -> "tuple[ThresholdsForm, WhatIf]":
    """The form as sent, with the rules in force wherever it says nothing."""
    from dashboard.raters.thresholds import WhatIf

    rules = rules_of(current_rule_set(study))
    what_if = WhatIf(study, run)
    left_out = [] if what_if.has_unfinished else ["inactive_minutes"]
    form = ThresholdsForm({}, rules=rules, left_out=left_out)
    form.data = {name: _whole(field.initial) for name, field in form.fields.items()} | {
        name: value for name, value in data.items() if name in form.fields and value
    }
    return form, what_if


def _preview(what_if: "WhatIf", form: ThresholdsForm, sort: str) -> "ThresholdPreview":
    from dashboard.raters.threshold_preview import ThresholdPreview

    before, after = what_if.outcome(form.in_force), what_if.outcome(form.asked)
    return ThresholdPreview(before, after, what_if.names, sort)


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


def _with_changes(versions: list[RuleSet], labels: Labels) -> list[tuple[RuleSet, list[str]]]:
    """Each version with what it changed of the one before; newest first."""
    changed = [
        (newer, changes_in_words(rules_of(older), rules_of(newer), labels))
        for newer, older in pairwise(versions)
    ]
    if versions and versions[-1].version == 1:
        changed.append((versions[-1], ["first version"]))
    return changed


def _whole(value: float | str) -> float | str:
    """The same number, without decimals where it has none: 120 and not 120.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
