"""The API about studies as wholes: the list of them, their live state, changing it, versions."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from config.version import VERSION
from dashboard.accounts.models import ApiToken
from dashboard.accounts.requirement import IsResearcher
from dashboard.api.pagination import Keyset, Stored
from dashboard.api.parameters import INCLUDE, STUDY, asked_for, read_sent, user_of
from dashboard.api.refusals import checked
from dashboard.api.routes import Route
from dashboard.api.serializers.studies import (
    ChangeSerializer,
    CountsSerializer,
    DifferencesSerializer,
    LiveSerializer,
    StateSerializer,
    StudySerializer,
    VersionSerializer,
)
from dashboard.design.forms import VersionForm
from dashboard.design.versions import compared_version, differences, versions_of
from dashboard.overview.counts import listed_studies, live_counts, with_counts
from dashboard.overview.endings import endings
from dashboard.overview.events import changes_of
from dashboard.overview.links import participant_links
from dashboard.overview.live import live_state
from dashboard.overview.opening import change_state
from dashboard.shared.access import role_of, sees_codes, study_or_404, visible_to
from dashboard.shared.fieldwork import is_imported
from dashboard.shared.roles import About, Needs, Permission
from survey.models import Study


class Schema(SpectacularAPIView):
    """This API's description, for researchers too."""

    needs = Needs(about=About.ACCOUNT)
    permission_classes = [IsResearcher]
    # There is one. Without it any `?version=` would become part of a header, in whatever bytes.
    api_version = VERSION
    # Else it would stand twice.
    custom_settings = {"VERSION": ""}


class StudyList(Route):
    """All versions of the studies in which the caller has a role, newest version first."""

    needs = Needs(about=About.ACCOUNT)
    pagination_class = Keyset

    @extend_schema(responses=StudySerializer(many=True))
    def get(self, request: Request) -> Response:
        mine = visible_to(user_of(request), listed_studies())
        token = request.auth
        if isinstance(token, ApiToken) and token.studies:
            mine = mine.filter(slug__in=token.studies)
        pages = Keyset()
        page = pages.page_of(Stored(mine, ["slug", "-version"]), request)
        return pages.answer(StudySerializer(with_counts(page), many=True).data)


class StudyDetail(Route):
    """One study."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY], responses=StudySerializer)
    def get(self, request: Request, name: str) -> Response:
        return _answer(study_or_404(name))


def _answer(study: Study) -> Response:
    (counted,) = with_counts([study])
    return Response(StudySerializer(counted).data)


class StudyCounts(Route):
    """Live counts of a study's people."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY], responses=CountsSerializer)
    def get(self, request: Request, name: str) -> Response:
        return Response(CountsSerializer(live_counts(study_or_404(name))).data)


class Live(Route):
    """The study now: warnings, slots, arrivals over time, where people left, how long it took."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY, INCLUDE], responses=LiveSerializer)
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        role = role_of(user_of(request), study.slug)
        live = live_state(study, asked_for(request))
        content = {
            "live": live,
            "endings": []
            if is_imported(study)
            else endings(
                study,
                with_codes=sees_codes(user_of(request), study),
                completed=live.visits.by_source,
            ),
            "links": participant_links(
                study, preview=role is not None and role.may(Permission.CHANGE)
            ),
        }
        return Response(LiveSerializer(content).data)


class State(Route):
    """The state of the study."""

    needs = Needs(change=Permission.CHANGE)

    @extend_schema(parameters=[STUDY], request=StateSerializer, responses=StudySerializer)
    def post(self, request: Request, name: str) -> Response:
        """Open, pause or close it, or move it back to draft. Before it opens for real people, it is
        checked; 400 says why it was not changed.
        """
        study, sent = study_or_404(name), read_sent(request, StateSerializer)
        change_state(study, sent.chosen, user_of(request))
        return _answer(Study.objects.get(pk=study.pk))


class VersionList(Route):
    """All versions of the study, the newest first."""

    needs = Needs(Permission.READ)
    pagination_class = Keyset

    @extend_schema(parameters=[STUDY], responses=VersionSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        pages, versions = Keyset(), versions_of(study_or_404(name))
        page = pages.page_of(Stored(versions, ["-version"]), request)
        return pages.answer(VersionSerializer(page, many=True).data)


class Differences(Route):
    """What participants see otherwise than in another version: the one before, if none is named."""

    needs = Needs(Permission.READ)

    @extend_schema(
        parameters=[STUDY, OpenApiParameter("version", int, description="to compare with")],
        responses=DifferencesSerializer,
    )
    def get(self, request: Request, name: str) -> Response:
        study, form = study_or_404(name), checked(VersionForm(request.query_params))
        compared = compared_version(study, form.cleaned_data["version"])
        content = {
            "compared": str(compared) if compared else None,
            "differences": differences(compared, study) if compared else [],
        }
        return Response(DifferencesSerializer(content).data)


class ChangeList(Route):
    """What was changed in any version of the study, the newest first. Owners see more: `events`."""

    needs = Needs(Permission.READ)
    pagination_class = Keyset

    @extend_schema(parameters=[STUDY], responses=ChangeSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        pages, changes = Keyset(), changes_of(versions_of(study_or_404(name)))
        page = pages.page_of(Stored(changes, ["-id"]), request)
        return pages.answer(ChangeSerializer(page, many=True).data)
