"""Coding open answers by themes: a code book, and what each coder decided about each answer."""

from collections.abc import Collection, Iterable
from typing import Annotated

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, Max, Min, OuterRef, QuerySet
from django.utils import timezone
from pydantic import Field, field_validator

from analysis.models import CodedChunk, Coding, ThemeCode
from survey.definition.options import WhenMissing
from survey.definition.parts import Part
from survey.files.names import one_name
from survey.models import PEOPLE_IN_CHUNK, FreeAnswer, Study, StudyEvent
from survey.refusals import RequestRefused

#: In files: between the codes of an answer, and for the decision that nothing fits.
BETWEEN, NOTHING_FITS = ";", "none"
NO_NAME = "Give the code a name."
#: The action in the log when decisions about answers are stored.
CODED = "coded"


class ThemeOptions(Part):
    """What a code is called, and what it means."""

    name: Annotated[str, WhenMissing(NO_NAME)] = Field(max_length=60)
    definition: str = Field(default="", max_length=1000)

    @field_validator("name", mode="before")
    @classmethod
    def _in_one_form(cls, name: str) -> str:
        return one_name(" ".join(name.split()))

    @field_validator("name")
    @classmethod
    def _can_stand_in_files(cls, name: str) -> str:
        if not name:
            raise ValueError(NO_NAME)
        if BETWEEN in name or name.lower() == NOTHING_FITS:
            raise ValueError(
                f"A code can't be called {name!r}: {BETWEEN} and {NOTHING_FITS} mean something "
                "else in files"
            )
        return name

    @field_validator("definition", mode="before")
    @classmethod
    def _trimmed(cls, definition: str) -> str:
        return definition.strip()


class CodingRefused(RequestRefused):
    """A code or a decision that can't be kept; the message says why."""


def code_book(study: Study) -> list[ThemeCode]:
    """The codes of a study, oldest first."""
    return list(study.theme_codes.order_by("id"))


def answers_to_code(study: Study, sources: Collection[str]) -> QuerySet[FreeAnswer]:
    """Open answers of people from `sources`, question by question and person by person."""
    answers = FreeAnswer.objects.filter(
        participant__study=study, participant__source__in=list(sources)
    )
    return answers.exclude(text="").order_by("name", "participant_id", "id")


def codings_of(study: Study, sources: Collection[str]) -> QuerySet[Coding]:
    """Every decision about these answers."""
    # Unlike with IN, the database begins with the decisions, not with all answers.
    answer = answers_to_code(study, sources).filter(pk=OuterRef("answer")).order_by()
    return Coding.objects.filter(Exists(answer))


def letters_of(study: Study) -> dict[int, str]:
    """What coders are called in tables and files that are shared, by account: A, B, … in the order
    of their first decisions.
    """
    of_study = Coding.objects.filter(answer__participant__study=study).order_by().values("coder")
    first = of_study.annotate(first=Min("id")).order_by("first")
    coders = first.values_list("coder", flat=True)
    return {coder: letter(place) for place, coder in enumerate(coders)}


def letter(place: int) -> str:
    """A for 0, Z for 25, AA for 26."""
    return (letter(place // 26 - 1) if place > 25 else "") + chr(ord("A") + place % 26)


def themes_digest(study: Study) -> list[str]:
    """Changes with the code book and with every decision, as each is in the log."""
    if not (codes := code_book(study)):
        return []
    decided = study.events.filter(action=CODED).aggregate(newest=Max("id"))
    return [str(decided["newest"]), *(f"{code.pk} {code.name}" for code in codes)]


def add_code(study: Study, options: ThemeOptions, author: User | None) -> ThemeCode:
    """Add a code to the code book. Raises CodingRefused."""
    code = ThemeCode(study=study, name=options.name, definition=options.definition, author=author)
    _keep(study, code, author, "theme added")
    return code


def rename_code(study: Study, code: ThemeCode, options: ThemeOptions, author: User | None) -> None:
    """Give a code another name and definition; answers keep it. Raises CodingRefused."""
    code.name, code.definition = options.name, options.definition
    _keep(study, code, author, "theme changed")


def _keep(study: Study, code: ThemeCode, author: User | None, action: str) -> None:
    try:
        with transaction.atomic():
            code.save(update_fields=["name", "definition"] if code.pk else None)
            _record(study, author, action, code.name)
    except IntegrityError:
        raise CodingRefused(f"The code book already has a code {code.name!r}.") from None


def codes_named(study: Study, names: Iterable[str]) -> list[ThemeCode]:
    """The codes of these names, capitals aside. Raises CodingRefused for an unknown or doubled
    one.
    """
    known = {one_name(code.name).lower(): code for code in code_book(study)}
    codes = []
    for name in names:
        code = known.get(one_name(name.strip()).lower())
        if code is None:
            there = ", ".join(code.name for code in known.values()) or "none yet"
            raise CodingRefused(f"{name.strip()!r} is no code of the code book ({there}).")
        if code in codes:
            raise CodingRefused(f"The code {code.name!r} is given twice for one answer.")
        codes.append(code)
    return codes


@transaction.atomic
def code_answers(
    *, study: Study, coder: User, decisions: dict[int, list[ThemeCode]], file: str = ""
) -> int:
    """Keep what a coder decided about answers, by their ids; a later decision replaces the one
    before. How many they are.
    """
    now = timezone.now()
    for answer, codes in decisions.items():
        coding, _ = Coding.objects.update_or_create(
            answer_id=answer, coder=coder, defaults={"at": now}
        )
        coding.codes.set(codes)
    if decisions:
        _note_chunks(study, decisions)
        detail = {"answers": len(decisions)} | ({"name": file} if file else {})
        StudyEvent.objects.create(study=study, author=coder, action=CODED, detail=detail)
    return len(decisions)


def _note_chunks(study: Study, answers: Collection[int]) -> None:
    """That there are other decisions about these answers."""
    coded = FreeAnswer.objects.only("participant_id").in_bulk(list(answers))
    # In order, so that coders who wait for each other never do so in a circle.
    for chunk in sorted({answer.participant_id // PEOPLE_IN_CHUNK for answer in coded.values()}):
        CodedChunk.objects.get_or_create(study=study, chunk=chunk)
        of_chunk = CodedChunk.objects.filter(study=study, chunk=chunk)
        of_chunk.update(decisions=F("decisions") + 1)


def _record(study: Study, author: User | None, action: str, name: str) -> None:
    StudyEvent.objects.create(study=study, author=author, action=action, detail={"name": name})
