"""The caller's own account by the API: its tokens, its log, joining a study. Logging in, passwords
and second factors are on pages alone, which ask for the password again.
"""

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_204_NO_CONTENT

from dashboard.accounts.models import ApiToken
from dashboard.accounts.tokens import revoke_token
from dashboard.api.parameters import sent_by, user_of
from dashboard.api.people import EventSerializer, EventsQuery, chosen_lines, page_of_log
from dashboard.api.routes import ListRoute, Route
from dashboard.overview.invitations import accept
from dashboard.overview.log import as_file, lines_of_accounts
from dashboard.shared.access import role_of
from dashboard.shared.roles import About, Needs


class ApiTokenSerializer(serializers.ModelSerializer[ApiToken]):
    """An API token. The token itself is shown once, on the page that makes it."""

    is_this = serializers.SerializerMethodField(help_text="whether it came with this request")
    studies = serializers.ListField(
        child=serializers.CharField(), help_text="slugs; empty for all of the account’s studies"
    )

    class Meta:
        model = ApiToken
        fields = [
            *("id", "name", "scope", "studies", "created_at", "expires_at", "last_used_on"),
            *("is_expired", "is_this"),
        ]

    is_expired = serializers.BooleanField()

    def get_is_this(self, token: ApiToken) -> bool:
        return bool(token == self.context["request"].auth)


class TokenList(Route):
    """The caller's API tokens, the newest first. They are made on the page *API tokens*."""

    needs = Needs(whole_account=True, about=About.ACCOUNT)

    @extend_schema(responses=ApiTokenSerializer(many=True))
    def get(self, request: Request) -> Response:
        rows = user_of(request).api_tokens.all()
        return Response(ApiTokenSerializer(rows, many=True, context={"request": request}).data)


class TokenDetail(Route):
    """One of the caller's API tokens."""

    needs = Needs(whole_account=True, about=About.ACCOUNT)

    @extend_schema(
        parameters=[OpenApiParameter("token", int, OpenApiParameter.PATH)],
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request, token: int) -> Response:
        """Revoke it, at once; it may be the one that came with this request."""
        revoke_token(user=user_of(request), token=token)
        return Response(status=HTTP_204_NO_CONTENT)


class ActivityList(ListRoute):
    """What was done with the own account; superusers see all accounts. The newest lines first."""

    needs = Needs(whole_account=True, about=About.ACCOUNT)

    @extend_schema(parameters=[EventsQuery], responses=EventSerializer(many=True))
    def get(self, request: Request) -> Response:
        return page_of_log(request, lines_of_accounts(user_of(request)))


class ActivityFile(Route):
    """The same lines, all of them, as CSV."""

    needs = Needs(is_download=True, whole_account=True, about=About.ACCOUNT)

    @extend_schema(parameters=[EventsQuery], responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request) -> StreamingHttpResponse:
        lines = chosen_lines(request, lines_of_accounts(user_of(request)))
        return as_file(lines, "accounts-log.csv")


class AcceptSerializer(serializers.Serializer[object]):
    """An invitation to a study."""

    link = serializers.CharField(max_length=500, help_text="or the secret at its end")


class JoinedSerializer(serializers.Serializer[object]):
    """The study that the caller has joined."""

    study = serializers.CharField(help_text="slug@version")
    role = serializers.CharField()


class Accept(Route):
    """Joining a study."""

    needs = Needs(whole_account=True, about=About.ACCOUNT)

    @extend_schema(request=AcceptSerializer, responses=JoinedSerializer)
    def post(self, request: Request) -> Response:
        """Accept an invitation with the caller's account. 400 if it is used, revoked, expired or
        unknown, or if the caller has this role or a higher one already.
        """
        user = user_of(request)
        study = accept(sent_by(request, AcceptSerializer)["link"], user)
        content = {"study": str(study), "role": role_of(user, study.slug)}
        return Response(JoinedSerializer(content).data)
