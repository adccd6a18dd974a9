"""The API about gold scores: their sources, choosing one, and how judges agree with people."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_202_ACCEPTED

from dashboard.api.analyses import RUN, wake_for
from dashboard.api.pagination import Stored, in_pages
from dashboard.api.parameters import (
    INCLUDE,
    STUDY,
    asked_for,
    read_query,
    read_sent,
    sent_by,
    user_of,
)
from dashboard.api.refusals import checked
from dashboard.api.results import tables_listed
from dashboard.api.routes import ListRoute, Route
from dashboard.api.serializers.gold import (
    ChooseGoldSerializer,
    GoldAddedSerializer,
    GoldChangedSerializer,
    GoldChosenSerializer,
    GoldDecisionSerializer,
    GoldFileSerializer,
    GoldScoreSerializer,
    GoldSerializer,
    RemarksSerializer,
    ResponseDrawSerializer,
)
from dashboard.judges import agreement
from dashboard.judges.forms import BeforeForm
from dashboard.judges.gold_changes import changes, earlier_run
from dashboard.judges.gold_choice import make_gold
from dashboard.judges.gold_rows import ORDER, gold_rows, responses_to_score
from dashboard.judges.gold_sets import import_gold_set
from dashboard.judges.label_drawing import drawn_response
from dashboard.judges.sources import sources_of
from dashboard.shared.access import study_or_404
from dashboard.shared.newest_analysis import newest_analysis, run_or_404
from dashboard.shared.roles import Needs, Permission
from judge.models import GoldDecision
from judge.queries import GoldSource
from survey.models import Study
from survey.tidy import definition_of


class GoldSources(Route):
    """Every source of gold scores, and which of them is gold."""

    needs = Needs(Permission.READ, Permission.CHANGE)

    @extend_schema(parameters=[STUDY], responses=GoldSerializer)
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        known = sources_of(study, definition_of(study))
        of_any_kind = [*known.judges, *known.files, *known.panels, *known.juries]
        content = {"gold": known.gold, "sources": of_any_kind}
        return Response(GoldSerializer(content, context={"study": study}).data)

    @extend_schema(
        parameters=[STUDY, INCLUDE],
        request=ChooseGoldSerializer,
        responses={202: GoldChosenSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Make the scores of a source the gold ones, and have a worker analyse by them."""
        study, source = study_or_404(name), sent_by(request, ChooseGoldSerializer)["source"]
        include = asked_for(request)
        choice = make_gold(study, source, user_of(request), include=include)
        wake_for(choice.after)
        return Response(GoldChosenSerializer(choice).data, status=HTTP_202_ACCEPTED)


class GoldDecisionList(ListRoute):
    """Which source was made gold, when and by whom, the newest first."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY], responses=GoldDecisionSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        decisions = GoldDecision.objects.filter(study=study_or_404(name))
        rows = decisions.select_related("judge", "gold_set", "jury", "author")
        return in_pages(request, Stored(rows, ["-id"]), GoldDecisionSerializer)


class GoldFiles(Route):
    """Gold scores from files."""

    needs = Needs(change=Permission.CHANGE)
    parser_classes = [MultiPartParser]

    @extend_schema(
        parameters=[STUDY], request=GoldFileSerializer, responses={201: GoldAddedSerializer}
    )
    def post(self, request: Request, name: str) -> Response:
        """Add the scores of a file as another source, all or none."""
        study, sent = study_or_404(name), read_sent(request, GoldFileSerializer)
        added, notices = import_gold_set(study, sent.chosen, user_of(request))
        content = {
            "source": GoldSource(gold_set=added).key,
            "scores": added.scores.count(),
            "notices": notices,
        }
        return Response(GoldAddedSerializer(content).data, status=HTTP_201_CREATED)


class DrawnResponses(Route):
    """A random draw of responses as CSV, blind, for labels by the authors. Its filled file is taken
    as gold scores.
    """

    needs = Needs(Permission.READ, is_download=True)

    @extend_schema(
        parameters=[STUDY, ResponseDrawSerializer],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, name: str) -> StreamingHttpResponse:
        study, sent = study_or_404(name), read_query(request, ResponseDrawSerializer)
        return drawn_response(study, sent.chosen)


class GoldScoreList(ListRoute):
    """The gold score of every response with its single scores; `limit` counts responses."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY], responses=GoldScoreSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        rows = Stored(responses_to_score(study), ORDER)
        return in_pages(request, rows, GoldScoreSerializer, made=partial(gold_rows, study))


class GoldChanges(Route):
    """What other gold scores changed: an analysis beside an earlier one of the same people."""

    needs = Needs(Permission.READ)

    @extend_schema(
        parameters=[
            STUDY,
            RUN,
            OpenApiParameter("before", int, description="an earlier analysis; else the newest one"),
        ],
        responses=GoldChangedSerializer,
    )
    def get(self, request: Request, name: str, run: int) -> Response:
        study, form = study_or_404(name), checked(BeforeForm(request.query_params))
        after = run_or_404(study, run)
        before = earlier_run(after, form.cleaned_data["before"])
        content = {
            "run": after,
            "before": before.pk if before else None,
            "changes": changes(before, after) if before and after.is_done else None,
        }
        return Response(GoldChangedSerializer(content).data)


class Agreement(Route):
    """Whether judges agree with themselves and with people: warnings, and the tables about it."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY, INCLUDE], responses=RemarksSerializer)
    def get(self, request: Request, name: str) -> Response:
        return _remarks(request, study_or_404(name), agreement.TABLES)


class Guard(Route):
    """How raters, wins and means change with other gold scores."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY, INCLUDE], responses=RemarksSerializer)
    def get(self, request: Request, name: str) -> Response:
        return _remarks(request, study_or_404(name), agreement.GUARD)


def _remarks(request: Request, study: Study, tables: Sequence[str]) -> Response:
    analysis = newest_analysis(study, asked_for(request))
    remarks = agreement.remarks(analysis.tables("guard_warnings")["guard_warnings"])

    def rows(kinds: list[tuple[str, list[str]]]) -> list[dict[str, Any]]:
        return [{"what": what, "details": details} for what, details in kinds]

    content = {
        "run": analysis.run,
        "warnings": rows(remarks.warnings),
        "notes": rows(remarks.notes),
        "tables": tables_listed(request, study, analysis, only=tables),
    }
    return Response(RemarksSerializer(content).data)
