"""The API about raters: their records and ratings, decisions about them, thresholds and rules."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_202_ACCEPTED

from analysis.labels import labels_of
from analysis.models import AnalysisRun, ManualDecision
from analysis.quality_rules import SETTINGS
from analysis.rule_sets import current_rule_set
from dashboard.api.analyses import wake_for
from dashboard.api.pagination import Keyset, RatersPages, RatingsPages, Stored, in_pages
from dashboard.api.parameters import INCLUDE, STUDY, asked_for, read_sent, sent_by, user_of
from dashboard.api.ratings import Ratings
from dashboard.api.refusals import checked
from dashboard.api.routes import ListRoute, Route
from dashboard.api.serializers.raters import (
    DecidedSerializer,
    DecideOnRatersSerializer,
    DecisionOnRaterSerializer,
    RaterRecordSerializer,
    RaterSerializer,
    RatingSerializer,
)
from dashboard.api.serializers.results import RunSerializer
from dashboard.api.serializers.thresholds import (
    RuleSetSerializer,
    RulesInForceSerializer,
    ThresholdsSerializer,
    UseThresholdsSerializer,
)
from dashboard.raters.decisions import decide
from dashboard.raters.rater_list import RaterFilter, rater_rows
from dashboard.raters.rater_record import rater_record
from dashboard.raters.trying_thresholds import (
    TriedThresholds,
    put_in_force,
    try_thresholds,
    with_changes,
)
from dashboard.shared.access import first_or_404, study_or_404
from dashboard.shared.newest_analysis import newest_analysis
from dashboard.shared.roles import Needs, Permission
from judge.queries import gold_scores
from survey.models import Participant, Study
from survey.queries import about_people
from survey.tidy import counted_sources, reading

RATER = OpenApiParameter("rater", str, OpenApiParameter.PATH, description="the pseudonym")
FILTERS = [
    OpenApiParameter("included", str, enum=["true", "false"]),
    OpenApiParameter("rule", str, description="excluded by this step of the funnel, or `any`"),
    OpenApiParameter("status", str, enum=["completed", "in_progress"]),
    OpenApiParameter("flagged", str, enum=["true", "false"], description="by how they write"),
]
TRIED = [
    OpenApiParameter(name, str, description=f"tried: {setting.about.label}")
    for name, setting in SETTINGS.items()
]


class RaterList(Route):
    """Every rater of the newest finished analysis, kept or not, and why."""

    needs = Needs(Permission.ROWS, is_download=True)
    pagination_class = RatersPages

    @extend_schema(parameters=[STUDY, INCLUDE, *FILTERS], responses=RaterSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study, pages = study_or_404(name), RatersPages()
        analysis = newest_analysis(study, asked_for(request))
        if analysis.run is None:
            nobody = Stored(Participant.objects.none(), ["pk"])
            return pages.answer(pages.page_of(nobody, request), run=None)
        raters = RaterFilter.of(study, analysis, request.query_params)
        checked(raters.form)
        page = pages.page_of(Stored(raters.qs, ["participant_id"]), request)
        rows = RaterSerializer(rater_rows(analysis.run, page), many=True)
        return pages.answer(rows.data, run=RunSerializer(analysis.run).data)


class RaterDetail(Route):
    """All that is stored about one rater: pages, answers, checks, verdicts, decisions."""

    needs = Needs(Permission.ROWS, is_download=True)

    @extend_schema(parameters=[STUDY, RATER], responses=RaterRecordSerializer)
    def get(self, request: Request, name: str, rater: str) -> Response:
        study = study_or_404(name)
        missing = f"{study} has no rater {rater}. Nothing is left of raters who withdrew."
        person = first_or_404(study.participants.filter(pseudonym=rater), missing)
        return Response(RaterRecordSerializer(rater_record(study, person)).data)


class DecisionList(ListRoute):
    """Decisions about raters, the newest first. The newest about a rater applies."""

    needs = Needs(Permission.ROWS, Permission.CHANGE)

    @extend_schema(
        parameters=[STUDY, OpenApiParameter("rater", str, description="pseudonym")],
        responses=DecisionOnRaterSerializer(many=True),
    )
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        decisions = about_people(ManualDecision.objects.all(), study)
        if rater := request.query_params.get("rater"):
            decisions = decisions.filter(participant__in=_people(study, [rater]))
        rows = Stored(decisions.select_related("participant", "author"), ["-id"])
        return in_pages(request, rows, DecisionOnRaterSerializer)

    @extend_schema(
        parameters=[STUDY, INCLUDE],
        request=DecideOnRatersSerializer,
        responses={201: DecidedSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Exclude raters from every analysis, or let them count again, all or none; then have a
        worker analyse.
        """
        study, sent = study_or_404(name), read_sent(request, DecideOnRatersSerializer)
        include = asked_for(request)
        people = _people(study, sent.validated_data["raters"])
        decided = decide(study, people, sent.chosen, user_of(request), include=include)
        wake_for(decided.run)
        return Response(DecidedSerializer(decided).data, status=HTTP_201_CREATED)


def _people(study: Study, pseudonyms: list[str]) -> list[Participant]:
    """The people called so. Raises ValidationError that names those who are not there."""
    wanted = {name for name in pseudonyms if "\0" not in name}
    people = list(study.participants.filter(pseudonym__in=wanted))
    there = {person.pseudonym for person in people}
    unknown = sorted({name for name in pseudonyms if name not in there})
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        named = ", ".join(name[:80] for name in unknown[:3])
        raise ValidationError({"raters": [f"{study} has no rater {named}{more}."]})
    return people


class Thresholds(Route):
    """The thresholds in force, and what others would do to the newest finished analysis."""

    needs = Needs(Permission.READ, Permission.CHANGE)

    @extend_schema(parameters=[STUDY, INCLUDE, *TRIED], responses=ThresholdsSerializer)
    def get(self, request: Request, name: str) -> Response:
        """Try the thresholds that the address names. Nothing is decided by it."""
        study = study_or_404(name)
        run = newest_analysis(study, asked_for(request)).run
        given = {n: str(v) for n, v in request.query_params.items() if n != INCLUDE.name}
        tried = _tried(study, run, given) if run else None
        return Response(ThresholdsSerializer(_content(study, run, tried)).data)

    @extend_schema(
        parameters=[STUDY, INCLUDE],
        request=UseThresholdsSerializer,
        responses={202: RulesInForceSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Put thresholds in force, and have a worker analyse by them."""
        study, sent = study_or_404(name), sent_by(request, UseThresholdsSerializer)
        include = asked_for(request)
        run = newest_analysis(study, include).finished_run
        tried = _tried(study, run, {n: str(v) for n, v in sent["settings"].items()})
        rules, asked = put_in_force(
            tried,
            study=study,
            instead_of=str(sent["instead_of"]),
            author=user_of(request),
            include=include,
        )
        wake_for(asked)
        content = {"version": rules.version, "run": asked}
        return Response(RulesInForceSerializer(content).data, status=HTTP_202_ACCEPTED)


def _tried(study: Study, run: AnalysisRun, given: dict[str, str]) -> TriedThresholds:
    """Raises ValidationError for what is no threshold here, and for values that are none."""
    tried = try_thresholds(given, study, run)
    if unknown := sorted(set(given) - set(tried.form.fields)):
        known = ", ".join(tried.form.fields)
        said = f"{unknown[0][:80]!r} is no threshold of {study}; there are: {known}."
        raise ValidationError({"settings": [said]})
    checked(tried.form)
    return tried


def _content(
    study: Study, run: AnalysisRun | None, tried: TriedThresholds | None
) -> dict[str, Any]:
    content: dict[str, Any] = {
        "version": current_rule_set(study).version,
        "run": run,
        "settings": [],
        "changes": [],
        "before": None,
        "after": None,
        "joining": [],
        "leaving": [],
    }
    if tried is None:
        return content
    preview, form = tried.preview(), tried.form
    settings = [
        {
            "name": name,
            "rule": setting.rule,
            "about": setting.about.label,
            "in_force": setting.of(form.in_force),
            "tried": setting.of(form.asked),
            "choices": list(getattr(setting.about, "values", ())),
        }
        for name, setting in SETTINGS.items()
        if name in form.fields
    ]
    return content | {
        "settings": settings,
        "changes": tried.changes(labels_of(study)),
        "before": preview.before,
        "after": preview.after,
        "joining": [preview.names[at] for at in preview.joining],
        "leaving": [preview.names[at] for at in preview.leaving],
    }


class RuleSetList(ListRoute):
    """The versions of the study's rules, the newest first."""

    needs = Needs(Permission.READ)

    @extend_schema(parameters=[STUDY], responses=RuleSetSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study, pages = study_or_404(name), Keyset()
        page = pages.page_of(
            Stored(study.rule_sets.select_related("author"), ["-version"]), request
        )
        older = study.rule_sets.filter(version__lt=page[-1].version).last() if page else None
        changes = with_changes([*page, *([older] if older else [])], labels_of(study))
        rows = [{"rule_set": rules, "changes": changed} for rules, changed in changes[: len(page)]]
        return pages.answer(RuleSetSerializer(rows, many=True).data)


class RatingList(Route):
    """Every rating in the columns of ratings.csv, of raters kept or not, page by page."""

    needs = Needs(Permission.ROWS, is_download=True)
    pagination_class = RatingsPages

    @extend_schema(parameters=[STUDY, INCLUDE], responses=RatingSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        sources = counted_sources(asked_for(request))
        gold = gold_scores(study)
        pages = RatingsPages()
        with reading():
            ratings = Ratings(study, sources)
            page = pages.page_of(ratings, request)
            count = ratings.count()
        scores = {(g.response_id, g.dimension): g.value for g in gold.scores}
        rows = RatingSerializer(page, many=True, context={"scores": scores})
        return pages.answer(rows.data, count=count, sources=sources, gold=gold.source)
