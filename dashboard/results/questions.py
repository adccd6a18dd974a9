"""Questions of a page of results: each with its answer, its figures and its table."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from analysis import catalogue
from analysis.catalogue.spec import Column, FigureSpec, TableSpec
from dashboard.shared.findings import ShownFinding, linked
from dashboard.shared.newest_analysis import NewestAnalysis
from dashboard.shared.result_tables import RecipeAgreement, ResultTable

#: What speaks of a and b: a heading with their names, and a meaning for files.
SIDES = re.compile(r"\{[ab]\}|a − b|condition [ab]\b|^ a, b")
#: The name of a column in the meaning of another.
NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


@dataclass(frozen=True)
class ResultSection:
    """A table on a page, and where its rows are as CSV."""

    shown: ResultTable
    compared: RecipeAgreement | None
    csv: str
    #: The tables with these rows: one, and that of all raters if both are shown.
    files: list[str]
    lacking: list[tuple[str, str]]


@dataclass(frozen=True)
class Question:
    """A question, what answers it, and how."""

    about: TableSpec
    answers: list[ShownFinding]
    figures: list[FigureSpec]
    #: None where the filters leave no row, or there is no such table.
    section: ResultSection | None
    why_absent: str
    #: Of each recipe, how it computed the table.
    methods: list[tuple[str, SafeString]]
    columns: list[tuple[str, str]]


def _is_explained(column: Column, columns: Sequence[str]) -> bool:
    """Whether a page has a meaning to give: an interval is in the cell of its number."""
    return column.page and bool(column.meaning) and column.of not in columns


def _with_headings(about: TableSpec, meaning: str) -> str:
    """A meaning in which columns are called as on the page."""
    headings = {column.name: f"“{column.heading}”" for column in about.columns}
    return NAME.sub(lambda match: headings.get(match[0], match[0]), meaning)


def question(
    analysis: NewestAnalysis,
    about: TableSpec,
    *,
    address: Callable[[str], str],
    answers: list[ShownFinding],
    figures: Mapping[str, list[FigureSpec]],
    section: ResultSection | None,
    columns: Sequence[str] = (),
) -> Question:
    """What a table with these columns answers, and all that belongs to it."""
    methods: dict[str, Any] = analysis.in_words.get("methods", {}).get(about.name, {})
    declared = catalogue.tables()[about.name]
    shown = [name for name in columns if _is_explained(about.column(name), columns)]
    return Question(
        about=about,
        answers=[answer for answer in answers if answer.table == about.name],
        figures=figures.get(about.name, []),
        section=section,
        why_absent=analysis.not_available.get(about.name, "") if section is None else "",
        methods=[(recipe, linked(said, address)) for recipe, said in methods.items()],
        columns=[
            (about.column(name).heading, _with_headings(about, about.column(name).meaning))
            for name in shown
            if not SIDES.search(f"{declared.column(name).label} {about.column(name).meaning}")
        ],
    )
