"""The API about results of the newest analysis: tables, questions with answers, figures."""

from collections.abc import Container
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from analysis import catalogue
from analysis.catalogue.subjects import SUBJECTS
from analysis.labels import labels_of
from analysis.models import AnalysisRun, Result
from analysis.text.cells import plain
from dashboard.api.parameters import INCLUDE, STUDY, asked_for
from dashboard.api.routes import Route
from dashboard.api.serializers.results import (
    FigureSerializer,
    FiguresSerializer,
    SubjectInListSerializer,
    SubjectSerializer,
    TableSerializer,
    TablesSerializer,
    WinsSerializer,
)
from dashboard.results.stored import result_or_404, table_response
from dashboard.results.subjects import NOT_MADE, ON_REQUEST, stored_tables, tables_of_subject
from dashboard.share.latex_files import latex_response
from dashboard.share.package_files import file_response, images_of, newest_with
from dashboard.shared.access import study_or_404
from dashboard.shared.figures import figures_of
from dashboard.shared.findings import answers_of
from dashboard.shared.newest_analysis import (
    NewestAnalysis,
    include_query,
    newest_analysis,
    newest_of_ratings,
)
from dashboard.shared.pages import OF_RESULTS, pages_without
from dashboard.shared.roles import Needs, Permission
from survey.models import Study
from survey.tidy import definition_of

FIGURE = OpenApiParameter("figure", str, OpenApiParameter.PATH, description="as `figures` lists it")
TABLE = OpenApiParameter(
    "table", str, OpenApiParameter.PATH, description="the name of a table, such as `contrasts`"
)


class TableList(Route):
    """The tables of the newest finished analysis, and why others are not available."""

    needs = Needs(Permission.READ)

    @extend_schema(
        operation_id="studies_tables_list", parameters=[STUDY, INCLUDE], responses=TablesSerializer
    )
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        analysis = newest_analysis(study, asked_for(request))
        absent = {name: why for name, why in analysis.not_available.items() if "(" not in name}
        tables = tables_listed(request, study, analysis)
        content = {"run": analysis.run, "tables": tables, "absent": absent}
        return Response(TablesSerializer(content).data)


def tables_listed(
    request: Request, study: Study, analysis: NewestAnalysis, *, only: Container[str] | None = None
) -> list[dict[str, Any]]:
    """The tables of an analysis, or those of them that are wanted, each with its address."""
    tables = analysis.run.results.filter(kind=Result.Kind.TABLE) if analysis.run else None
    return [
        {
            "table": name,
            "about": catalogue.table(name).title,
            "url": _address(request, study, analysis, "table", name),
        }
        for name in (tables.values_list("name", flat=True) if tables is not None else ())
        if only is None or name in only
    ]


def _address(request: Request, study: Study, analysis: NewestAnalysis, name: str, of: str) -> str:
    """The address of a result of an analysis of the same people."""
    address = reverse(f"api:{name}", args=[study, of], request=request)
    return f"{address}{include_query(analysis.include or None)}"


class TableDetail(Route):
    """A table of the newest finished analysis, with the columns of its CSV."""

    needs = Needs(Permission.READ, is_download=True)

    @extend_schema(parameters=[STUDY, TABLE, INCLUDE], responses=TableSerializer)
    def get(self, request: Request, name: str, table: str) -> Response:
        study = study_or_404(name)
        analysis = newest_analysis(study, asked_for(request))
        stored = analysis.tables(table)[table]
        if not stored.columns:
            why = analysis.not_available.get(table, "the newest analysis has no such table")
            raise NotFound(f"{study} has no table {table}: {why}.")
        content = {"run": analysis.run, "columns": stored.columns, "rows": stored.rows}
        return Response(TableSerializer(content).data)


class TableCsv(Route):
    """A table of the newest finished analysis as CSV, as `analyze` and the pages write it."""

    needs = Needs(Permission.READ, is_download=True)

    @extend_schema(
        parameters=[
            STUDY,
            TABLE,
            INCLUDE,
            OpenApiParameter(
                "column",
                {"type": "object", "additionalProperties": {"type": "string"}},
                style="form",
                explode=True,
                description="only rows with this value, by the name of a column",
            ),
        ],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, name: str, table: str) -> StreamingHttpResponse:
        study = study_or_404(name)
        run = _run_or_404(study, request)
        asked = {n: str(v) for n, v in request.query_params.items() if n != INCLUDE.name}
        return table_response(study, run.pk, table, asked)


class TableLatex(Route):
    """A table of the newest finished analysis as LaTeX, with the columns that a paper prints."""

    needs = Needs(Permission.READ, is_download=True)

    @extend_schema(
        parameters=[STUDY, TABLE, INCLUDE], responses={(200, "text/x-tex"): OpenApiTypes.STR}
    )
    def get(self, request: Request, name: str, table: str) -> HttpResponse:
        study = study_or_404(name)
        return latex_response(study, _run_or_404(study, request).pk, table)


def _run_or_404(study: Study, request: Request) -> AnalysisRun:
    run = newest_analysis(study, asked_for(request)).run
    if run is None:
        raise NotFound(f"No analysis of {study} has finished yet.")
    return run


class StudyWins(Route):
    """The win table of the newest finished analysis."""

    needs = Needs(Permission.READ, is_download=True)

    @extend_schema(parameters=[STUDY, INCLUDE], responses=WinsSerializer)
    def get(self, request: Request, name: str) -> Response:
        analysis = newest_analysis(study_or_404(name), asked_for(request))
        tables = analysis.tables("wins", "wins_summary")
        content = {
            "run": analysis.run,
            "absent": analysis.not_available.get("wins", ""),
            "wins": tables["wins"].rows,
            "summary": tables["wins_summary"].rows,
        }
        return Response(WinsSerializer(content).data)


class SubjectList(Route):
    """The subjects of results that the study has."""

    needs = Needs(Permission.READ)

    @extend_schema(
        operation_id="studies_results_list",
        parameters=[STUDY],
        responses=SubjectInListSerializer(many=True),
    )
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        without = pages_without(study, OF_RESULTS)
        rows = [
            {
                "subject": subject,
                "title": title,
                "url": reverse("api:subject", args=[study, subject], request=request),
            }
            for subject, title in SUBJECTS.items()
            if f"results/{subject}" not in without
        ]
        return Response(SubjectInListSerializer(rows, many=True).data)


class SubjectDetail(Route):
    """What the newest finished analysis says of a subject, in sentences, and its tables."""

    needs = Needs(Permission.READ)

    @extend_schema(
        parameters=[
            STUDY,
            OpenApiParameter("subject", str, OpenApiParameter.PATH, enum=list(SUBJECTS)),
            INCLUDE,
        ],
        responses=SubjectSerializer,
    )
    def get(self, request: Request, name: str, subject: str) -> Response:
        study = study_or_404(name)
        if subject not in SUBJECTS:
            raise NotFound(f"There are no results called {subject}; see results/.")
        analysis = newest_of_ratings(study, asked_for(request))
        names = tables_of_subject(definition_of(study), subject)
        stored = stored_tables(analysis, names)
        answers = answers_of(analysis, str)
        told = {answer.table for answer in answers}
        methods: dict[str, dict[str, str]] = analysis.in_words.get("methods", {})
        labels = labels_of(study)
        questions = [
            {
                "question": about.question,
                "table": about.name,
                "title": about.title,
                "says": about.says,
                "observations": about.observations,
                "methods": {
                    recipe: plain(said) for recipe, said in methods.get(about.name, {}).items()
                },
                "answers": [answer for answer in answers if answer.table == about.name],
                "url": _address(request, study, analysis, "table", about.name)
                if about.name in stored
                else None,
            }
            for about in (catalogue.table(table, labels) for table in names)
            if about.name in stored or about.name in told
        ]
        content = {
            "run": analysis.run,
            "subject": subject,
            "title": SUBJECTS[subject],
            "questions": questions,
            "absent": {
                table: analysis.not_available.get(table, NOT_MADE)
                for table in names
                if table not in stored and table not in told and table not in ON_REQUEST
            },
        }
        return Response(SubjectSerializer(content).data)


class FigureList(Route):
    """The figures of the newest finished analysis."""

    needs = Needs(Permission.READ)

    @extend_schema(
        operation_id="studies_figures_list",
        parameters=[STUDY, INCLUDE],
        responses=FiguresSerializer,
    )
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        analysis = newest_analysis(study, asked_for(request))
        figures = figures_of(analysis, labels_of(study))
        drawn = images_of(study, analysis.run) if analysis.run else set()
        rows = [
            {
                "figure": figure.name,
                "title": figure.title,
                "table": figure.table,
                "url": _address(request, study, analysis, "figure", figure.name),
                "svg": _address(request, study, analysis, "figure-svg", figure.name)
                if f"{figure.name}.svg" in drawn
                else None,
            }
            for figure in figures
        ]
        return Response(FiguresSerializer({"run": analysis.run, "figures": rows}).data)


class FigureDetail(Route):
    """A figure of the newest finished analysis as Plotly's JSON."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY, FIGURE, INCLUDE], responses=FigureSerializer)
    def get(self, request: Request, name: str, figure: str) -> Response:
        study = study_or_404(name)
        run = _run_or_404(study, request)
        return Response(result_or_404(study, run.pk, Result.Kind.FIGURE, figure).content)


class FigureSvg(Route):
    """A figure of the newest finished analysis as SVG. It is drawn with the zip: see `packages`."""

    needs = Needs(Permission.READ, is_download=True)

    @extend_schema(
        parameters=[STUDY, FIGURE, INCLUDE], responses={(200, "image/svg+xml"): OpenApiTypes.STR}
    )
    def get(self, request: Request, name: str, figure: str) -> StreamingHttpResponse:
        study = study_or_404(name)
        run, file = _run_or_404(study, request), f"{figure}.svg"
        package = newest_with(study, run, file)
        if package is None:
            raise NotFound(f"No zip of analysis {run.pk} has {file}: ask for one by packages/.")
        return file_response(package, file)
