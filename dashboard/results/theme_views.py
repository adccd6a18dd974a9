"""Results: the code book, coding open answers one by one, files of codes."""

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from analysis.catalogue.subjects import THEMES
from analysis.theme_coding import (
    CodingRefused,
    add_code,
    answers_to_code,
    code_answers,
    code_book,
    rename_code,
)
from dashboard.results.themes import (
    CODING_COLUMNS,
    AnswerForm,
    CodingsFileForm,
    ThemeForm,
    coding_rows,
    import_file,
)
from dashboard.shared.access import (
    ResearcherRequest,
    first_or_404,
    needs,
    study_or_404,
)
from dashboard.shared.csv_files import csv_file
from dashboard.shared.newest_analysis import include_query, included
from dashboard.shared.pages import asked_for, note, refusals_told
from dashboard.shared.roles import Permission
from survey.files.csv_text import csv_lines
from survey.models import Study
from survey.tidy import counted_sources

CODING, CODE_BOOK = "coding", "code-book"


def _back(request: ResearcherRequest, study: Study, anchor: str) -> HttpResponse:
    page = reverse("results", args=[study, THEMES])
    return redirect(f"{page}{include_query(asked_for(request))}#{anchor}")


def _sources(request: ResearcherRequest, study: Study) -> list[str]:
    return counted_sources(included(study, asked_for(request)))


@needs(change=Permission.CODE)
def add_theme(request: ResearcherRequest, name: str) -> HttpResponse:
    """Add a code to the code book."""
    study, form = study_or_404(name), ThemeForm(request.POST)
    with refusals_told(request):
        add_code(study, form.asked, request.user)
    return _back(request, study, CODE_BOOK)


@needs(change=Permission.CODE)
def change_theme(request: ResearcherRequest, name: str, code: int) -> HttpResponse:
    """Give a code another name and definition."""
    study, form = study_or_404(name), ThemeForm(request.POST)
    known = first_or_404(study.theme_codes.filter(pk=code), f"{study} has no code {code}.")
    with refusals_told(request):
        rename_code(study, known, form.asked, request.user)
    return _back(request, study, CODE_BOOK)


@needs(change=Permission.CODE)
def code_answer(request: ResearcherRequest, name: str) -> HttpResponse:
    """Keep what this coder decided about an answer, and lead to the next one."""
    study = study_or_404(name)
    known = {str(code.pk): code for code in code_book(study)}
    given = request.POST.getlist("code")
    form = AnswerForm(request.POST)
    number: int = form.cleaned_data["answer"] if form.is_valid() else 0
    answers = answers_to_code(study, _sources(request, study))
    answer = first_or_404(answers.filter(pk=number), f"{study} has no such open answer.")
    with refusals_told(request):
        if not known:
            raise CodingRefused("The code book is empty: add a code first.")
        if not set(given) <= set(known):
            raise CodingRefused("A code was chosen that the code book does not have.")
        if not given and request.POST.get("nothing") != "fits":
            raise CodingRefused("Choose a code, or press “Nothing fits”.")
        codes = [] if request.POST.get("nothing") else [known[one] for one in dict.fromkeys(given)]
        code_answers(study=study, coder=request.user, decisions={answer.pk: codes})
    return _back(request, study, CODING)


@needs(change=Permission.CODE)
def import_codings(request: ResearcherRequest, name: str) -> HttpResponse:
    """Keep the codes of a file as this coder's: all, or none."""
    study, form = study_or_404(name), CodingsFileForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, str(form.errors["file"][0]))
        return _back(request, study, CODING)
    file = form.cleaned_data["file"]
    with refusals_told(request):
        sources = _sources(request, study)
        n, notices = import_file(study, sources, request.user, file.read(), file.name)
        note(request, notices)
        messages.success(request, f"Codes of {n} answers imported as yours.")
    return _back(request, study, CODING)


@needs(Permission.CODE, is_download=True)
def codings(request: ResearcherRequest, name: str) -> StreamingHttpResponse:
    """Every open answer with this coder's own codes as CSV, to be filled in and imported."""
    study = study_or_404(name)
    rows = coding_rows(study, _sources(request, study), request.user)
    lines = csv_lines(CODING_COLUMNS, rows)
    return csv_file(f"{study.slug}-codings.csv", lines, for_excel=True)
