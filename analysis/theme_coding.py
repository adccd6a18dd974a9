"""Coding open answers by themes: a code book, and what each coder decided about each answer."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Count, Max, QuerySet
from django.utils import timezone

from analysis.models import Coding, ThemeCode
from survey.files.names import one_name
from survey.models import FreeAnswer, Study, StudyEvent

#: In files: between the codes of an answer, and for the decision that nothing fits.
BETWEEN, NOTHING_FITS = ";", "none"
LONGEST_NAME, LONGEST_DEFINITION = 60, 1000


class CodingRefused(Exception):
    """A code or a decision that can't be kept; the message says why."""


@dataclass(frozen=True)
class CoderProgress:
    """How many open answers there are, and how many a coder has decided about."""

    coder: User
    done: int


def code_book(study: Study) -> list[ThemeCode]:
    """The codes of a study, oldest first."""
    return list(study.theme_codes.order_by("id"))


def answers_to_code(study: Study, sources: Collection[str]) -> QuerySet[FreeAnswer]:
    """Open answers of people from `sources`, question by question."""
    answers = FreeAnswer.objects.filter(
        participant__study=study, participant__source__in=list(sources)
    )
    return answers.exclude(text="").order_by("name", "id")


def codings_of(study: Study, sources: Collection[str]) -> QuerySet[Coding]:
    """Every decision about these answers."""
    return Coding.objects.filter(answer__in=answers_to_code(study, sources).order_by().values("pk"))


def coders_of(study: Study, sources: Collection[str]) -> list[CoderProgress]:
    """Who has coded, those who began first first, with how many answers."""
    counts = codings_of(study, sources).order_by().values("coder")
    done = {row["coder"]: row["n"] for row in counts.annotate(n=Count("pk"))}
    return [
        CoderProgress(coder, done[coder.pk]) for coder in _in_letters(study) if coder.pk in done
    ]


def _in_letters(study: Study) -> list[User]:
    """All coders of a study in the order of their letters: by their first decisions."""
    of_study = Coding.objects.filter(answer__participant__study=study).order_by("id")
    order = dict.fromkeys(of_study.values_list("coder", flat=True))
    users = User.objects.in_bulk(list(order))
    return [users[pk] for pk in order]


def letters_of(study: Study) -> dict[int, str]:
    """What coders are called in tables and files that are shared: A, B, …, by account."""
    return {coder.pk: letter(place) for place, coder in enumerate(_in_letters(study))}


def letter(place: int) -> str:
    """A for 0, Z for 25, AA for 26."""
    return (letter(place // 26 - 1) if place > 25 else "") + chr(ord("A") + place % 26)


def themes_digest(study: Study) -> list[str]:
    """What changes whenever the code book or a decision does."""
    decided = Coding.objects.filter(answer__participant__study=study)
    about = decided.aggregate(n=Count("pk"), last=Max("at"))
    codes = [f"{code.pk} {code.name}" for code in code_book(study)]
    return [str(about["n"]), str(about["last"]), *codes] if codes else []


def add_code(*, study: Study, name: str, definition: str, author: User | None) -> ThemeCode:
    """Add a code to the code book. Raises CodingRefused."""
    name, definition = _checked(name, definition)
    try:
        with transaction.atomic():
            code = ThemeCode.objects.create(
                study=study, name=name, definition=definition, author=author
            )
    except IntegrityError:
        raise CodingRefused(f"The code book already has a code {name!r}.") from None
    _record(study, author, "theme added", name)
    return code


def rename_code(
    *, study: Study, code: ThemeCode, name: str, definition: str, author: User | None
) -> None:
    """Give a code another name and definition; answers keep it. Raises CodingRefused."""
    code.name, code.definition = _checked(name, definition)
    try:
        with transaction.atomic():
            code.save(update_fields=["name", "definition"])
    except IntegrityError:
        raise CodingRefused(f"The code book already has a code {name.strip()!r}.") from None
    _record(study, author, "theme changed", code.name)


def _checked(name: str, definition: str) -> tuple[str, str]:
    name, definition = one_name(" ".join(name.split())), definition.strip()
    if not name:
        raise CodingRefused("Give the code a name.")
    if len(name) > LONGEST_NAME:
        raise CodingRefused(f"The name of a code has at most {LONGEST_NAME} characters.")
    if len(definition) > LONGEST_DEFINITION:
        raise CodingRefused(f"A definition has at most {LONGEST_DEFINITION} characters.")
    if BETWEEN in name or name.lower() == NOTHING_FITS:
        raise CodingRefused(f"A code can't be called {name!r}: {BETWEEN} and {NOTHING_FITS} mean "
                            "something else in files.")  # fmt: skip
    return name, definition


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
        detail = {"answers": len(decisions)} | ({"name": file} if file else {})
        StudyEvent.objects.create(study=study, author=coder, action="coded", detail=detail)
    return len(decisions)


def _record(study: Study, author: User | None, action: str, name: str) -> None:
    StudyEvent.objects.create(study=study, author=author, action=action, detail={"name": name})
