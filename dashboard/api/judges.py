"""The API about judges: how far they are, having them asked, and single calls."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_202_ACCEPTED

from dashboard.api.pagination import Keyset, Stored
from dashboard.api.parameters import STUDY, one_of, read_sent, sent_by, user_of
from dashboard.api.routes import Route
from dashboard.api.serializers.judges import (
    AskedAgainSerializer,
    CallDetailSerializer,
    CallSerializer,
    JudgeDetailSerializer,
    JudgesSerializer,
    RetrySerializer,
    ScoreSerializer,
)
from dashboard.judges.judge_record import judge_record
from dashboard.judges.scores import call_or_404, call_to_retry
from dashboard.judges.sources import judge_or_404, sources_of
from dashboard.shared.access import study_or_404
from dashboard.shared.pages import try_to_wake
from dashboard.shared.roles import Needs, Permission
from judge.models import Call
from judge.queueing import ask_again, queue_missing_calls
from survey.models import Study
from survey.tidy import definition_of

JUDGE = OpenApiParameter(
    "judge", str, OpenApiParameter.PATH, description="a version of a judge, such as `llama@2`"
)


class JudgeList(Route):
    """The judges of a study: how far each has come, and what it cost."""

    needs = Needs(Permission.READ, Permission.CHANGE)

    @extend_schema(
        operation_id="studies_judges_list", parameters=[STUDY], responses=JudgesSerializer
    )
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        return Response(_judges(study))

    @extend_schema(parameters=[STUDY], request=ScoreSerializer, responses={202: JudgesSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Queue the missing calls of all judges, or of one, and lift their stops. It costs money as
        `manage.py judge` does. 400 says why a judge can't be asked; others are asked all the same.
        """
        study = study_or_404(name)
        wanted = sent_by(request, ScoreSerializer)["judge"]
        queued = queue_missing_calls(study, [wanted] if wanted else [], author=user_of(request))
        for judge in queued.ready:
            try_to_wake("judge.run", judge.pk)
        if queued.problems:
            raise ValidationError({"judge": queued.problems})
        return Response(_judges(study), status=HTTP_202_ACCEPTED)


def _judges(study: Study) -> dict[str, Any]:
    return dict(JudgesSerializer(sources_of(study, definition_of(study))).data)


class JudgeDetail(Route):
    """One judge: how it is configured, how far it has come, its failures and first request."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY, JUDGE], responses=JudgeDetailSerializer)
    def get(self, request: Request, name: str, judge: str) -> Response:
        record = judge_record(judge_or_404(study_or_404(name), judge))
        return Response(JudgeDetailSerializer(record).data)


class Retry(Route):
    """Asking a judge again."""

    needs = Needs(change=Permission.CHANGE)

    @extend_schema(
        parameters=[STUDY, JUDGE], request=RetrySerializer, responses={202: AskedAgainSerializer}
    )
    def post(self, request: Request, name: str, judge: str) -> Response:
        """Queue one failed call, or all that the judge lacks. It costs money. 400 says why nothing
        was queued.
        """
        asked = judge_or_404(study_or_404(name), judge)
        call = call_to_retry(asked, read_sent(request, RetrySerializer).chosen)
        calls = ask_again(asked, call, author=user_of(request))
        try_to_wake("judge.run", asked.pk)
        content = AskedAgainSerializer({"queued": calls}).data
        return Response(content, status=HTTP_202_ACCEPTED)


class CallList(Route):
    """The calls of a judge."""

    needs = Needs(Permission.READ)
    pagination_class = Keyset

    @extend_schema(
        parameters=[STUDY, JUDGE, OpenApiParameter("state", str, enum=Call.State.values)],
        responses=CallSerializer(many=True),
    )
    def get(self, request: Request, name: str, judge: str) -> Response:
        pages, asked = Keyset(), judge_or_404(study_or_404(name), judge)
        calls = asked.calls.exclude(response=None, block=None)
        if state := one_of(request, "state", Call.State.values):
            calls = calls.filter(state=state)
        about = ("judge__study", "response__scenario", "block__scenario")
        page = pages.page_of(Stored(calls.select_related(*about), ["id"]), request)
        return pages.answer(CallSerializer(page, many=True).data)


class CallDetail(Route):
    """One call with the exact text of every attempt."""

    needs = Needs(Permission.READ)

    @extend_schema(
        parameters=[STUDY, OpenApiParameter("call", int, OpenApiParameter.PATH)],
        responses=CallDetailSerializer,
    )
    def get(self, request: Request, name: str, call: int) -> Response:
        return Response(CallDetailSerializer(call_or_404(study_or_404(name), call)).data)
