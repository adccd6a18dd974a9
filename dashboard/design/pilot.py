"""Two versions of a study side by side, such as a pilot and the main study."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404

from analysis import catalogue
from dashboard.shared.newest_analysis import NewestAnalysis, newest_analysis
from survey.definition import StudyDefinition
from survey.models import FreeAnswer, Study
from survey.queries import about_people
from survey.tidy import counted_sources

#: Measures of the stored table `protocol` that tell of the task, with how each is written.
MEASURES = {
    "completed": "people",
    "minutes_median": "minutes",
    "minutes_lower_quartile": "minutes",
    "minutes_upper_quartile": "minutes",
    "changed_answers": "number",
    "contradictions": "share",
    "contradicting_people": "people",
    "agreement_ratings": "coefficient",
    "agreement_ranks": "coefficient",
    "texts": "people",
    "writing_people": "people",
}
MEASURE = catalogue.table("protocol").column("measure")
REMARKS_SHOWN = 20


@dataclass(frozen=True)
class Side:
    """One version: what it asks, its newest analysis, and its newest remarks."""

    study: Study
    tasks: str
    analysis: NewestAnalysis
    measures: dict[str, dict[str, Any]]
    remarks: list[FreeAnswer]


def side(study: Study, include: list[str]) -> Side:
    """What there is to know of one version."""
    analysis = newest_analysis(study, include)
    stored = analysis.tables("protocol")["protocol"].rows
    written = FreeAnswer.objects.exclude(text="")
    remarks = about_people(written, study, source__in=counted_sources(include)).order_by("-id")
    definition = StudyDefinition.model_validate(study.definition)
    return Side(
        study,
        ", ".join(task.answers for task in definition.tasks),
        analysis,
        {row["measure"]: row for row in stored},
        list(remarks[:REMARKS_SHOWN]),
    )


@dataclass(frozen=True)
class MeasureRow:
    """A measure in words, of each version: its row of the table, or nothing."""

    label: str
    kind: str
    values: list[dict[str, Any] | None]


def lines(sides: list[Side]) -> list[MeasureRow]:
    """The measures that any version has."""
    return [
        MeasureRow(
            MEASURE.text(name), kind, [_in_percent(one.measures.get(name), kind) for one in sides]
        )
        for name, kind in MEASURES.items()
        if any(one.measures.get(name, {}).get("value") is not None for one in sides)
    ]


def _in_percent(row: dict[str, Any] | None, kind: str) -> dict[str, Any] | None:
    if row is None or row["value"] is None or kind != "share":
        return row
    return row | {"value": 100 * row["value"]}


def other_versions(study: Study) -> list[Study]:
    """The study's other versions, the likeliest to compare with first: of the other kind (a
    pilot for the main study and the reverse), then the newest.
    """
    others = Study.objects.filter(slug=study.slug).exclude(pk=study.pk).order_by("-version")
    return sorted(others, key=lambda other: other.pilot == study.pilot)


def sides_of(study: Study, include: list[str], *, other: int | None) -> list[Side]:
    """A study beside its version `other`, or beside the likeliest one. Raises Http404."""
    others = other_versions(study)
    chosen = [each for each in others if other in (None, each.version)][:1]
    if other is not None and not chosen:
        raise Http404(f"{study.slug} has no version {other} to compare with.")
    return [side(version, include) for version in (study, *chosen)]
