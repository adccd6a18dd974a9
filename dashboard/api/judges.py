"""The API about judges."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_202_ACCEPTED
from rest_framework.views import APIView

from dashboard.api.parameters import STUDY, user_of
from dashboard.api.serializers.judges import JudgesSerializer, ScoreSerializer
from dashboard.judges.scoring import queue_missing_calls
from dashboard.judges.sources import sources_of
from dashboard.shared.access import study_or_404
from dashboard.shared.pages import try_to_wake
from survey.models import Study
from survey.tidy import definition_of


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
