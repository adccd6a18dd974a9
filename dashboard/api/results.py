"""The API about results: tables of the newest analysis, and automatic metrics."""

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.status import HTTP_202_ACCEPTED
from rest_framework.views import APIView

from analysis import catalogue
from analysis.metrics_requests import metrics_request_of, request_metrics
from analysis.models import Result
from dashboard.api.parameters import INCLUDE, STUDY, asked_for, user_of
from dashboard.api.serializers.results import (
    MetricsSerializer,
    TableSerializer,
    TablesSerializer,
    WinsSerializer,
)
from dashboard.shared.access import study_or_404
from dashboard.shared.log import record
from dashboard.shared.newest_analysis import include_query, newest_analysis
from dashboard.shared.pages import try_to_wake
from survey.models import Study

TABLE = OpenApiParameter(
    "table", str, OpenApiParameter.PATH, description="the name of a table, such as `contrasts`"
)


class Metrics(APIView):
    """The automatic metrics of a study that are stored, and the newest request to compute them."""

    @extend_schema(parameters=[STUDY], responses=MetricsSerializer)
    def get(self, request: Request, name: str) -> Response:
        return Response(_metrics(study_or_404(name)))

    @extend_schema(parameters=[STUDY], request=None, responses={202: MetricsSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Have a worker compute every metric for which this installation has all that it needs. A
        request that is under way is not repeated.
        """
        study = study_or_404(name)
        asked = request_metrics(study)
        record(study, user_of(request), "metrics requested")
        try_to_wake("analysis.metrics", asked.pk)
        return Response(_metrics(study), status=HTTP_202_ACCEPTED)


def _metrics(study: Study) -> dict[str, Any]:
    row = metrics_request_of(study)
    stored = study.computed_metrics.annotate(n=Count("values__value"))
    content = {"request": row, "metrics": sorted(stored, key=lambda metric: metric.name)}
    return dict(MetricsSerializer(content).data)


class TableList(APIView):
    """The tables of the newest finished analysis, and why others are not available."""

    @extend_schema(
        operation_id="studies_tables_list", parameters=[STUDY, INCLUDE], responses=TablesSerializer
    )
    def get(self, request: Request, name: str) -> Response:
        study, include = study_or_404(name), asked_for(request)
        analysis = newest_analysis(study, include)
        names = analysis.run.results.filter(kind=Result.Kind.TABLE) if analysis.run else ()
        tables = [
            {
                "table": result.name,
                "about": catalogue.table(result.name).title,
                "url": reverse("api:table", args=[study, result.name], request=request)
                + include_query(include or None),
            }
            for result in names
        ]
        absent = {name: why for name, why in analysis.not_available.items() if "(" not in name}
        content = {"run": analysis.run, "tables": tables, "absent": absent}
        return Response(TablesSerializer(content).data)


class TableDetail(APIView):
    """A table of the newest finished analysis, with the columns of its CSV."""

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


class StudyWins(APIView):
    """The win table of the newest finished analysis."""

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
