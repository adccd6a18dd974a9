"""The API about designs: texts, pages, planning, order, pilots, locked plans."""

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_202_ACCEPTED

from analysis.locked_plans import lock_plan
from analysis.text.preregistration import TEXTS
from dashboard.api.parameters import INCLUDE, STUDY, asked_for, read_sent, user_of
from dashboard.api.refusals import checked
from dashboard.api.routes import Route
from dashboard.api.serializers.design import (
    CertificateSerializer,
    LockSerializer,
    PageSerializer,
    PilotSerializer,
    PlanAskedSerializer,
    PlanningSerializer,
    PlanSerializer,
    TextsSerializer,
)
from dashboard.design.certificate import PEOPLE, Certificate, usual_pool
from dashboard.design.downloads import certificate_response, plan_response
from dashboard.design.forms import CertificateForm, PreviewForm, VersionForm
from dashboard.design.locked_plan import compared
from dashboard.design.pilot import lines, sides_of
from dashboard.design.plan_options import plans_of, request_plan
from dashboard.design.preview import Preview, preview_or_404
from dashboard.design.texts import texts_of
from dashboard.shared.access import first_or_404, study_or_404
from dashboard.shared.pages import try_to_wake
from dashboard.shared.roles import Needs, Permission
from dashboard.shared.stopping import stop_job
from survey.models import Slot, Study
from survey.slots import pools_used
from survey.tidy import reading

PREVIEW = [
    STUDY,
    OpenApiParameter("participant", int, description="whose pages: a place in the design, from 1"),
    OpenApiParameter("language", str, description="a code; the study's own language if absent"),
]
FORM = OpenApiParameter("form", str, OpenApiParameter.PATH, enum=list(TEXTS))


def _preview(request: Request, study: Study) -> Preview:
    form = checked(PreviewForm(request.query_params))
    language = form.cleaned_data["language"]
    return preview_or_404(study, request._request, slot=form.slot, language=language)


class StudyTexts(Route):
    """All that participants read, section by section."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=PREVIEW, responses=TextsSerializer)
    def get(self, request: Request, name: str) -> Response:
        preview = _preview(request, study_or_404(name))
        content = {
            "language": preview.definition.language,
            "languages": [code for code, _ in preview.languages] or [preview.definition.language],
            "sections": texts_of(preview),
        }
        return Response(TextsSerializer(content).data)


class PageList(Route):
    """Every page of one participant, in order, with its address in a browser."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=PREVIEW, responses=PageSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        preview = _preview(request, study_or_404(name))

        def address(page: str) -> str:
            return request.build_absolute_uri(preview.address(page))

        rows = PageSerializer(preview.pages, many=True, context={"address": address})  # type: ignore[arg-type]  # a list
        return Response(rows.data)


class Planning(Route):
    """What the study could find with other numbers of raters and scenarios, and what that costs."""

    needs = Needs(Permission.READ, Permission.COMPUTE)

    @extend_schema(parameters=[STUDY], responses=PlanningSerializer)
    def get(self, request: Request, name: str) -> Response:
        return Response(PlanningSerializer({"plan": plans_of(study_or_404(name)).first()}).data)

    @extend_schema(
        parameters=[STUDY], request=PlanAskedSerializer, responses={202: PlanningSerializer}
    )
    def post(self, request: Request, name: str) -> Response:
        """Have a worker compute a plan."""
        study = study_or_404(name)
        options = read_sent(request, PlanAskedSerializer).chosen
        plan = request_plan(study=study, options=options, author=user_of(request))
        try_to_wake(plan.TASK, plan.pk)
        return Response(PlanningSerializer({"plan": plan}).data, status=HTTP_202_ACCEPTED)


class StopPlan(Route):
    """To end a plan that waits or is under way."""

    needs = Needs(change=Permission.COMPUTE)

    @extend_schema(
        parameters=[
            STUDY,
            OpenApiParameter("plan", int, OpenApiParameter.PATH, description="the `id` of a plan"),
        ],
        request=None,
        responses=PlanningSerializer,
    )
    def post(self, request: Request, name: str, plan: int) -> Response:
        """Its worker ends the work within seconds and stores nothing. The answer is the plan; one
        that has ended before stays as it is.
        """
        study = study_or_404(name)
        row = first_or_404(plans_of(study).filter(pk=plan), f"{study} has no plan {plan}.")
        stop_job(row, author=user_of(request), study=study)
        row.refresh_from_db()
        return Response(PlanningSerializer({"plan": row}).data)


class OrderCertificate(Route):
    """The counterbalance certificate in short."""

    needs = Needs(Permission.READ)

    @extend_schema(
        parameters=[
            STUDY,
            OpenApiParameter("pool", str, enum=list(map(str, Slot.Pool.values))),
            OpenApiParameter("people", str, enum=list(PEOPLE), description="default: `completed`"),
        ],
        responses=CertificateSerializer,
    )
    def get(self, request: Request, name: str) -> Response:
        study, form = study_or_404(name), checked(CertificateForm(request.query_params))
        chosen, people = form.choice
        certificate = Certificate(study, chosen or usual_pool(pools_used(study)), people)
        with reading():
            rows = CertificateSerializer(certificate, context={"certificate": certificate})
            return Response(rows.data)


class CertificateFile(Route):
    """Every table of the certificate of every pool, as one CSV."""

    needs = Needs(Permission.READ, is_download=True)

    @extend_schema(parameters=[STUDY], responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, name: str) -> StreamingHttpResponse:
        return certificate_response(study_or_404(name))


class Pilot(Route):
    """How the protocol worked, compared with another version: the likeliest, if none is named."""

    needs = Needs(Permission.READ)

    @extend_schema(
        parameters=[STUDY, INCLUDE, OpenApiParameter("version", int, description="of the other")],
        responses=PilotSerializer,
    )
    def get(self, request: Request, name: str) -> Response:
        study, form = study_or_404(name), checked(VersionForm(request.query_params))
        sides = sides_of(study, asked_for(request), other=form.cleaned_data["version"])
        return Response(PilotSerializer({"versions": sides, "measures": lines(sides)}).data)


class PlanList(Route):
    """The locked plans of a study, the newest first."""

    needs = Needs(Permission.READ, Permission.CHANGE)

    @extend_schema(parameters=[STUDY], responses=PlanSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        plans = study.locked_plans.select_related("author").order_by("-version")
        rows = PlanSerializer(plans, many=True, context={"compared": compared(study)})
        return Response(rows.data)

    @extend_schema(parameters=[STUDY], request=LockSerializer, responses={201: PlanSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Lock the plan as it is now. 400 says why nothing was locked."""
        study = study_or_404(name)
        sent = read_sent(request, LockSerializer)
        plan = lock_plan(study, sent.chosen, user_of(request))
        row = PlanSerializer(plan, context={"compared": compared(study)})
        return Response(row.data, status=HTTP_201_CREATED)


class PlanText(Route):
    """A locked plan for the form of a registry, or as JSON."""

    needs = Needs(Permission.READ, is_download=True)

    @extend_schema(
        parameters=[STUDY, OpenApiParameter("version", int, OpenApiParameter.PATH), FORM],
        responses={
            (200, "text/plain"): OpenApiTypes.STR,
            (200, "application/json"): OpenApiTypes.OBJECT,
        },
    )
    def get(self, request: Request, name: str, version: int, form: str) -> HttpResponse:
        return plan_response(study_or_404(name), version, form)
