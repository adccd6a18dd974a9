"""The API about jobs: how far any of them is, and stopping it."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.parameters import STUDY, user_of
from dashboard.api.routes import Route
from dashboard.api.serializers.jobs import JobSerializer
from dashboard.shared.access import first_or_404, study_or_404
from dashboard.shared.roles import Needs, Permission
from dashboard.shared.stopping import jobs_called, names, stop_job

PARAMETERS = [
    STUDY,
    OpenApiParameter("kind", str, OpenApiParameter.PATH, enum=names(), description="what it does"),
    OpenApiParameter("job_id", int, OpenApiParameter.PATH, description="its `id` among this kind"),
]


class JobDetail(Route):
    """A job of a study: what a worker does that takes longer than an answer may."""

    needs = Needs(Permission.READ, is_about_job=True)

    @extend_schema(parameters=PARAMETERS, responses=JobSerializer)
    def get(self, request: Request, name: str, kind: str, job_id: int) -> Response:
        study = study_or_404(name)
        rows = jobs_called(study, kind).filter(pk=job_id)
        return Response(JobSerializer(first_or_404(rows, f"{study} has no {kind} {job_id}.")).data)


class StopJob(Route):
    """To end a job that waits or is under way."""

    needs = Needs(change=Permission.COMPUTE, is_about_job=True)

    @extend_schema(parameters=PARAMETERS, request=None, responses=JobSerializer)
    def post(self, request: Request, name: str, kind: str, job_id: int) -> Response:
        """Its worker ends the work within seconds. What is stored already stays: simulated raters
        who came, submissions that were read. The answer is the job; one that has ended before stays
        as it is.
        """
        study = study_or_404(name)
        row = first_or_404(
            jobs_called(study, kind).filter(pk=job_id), f"{study} has no {kind} {job_id}."
        )
        stop_job(row, author=user_of(request), study=study)
        row.refresh_from_db()
        return Response(JobSerializer(row).data)
