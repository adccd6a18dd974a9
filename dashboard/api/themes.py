"""The API about themes of open answers: the code book, and the caller's own codes."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED

from analysis.models import Coding
from analysis.theme_coding import (
    CodingRefused,
    add_code,
    answers_to_code,
    code_answers,
    code_book,
    coders_of,
    codes_named,
    letters_of,
    rename_code,
)
from dashboard.api.pagination import Keyset, Stored
from dashboard.api.parameters import INCLUDE, STUDY, asked_for, sent_by, user_of
from dashboard.api.refusals import refusals
from dashboard.api.routes import Route
from dashboard.api.serializers.themes import (
    CodedSerializer,
    CodingSerializer,
    DecisionsSerializer,
    NewThemeSerializer,
    ThemeCodeSerializer,
    ThemesSerializer,
)
from dashboard.shared.access import first_or_404, study_or_404
from survey.models import FreeAnswer
from survey.tidy import counted_sources


class Themes(Route):
    """The code book of a study, and how far its coders are."""

    @extend_schema(parameters=[STUDY, INCLUDE], responses=ThemesSerializer)
    def get(self, request: Request, name: str) -> Response:
        study, sources = study_or_404(name), counted_sources(asked_for(request))
        letters = letters_of(study)
        content = {
            "codes": code_book(study),
            "answers": answers_to_code(study, sources).count(),
            "coders": [
                {"coder": letters[one.coder.pk], "answers": one.done}
                for one in coders_of(study, sources)
            ],
        }
        return Response(ThemesSerializer(content).data)

    @extend_schema(
        parameters=[STUDY], request=NewThemeSerializer, responses={201: ThemeCodeSerializer}
    )
    def post(self, request: Request, name: str) -> Response:
        """Add a code to the code book."""
        study, sent = study_or_404(name), sent_by(request, NewThemeSerializer)
        with refusals():
            code = add_code(study=study, author=user_of(request), **sent)
        return Response(ThemeCodeSerializer(code).data, status=HTTP_201_CREATED)


class ThemeDetail(Route):
    """A code of the code book."""

    @extend_schema(parameters=[STUDY], request=NewThemeSerializer, responses=ThemeCodeSerializer)
    def put(self, request: Request, name: str, code: int) -> Response:
        """Give it another name and definition; answers keep it."""
        study, sent = study_or_404(name), sent_by(request, NewThemeSerializer)
        known = first_or_404(study.theme_codes.filter(pk=code), f"{study} has no code {code}.")
        with refusals():
            rename_code(study=study, code=known, author=user_of(request), **sent)
        return Response(ThemeCodeSerializer(known).data)


class Codings(Route):
    """Open answers with the caller's own codes, never with those of others."""

    pagination_class = Keyset

    @extend_schema(parameters=[STUDY, INCLUDE], responses=CodingSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study, pages = study_or_404(name), Keyset()
        answers = answers_to_code(study, counted_sources(asked_for(request)))
        rows = answers.select_related("participant", "presentation__block__scenario")
        page = pages.page_of(Stored(rows, ["id"]), request)
        own = Coding.objects.filter(coder=user_of(request), answer__in=[one.pk for one in page])
        codes = {
            one.answer_id: [code.name for code in one.codes.all()]
            for one in own.prefetch_related("codes")
        }
        content = [_coding(one, codes.get(one.pk)) for one in page]
        return pages.answer(CodingSerializer(content, many=True).data)

    @extend_schema(
        parameters=[STUDY, INCLUDE], request=DecisionsSerializer, responses=CodedSerializer
    )
    def post(self, request: Request, name: str) -> Response:
        """Keep what the caller decided about answers: all, or nothing."""
        study, sent = study_or_404(name), sent_by(request, DecisionsSerializer)
        answers = answers_to_code(study, counted_sources(asked_for(request)))
        known = set(answers.values_list("pk", flat=True))
        with refusals():
            decisions = {}
            for one in sent["decisions"]:
                if one["answer"] not in known:
                    raise CodingRefused(f"{study} has no open answer {one['answer']}")
                if one["answer"] in decisions:
                    raise CodingRefused(f"The answer {one['answer']} is given twice")
                decisions[one["answer"]] = codes_named(study, one["codes"])
            n = code_answers(study=study, coder=user_of(request), decisions=decisions)
        return Response(CodedSerializer({"answers": n}).data)


def _coding(answer: FreeAnswer, codes: list[str] | None) -> dict[str, Any]:
    block = answer.presentation.block if answer.presentation else None
    return {
        "answer": answer.pk,
        "participant": answer.participant.pseudonym,
        "scenario": block.scenario.name if block else None,
        "set": block.set_name if block else None,
        "question": answer.name,
        "text": answer.text,
        "codes": codes,
    }
