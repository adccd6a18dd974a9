"""Results: a page for each subject, with recipes side by side and filtered rows."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django_tables2 import RequestConfig

from analysis import catalogue
from analysis.catalogue.spec import OF_ALL, Column, TableSpec
from analysis.catalogue.subjects import (
    DIFFERENCES,
    FIRST_PAGE,
    FIRST_TABLE,
    FLAGS,
    GROUPS,
    METRICS,
    OF_REPEATS,
    ORDER,
    PERTURBATIONS,
    SCORER,
    SUBJECTS,
    THEMES,
)
from analysis.labels import labels_of
from analysis.models import AnalysisRun
from analysis.multiverses import multiverse_of
from analysis.recipe import USUAL_CONFIDENCE
from analysis.recipe_sets import recipes_of
from analysis.ungrouped import given_answers, sentences, ungrouped
from dashboard.results.differences import about_differences
from dashboard.results.flags import about_flags
from dashboard.results.forms import ResultsForm
from dashboard.results.metrics_views import about_metrics
from dashboard.results.perturbation_views import about_perturbations
from dashboard.results.questions import ResultSection, question
from dashboard.results.scorer_views import about_scorer
from dashboard.results.stored import table_response
from dashboard.results.subjects import NOT_MADE, ON_REQUEST, stored_tables, tables_of_subject
from dashboard.results.table_parts import TableInParts
from dashboard.results.themes import about_themes
from dashboard.results.wins import beside_ratings, win_tables
from dashboard.shared import result_tables
from dashboard.shared.access import (
    ResearcherRequest,
    may,
    needs,
    study_or_404,
)
from dashboard.shared.figures import address_of, by_table, figures_of
from dashboard.shared.findings import answers_of
from dashboard.shared.newest_analysis import NewestAnalysis, newest_of_ratings
from dashboard.shared.pages import analysis_page, asked_for
from dashboard.shared.result_tables import ALL, ROWS_SHOWN
from dashboard.shared.roles import Permission
from dashboard.shared.stored_tables import StoredTable
from survey.definition import StudyDefinition
from survey.definition.contrast import ComparedGroups
from survey.definition.labels import Labels
from survey.tidy import comparison_in, definition_of


@needs(Permission.READ)
def results(request: ResearcherRequest, name: str, subject: str = FIRST_PAGE) -> HttpResponse:
    """The tables of one subject; the main page adds wins, responses and the raters."""
    study = study_or_404(name)
    if subject not in SUBJECTS:
        raise Http404(f"There is no page of results called {subject}.")
    analysis = newest_of_ratings(study, asked_for(request))
    definition = definition_of(study)
    rated = definition.rating is not None
    names = tables_of_subject(definition, subject)
    comparison = comparison_in(study)
    paired = rated and comparison is not None and bool(comparison.models)
    main = _main_result(definition, comparison)
    if subject == FIRST_PAGE and main != FIRST_TABLE:
        names = [main, *names]
    labels = labels_of(study)
    specs = {table: catalogue.table(table, labels) for table in names}
    stored = stored_tables(analysis, names)
    recipes = _recipes(analysis.run)
    choices = result_tables.choices(stored, specs)
    form = ResultsForm(
        _with_first_shown(request, choices),
        recipes=list(recipes),
        choices=choices,
    )
    sections = {
        table: _section(request, analysis, specs[table], stored[table], form.choice)
        for table in names
        if table in stored
    }
    address = partial(address_of, study, analysis)
    answers = answers_of(analysis, address)
    figures = by_table(figures_of(analysis, labels))
    told = {answer.table for answer in answers}
    questions = [
        question(
            analysis,
            specs[table],
            address=address,
            answers=answers,
            figures=figures,
            section=sections.get(table),
            columns=stored[table].columns if table in stored else (),
        )
        for table in names
        if table in stored or table in told
    ]
    context = _main(analysis, labels) if subject == FIRST_PAGE else {}
    if subject == FIRST_PAGE:
        first = {FIRST_TABLE, main}
        others = [answer for answer in answers if answer.table not in first]
        context["others"] = [(answer, address(answer.table)) for answer in others]
    if subject == ORDER:
        context["multiverse"] = multiverse_of(analysis.run)
    if subject == DIFFERENCES:
        context |= about_differences(
            study, analysis, request.GET, labels, with_comments=may(request)["may"]["rows"]
        )
    if subject == FLAGS:
        context |= about_flags(study, analysis, with_comments=may(request)["may"]["rows"])
    if subject == THEMES:
        context |= about_themes(study, analysis.include, request.user, request.GET)
    if subject == METRICS:
        context |= about_metrics(study, analysis, labels)
    if subject == SCORER:
        context |= about_scorer(study)
    if subject == PERTURBATIONS:
        context |= about_perturbations(study)
    if subject == GROUPS:
        context["ungrouped"] = _ungrouped(analysis)
    return analysis_page(
        request,
        study,
        "results" if subject == FIRST_PAGE else f"results/{subject}",
        "results/results",
        analysis,
        labels=labels,
        subject=subject,
        title=SUBJECTS[subject],
        recipes=recipes,
        form=form,
        is_filtered=any(name in request.GET for name in form.fields),
        questions=questions,
        figures=[figure for asked in questions for figure in asked.figures],
        absent=_by_reason(
            (specs[table].title, analysis.not_available.get(table, NOT_MADE))
            for table in names
            if table not in stored and table not in told and table not in (*ON_REQUEST, *OF_REPEATS)
        ),
        level=result_tables.level_text(_level(analysis.run)),
        rated=rated,
        contrasted=paired,
        answers=beside_ratings(definition),
        compared=bool(definition.comparing),
        **context,
    )


def _files(name: str, table: StoredTable, asked: Mapping[str, str]) -> list[str]:
    """The tables that contain the shown rows: some tables of all raters are separate."""
    if not catalogue.has_twin(name):
        return [name]
    shown = {row["raters"] for row in result_tables.rows_with(table, asked)}
    of = {"included": name, "all": name + OF_ALL}
    return [file for raters, file in of.items() if raters in shown] or [name]


def _main(analysis: NewestAnalysis, labels: Labels) -> dict[str, Any]:
    """What the main page shows in addition to the tables of recipes."""
    stored = analysis.labelled_tables(labels, "wins", "wins_summary", "demographics")
    return {
        "wins_question": catalogue.table("wins", labels).question,
        "win_tables": win_tables(stored["wins"], stored["wins_summary"]),
        "demographics": stored["demographics"].grouped("characteristic"),
    }


def _ungrouped(analysis: NewestAnalysis) -> list[str]:
    """Answers of included raters that are in no group of the run's recipes."""
    if analysis.run is None:
        return []
    rows = given_answers(analysis.tables("demographics")["demographics"].rows)
    return [
        "".join(
            sentences(field, {answer: str(row["n"]) for answer, row in rows[field.column].items()})
        )
        for field in ungrouped(recipes_of(analysis.run.recipe_set), rows)
    ]


def _main_result(definition: StudyDefinition, comparison: ComparedGroups | None) -> str:
    """The table that answers what the study compares."""
    if definition.rating is None or (comparison is not None and comparison.models):
        return FIRST_TABLE
    if comparison is not None:
        return "mixed_contrasts"
    return "reference_contrasts" if definition.reference else "system_groups"


def _recipes(run: AnalysisRun | None) -> dict[str, str]:
    """Titles of the run's recipes by name."""
    recipes = run.manifest.get("recipes", {}) if run else {}
    return {name: recipe["title"] for name, recipe in recipes.items()}


def _by_reason(absent: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Titles of tables that there are not, by the reason."""
    titles: dict[str, list[str]] = {}
    for title, reason in absent:
        titles.setdefault(reason, []).append(title)
    return list(titles.items())


def _level(run: AnalysisRun | None) -> float:
    """Below it, p counts as small: what the first recipe's confidence leaves."""
    recipes = run.manifest.get("recipes", {}) if run else {}
    confidence: float = next(
        (recipe["confidence"] for recipe in recipes.values()), USUAL_CONFIDENCE
    )
    return round(1 - confidence, 12)


def _with_first_shown(
    request: HttpRequest, choices: Mapping[Column, Sequence[str]]
) -> dict[str, Any]:
    """What the address asks for, and of each filter that it does not name the first shown."""
    asked = dict(request.GET.items())
    for column, values in choices.items():
        first = column.first if column.first in values else result_tables.EVERY
        asked.setdefault(column.name, first)
    return asked


def _section(
    request: HttpRequest,
    analysis: NewestAnalysis,
    about: TableSpec,
    table: StoredTable,
    chosen: Mapping[str, str],
) -> ResultSection:
    name = about.name
    asked = result_tables.asked_of(table, about, chosen)
    rows = result_tables.rows_with(table, asked)
    groups, data = result_tables.grouped(rows, about), None
    if isinstance(table, TableInParts):  # in the order of the table, recipe by recipe
        groups, data = [[row] for row in rows], table.data(asked)
    groups.sort(key=lambda rows: rows[0].get("model") != ALL)
    level = _level(analysis.run)
    shown = result_tables.shown(table, about, groups, level=level, data=data)
    RequestConfig(request, paginate={"per_page": ROWS_SHOWN}).configure(shown)
    lacking = [
        (where.removeprefix(f"{name} (").removesuffix(")"), reason)
        for where, reason in analysis.not_available.items()
        if where.startswith(f"{name} (")
    ]
    return ResultSection(
        shown=shown,
        compared=result_tables.compared(groups, level),
        csv=urlencode(asked),
        files=_files(name, table, asked),
        lacking=lacking,
    )


@needs(Permission.READ, is_download=True)
def table_csv(request: ResearcherRequest, name: str, run: int, table: str) -> StreamingHttpResponse:
    """A table of a run as CSV: the rows in which each column named has its value, or all."""
    asked = {column: str(value) for column, value in request.GET.items()}
    return table_response(study_or_404(name), run, table, asked, for_excel=True)
