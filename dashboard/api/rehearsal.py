"""The API about rehearsals: sending simulated raters, and what is found of their effects."""

from drf_spectacular.utils import extend_schema
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_202_ACCEPTED

from dashboard.api.parameters import INCLUDE, STUDY, asked_for, read_sent, user_of
from dashboard.api.routes import Route
from dashboard.api.serializers.rehearsal import (
    RehearsalSerializer,
    SimulationAskedSerializer,
    SimulationSerializer,
    SimulationWaitingSerializer,
)
from dashboard.rehearsal.findings import analysis_of_rehearsal, found_counts
from dashboard.rehearsal.simulations import ask_for_raters, simulations_of
from dashboard.shared.access import study_or_404
from dashboard.shared.pages import try_to_wake
from dashboard.shared.roles import Needs, Permission
from survey.simulated.record import crowds_of


class RehearsalFindings(Route):
    """What was planted in simulated raters, and which of it the analysis finds."""

    needs = Needs(Permission.READ, Permission.CHANGE)
    parser_classes = [JSONParser, MultiPartParser]

    @extend_schema(parameters=[STUDY, INCLUDE], responses=RehearsalSerializer)
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        analysis = analysis_of_rehearsal(study, asked_for(request))
        planted = analysis.tables("planted")["planted"]
        content = {
            "run": analysis.run,
            "simulation": simulations_of(study).first(),
            "crowds": crowds_of(study),
            "found": found_counts(planted),
            "planted": planted.rows,
        }
        return Response(RehearsalSerializer(content).data)

    @extend_schema(
        parameters=[STUDY],
        request=SimulationAskedSerializer,
        responses={202: SimulationWaitingSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Have a worker send simulated raters. 400 if some are on their way."""
        study, sent = study_or_404(name), read_sent(request, SimulationAskedSerializer)
        asked, notices = ask_for_raters(study, sent.chosen, user_of(request))
        try_to_wake(asked.TASK, asked.pk)
        content = SimulationSerializer(asked).data | {"notices": notices}
        return Response(content, status=HTTP_202_ACCEPTED)
