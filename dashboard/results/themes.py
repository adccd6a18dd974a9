"""Theme coding on pages, in files and by the API: answers to code, a coder's own decisions."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import User

from analysis.models import Coding, ThemeCode
from analysis.theme_coding import (
    BETWEEN,
    NOTHING_FITS,
    CodingRefused,
    ThemeOptions,
    answers_to_code,
    code_answers,
    code_book,
    codes_named,
)
from dashboard.importing.codings import ANSWER, read_codings
from dashboard.importing.files import Findings, ImportRefused, read_upload
from dashboard.results.open_answers import CoderProgress, OpenAnswers
from dashboard.shared.option_forms import OptionsForm
from survey.files.problems import Problem
from survey.models import FreeAnswer, Study
from survey.tidy import counted_sources, reading

CODING_COLUMNS = (*ANSWER, "text", "codes")
_NAMES = (
    "participant__pseudonym",
    "presentation__block__scenario__name",
    "presentation__block__set_name",
    "name",
)


class ThemeForm(OptionsForm[ThemeOptions]):
    """A code of the code book."""

    options = ThemeOptions


class AnswerForm(forms.Form):
    """The answer that a decision is about."""

    answer = forms.IntegerField(min_value=1, max_value=10**18)


class CodingsFileForm(forms.Form):
    """A file with a coder's codes."""

    file = forms.FileField(
        max_length=200,
        allow_empty_file=True,
        error_messages={"required": "Choose a file with codes (CSV, TSV or .xlsx)."},
    )


def about_themes(study: Study, include: Sequence[str], coder: User, asked: Any) -> dict[str, Any]:
    """What the page shows in addition to its tables: the code book, the next answer of this coder
    (or the one asked for), how far coders are, and the disagreements that this coder may see.
    """
    sources = counted_sources(include)
    form = AnswerForm(asked)
    wanted: int = form.cleaned_data["answer"] if form.is_valid() else 0
    with reading():
        answers = OpenAnswers.of(study, sources)
        answer = answers_to_code(study, sources).filter(pk=wanted).first()
        answer = answer or answers.next_for(coder)
        before = Coding.objects.filter(answer=answer, coder=coder).first() if answer else None
        coders = answers.coders()
        return {
            "codes": code_book(study),
            "n_answers": len(answers),
            "n_coded": answers.coded(coder),
            "answer": answer,
            "chosen": [code.pk for code in before.codes.all()] if before else [],
            "is_coded": before is not None,
            "last_coded": answers.last_coded(coder),
            "coders": coders,
            "n_compared": answers.n_compared(coder),
            "n_disagreements": answers.n_differing(coder),
            "disagreements": _codes_by_coder(answers.first_differing(coder), coders),
        }


def _codes_by_coder(
    answers: Sequence[FreeAnswer], coders: Sequence[CoderProgress]
) -> list[tuple[FreeAnswer, list[tuple[str, list[str]]]]]:
    """Answers with each coder's letter and codes."""
    letters = {one.coder.pk: one.letter for one in coders}
    given: dict[int, list[tuple[str, list[str]]]] = {answer.pk: [] for answer in answers}
    for one in Coding.objects.filter(answer__in=answers).prefetch_related("codes"):
        codes = sorted(code.name for code in one.codes.all())
        given[one.answer_id].append((letters[one.coder_id], codes))
    return [(answer, sorted(given[answer.pk])) for answer in answers]


def in_file(codes: Sequence[str]) -> str:
    """A decision as files have it."""
    return f"{BETWEEN} ".join(codes) or NOTHING_FITS


def coding_rows(study: Study, sources: Sequence[str], coder: User) -> Iterator[tuple[Any, ...]]:
    """Every open answer with one coder's codes (CODING_COLUMNS); empty where it has none yet."""
    own = Coding.objects.filter(answer__participant__study=study, coder=coder)
    codes = {
        one.answer_id: in_file([code.name for code in one.codes.all()])
        for one in own.prefetch_related("codes")
    }
    rows = answers_to_code(study, sources).values_list("id", *_NAMES, "text")
    for answer, person, scenario, set_name, question, text in rows:
        yield (person, scenario or "", set_name or "", question, text, codes.get(answer, ""))


def import_file(
    study: Study, sources: Sequence[str], coder: User, data: bytes, file: str
) -> tuple[int, list[str]]:
    """Keep the codes of a file as this coder's, all or none; how many answers they are about, and
    what is worth knowing of the file. Raises ImportRefused and DefinitionError, having
    changed nothing.
    """
    rows = answers_to_code(study, sources).values_list("id", *_NAMES)
    answers = {tuple(name or "" for name in names): answer for answer, *names in rows}
    notices: list[str] = []
    coded = read_upload(read_codings, data, file, answers, notices=notices)
    findings = Findings()
    wrong = {text: _wrong(study, text) for _, text in coded.values()}
    for line, text in coded.values():
        if why := wrong[text]:
            where = "column 'codes': "
            findings.problems.add(Problem(file, line, 0, "{}", (why,), "codes", where=where))
    findings.refuse_if_any()
    if not coded:
        raise ImportRefused(f"{file}: the file has no codes")
    decisions = {answer: codes_in(study, text) for answer, (_, text) in coded.items()}
    return code_answers(study=study, coder=coder, decisions=decisions, file=file), notices


def codes_in(study: Study, text: str) -> list[ThemeCode]:
    """The codes of a cell; none where nothing fits. Raises CodingRefused."""
    if text.strip().lower() == NOTHING_FITS:
        return []
    return codes_named(study, text.split(BETWEEN))


def _wrong(study: Study, text: str) -> str:
    try:
        codes_in(study, text)
    except CodingRefused as why:
        return str(why).rstrip(".")
    return ""
