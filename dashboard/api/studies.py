"""The API about studies as wholes: the list of them, and their people in numbers."""

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dashboard.accounts.models import ApiToken
from dashboard.accounts.requirement import IsResearcher
from dashboard.api.pagination import Pagination
from dashboard.api.parameters import STUDY, user_of
from dashboard.api.serializers.studies import CountsSerializer, StudySerializer
from dashboard.overview.counts import live_counts, studies_with_counts
from dashboard.shared.access import study_or_404, visible_to
from survey.models import Study


class Schema(SpectacularAPIView):
    """This API's description, for researchers too."""

    permission_classes = [IsResearcher]
    # There is one. Without it any `?version=` would become part of a header, in whatever bytes.
    api_version = str(settings.SPECTACULAR_SETTINGS["VERSION"])


class StudyList(ListAPIView[Study]):
    """All versions of the studies in which the caller has a role, newest version first."""

    serializer_class = StudySerializer
    pagination_class = Pagination

    def get_queryset(self) -> QuerySet[Study]:
        mine = visible_to(user_of(self.request), studies_with_counts())
        token = self.request.auth
        if isinstance(token, ApiToken) and token.studies:
            mine = mine.filter(slug__in=token.studies)
        return mine


class StudyDetail(APIView):
    """One study."""

    @extend_schema(parameters=[STUDY], responses=StudySerializer)
    def get(self, request: Request, name: str) -> Response:
        study = studies_with_counts().get(pk=study_or_404(name).pk)
        return Response(StudySerializer(study).data)


class StudyCounts(APIView):
    """Live counts of a study's people."""

    @extend_schema(parameters=[STUDY], responses=CountsSerializer)
    def get(self, request: Request, name: str) -> Response:
        return Response(CountsSerializer(live_counts(study_or_404(name))).data)
