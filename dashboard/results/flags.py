"""Flagged responses with their texts and the reasons that raters gave."""

from dataclasses import dataclass
from typing import Any

from dashboard.results.differences import blocks_of, place_of, texts_by_place
from dashboard.results.open_answers import comments_by_page
from dashboard.shared.newest_analysis import NewestAnalysis
from survey.models import Study

TABLE = "flags"
FLAGGED_SHOWN = 100
REASONS_SHOWN = 100


@dataclass(frozen=True)
class Flagged:
    """A flagged response; `reasons` are (question, text), the first REASONS_SHOWN."""

    row: dict[str, Any]
    prompt: str
    context: str
    text: str
    reasons: list[tuple[str, str]]
    has_more: bool


def about_flags(study: Study, analysis: NewestAnalysis, *, with_comments: bool) -> dict[str, Any]:
    """What the page shows in addition to its table: flagged responses, the most flagged first."""
    rows = [row for row in analysis.tables(TABLE)[TABLE].rows if row["flagged"]][:FLAGGED_SHOWN]
    scenarios = {row["scenario"] for row in rows}
    texts = texts_by_place(study, scenarios)
    about = {one.name: one for one in study.scenarios.filter(name__in=scenarios)}
    blocks = blocks_of(study, map(place_of, rows)) if with_comments else {}
    # One more than shown, to know whether there are others.
    told = comments_by_page(analysis.run, blocks.values(), REASONS_SHOWN + 1)
    flagged = []
    for row in rows:
        page = place_of(row)
        reasons = told.get(blocks.get(page, 0), [])
        scenario = about.get(row["scenario"])
        flagged.append(
            Flagged(
                row,
                scenario.prompt if scenario else "",
                scenario.context if scenario else "",
                texts.get((*page, row["model"], row["condition"]), ""),
                reasons[:REASONS_SHOWN],
                len(reasons) > REASONS_SHOWN,
            )
        )
    return {"flagged": flagged}
