"""The API about files to share: exports, and zips of an analysis with its data."""

from django.http import FileResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.status import HTTP_202_ACCEPTED

from dashboard.api.analyses import wake_for
from dashboard.api.pagination import Stored, in_pages
from dashboard.api.parameters import INCLUDE, STUDY, asked_for, one_of, read_sent, user_of
from dashboard.api.routes import ListRoute, Route
from dashboard.api.serializers.share import (
    ExportsSerializer,
    PackageDetailSerializer,
    PackageSerializer,
    PreparePackageSerializer,
)
from dashboard.share import exports, packages
from dashboard.share.csv_downloads import csv_response
from dashboard.share.models import Package
from dashboard.share.package_files import file_response, package_or_404, zip_response
from dashboard.shared.access import study_or_404
from dashboard.shared.newest_analysis import include_query, newest_analysis
from dashboard.shared.roles import Needs, Permission
from dashboard.shared.stopping import stop_job

PACKAGE = OpenApiParameter(
    "package", int, OpenApiParameter.PATH, description="an `id` in `packages`"
)


class ExportList(Route):
    """The export files that there are, with their addresses."""

    needs = Needs(Permission.READ)

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


class ExportFile(Route):
    """An export file, by the name that `exports` lists."""

    needs = Needs(Permission.ROWS, is_download=True)

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


class PackageList(ListRoute):
    """Zips of analyses with their data, for sharing, the newest first."""

    needs = Needs(Permission.READ, Permission.COMPUTE)

    @extend_schema(
        parameters=[STUDY, OpenApiParameter("state", str, enum=Package.State.values)],
        responses=PackageSerializer(many=True),
    )
    def get(self, request: Request, name: str) -> Response:
        rows = packages.packages_of(study_or_404(name))
        if state := one_of(request, "state", Package.State.values):
            rows = rows.filter(state=state)
        return in_pages(request, Stored(rows, ["-id"]), PackageSerializer)

    @extend_schema(
        parameters=[STUDY, INCLUDE],
        request=PreparePackageSerializer,
        responses={202: PackageSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Have a worker make a zip like the newest finished analysis, of the data as they are now:
        if they changed since, with a new analysis. One that is there already, or under way, is not
        made again.
        """
        study, include = study_or_404(name), asked_for(request)
        options = read_sent(request, PreparePackageSerializer).chosen
        package = packages.ask_for_package(study, options, user_of(request), include=include)
        wake_for(package)
        content = PackageSerializer(package, context={"request": request}).data
        return Response(content, status=HTTP_202_ACCEPTED)


class PackageDetail(Route):
    """A zip: how far it is, and the single files of its analysis."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY, PACKAGE], responses=PackageDetailSerializer)
    def get(self, request: Request, name: str, package: int) -> Response:
        row = package_or_404(study_or_404(name), package)
        return Response(PackageDetailSerializer(row, context={"request": request}).data)


class StopPackage(Route):
    """To end a zip that waits or is being prepared."""

    needs = Needs(change=Permission.COMPUTE)

    @extend_schema(parameters=[STUDY, PACKAGE], request=None, responses=PackageSerializer)
    def post(self, request: Request, name: str, package: int) -> Response:
        """Its worker ends the work within seconds and leaves no file. The answer is the zip; one
        that has ended before stays as it is.
        """
        study = study_or_404(name)
        row = package_or_404(study, package)
        stop_job(row, author=user_of(request), study=study)
        row.refresh_from_db()
        return Response(PackageSerializer(row, context={"request": request}).data)


class PackageZip(Route):
    """The zip."""

    needs = Needs(Permission.READ, is_download=True)

    @extend_schema(
        parameters=[STUDY, PACKAGE], responses={(200, "application/zip"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, name: str, package: int) -> FileResponse:
        return zip_response(package_or_404(study_or_404(name), package))


class PackageFile(Route):
    """A file of the analysis in a zip, such as `report.html`, `wins.csv` or `wins.tex`."""

    needs = Needs(Permission.READ, is_download=True)

    @extend_schema(
        parameters=[STUDY, PACKAGE, OpenApiParameter("file", str, OpenApiParameter.PATH)],
        responses={(200, "*/*"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, name: str, package: int, file: str) -> StreamingHttpResponse:
        return file_response(package_or_404(study_or_404(name), package), file)
