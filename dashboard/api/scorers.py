"""The API about the trained scorer, texts that it scores, and perturbations."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_202_ACCEPTED

from analysis.perturbation_requests import perturbation_run_of
from analysis.scored_texts import scored_texts_of
from dashboard.api.parameters import INCLUDE, STUDY, asked_for, read_sent, user_of
from dashboard.api.routes import Route
from dashboard.api.serializers.scorers import (
    PerturbationsSerializer,
    PerturbingSerializer,
    ScoredTextsSerializer,
    ScorerAskedSerializer,
    ScorersSerializer,
    TextToScoreSerializer,
    TrainingSerializer,
)
from dashboard.results.perturbing import ask_to_perturb
from dashboard.results.scorer_asking import ask_to_score, ask_to_train
from dashboard.shared.access import study_or_404
from dashboard.shared.pages import try_to_wake
from dashboard.shared.roles import Needs, Permission
from survey.models import Study


class ScorerVersions(Route):
    """The versions of a study's trained scorer, newest first, with their model cards."""

    needs = Needs(Permission.READ, Permission.COMPUTE)
    renamed = {"file": "ratings"}

    @extend_schema(parameters=[STUDY], responses=ScorersSerializer)
    def get(self, request: Request, name: str) -> Response:
        return Response(_scorers(study_or_404(name)))

    @extend_schema(
        parameters=[STUDY, INCLUDE],
        request=TrainingSerializer,
        responses={202: ScorerAskedSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Have a worker train a new version on the study's ratings, or on rated texts of a file.
        One that is under way is not repeated.
        """
        study, include = study_or_404(name), asked_for(request)
        options = read_sent(request, TrainingSerializer).chosen
        scorer, notices = ask_to_train(study, options, user_of(request), include=include)
        try_to_wake(scorer.TASK, scorer.pk)
        return Response(_scorers(study) | {"notices": notices}, status=HTTP_202_ACCEPTED)


def _scorers(study: Study) -> dict[str, Any]:
    return dict(ScorersSerializer({"scorers": study.scorers.order_by("-version")}).data)


class ScoredTextList(Route):
    """Texts that the trained scorer scored, with prediction intervals."""

    needs = Needs(Permission.READ, Permission.COMPUTE)

    @extend_schema(parameters=[STUDY], responses=ScoredTextsSerializer)
    def get(self, request: Request, name: str) -> Response:
        return Response(_texts(study_or_404(name)))

    @extend_schema(
        parameters=[STUDY], request=TextToScoreSerializer, responses={202: ScoredTextsSerializer}
    )
    def post(self, request: Request, name: str) -> Response:
        """Have a worker score a text. 400 where no scorer is trained."""
        study, sent = study_or_404(name), read_sent(request, TextToScoreSerializer)
        asked = ask_to_score(study, sent.chosen, user_of(request))
        try_to_wake(asked.TASK, asked.pk)
        return Response(_texts(study), status=HTTP_202_ACCEPTED)


def _texts(study: Study) -> dict[str, Any]:
    return dict(ScoredTextsSerializer({"texts": scored_texts_of(study)}).data)


class Perturbations(Route):
    """The newest request to perturb a study's responses."""

    needs = Needs(Permission.READ, Permission.COMPUTE)

    @extend_schema(parameters=[STUDY], responses=PerturbationsSerializer)
    def get(self, request: Request, name: str) -> Response:
        return Response(_perturbations(study_or_404(name)))

    @extend_schema(
        parameters=[STUDY],
        request=PerturbingSerializer,
        responses={202: PerturbationsSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Have a worker perturb responses and score them before and after, by the trained scorer,
        the computed metrics and the judges that are named. 400 says why nothing is scored.
        """
        study, sent = study_or_404(name), read_sent(request, PerturbingSerializer)
        run = ask_to_perturb(study, sent.chosen, user_of(request))
        try_to_wake(run.TASK, run.pk)
        return Response(_perturbations(study), status=HTTP_202_ACCEPTED)


def _perturbations(study: Study) -> dict[str, Any]:
    return dict(PerturbationsSerializer({"run": perturbation_run_of(study)}).data)
