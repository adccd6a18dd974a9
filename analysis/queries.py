"""Finding finished analyses and what they found."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from analysis.models import AnalysisRun, Result
from survey.models import Study

#: Of `Result.Kind.PAGE`: Student's t for intervals over 2, 3, … raters, and their confidence.
T_QUANTILES = "t_quantiles"
#: … and of what the tables say in words.
IN_WORDS = "in_words"


class Decision(NamedTuple):
    """What the filter decided of a rater, and the step that excluded them or nothing.

    `excluded_by_decision` is the reason of the researchers; it is empty for raters who count.
    """

    sigma: float | None
    mae: float | None
    included: bool
    exclusion: str
    excluded_by_decision: str


def latest_run(study: Study, sources: Sequence[str]) -> AnalysisRun | None:
    """The newest finished run over exactly these sources."""
    runs = study.analysis_runs.filter(state=AnalysisRun.State.DONE, sources=list(sources))
    return runs.select_related("rule_set__author").first()


def results_of(run: AnalysisRun, kind: str) -> dict[str, Any]:
    """The contents of a run's tables or figures by name, in the order they were made."""
    return dict(
        Result.objects.filter(run=run, kind=kind).order_by("id").values_list("name", "content")
    )


def rater_decisions(run: AnalysisRun) -> dict[str, Decision]:
    """What a run decided of each rater, by pseudonym."""
    rules = dict(run.exclusions.values_list("participant_id", "rule"))
    rows = run.rater_quality.values_list(
        "participant_id", "participant__pseudonym", "indices", "included"
    )
    return {
        name: Decision(
            indices.get("sigma"),
            indices.get("mae"),
            included,
            rules.get(person, ""),
            indices.get("excluded_by_decision", ""),
        )
        for person, name, indices, included in rows
    }
