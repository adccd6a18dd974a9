"""The API about access to a study: members, invitations, the audit log."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.views import APIView

from dashboard.api.parameters import STUDY, user_of
from dashboard.overview.events import in_words
from dashboard.overview.invitations import invite, open_invitations, revoke
from dashboard.overview.log import LINES_SHOWN, MOST, LogPage, lines_of_study
from dashboard.overview.models import MemberInvitation
from dashboard.overview.people import RoleRefused, members_of, set_role
from dashboard.shared.access import study_or_404
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from survey.models import StudyEvent


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """An account with a role in the study. Superusers own every study and are not listed."""

    person = serializers.CharField(source="user.username", help_text="name of the account")
    role = serializers.ChoiceField(choices=Role.choices)

    class Meta:
        model = Membership
        fields = ["person", "role"]


class RoleSerializer(serializers.Serializer[object]):
    """A new role of a member."""

    person = serializers.CharField(max_length=150, help_text="name of an account with a role here")
    role = serializers.ChoiceField(
        choices=Role.choices, allow_null=True, help_text="null takes the access away"
    )


class InvitationSerializer(serializers.ModelSerializer[MemberInvitation]):
    """An invitation that someone can still accept. Its link is only sent when it is made."""

    role = serializers.ChoiceField(choices=Role.choices)
    note = serializers.CharField(
        max_length=200, default="", allow_blank=True, help_text="whom it is for"
    )
    invited_by = serializers.CharField(
        source="created_by.username", read_only=True, default=None, allow_null=True
    )

    class Meta:
        model = MemberInvitation
        fields = ["id", "role", "note", "created_at", "expires_at", "invited_by"]
        read_only_fields = ["id", "created_at", "expires_at"]


class NewInvitationSerializer(InvitationSerializer):
    """An invitation with its link, which works once."""

    link = serializers.URLField(read_only=True)

    class Meta(InvitationSerializer.Meta):
        fields = [*InvitationSerializer.Meta.fields, "link"]


class EventSerializer(serializers.ModelSerializer[StudyEvent]):
    """A line of the audit log."""

    study = serializers.CharField(help_text="slug@version")
    person = serializers.CharField(
        source="author.username", default=None, allow_null=True, help_text="null: a command"
    )
    origin = serializers.CharField(source="via", help_text="`web`, `api`, `command` or `worker`")
    kind = serializers.CharField(source="action")
    what = serializers.SerializerMethodField(help_text="in words")

    class Meta:
        model = StudyEvent
        fields = ["id", "at", "study", "person", "origin", "kind", "what"]

    def get_what(self, event: StudyEvent) -> str:
        return in_words(event)


class EventsSerializer(serializers.Serializer[object]):
    """A page of the audit log, the newest lines first."""

    next = serializers.URLField(allow_null=True, help_text="the page of earlier lines")
    results = EventSerializer(many=True)


class MemberList(APIView):
    """Who has access to the study."""

    @extend_schema(parameters=[STUDY], responses=MemberSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        return Response(MemberSerializer(members_of(study_or_404(name).slug), many=True).data)

    @extend_schema(
        parameters=[STUDY], request=RoleSerializer, responses=MemberSerializer(many=True)
    )
    def put(self, request: Request, name: str) -> Response:
        """Change the role of a member, or take it away. 400 says why nothing was changed."""
        study, form = study_or_404(name), RoleSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked, caller = form.validated_data, user_of(request)
        person = User.objects.filter(username=asked["person"]).first()
        if person is None or not members_of(study.slug).filter(user=person).exists():
            raise ValidationError({"person": ["This account has no role here: invite it."]})
        try:
            set_role(
                study=study,
                user=person,
                role=Role(asked["role"]) if asked["role"] else None,
                author=caller,
                leave_an_owner=not caller.is_superuser,
            )
        except RoleRefused as refusal:
            raise ValidationError({"role": [str(refusal)]}) from None
        return self.get(request, name)


class InvitationList(APIView):
    """The open invitations of colleagues to the study."""

    @extend_schema(parameters=[STUDY], responses=InvitationSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        rows = open_invitations(study_or_404(name).slug)
        return Response(InvitationSerializer(rows, many=True).data)

    @extend_schema(
        parameters=[STUDY], request=InvitationSerializer, responses={201: NewInvitationSerializer}
    )
    def post(self, request: Request, name: str) -> Response:
        """Write an invitation. The answer has its link, which is not shown again."""
        study, form = study_or_404(name), InvitationSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        invitation, secret = invite(
            study=study, role=Role(asked["role"]), note=asked["note"], author=user_of(request)
        )
        content: dict[str, Any] = dict(InvitationSerializer(invitation).data)
        link = settings.SITE_URL + reverse("invitation", args=[secret])
        return Response(content | {"link": link}, status=HTTP_201_CREATED)


class InvitationDetail(APIView):
    """An open invitation."""

    @extend_schema(
        parameters=[STUDY, OpenApiParameter("invitation", int, OpenApiParameter.PATH)],
        responses={204: None},
    )
    def delete(self, request: Request, name: str, invitation: int) -> Response:
        """Revoke it."""
        study = study_or_404(name)
        if not revoke(study=study, invitation=invitation, author=user_of(request)):
            raise NotFound(f"{study.slug} has no open invitation {invitation}.")
        return Response(status=HTTP_204_NO_CONTENT)


class EventsQuery(serializers.Serializer[object]):
    """Which lines are asked for."""

    person = serializers.CharField(required=False, help_text="only of this account")
    kind = serializers.CharField(required=False, help_text="only of this kind")
    before = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST, help_text="only lines with a smaller id"
    )
    limit = serializers.IntegerField(
        required=False, min_value=1, max_value=1000, help_text=f"of a page; {LINES_SHOWN} if absent"
    )


class EventList(APIView):
    """The audit log of the study: who did what, when, and from where; the newest first."""

    @extend_schema(parameters=[STUDY, EventsQuery], responses=EventsSerializer)
    def get(self, request: Request, name: str) -> Response:
        study, form = study_or_404(name), EventsQuery(data=request.query_params)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        names = {"person": "author__username", "kind": "action", "before": "pk__lt"}
        given = {field: asked[key] for key, field in names.items() if key in asked}
        lines = lines_of_study(study.slug).filter(**given).order_by("-pk")
        page = LogPage.of(lines, asked.get("limit", LINES_SHOWN))
        earlier = None
        if page.earlier:
            query = request.query_params.copy()
            query["before"] = str(page.earlier)
            earlier = request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
        content = {"next": earlier, "results": [line for line, _ in page.lines]}
        return Response(EventsSerializer(content).data)
