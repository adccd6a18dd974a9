"""Finding finished analyses and what they found."""

from collections.abc import Sequence
from typing import Any

from analysis.models import AnalysisRun, Result
from survey.models import Study


def latest_run(study: Study, sources: Sequence[str]) -> AnalysisRun | None:
    """The newest finished run over exactly these sources."""
    runs = study.analysis_runs.filter(state=AnalysisRun.State.DONE, sources=list(sources))
    return runs.select_related("rule_set__author").first()


def results_of(run: AnalysisRun, kind: str) -> dict[str, Any]:
    """The contents of a run's tables or figures by name, in the order they were made."""
    return dict(
        Result.objects.filter(run=run, kind=kind).order_by("id").values_list("name", "content")
    )


def rater_decisions(run: AnalysisRun) -> dict[str, tuple[float | None, float | None, bool, str]]:
    """Of each rater by pseudonym: σ, MAE, whether included, and the rule that excluded."""
    rules = dict(run.exclusions.values_list("participant_id", "rule"))
    rows = run.rater_quality.values_list(
        "participant_id", "participant__pseudonym", "indices", "included"
    )
    return {
        name: (indices.get("sigma"), indices.get("mae"), included, rules.get(person, ""))
        for person, name, indices, included in rows
    }
