"""Flagged responses with their texts and the reasons that raters gave."""

from dataclasses import dataclass
from typing import Any

from dashboard.results.differences import comments_by_page, texts_by_place
from dashboard.shared.newest_analysis import NewestAnalysis
from survey.models import Study

TABLE = "flags"
FLAGGED_SHOWN = 100


@dataclass(frozen=True)
class Flagged:
    """A flagged response; `reasons` are (question, text)."""

    row: dict[str, Any]
    prompt: str
    context: str
    text: str
    reasons: list[tuple[str, str]]


def about_flags(study: Study, analysis: NewestAnalysis, *, with_comments: bool) -> dict[str, Any]:
    """What the page shows in addition to its table: flagged responses, the most flagged first."""
    rows = [row for row in analysis.tables(TABLE)[TABLE].rows if row["flagged"]][:FLAGGED_SHOWN]
    scenarios = {row["scenario"] for row in rows}
    texts = texts_by_place(study, scenarios)
    about = {one.name: one for one in study.scenarios.filter(name__in=scenarios)}
    told = comments_by_page(analysis.run, scenarios) if with_comments else {}
    flagged = []
    for row in rows:
        page = row["scenario"], row["set"] or ""
        scenario = about.get(row["scenario"])
        flagged.append(
            Flagged(
                row,
                scenario.prompt if scenario else "",
                scenario.context if scenario else "",
                texts.get((*page, row["model"], row["condition"]), ""),
                told.get(page, []),
            )
        )
    return {"flagged": flagged}
