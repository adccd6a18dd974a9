"""E-mail about a study by the API: each researcher for themselves."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.accounts.models import ApiToken
from dashboard.api.parameters import STUDY, sent_by, user_of
from dashboard.api.refusals import checked
from dashboard.api.routes import Route
from dashboard.notices.forms import NoticesForm
from dashboard.notices.models import Occasion
from dashboard.notices.sending import choose, chosen_by, is_possible
from dashboard.shared.access import study_or_404
from dashboard.shared.roles import Needs, Permission


class ChosenNoticesSerializer(serializers.Serializer[object]):
    """Of what to tell the caller, and where."""

    email = serializers.EmailField(
        max_length=254,
        allow_blank=True,
        required=False,
        help_text="another address of the account, for all its studies",
    )
    occasions = serializers.ListField(child=serializers.ChoiceField(choices=Occasion.choices))


class NoticesSerializer(ChosenNoticesSerializer):
    """Of what the caller is told by e-mail."""

    email = serializers.EmailField(max_length=254, allow_blank=True)
    is_possible = serializers.BooleanField(help_text="whether this site can send e-mail")


class Notices(Route):
    """E-mail to the caller about the study."""

    needs = Needs(Permission.READ, Permission.READ)

    @extend_schema(parameters=[STUDY], responses=NoticesSerializer)
    def get(self, request: Request, name: str) -> Response:
        study, user = study_or_404(name), user_of(request)
        content = {
            "email": user.email,
            "occasions": chosen_by(user, study),
            "is_possible": is_possible(),
        }
        return Response(NoticesSerializer(content).data)

    @extend_schema(parameters=[STUDY], request=ChosenNoticesSerializer, responses=NoticesSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Choose the occasions; without one, no e-mail is sent. The address is that of the account,
        for all studies: a token for some studies can't change it.
        """
        study, sent = study_or_404(name), sent_by(request, ChosenNoticesSerializer)
        user, token = user_of(request), request.auth
        asked = checked(NoticesForm({"email": user.email, **sent})).cleaned_data
        if isinstance(token, ApiToken) and token.studies and asked["email"] != user.email:
            raise ValidationError({"email": [f"The token {token.name} is for some studies only."]})
        choose(study=study, user=user, at=timezone.now(), **asked)
        return self.get(request, name)
