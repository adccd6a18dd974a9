"""The API about designs: locked plans."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dashboard.api.parameters import STUDY
from dashboard.api.serializers.design import PlanSerializer
from dashboard.design.locked_plan import compared
from dashboard.shared.access import study_or_404


class PlanList(APIView):
    """The locked plans of a study, the newest first."""

    @extend_schema(parameters=[STUDY], responses=PlanSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        plans = study.locked_plans.select_related("author").order_by("-version")
        rows = PlanSerializer(plans, many=True, context={"compared": compared(study)})
        return Response(rows.data)
