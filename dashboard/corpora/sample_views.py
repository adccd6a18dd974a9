"""Pages about samples: their scenarios, having texts generated, responses, and a study of them."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from corpus.models import Sample
from corpus.planning import (
    failure_reasons,
    not_accepted,
    not_asked_again,
    progress,
    total_cost,
)
from dashboard.corpora.asking import Kind, Subject, ask_responses, ask_study, jobs_of, remove_sample
from dashboard.corpora.corpus_views import is_asked, is_done
from dashboard.corpora.forms import DeleteForm, GenerationForm, ResponsesForm, StudyForm
from dashboard.corpora.generating import ask_for_texts, file_of, stop
from dashboard.corpora.queries import samples_with_counts
from dashboard.corpora.starting import generation_file, study_file
from dashboard.shared.access import ResearcherRequest, first_or_404, needs
from dashboard.shared.pages import live_part, wake_worker
from dashboard.shared.roles import About, Permission
from judge.asking import outcomes_in_words
from judge.completions import Ended
from survey.refusals import RequestRefused

#: Scenarios of a page.
SHOWN = 20


def sample_or_404(name: str) -> Sample:
    """The sample that an address names."""
    return first_or_404(samples_with_counts().filter(name=name), f"There is no sample {name!r}.")


@needs(Permission.READ, about=About.CORPORA)
def sample(request: ResearcherRequest, sample: str) -> HttpResponse:
    """One sample."""
    return _page(request, sample_or_404(sample))


def _page(request: ResearcherRequest, sample: Sample, **more: Any) -> HttpResponse:
    jobs = {job.kind: job for job in jobs_of(Subject.SAMPLE, sample.name)}
    scenarios = Paginator(sample.scenarios.all(), SHOWN)
    page = scenarios.get_page(request.GET.get("page"))
    definition = sample.read_generation()
    context: dict[str, Any] = {
        "sample": sample,
        "page": page,
        "page_numbers": scenarios.get_elided_page_range(page.number),
        "jobs": jobs,
        "definition": definition,
        "generation_form": GenerationForm(
            initial={"text": file_of(sample) or generation_file(sample)}
        ),
        "responses_form": ResponsesForm(
            initial=ResponsesForm.chosen_in(jobs.get(Kind.RESPONSES)),
        ),
        "delete_form": DeleteForm(),
        "instead": reverse("sample", args=[sample.name]),
        **_progress(sample),
    }
    if asked := jobs.get(Kind.STUDY):
        initial = {"text": asked.options["study"], **StudyForm.chosen_in(asked)}
        context["study_form"] = StudyForm(initial=initial)
    elif definition is not None:
        context["study_form"] = StudyForm(initial={"text": study_file(sample, definition)})
    return render(request, "dashboard/corpora/sample.html", context | more)


def _progress(sample: Sample) -> dict[str, Any]:
    now = progress(sample)
    is_generating = bool(now.total) and not now.is_over
    return {
        "sample": sample,
        "now": now,
        "is_generating": is_generating,
        "is_complete": now.total > 0 and now.answered == now.total,
        "incomplete": outcomes_in_words(now.incomplete),
        "may_continue": now.answered + sum(now.incomplete.values()) < now.total,
        "is_over": now.answered > 0 and now.answered + now.failed == now.total,
        "endings": [(Ended(ended).in_words, n) for ended, n in now.endings.items()],
        "not_accepted": not_accepted(sample),
        "reasons": failure_reasons(sample) if now.failed else [],
    }


@needs(Permission.READ, about=About.CORPORA)
def generation_state(request: ResearcherRequest, sample: str) -> HttpResponse:
    """How far the texts are, for a page that waits for them."""
    context = _progress(sample_or_404(sample))
    finished = not context["is_generating"]
    return live_part(request, "dashboard/corpora/_generation.html", context, is_finished=finished)


@needs(change=Permission.CORPORA, about=About.CORPORA)
def generate(request: ResearcherRequest, sample: str) -> HttpResponse:
    """Plan texts and show their cost, or have them generated; without a file the missing ones of
    the last file, or also those that were refused, filtered or cut off.
    """
    found = sample_or_404(sample)
    action = request.POST.get("action")
    sent = {"text": file_of(found)} if action in ("continue", "retry") else request.POST.dict()
    said = {"retry": action == "retry", "dry_run": action not in ("start", "continue", "retry")}
    form = GenerationForm(sent | said, request.FILES)
    try:
        asked = ask_for_texts(found, form.chosen, author=request.user) if form.is_valid() else None
    except RequestRefused as why:
        form.add_error(None, why.lines)
        asked = None
    if asked is None:
        return _page(request, found, generation_form=form)
    if not form.chosen.dry_run:
        for generator in asked.generators:
            wake_worker(request, "corpus.generate", generator.pk)
        return redirect(f"{reverse('sample', args=[found.name])}#texts")
    assert form.chosen.file is not None
    return _page(
        request,
        found,
        planned=asked.planned,
        planned_cost=total_cost(asked.planned),
        is_partly_unknown=any(each.cost is None and each.missing for each in asked.planned),
        planned_texts=sum(each.missing for each in asked.planned),
        not_asked_again=outcomes_in_words(not_asked_again(asked.planned)),
        budget=asked.definition.budget,
        generation_form=GenerationForm(initial={"text": form.chosen.file.content.decode()}),
    )


@needs(change=Permission.CORPORA, about=About.CORPORA)
def stop_generating(request: ResearcherRequest, sample: str) -> HttpResponse:
    """Have no further texts asked for."""
    found = sample_or_404(sample)
    stop(found, request.user)
    messages.success(request, "No further texts are asked for. Answers under way are kept.")
    return redirect("sample", found.name)


@needs(change=Permission.CORPORA, about=About.CORPORA)
def write_responses(request: ResearcherRequest, sample: str) -> HttpResponse:
    """Have responses.csv and generations.csv written."""
    found = sample_or_404(sample)
    form = ResponsesForm(request.POST)
    if is_asked(request, form, lambda: ask_responses(found, form.chosen, author=request.user)):
        return redirect("sample", found.name)
    return _page(request, found, responses_form=form)


@needs(change=Permission.CORPORA, about=About.CORPORA)
def load_study(request: ResearcherRequest, sample: str) -> HttpResponse:
    """Have a study of the responses loaded as a draft."""
    found = sample_or_404(sample)
    form = StudyForm(request.POST, request.FILES)
    if is_asked(request, form, lambda: ask_study(found, form.chosen, author=request.user)):
        return redirect("sample", found.name)
    return _page(request, found, study_form=form)


@needs(change=Permission.CORPORA, about=About.CORPORA)
def delete_sample(request: ResearcherRequest, sample: str) -> HttpResponse:
    """Delete a sample, with its texts if that is said."""
    found = sample_or_404(sample)
    form = DeleteForm(request.POST)
    corpus = found.corpus.name

    def remove() -> None:
        remove_sample(found, request.user, with_texts=form.cleaned_data["with_texts"])

    if is_done(form, remove):
        messages.success(request, f"Sample {sample} is deleted.")
        return redirect("corpus", corpus)
    return _page(request, found, delete_form=form)
