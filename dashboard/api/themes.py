"""The API about themes of open answers: the code book, and the caller's own codes."""

from dataclasses import dataclass
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
    codes_named,
    rename_code,
)
from dashboard.api.pagination import Keyset, Stored, numbers_of
from dashboard.api.parameters import INCLUDE, STUDY, asked_for, read_sent, sent_by, user_of
from dashboard.api.routes import Route
from dashboard.api.serializers.themes import (
    CodedSerializer,
    CodingSerializer,
    DecisionsSerializer,
    NewThemeSerializer,
    ThemeCodeSerializer,
    ThemesSerializer,
)
from dashboard.results.open_answers import OpenAnswers
from dashboard.shared.access import first_or_404, study_or_404
from dashboard.shared.roles import Needs, Permission
from survey.models import FreeAnswer
from survey.tidy import counted_sources, reading


class Themes(Route):
    """The code book of a study, and how far its coders are."""

    needs = Needs(Permission.READ, Permission.CODE)

    @extend_schema(parameters=[STUDY, INCLUDE], responses=ThemesSerializer)
    def get(self, request: Request, name: str) -> Response:
        study, sources = study_or_404(name), counted_sources(asked_for(request))
        with reading():
            answers = OpenAnswers.of(study, sources)
            content = {
                "codes": code_book(study),
                "answers": len(answers),
                "coders": [{"coder": one.letter, "answers": one.done} for one in answers.coders()],
            }
        return Response(ThemesSerializer(content).data)

    @extend_schema(
        parameters=[STUDY], request=NewThemeSerializer, responses={201: ThemeCodeSerializer}
    )
    def post(self, request: Request, name: str) -> Response:
        """Add a code to the code book."""
        study, sent = study_or_404(name), read_sent(request, NewThemeSerializer)
        code = add_code(study, sent.chosen, user_of(request))
        return Response(ThemeCodeSerializer(code).data, status=HTTP_201_CREATED)


class ThemeDetail(Route):
    """A code of the code book."""

    needs = Needs(change=Permission.CODE)

    @extend_schema(parameters=[STUDY], request=NewThemeSerializer, responses=ThemeCodeSerializer)
    def put(self, request: Request, name: str, code: int) -> Response:
        """Give it another name and definition; answers keep it."""
        study, sent = study_or_404(name), read_sent(request, NewThemeSerializer)
        known = first_or_404(study.theme_codes.filter(pk=code), f"{study} has no code {code}.")
        rename_code(study, known, sent.chosen, user_of(request))
        return Response(ThemeCodeSerializer(known).data)


class Codings(Route):
    """Open answers with the caller's own codes, never with those of others."""

    needs = Needs(Permission.CODE, Permission.CODE, is_download=True)
    pagination_class = Keyset

    @extend_schema(parameters=[STUDY, INCLUDE], responses=CodingSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        study, pages = study_or_404(name), Keyset()
        with reading():
            answers = OpenAnswers.of(study, counted_sources(asked_for(request)))
            page = pages.page_of(PersonByPerson(answers), request)
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
        asked = [one["answer"] for one in sent["decisions"]]
        known = answers.only("pk").in_bulk(asked)
        decisions = {}
        for one in sent["decisions"]:
            if one["answer"] not in known:
                raise CodingRefused(f"{study} has no open answer {one['answer']}")
            if one["answer"] in decisions:
                raise CodingRefused(f"The answer {one['answer']} is given twice")
            decisions[one["answer"]] = codes_named(study, one["codes"])
        n = code_answers(study=study, coder=user_of(request), decisions=decisions)
        return Response(CodedSerializer({"answers": n}).data)


@dataclass(frozen=True)
class PersonByPerson:
    """Open answers in the order of people, read a chunk of them at a time."""

    answers: OpenAnswers

    def after(self, place: str | None, most: int) -> list[FreeAnswer]:
        """Up to `most` answers after that place, or from the first one on. Raises ValueError."""
        person = 0 if place is None else _person(place)
        found: list[FreeAnswer] = []
        for ids in self.answers.chunks_with_answers():
            if person < ids.stop and len(found) < most:
                found += self._rows(ids).after(place, most - len(found))
        return found

    def before(self, place: str, most: int) -> list[FreeAnswer]:
        """Up to `most` answers right before that place, in their order. Raises ValueError."""
        person = _person(place)
        found: list[FreeAnswer] = []
        for ids in reversed(self.answers.chunks_with_answers()):
            if person >= ids.start and len(found) < most:
                found = self._rows(ids).before(place, most - len(found)) + found
        return found

    def place_of(self, answer: FreeAnswer) -> str:
        return f"{answer.participant_id}.{answer.pk}"

    def _rows(self, ids: range) -> Stored[FreeAnswer]:
        answers = self.answers.within(ids)
        rows = answers.select_related("participant", "presentation__block__scenario")
        return Stored(rows, ["participant_id", "id"])


def _person(place: str) -> int:
    """Whose answer is there. Raises ValueError."""
    person, _ = numbers_of(place)
    return person


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
