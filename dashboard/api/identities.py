"""The API that tells a Prolific ID: one person for each request, and each request is recorded."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.parameters import STUDY, user_of
from dashboard.api.routes import Route
from dashboard.payments import single
from dashboard.raters import identity
from dashboard.shared.access import first_or_404, study_or_404
from dashboard.shared.roles import Needs, Permission


class SubmissionIdentitySerializer(serializers.Serializer[object]):
    """Prolific's IDs of a submission."""

    submission_id = serializers.CharField()
    prolific_id = serializers.CharField(help_text="of the participant")


class RaterIdentitySerializer(serializers.Serializer[identity.KnownAs]):
    """How a rater is known outside. Everything is empty for people who came by an open link."""

    prolific_id = serializers.CharField()
    submissions = serializers.ListField(child=serializers.CharField(), help_text="on Prolific")
    note = serializers.CharField(source="label", help_text="what you wrote on their invitation")


class SubmissionIdentity(Route):
    """Whose submission it is."""

    needs = Needs(change=Permission.IDENTIFY)

    @extend_schema(
        parameters=[STUDY, OpenApiParameter("submission", int, OpenApiParameter.PATH)],
        request=None,
        responses=SubmissionIdentitySerializer,
    )
    def post(self, request: Request, name: str, submission: int) -> Response:
        """Say it. The log records who looked."""
        row = single.look_up(study_or_404(name), submission, user_of(request))
        return Response(SubmissionIdentitySerializer(row).data)


class RaterIdentity(Route):
    """How a rater is known outside."""

    needs = Needs(change=Permission.IDENTIFY)

    @extend_schema(
        parameters=[
            STUDY,
            OpenApiParameter("rater", str, OpenApiParameter.PATH, description="the pseudonym"),
        ],
        request=None,
        responses=RaterIdentitySerializer,
    )
    def post(self, request: Request, name: str, rater: str) -> Response:
        """Say it. The log records who looked."""
        study = study_or_404(name)
        people = study.participants.filter(pseudonym=rater)
        person = first_or_404(people, f"{study} has no rater {rater}.")
        known = identity.look_up(person, user_of(request))
        return Response(RaterIdentitySerializer(known).data)
