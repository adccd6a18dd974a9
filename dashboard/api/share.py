"""The API about files to share: exports."""

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from dashboard.api.parameters import INCLUDE, STUDY, asked_for
from dashboard.api.serializers.share import ExportsSerializer
from dashboard.share import exports
from dashboard.share.csv_downloads import csv_response
from dashboard.shared.access import study_or_404
from dashboard.shared.newest_analysis import include_query, newest_analysis


class ExportList(APIView):
    """The export files that there are, with their addresses."""

    @extend_schema(
        operation_id="studies_exports_list",
        parameters=[STUDY, INCLUDE],
        responses=ExportsSerializer,
    )
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        include = asked_for(request)
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
        run = newest_analysis(study, asked_for(request)).run
        return csv_response(study, run, file)
