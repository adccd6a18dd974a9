"""Recruiting on Prolific by the API: the steps of the page *Prolific*, with the caller's token."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import PermissionDenied
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import (
    HTTP_200_OK,
    HTTP_201_CREATED,
    HTTP_202_ACCEPTED,
    HTTP_204_NO_CONTENT,
)

from dashboard.accounts import prolific
from dashboard.accounts.forms import ProlificTokenForm
from dashboard.accounts.models import ApiToken
from dashboard.accounts.prolific import client_of
from dashboard.api.parameters import STUDY, read_query, read_sent, sent_by, user_of
from dashboard.api.refusals import checked
from dashboard.api.routes import Route
from dashboard.api.serializers.prolific import (
    CodeSerializer,
    CostSerializer,
    DemographicsSerializer,
    DraftSerializer,
    EarlierStudySerializer,
    ImportedSerializer,
    LongListsSerializer,
    NewDemographicsSerializer,
    NewDraftSerializer,
    PlacesSerializer,
    ProlificAccountSerializer,
    ProlificStepSerializer,
    ProlificTokenSerializer,
    RecruitingSerializer,
    ShownDraftSerializer,
    SubmissionListsSerializer,
    SubmissionsReadSerializer,
    WaveQuery,
    WaveSerializer,
    time_of_events,
)
from dashboard.overview.endings import endings
from dashboard.prolific import recruiting
from dashboard.prolific.demographics import imported_answers
from dashboard.prolific.demographics_asking import ask_for_demographics
from dashboard.prolific.drafts import against_publishing, first_values, values_of
from dashboard.prolific.forms import WaveForm
from dashboard.prolific.recruiting import StepDone, see
from dashboard.prolific.steps import look, recruitment_of
from dashboard.prolific.submissions import FROM_API, submissions_of
from dashboard.prolific.subscribing import gets_events
from dashboard.prolific.waves import Wave, earlier_studies
from dashboard.raters.uploads import TakenLists, apply_lists, newest_upload, take_lists
from dashboard.shared.access import first_or_404, study_or_404
from dashboard.shared.fieldwork import is_imported
from dashboard.shared.pages import try_to_wake
from dashboard.shared.roles import About, Needs, Permission
from dashboard.shared.stopping import stop_job
from survey.definition.options import SentFile
from survey.models import Study
from survey.prolific.replies import ProlificStudy
from survey.tidy import definition_of


class AccountOnProlific(Route):
    """The caller's account at Prolific."""

    needs = Needs(whole_account=True, about=About.ACCOUNT)

    @extend_schema(responses=ProlificAccountSerializer)
    def get(self, request: Request) -> Response:
        account = prolific.account_of(user_of(request))
        content = {
            "is_connected": account is not None,
            "email": account.email if account else "",
            "prolific_id": account.prolific_id if account else "",
            "address": account.address if account else "",
            "connected_at": account.connected_at if account else None,
        }
        return Response(ProlificAccountSerializer(content).data)

    @extend_schema(request=ProlificTokenSerializer, responses=ProlificAccountSerializer)
    def put(self, request: Request) -> Response:
        """Store a token of Prolific's, in place of an earlier one; Prolific is asked whose it is.
        It can't be read again. 400 if Prolific does not accept it or does not answer.
        """
        form = checked(ProlificTokenForm(sent_by(request, ProlificTokenSerializer)))
        prolific.connect(user=user_of(request), token=form.cleaned_data["token"])
        return self.get(request)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request) -> Response:
        """Delete the token here; on Prolific it stays until it is deleted there."""
        prolific.disconnect(user=user_of(request))
        return Response(status=HTTP_204_NO_CONTENT)


class Recruiting(Route):
    """The study on Prolific, its cost, the balance, and what is against publishing it."""

    needs = Needs(Permission.RECRUIT, Permission.RECRUIT)

    @extend_schema(parameters=[STUDY], responses=RecruitingSerializer)
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        seen = see(study, user_of(request))  # it settles a step whose answer was lost
        recruitment = recruitment_of(study, settings.PROLIFIC_URL)
        theirs = seen.theirs
        content = {
            "is_connected": seen.is_connected,
            "problem": seen.problem,
            "study": theirs,
            "is_gone": seen.is_gone,
            "money": seen.money,
            "submissions": {key: n for key, n in seen.counts.items() if key != "TOTAL"},
            "against_publishing": (
                list(against_publishing(recruitment, theirs)) if recruitment and theirs else []
            ),
            "gets_events": gets_events(recruitment),
            "last_event_at": time_of_events(recruitment),
            "submissions_read_at": recruitment.read_at if recruitment else None,
            "step": recruitment.step if recruitment else "",
            "earlier": str(recruitment.earlier) if recruitment and recruitment.earlier else None,
            "who": recruitment.who if recruitment else "",
            "let_in": seen.let_in,
        }
        return Response(RecruitingSerializer(content).data)

    @extend_schema(parameters=[STUDY], request=None, responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Forget a study that was deleted on Prolific. 400 while it is still there."""
        study = study_or_404(name)
        with client_of(user_of(request)) as client:
            recruiting.forget_study(study, client, author=user_of(request))
        return Response(status=HTTP_204_NO_CONTENT)


class Draft(Route):
    """The draft on Prolific."""

    needs = Needs(Permission.RECRUIT, Permission.RECRUIT)
    renamed = DraftSerializer.called

    @extend_schema(parameters=[STUDY], responses=ShownDraftSerializer)
    def get(self, request: Request, name: str) -> Response:
        """What the draft says, or what a new one begins with."""
        study, theirs = study_or_404(name), None
        recruitment = recruitment_of(study, settings.PROLIFIC_URL)
        if recruitment is not None and recruitment.prolific_study_id:
            with client_of(user_of(request)) as client:
                theirs = look(recruitment, client)
        return Response(_shown_draft(study, theirs))

    @extend_schema(
        parameters=[STUDY],
        request=NewDraftSerializer,
        responses={201: ProlificStepSerializer, 200: ProlificStepSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Create a draft, which costs nothing. With `earlier`, only these people may take part.

        If there is a draft already, nothing is changed and the answer is 200.
        """
        study, author = study_or_404(name), user_of(request)
        sent = read_sent(request, NewDraftSerializer)
        with client_of(user_of(request)) as client:
            wave = _wave(request, study, sent.validated_data)
            done = recruiting.create(study, client, author=author, options=sent.chosen, wave=wave)
        return _answer(done, HTTP_201_CREATED if done.changed else HTTP_200_OK)

    @extend_schema(parameters=[STUDY], request=DraftSerializer, responses=ProlificStepSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Save other values in the draft; after publishing it can't be changed."""
        study, author = study_or_404(name), user_of(request)
        options = read_sent(request, DraftSerializer).chosen
        with client_of(user_of(request)) as client:
            return _answer(recruiting.change(study, client, author=author, options=options))


def _shown_draft(study: Study, theirs: ProlificStudy | None) -> dict[str, Any]:
    values = values_of(theirs) if theirs else first_values(study)
    cents = theirs.reward if theirs else None
    content = values | {"is_on_prolific": theirs is not None, "reward_cents": cents}
    return dict(ShownDraftSerializer(content).data)


def _earlier(request: Request, study: Study) -> list[Study]:
    """Whose people the caller may invite, as far as their token goes."""
    there, token = earlier_studies(study, user_of(request)), request.auth
    return [one for one in there if not isinstance(token, ApiToken) or token.is_for(one.slug)]


def _wave(request: Request, study: Study, asked: dict[str, Any]) -> Wave | None:
    """Whom to invite; None stands for anyone. Raises ValidationError, WaveRefused."""
    return checked(WaveForm(study, _earlier(request, study), asked)).wave()


def _answer(done: StepDone, status: int = HTTP_200_OK) -> Response:
    return Response(ProlificStepSerializer(done).data, status=status)


class Publish(Route):
    """Publishing the draft, which spends money."""

    needs = Needs(change=Permission.RECRUIT)

    @extend_schema(parameters=[STUDY], request=CostSerializer, responses=ProlificStepSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Publish the draft at the cost that `prolific/` says, and subscribe to events. A second
        request changes nothing. 400 says what is against it.
        """
        study, cost = study_or_404(name), sent_by(request, CostSerializer)["cost_cents"]
        with client_of(user_of(request)) as client:
            done = recruiting.publish(study, client, author=user_of(request), cost=cost)
        return _answer(done)


class AddPlaces(Route):
    """The places of the study on Prolific."""

    needs = Needs(change=Permission.RECRUIT)

    @extend_schema(parameters=[STUDY], request=PlacesSerializer, responses=ProlificStepSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Give the study so many places in total, which spends money. There can only be more; a
        second request changes nothing.
        """
        study = study_or_404(name)
        places = read_sent(request, PlacesSerializer).chosen.places
        with client_of(user_of(request)) as client:
            done = recruiting.add_places(study, client, author=user_of(request), places=places)
        return _answer(done)


class SimpleStep(Route):
    """A step that needs nothing but its name."""

    take: Callable[..., StepDone]

    def step(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        with client_of(user_of(request)) as client:
            return _answer(type(self).take(study, client, author=user_of(request)))


class Pause(SimpleStep):
    """Pausing recruitment."""

    needs = Needs(change=Permission.RECRUIT)
    take = staticmethod(recruiting.pause)

    @extend_schema(parameters=[STUDY], request=None, responses=ProlificStepSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Have Prolific send nobody new. People who began may finish."""
        return self.step(request, name)


class Resume(SimpleStep):
    """Going on with recruitment."""

    needs = Needs(change=Permission.RECRUIT)
    take = staticmethod(recruiting.resume)

    @extend_schema(parameters=[STUDY], request=None, responses=ProlificStepSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Have Prolific send people again."""
        return self.step(request, name)


class Invite(SimpleStep):
    """The people whom Prolific lets into a second wave."""

    needs = Needs(change=Permission.RECRUIT)
    take = staticmethod(recruiting.invite)

    @extend_schema(parameters=[STUDY], request=None, responses=ProlificStepSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Let in the people whom the second wave would invite now: 400 if the role in the earlier
        study does not let the caller know them any more.
        """
        there, token = recruitment_of(study_or_404(name), settings.PROLIFIC_URL), request.auth
        earlier = there.earlier if there else None
        if earlier and isinstance(token, ApiToken) and not token.is_for(earlier.slug):
            raise PermissionDenied(f"The token {token.name} is not for {earlier}.")
        return self.step(request, name)


class EarlierStudies(Route):
    """The studies here whose people from Prolific a second wave can invite."""

    needs = Needs(Permission.RECRUIT)

    @extend_schema(parameters=[STUDY], responses=EarlierStudySerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        there = _earlier(request, study_or_404(name))
        rows = [{"name": str(one), "title": one.title} for one in there]
        return Response(EarlierStudySerializer(rows, many=True).data)


class WavePreview(Route):
    """Whom a second wave would invite."""

    needs = Needs(Permission.RECRUIT)

    @extend_schema(parameters=[STUDY, WaveQuery], responses=WaveSerializer)
    def get(self, request: Request, name: str) -> Response:
        """How many people can be invited, and why others can't. Nothing is sent to Prolific."""
        study, asked = study_or_404(name), read_query(request, WaveQuery)
        wave = _wave(request, study, asked.validated_data)
        assert wave is not None  # the query names a study
        content = {
            "earlier": str(wave.earlier),
            "who": wave.who,
            "invited": len(wave.ids),
            "left_out": [{"reason": why, "people": n} for why, n in wave.left_out],
            "analysed_at": wave.analysed_at,
        }
        return Response(WaveSerializer(content).data)


class ProlificEvents(Route):
    """Events (webhooks) of the study's workspace."""

    needs = Needs(change=Permission.RECRUIT)

    @extend_schema(parameters=[STUDY], request=None, responses={204: None})
    def put(self, request: Request, name: str) -> Response:
        """Have Prolific send its events here."""
        return self._turn(request, name, on=True)

    @extend_schema(parameters=[STUDY], request=None, responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Stop the events, of all studies in the workspace."""
        return self._turn(request, name, on=False)

    def _turn(self, request: Request, name: str, *, on: bool) -> Response:
        study = study_or_404(name)
        with client_of(user_of(request)) as client:
            recruiting.turn_events(study, client, author=user_of(request), on=on)
        return Response(status=HTTP_204_NO_CONTENT)


class Codes(Route):
    """The study's completion codes, by ending, with the actions that we recommend."""

    needs = Needs(Permission.CODES)

    @extend_schema(parameters=[STUDY], responses=CodeSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        there = [] if is_imported(study) else endings(study, with_codes=True)
        rows = [{**vars(one), "ending": one.name, "heading": one.label} for one in there]
        return Response(CodeSerializer(rows, many=True).data)


class ReadSubmissions(Route):
    """Reading submissions from Prolific."""

    needs = Needs(change=Permission.IDENTIFY)

    @extend_schema(parameters=[STUDY], request=None, responses=SubmissionsReadSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Read all submissions of the study. Slots of people who returned or timed out are freed;
        the same once more changes nothing.
        """
        study = study_or_404(name)
        with client_of(user_of(request)) as client:
            lists = submissions_of(recruiting.recruited(study), client)
        taken = TakenLists(lists, apply_lists(study, lists, user_of(request)))
        return _taken(taken, read=[FROM_API])


def _taken(taken: TakenLists, *, read: list[str]) -> Response:
    """What lists have changed; nothing yet where they are left to a worker."""
    content = {
        "read": read,
        "submissions": len(taken.lists.submissions),
        "notices": taken.lists.notices,
        "applied": taken.applied,
    }
    status = HTTP_202_ACCEPTED if taken.upload else HTTP_200_OK
    return Response(SubmissionsReadSerializer(content).data, status)


def taken_from_files(request: Request, name: str) -> Response:
    """Apply uploaded lists of submissions, or leave long ones to a worker: all of them, or nothing
    where a line is wrong.
    """
    study, files = study_or_404(name), sent_by(request, SubmissionListsSerializer)["file"]
    given = [SentFile(file.name, file.read()) for file in files]
    taken = take_lists(study, given, user_of(request))
    if taken.upload:
        try_to_wake(taken.upload.TASK, taken.upload.pk)
    return _taken(taken, read=[file.name for file in given])


class LongLists(Route):
    """What became of the newest list that was left to a worker."""

    needs = Needs(Permission.IDENTIFY)

    @extend_schema(parameters=[STUDY], responses=LongListsSerializer)
    def get(self, request: Request, name: str) -> Response:
        content = {"upload": newest_upload(study_or_404(name))}
        return Response(LongListsSerializer(content).data)


class StopLongLists(Route):
    """To end the reading of a list that was left to a worker."""

    needs = Needs(change=Permission.IDENTIFY)

    @extend_schema(
        parameters=[
            STUDY,
            OpenApiParameter("upload", int, OpenApiParameter.PATH, description="its `id`"),
        ],
        request=None,
        responses=LongListsSerializer,
    )
    def post(self, request: Request, name: str, upload: int) -> Response:
        """Its worker ends the work within seconds; what is stored already stays. One that has
        ended before stays as it is.
        """
        study = study_or_404(name)
        row = first_or_404(study.submission_uploads.filter(pk=upload), f"{study} has no {upload}.")
        stop_job(row, author=user_of(request), study=study)
        row.refresh_from_db()
        return Response(LongListsSerializer({"upload": row}).data)


class ImportDemographics(Route):
    """Answers from Prolific's demographic export."""

    needs = Needs(Permission.IDENTIFY, Permission.IDENTIFY)
    parser_classes = [MultiPartParser, JSONParser]

    @extend_schema(parameters=[STUDY], responses=DemographicsSerializer)
    def get(self, request: Request, name: str) -> Response:
        study = study_or_404(name)
        counts, newest = imported_answers(study)
        content = {
            "questions": [
                {
                    "name": question.name,
                    "column": question.column or question.name,
                    "imported": counts.get(question.name, 0),
                }
                for question in definition_of(study).prolific_demographics
            ],
            "imported_at": newest.at if newest else None,
            "imported_by": str(newest.author) if newest and newest.author else None,
        }
        return Response(DemographicsSerializer(content).data)

    @extend_schema(
        parameters=[STUDY],
        request={"multipart/form-data": NewDemographicsSerializer},
        responses=ImportedSerializer,
    )
    def post(self, request: Request, name: str) -> Response:
        """Import the export: all of it, or nothing where a line is wrong. The same once more
        changes nothing.
        """
        study, options = study_or_404(name), read_sent(request, NewDemographicsSerializer).chosen
        done, notices = ask_for_demographics(study, options, user_of(request))
        content = {**vars(done), "preview": options.preview, "notices": notices}
        return Response(ImportedSerializer(content).data)
