"""The API about access to a study: members, invitations, the audit log."""

from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT

from dashboard.api.option_serializers import OptionsSerializer
from dashboard.api.pagination import Stored, in_pages
from dashboard.api.parameters import STUDY, read_sent, user_of
from dashboard.api.refusals import checked
from dashboard.api.routes import ListRoute, Route
from dashboard.overview.events import in_words
from dashboard.overview.invitations import InviteOptions, invite, open_invitations, revoke
from dashboard.overview.log import Lines, LogForm, as_file, lines_of_study
from dashboard.overview.models import MemberInvitation
from dashboard.overview.people import RoleOptions, change_role, members_of
from dashboard.shared.access import study_or_404
from dashboard.shared.models import Membership
from dashboard.shared.roles import Needs, Permission, Role
from survey.models import StudyEvent


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """An account with a role in the study. Superusers own every study and are not listed."""

    person = serializers.CharField(source="user.username", help_text="name of the account")
    role = serializers.ChoiceField(choices=Role.choices)

    class Meta:
        model = Membership
        fields = ["person", "role"]


class RoleSerializer(OptionsSerializer):
    """A new role of a member."""

    options = RoleOptions
    role = serializers.ChoiceField(
        choices=Role.choices, allow_null=True, help_text="null takes the access away"
    )


class InviteSerializer(OptionsSerializer):
    """An invitation to write."""

    options = InviteOptions


class InvitationSerializer(serializers.ModelSerializer[MemberInvitation]):
    """An invitation that someone can still accept. Its link is only sent when it is made."""

    note = serializers.CharField(help_text="whom it is for")
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

    study = serializers.CharField(
        allow_null=True, help_text="slug@version; null for a line about an account"
    )
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


class MemberList(Route):
    """Who has access to the study."""

    needs = Needs(Permission.MANAGE, Permission.MANAGE)

    @extend_schema(parameters=[STUDY], responses=MemberSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        return Response(MemberSerializer(members_of(study_or_404(name).slug), many=True).data)

    @extend_schema(
        parameters=[STUDY], request=RoleSerializer, responses=MemberSerializer(many=True)
    )
    def put(self, request: Request, name: str) -> Response:
        """Change the role of a member, or take it away. 400 says why nothing was changed."""
        options = read_sent(request, RoleSerializer).chosen
        change_role(study_or_404(name), options, user_of(request))
        return self.get(request, name)


class InvitationList(Route):
    """The open invitations of colleagues to the study."""

    needs = Needs(Permission.MANAGE, Permission.MANAGE)

    @extend_schema(parameters=[STUDY], responses=InvitationSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        rows = open_invitations(study_or_404(name).slug)
        return Response(InvitationSerializer(rows, many=True).data)

    @extend_schema(
        parameters=[STUDY], request=InviteSerializer, responses={201: NewInvitationSerializer}
    )
    def post(self, request: Request, name: str) -> Response:
        """Write an invitation. The answer has its link, which is not shown again."""
        options = read_sent(request, InviteSerializer).chosen
        invitation, link = invite(study_or_404(name), options, user_of(request))
        content: dict[str, Any] = dict(InvitationSerializer(invitation).data)
        return Response(content | {"link": link}, status=HTTP_201_CREATED)


class InvitationDetail(Route):
    """An open invitation."""

    needs = Needs(change=Permission.MANAGE)

    @extend_schema(
        parameters=[STUDY, OpenApiParameter("invitation", int, OpenApiParameter.PATH)],
        responses={204: None},
    )
    def delete(self, request: Request, name: str, invitation: int) -> Response:
        """Revoke it."""
        revoke(study_or_404(name), invitation, user_of(request))
        return Response(status=HTTP_204_NO_CONTENT)


class EventsQuery(serializers.Serializer[object]):
    """Which lines are asked for."""

    person = serializers.CharField(required=False, help_text="only of this account")
    kind = serializers.CharField(required=False, help_text="only of this kind")


def chosen_lines(request: Request, lines: Lines) -> Lines:
    """Those of the lines that the query asks for, the newest first. Raises ValidationError."""
    asked = {name: request.query_params.get(name, "") for name in ("person", "kind")}
    return checked(LogForm(asked, lines)).chosen(lines)


def page_of_log(request: Request, lines: Lines) -> Response:
    """A page of the lines that the query asks for. Raises ValidationError."""
    return in_pages(request, Stored(chosen_lines(request, lines), ["-id"]), EventSerializer)


class EventList(ListRoute):
    """The audit log of the study: who did what, when, and from where; the newest first."""

    needs = Needs(Permission.MANAGE)

    @extend_schema(parameters=[STUDY, EventsQuery], responses=EventSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        return page_of_log(request, lines_of_study(study_or_404(name).slug))


class EventFile(Route):
    """The same lines, all of them, as CSV."""

    needs = Needs(Permission.MANAGE, is_download=True)

    @extend_schema(parameters=[STUDY, EventsQuery], responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, name: str) -> StreamingHttpResponse:
        study = study_or_404(name)
        lines = chosen_lines(request, lines_of_study(study.slug))
        return as_file(lines, f"{study.slug}-log.csv")
