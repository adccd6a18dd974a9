"""Researchers' pages of results: subject by subject, recipes side by side, rows as asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from analysis.models import AnalysisRun, Result
from analysis.recipe_sets import recipes_of
from analysis.ungrouped import given_answers, sentences, ungrouped
from dashboard import queries, result_tables, tables
from dashboard.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.forms import ResultsForm
from dashboard.result_subjects import ABOUT, GROUPS, MAIN, SUBJECTS, About
from dashboard.result_tables import Compared, Shown
from dashboard.tables import Table
from dashboard.views import analysis_page, asked_for
from survey.csv_text import csv_lines
from survey.models import Study
from survey.tidy import definition_of

GROUPS_SHOWN = 50
NOT_MADE = "this analysis holds nothing of the kind"


@dataclass(frozen=True)
class Section:
    """A table on a page, the page of it that is shown, and where its rows are as CSV."""

    about: About
    shown: Shown
    page: Page[Any]
    #: Numbers of its pages with their addresses; none where there is one page.
    links: list[tuple[Any, str]]
    compared: Compared | None
    csv: str
    lacking: list[tuple[str, str]]


@require_GET
@researcher_required
def results(request: ResearcherRequest, name: str, subject: str = MAIN) -> HttpResponse:
    """The tables of one subject; the main one with wins, responses and who the raters are."""
    found = study_or_404(name)
    if subject not in SUBJECTS:
        raise Http404(f"There are no results about {subject}.")
    analysis = queries.newest_of_ratings(found, asked_for(request))
    definition = definition_of(found)
    rated = definition.rating is not None
    names = SUBJECTS[subject].tables if rated or subject != MAIN else ()
    stored = {table: one for table, one in analysis.tables(*names).items() if one.rows}
    recipes = _recipes(analysis.run)
    form = ResultsForm(
        _with_first_shown(request, stored),
        recipes=list(recipes),
        choices=result_tables.choices(stored.values()),
    )
    sections, hidden = [], []
    for table in (table for table in names if table in stored):
        section = _section(request, analysis, table, stored[table], form.choice)
        if section.shown.groups:
            sections.append(section)
        else:
            hidden.append(ABOUT[table].title)
    context = _main(analysis) if subject == MAIN else {}
    if subject == GROUPS:
        context["ungrouped"] = _ungrouped(analysis)
    return analysis_page(
        request,
        found,
        "results",
        analysis,
        subject=subject,
        subjects=[(address, about.title) for address, about in SUBJECTS.items()],
        title=SUBJECTS[subject].title,
        recipes=recipes,
        form=form,
        sections=sections,
        hidden=hidden,
        absent=[
            (ABOUT[table].title, analysis.absent.get(table, NOT_MADE))
            for table in names
            if table not in stored
        ],
        level=result_tables.level_text(_level(analysis.run)),
        rated=rated,
        answers=tables.beside_ratings(definition),
        compared=definition.ranking or definition.best_worst,
        **context,
    )


def _main(analysis: queries.Analysis) -> dict[str, Any]:
    """What the main page has beside the tables of recipes."""
    stored = analysis.tables("wins", "wins_summary", "items", "demographics")
    return {
        "win_tables": tables.win_tables(stored["wins"], stored["wins_summary"]),
        "items": stored["items"].rows,
        "demographics": stored["demographics"].grouped("characteristic"),
    }


def _ungrouped(analysis: queries.Analysis) -> list[str]:
    """Answers of included raters that no group of the run's recipes knows."""
    if analysis.run is None:
        return []
    rows = given_answers(analysis.tables("demographics")["demographics"].rows)
    return [
        "".join(
            sentences(found, {answer: str(row["n"]) for answer, row in rows[found.column].items()})
        )
        for found in ungrouped(recipes_of(analysis.run.recipe_set), rows)
    ]


def _recipes(run: AnalysisRun | None) -> dict[str, str]:
    """Titles of the run's recipes by name."""
    recipes = run.manifest.get("recipes", {}) if run else {}
    return {name: recipe["title"] for name, recipe in recipes.items()}


def _level(run: AnalysisRun | None) -> float:
    """Below it, p counts as small: what the first recipe's confidence leaves."""
    recipes = run.manifest.get("recipes", {}) if run else {}
    confidence: float = next((recipe["confidence"] for recipe in recipes.values()), 0.95)
    return round(1 - confidence, 12)


def _with_first_shown(request: HttpRequest, stored: Mapping[str, Table]) -> dict[str, Any]:
    """What the address asks for, and of each filter that it does not name the first shown."""
    asked = dict(request.GET.items())
    for column, values in result_tables.choices(stored.values()).items():
        first = result_tables.FIRST_SHOWN.get(column)
        asked.setdefault(column, first if first in values else result_tables.EVERY)
    return asked


def _section(
    request: HttpRequest,
    analysis: queries.Analysis,
    name: str,
    table: Table,
    chosen: Mapping[str, str],
) -> Section:
    asked = result_tables.asked_of(table, chosen)
    rows = result_tables.rows_with(table, asked)
    groups = result_tables.grouped(rows, result_tables.keys_of(table))
    level = _level(analysis.run)
    pages = Paginator(groups, GROUPS_SHOWN)
    page = pages.get_page(request.GET.get(f"page-{name}"))
    numbers = pages.get_elided_page_range(page.number) if pages.num_pages > 1 else []
    lacking = [
        (where.removeprefix(f"{name} (").removesuffix(")"), reason)
        for where, reason in analysis.absent.items()
        if where.startswith(f"{name} (")
    ]
    return Section(
        about=ABOUT[name],
        shown=result_tables.shown(
            name, table, list(page), in_file=ABOUT[name].in_file, level=level
        ),
        page=page,
        links=[(number, _address(request.GET, f"page-{name}", number)) for number in numbers],
        compared=result_tables.compared(groups, level),
        csv=urlencode(asked),
        lacking=lacking,
    )


def _address(query: QueryDict, parameter: str, number: Any) -> str:
    """The same query with another page; nothing for what stands between numbers of pages."""
    if not isinstance(number, int):
        return ""
    other = query.copy()
    other[parameter] = str(number)
    return f"?{other.urlencode()}"


@require_GET
@researcher_required
def table_csv(request: ResearcherRequest, name: str, run: int, table: str) -> StreamingHttpResponse:
    """A table of a run as CSV: the rows in which each column named has its value, or all."""
    found = study_or_404(name)
    stored = get_object_or_404(
        Result, run__study=found, run=run, kind=Result.Kind.TABLE, name=table
    )
    whole = Table.from_content(stored.content)
    asked = {column: str(value) for column, value in request.GET.items()}
    if unknown := sorted(set(asked) - set(whole.columns)):
        raise Http404(f"{table}.csv has no column {unknown[0]}.")
    rows = (tuple(row.values()) for row in result_tables.rows_with(whole, asked))
    return StreamingHttpResponse(
        csv_lines(whole.columns, rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{_file_name(found, table)}"'},
    )


def _file_name(study: Study, table: str) -> str:
    return f"{study.slug}-{study.version}-{table}.csv"
