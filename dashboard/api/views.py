"""The REST API: what the pages show, as JSON, from the same functions. It changes nothing, but for
automatic metrics and judges' scores, which it can have made, roles (`people.py`) and payments
(`payments.py`).

Callers are active staff, by token or session, each as far as their role goes: the settings say so
for every view.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.status import HTTP_202_ACCEPTED
from rest_framework.views import APIView

from analysis import catalogue
from analysis.metrics_requests import metrics_request_of, request_metrics
from analysis.models import Result
from dashboard.accounts.models import ApiToken
from dashboard.accounts.requirement import IsResearcher
from dashboard.api.pagination import Pagination, RatingsPagination
from dashboard.api.ratings import Ratings
from dashboard.api.serializers import (
    CountsSerializer,
    ExportsSerializer,
    JudgesSerializer,
    MetricsSerializer,
    PlanSerializer,
    RatersSerializer,
    RatingSerializer,
    ScoreSerializer,
    StudySerializer,
    TableSerializer,
    TablesSerializer,
    WinsSerializer,
)
from dashboard.design.locked_plan import compared
from dashboard.judges.scoring import queue_missing_calls
from dashboard.judges.sources import sources_of
from dashboard.overview.counts import live_counts, studies_with_counts
from dashboard.raters.rater_list import rater_row, raters_of
from dashboard.share import exports
from dashboard.share.csv_downloads import csv_response
from dashboard.shared.access import study_or_404, visible_to
from dashboard.shared.forms import IncludeForm
from dashboard.shared.log import record
from dashboard.shared.newest_analysis import include_query, newest_analysis
from dashboard.shared.pages import try_to_wake
from judge.queries import gold_scores
from survey.models import Participant, Rating, Study
from survey.tidy import counted_sources, definition_of, reading

STUDY = OpenApiParameter(
    "name", str, OpenApiParameter.PATH, description="`slug` (its newest version) or `slug@version`"
)
TABLE = OpenApiParameter(
    "table", str, OpenApiParameter.PATH, description="the name of a table, such as `contrasts`"
)
INCLUDE = OpenApiParameter(
    "include",
    str,
    many=True,
    enum=list(map(str, Participant.NOT_COUNTED)),
    description="Experts or test people to include; they never count unless asked for here.",
)


def user_of(request: Request) -> User:
    """The caller, whom `IsResearcher` has admitted."""
    assert isinstance(request.user, User)
    return request.user


def _asked_for(request: Request) -> list[str]:
    form = IncludeForm(request.query_params)
    if not form.is_valid():
        raise ValidationError({"include": list(map(str, form.errors["include"]))})
    return form.chosen or []


class Schema(SpectacularAPIView):
    """This API's description, for researchers too."""

    permission_classes = [IsResearcher]
    # There is one. Without it any `?version=` would become part of a header, in whatever bytes.
    api_version = str(settings.SPECTACULAR_SETTINGS["VERSION"])


class StudyList(ListAPIView[Study]):
    """All versions of the studies in which the caller has a role, newest version first."""

    serializer_class = StudySerializer
    pagination_class = Pagination

    def get_queryset(self) -> QuerySet[Study]:
        mine = visible_to(user_of(self.request), studies_with_counts())
        token = self.request.auth
        if isinstance(token, ApiToken) and token.studies:
            mine = mine.filter(slug__in=token.studies)
        return mine


class StudyDetail(APIView):
    """One study."""

    @extend_schema(parameters=[STUDY], responses=StudySerializer)
    def get(self, request: Request, name: str) -> Response:
        study = studies_with_counts().get(pk=study_or_404(name).pk)
        return Response(StudySerializer(study).data)


class StudyCounts(APIView):
    """Live counts of a study's people."""

    @extend_schema(parameters=[STUDY], responses=CountsSerializer)
    def get(self, request: Request, name: str) -> Response:
        return Response(CountsSerializer(live_counts(study_or_404(name))).data)


class PlanList(APIView):
    """The locked plans of a study, the newest first."""

    @extend_schema(parameters=[STUDY], responses=PlanSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        plans = study.locked_plans.select_related("author").order_by("-version")
        rows = PlanSerializer(plans, many=True, context={"compared": compared(study)})
        return Response(rows.data)


class JudgeList(APIView):
    """The judges of a study: how far each has come, and what it cost."""

    @extend_schema(parameters=[STUDY], responses=JudgesSerializer)
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        return Response(_judges(study))

    @extend_schema(parameters=[STUDY], request=ScoreSerializer, responses={202: JudgesSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Queue the missing calls of all judges, or of one, and lift their stops. It costs money as
        `manage.py judge` does. 400 says why a judge can't be asked; others are asked all the same.
        """
        study = study_or_404(name)
        form = ScoreSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        queued = queue_missing_calls(study, form.validated_data["judge"], author=user_of(request))
        for judge in queued.ready:
            try_to_wake("judge.run", judge.pk)
        if queued.problems:
            raise ValidationError({"judge": queued.problems})
        return Response(_judges(study), status=HTTP_202_ACCEPTED)


def _judges(study: Study) -> dict[str, Any]:
    return dict(JudgesSerializer(sources_of(study, definition_of(study))).data)


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


class RaterList(APIView):
    """Every rater of the newest finished analysis, kept or not, and why."""

    @extend_schema(parameters=[STUDY, INCLUDE], responses=RatersSerializer)
    def get(self, request: Request, name: str) -> Response:
        run = newest_analysis(study_or_404(name), _asked_for(request)).run
        rows = map(rater_row, raters_of(run)) if run else ()
        return Response(RatersSerializer({"run": run, "raters": rows}).data)


class TableList(APIView):
    """The tables of the newest finished analysis, and why others are not available."""

    @extend_schema(
        operation_id="studies_tables_list", parameters=[STUDY, INCLUDE], responses=TablesSerializer
    )
    def get(self, request: Request, name: str) -> Response:
        study, include = study_or_404(name), _asked_for(request)
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
        analysis = newest_analysis(study, _asked_for(request))
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
        analysis = newest_analysis(study_or_404(name), _asked_for(request))
        tables = analysis.tables("wins", "wins_summary")
        content = {
            "run": analysis.run,
            "absent": analysis.not_available.get("wins", ""),
            "wins": tables["wins"].rows,
            "summary": tables["wins_summary"].rows,
        }
        return Response(WinsSerializer(content).data)


class RatingList(GenericAPIView[Rating]):
    """Every rating in the columns of ratings.csv, of raters kept or not, page by page."""

    serializer_class = RatingSerializer
    pagination_class = RatingsPagination
    queryset = Rating.objects.none()  # tells the schema what is listed

    @extend_schema(parameters=[STUDY, INCLUDE], responses=RatingSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        sources = counted_sources(_asked_for(request))
        gold = gold_scores(study)
        pages = RatingsPagination()
        with reading():
            page = pages.page_of(
                Ratings(study, sources), request, sources=sources, gold=gold.source
            )
        scores = {(g.response_id, g.dimension): g.value for g in gold.scores}
        rows = RatingSerializer(page, many=True, context={"scores": scores})
        return pages.get_paginated_response(rows.data)


class ExportList(APIView):
    """The export files that there are, with their addresses."""

    @extend_schema(
        operation_id="studies_exports_list",
        parameters=[STUDY, INCLUDE],
        responses=ExportsSerializer,
    )
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        include = _asked_for(request)
        run = newest_analysis(study, include).run
        files = []
        for file, about, absent in exports.filtered_by(run).files if run else []:
            url = reverse("api:export", args=[study, file], request=request)
            url += include_query(include or None)
            files.append(
                {"file": file, "about": about, "absent": absent, "url": None if absent else url}
            )
        return Response(ExportsSerializer({"run": run, "files": files}).data)


class ExportFile(APIView):
    """An export file, by the name that `exports` lists."""

    @extend_schema(
        parameters=[
            STUDY,
            INCLUDE,
            OpenApiParameter("file", str, OpenApiParameter.PATH, enum=list(exports.ABOUT)),
        ],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, name: str, file: str) -> StreamingHttpResponse:
        study = study_or_404(name)
        run = newest_analysis(study, _asked_for(request)).run
        return csv_response(study, run, file)
