"""Pages about corpora: the list, importing, and one corpus with its filters, samples and chats."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from corpus.filters import STEP_LABELS
from corpus.models import Corpus, Sample
from dashboard.corpora import asking, downloads
from dashboard.corpora.asking import (
    Subject,
    ask_chats,
    ask_filtering,
    ask_import,
    ask_sample,
    dismiss,
    draws_without_sample,
    imports_without_corpus,
    jobs_of,
    remove_corpus,
)
from dashboard.corpora.forms import (
    ChatsForm,
    DeleteForm,
    FilterForm,
    ImportForm,
    SampleForm,
)
from dashboard.corpora.models import CorpusJob
from dashboard.corpora.people import CorpusRoleForm, change_corpus_role, members_of_corpus
from dashboard.corpora.queries import corpora_of, corpora_with_counts, samples_with_counts
from dashboard.shared.access import (
    ResearcherRequest,
    first_or_404,
    needs,
    role_in_corpus,
)
from dashboard.shared.pages import live_part, tell_of_stop, wake_worker
from dashboard.shared.roles import About, Permission, Role
from survey.refusals import RequestRefused

NONE: dict[str, Any] = {"steps": []}


def is_done(form: Form, do: Callable[[], object]) -> bool:
    """Do what a form asks for. Otherwise the form says why not."""
    if not form.is_valid():
        return False
    try:
        do()
    except RequestRefused as why:
        form.add_error(None, why.lines)
        return False
    return True


def is_asked(request: ResearcherRequest, form: Form, ask_for: Callable[[], CorpusJob]) -> bool:
    """The same by a worker."""

    def ask() -> None:
        job = ask_for()
        wake_worker(request, job.TASK, job.pk)

    return is_done(form, ask)


@needs(Permission.READ, Permission.CORPORA, about=About.CORPORA)
def corpora(request: ResearcherRequest) -> HttpResponse:
    """The corpora in which the account has a role, and importing one."""
    form = ImportForm(request.POST or None, request.FILES or None)

    def importing() -> CorpusJob:
        return ask_import(form.chosen, upload=form.cleaned_data["file"], author=request.user)

    if request.method == "POST" and is_asked(request, form, importing):
        return redirect("corpora")
    context = {
        "corpora": corpora_of(request.user),
        "jobs": imports_without_corpus(request.user),
        "form": form,
    }
    return render(request, "dashboard/corpora/corpora.html", context)


def corpus_or_404(name: str) -> Corpus:
    """The corpus that an address names, which the caller may see: `access.role_in`."""
    return first_or_404(corpora_with_counts().filter(name=name), f"There is no corpus {name!r}.")


def job_or_404(job: int) -> CorpusJob:
    """The job that an address names."""
    return first_or_404(CorpusJob.objects.filter(pk=job), f"There is no job {job}.")


@needs(Permission.READ, about=About.CORPORA)
def corpus(request: ResearcherRequest, corpus: str) -> HttpResponse:
    """One corpus."""
    return _page(request, corpus_or_404(corpus))


def _page(request: ResearcherRequest, corpus: Corpus, **forms: Form) -> HttpResponse:
    context: dict[str, Any] = {
        "corpus": corpus,
        "samples": samples_with_counts().filter(corpus=corpus),
        "jobs": {job.kind: job for job in jobs_of(Subject.CORPUS, corpus.name)},
        "draws": draws_without_sample(corpus),
        "files": downloads.FILES,
        "steps": [(STEP_LABELS[row["step"]], row) for row in (corpus.filtered or NONE)["steps"]],
        "filter_form": FilterForm(corpus=corpus),
        "sample_form": SampleForm(),
        "chats_form": ChatsForm(),
        "delete_form": DeleteForm(),
        "members": members_of_corpus(corpus) if request.role is Role.OWNER else [],
        "role_form": CorpusRoleForm(initial={"role": Role.VIEWER}),
        "instead": reverse("corpus", args=[corpus.name]),
    }
    return render(request, "dashboard/corpora/corpus.html", context | forms)


@needs(change=Permission.CORPORA, about=About.CORPORA)
def filter_corpus(request: ResearcherRequest, corpus: str) -> HttpResponse:
    """Have the filters applied, from the dialogues as they were imported."""
    found = corpus_or_404(corpus)
    form = FilterForm(request.POST, corpus=found)
    if is_asked(request, form, lambda: ask_filtering(found, form.chosen, author=request.user)):
        return redirect("corpus", found.name)
    return _page(request, found, filter_form=form)


@needs(change=Permission.CORPORA, about=About.CORPORA)
def write_chats(request: ResearcherRequest, corpus: str) -> HttpResponse:
    """Have chats written, to tune a model with."""
    found = corpus_or_404(corpus)
    form = ChatsForm(request.POST, request.FILES)
    if is_asked(request, form, lambda: ask_chats(found, form.chosen, author=request.user)):
        return redirect("corpus", found.name)
    return _page(request, found, chats_form=form)


@needs(change=Permission.CORPORA, about=About.CORPORA)
def draw_sample(request: ResearcherRequest, corpus: str) -> HttpResponse:
    """Have scenarios drawn."""
    found = corpus_or_404(corpus)
    form = SampleForm(request.POST)
    if is_asked(request, form, lambda: ask_sample(found, form.chosen, author=request.user)):
        return redirect("corpus", found.name)
    return _page(request, found, sample_form=form)


@needs(change=Permission.OWN_CORPORA, about=About.CORPORA)
def delete_corpus(request: ResearcherRequest, corpus: str) -> HttpResponse:
    """Delete a corpus with its files."""
    found = corpus_or_404(corpus)
    form = DeleteForm(request.POST)
    if is_done(form, lambda: remove_corpus(found, request.user)):
        messages.success(request, f"Corpus {corpus} is deleted.")
        return redirect("corpora")
    return _page(request, found, delete_form=form)


@needs(change=Permission.OWN_CORPORA, about=About.CORPORA)
def corpus_people(request: ResearcherRequest, corpus: str) -> HttpResponse:
    """Give somebody a role in a corpus, or take it away."""
    found = corpus_or_404(corpus)
    form = CorpusRoleForm(request.POST)
    if is_done(form, lambda: change_corpus_role(found, form.chosen, request.user)):
        person, role = form.chosen.person, form.chosen.role
        now = "has no access to" if role is None else f"is now {role} of"
        messages.success(request, f"{person} {now} {corpus}.")
        if role_in_corpus(request.user, found) is None:
            return redirect("corpora")
        return redirect("corpus", corpus)
    return _page(request, found, role_form=form)


@needs(Permission.READ, about=About.CORPORA)
def job_state(request: ResearcherRequest, job: int) -> HttpResponse:
    """How far a job is, for a page that waits for it."""
    found = job_or_404(job)
    finished = not found.is_under_way
    return live_part(request, "dashboard/_job_state.html", {"job": found}, is_finished=finished)


@needs(change=Permission.CORPORA, about=About.CORPORA)
def stop_job(request: ResearcherRequest, job: int) -> HttpResponse:
    """End a job that waits or is under way."""
    row = job_or_404(job)
    tell_of_stop(request, row.WHAT, is_stopped=asking.stop_work(row, author=request.user))
    return redirect(_page_of(row))


@needs(change=Permission.CORPORA, about=About.CORPORA)
def dismiss_job(request: ResearcherRequest, job: int) -> HttpResponse:
    """Forget a job that failed or was stopped."""
    found = job_or_404(job)
    page = _page_of(found)
    dismiss(found)
    return redirect(page)


def _page_of(job: CorpusJob) -> str:
    """The page on which a job is."""
    if job.subject == Subject.SAMPLE and Sample.objects.filter(name=job.name).exists():
        return reverse("sample", args=[job.name])
    about = job.corpus
    return reverse("corpora") if about is None else reverse("corpus", args=[about.name])


@needs(Permission.READ, is_download=True, about=About.CORPORA)
def corpus_file(request: ResearcherRequest, corpus: str, corpus_file: str) -> HttpResponseBase:
    return downloads.corpus_file(corpus_or_404(corpus), corpus_file, for_excel=True)


@needs(Permission.IDENTIFY, is_download=True, about=About.CORPORA)
def raw_dialogues(request: ResearcherRequest, corpus: str) -> HttpResponseBase:
    return downloads.raw_dialogues(corpus_or_404(corpus))


@needs(Permission.READ, is_download=True, about=About.CORPORA)
def job_file(request: ResearcherRequest, job: int, job_file: str) -> HttpResponseBase:
    return downloads.job_file(job_or_404(job), job_file, for_excel=True)
