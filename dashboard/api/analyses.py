"""The API about what workers compute: analyses, multiverses and automatic metrics."""

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_202_ACCEPTED

from analysis.metrics_requests import metrics_request_of
from analysis.models import AnalysisRun
from analysis.multiverses import multiverse_of
from dashboard.api.pagination import Stored, in_pages
from dashboard.api.parameters import INCLUDE, STUDY, asked_for, one_of, read_sent, user_of
from dashboard.api.routes import ListRoute, Route
from dashboard.api.serializers.results import (
    AskForAnalysisSerializer,
    MetricsAskedSerializer,
    MetricsSerializer,
    MetricsToComputeSerializer,
    MultiverseSerializer,
    NewestSerializer,
    StateOfRunSerializer,
)
from dashboard.results.asking import (
    ask_for_analysis,
    ask_for_multiverse,
)
from dashboard.results.metrics_asking import ask_for_metrics
from dashboard.shared.access import study_or_404
from dashboard.shared.newest_analysis import newest_analysis, run_or_404
from dashboard.shared.pages import try_to_wake
from dashboard.shared.roles import Needs, Permission
from dashboard.shared.stopping import stop_job
from jobs.models import Job
from survey.models import Study

RUN = OpenApiParameter("run", int, OpenApiParameter.PATH, description="the id of an analysis")


class Analysis(Route):
    """The newest analysis, and whether it is up to date."""

    needs = Needs(Permission.READ, Permission.COMPUTE)

    @extend_schema(parameters=[STUDY, INCLUDE], responses=NewestSerializer)
    def get(self, request: Request, name: str) -> Response:
        analysis = newest_analysis(study_or_404(name), asked_for(request))
        return Response(NewestSerializer(analysis).data)

    @extend_schema(
        parameters=[STUDY, INCLUDE],
        request=AskForAnalysisSerializer,
        responses={202: StateOfRunSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Have a worker analyse the data as they are now. Where nothing has changed, the answer is
        the analysis that is done.
        """
        study = study_or_404(name)
        options = read_sent(request, AskForAnalysisSerializer).chosen
        run = ask_for_analysis(study, options, user_of(request), include=asked_for(request))
        wake_for(run)
        return Response(StateOfRunSerializer(run).data, status=HTTP_202_ACCEPTED)


def wake_for(job: Job) -> None:
    """Have a worker take up a job that is not done."""
    if not job.is_done:
        try_to_wake(job.TASK, job.pk)


class AnalysisList(ListRoute):
    """The analyses of the study, the newest first, done or not."""

    needs = Needs(Permission.READ)

    @extend_schema(
        parameters=[STUDY, OpenApiParameter("state", str, enum=AnalysisRun.State.values)],
        responses=StateOfRunSerializer(many=True),
    )
    def get(self, request: Request, name: str) -> Response:
        runs = study_or_404(name).analysis_runs.select_related("rule_set")
        if state := one_of(request, "state", AnalysisRun.State.values):
            runs = runs.filter(state=state)
        return in_pages(request, Stored(runs, ["-id"]), StateOfRunSerializer)


class AnalysisDetail(Route):
    """One analysis: whether it is done, and why it failed."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY, RUN], responses=StateOfRunSerializer)
    def get(self, request: Request, name: str, run: int) -> Response:
        study = study_or_404(name)
        row = run_or_404(study, run)
        return Response(StateOfRunSerializer(row).data)


class StopAnalysis(Route):
    """To end an analysis that waits or is under way."""

    needs = Needs(change=Permission.COMPUTE)

    @extend_schema(parameters=[STUDY, RUN], request=None, responses=StateOfRunSerializer)
    def post(self, request: Request, name: str, run: int) -> Response:
        """Its worker ends the work within seconds and stores nothing. The answer is the analysis;
        one that has ended before stays as it is.
        """
        study = study_or_404(name)
        row = run_or_404(study, run)
        stop_job(row, author=user_of(request), study=study)
        row.refresh_from_db()
        return Response(StateOfRunSerializer(row).data)


class MultiverseOfAnalysis(Route):
    """The multiverse of the newest finished analysis: all its rules and choices varied."""

    needs = Needs(Permission.READ, Permission.COMPUTE)

    @extend_schema(parameters=[STUDY, INCLUDE], responses=MultiverseSerializer)
    def get(self, request: Request, name: str) -> Response:
        run = newest_analysis(study_or_404(name), asked_for(request)).run
        return Response(MultiverseSerializer({"multiverse": multiverse_of(run)}).data)

    @extend_schema(parameters=[STUDY, INCLUDE], request=None, responses={202: MultiverseSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Have a worker compute it. What is done already is not computed again."""
        study, include = study_or_404(name), asked_for(request)
        asked = ask_for_multiverse(study, include, author=user_of(request))
        wake_for(asked)
        content = MultiverseSerializer({"multiverse": asked}).data
        return Response(content, status=HTTP_202_ACCEPTED)


class Metrics(Route):
    """The automatic metrics of a study that are stored, and the newest request to compute them."""

    needs = Needs(Permission.READ, Permission.COMPUTE)
    renamed = {"file": "perplexity"}

    @extend_schema(parameters=[STUDY], responses=MetricsSerializer)
    def get(self, request: Request, name: str) -> Response:
        return Response(_metrics(study_or_404(name)))

    @extend_schema(
        parameters=[STUDY],
        request=MetricsToComputeSerializer,
        responses={202: MetricsAskedSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Have a worker compute these metrics, or every one for which this installation has all
        that it needs. A request that is under way is not repeated.
        """
        study = study_or_404(name)
        options = read_sent(request, MetricsToComputeSerializer).chosen
        asked, notices = ask_for_metrics(study, options, user_of(request))
        try_to_wake(asked.TASK, asked.pk)
        return Response(_metrics(study) | {"notices": notices}, status=HTTP_202_ACCEPTED)


def _metrics(study: Study) -> dict[str, Any]:
    row = metrics_request_of(study)
    stored = study.computed_metrics.annotate(n=Count("values__value"))
    content = {"request": row, "metrics": sorted(stored, key=lambda metric: metric.name)}
    return dict(MetricsSerializer(content).data)
