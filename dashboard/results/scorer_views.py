"""Results: training a scorer, its progress and its card; texts that are pasted to be scored."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from analysis.catalogue.subjects import SCORER
from analysis.metric_options import installed_options
from analysis.models import Scorer
from analysis.scored_texts import scored_texts_of
from analysis.scorer_options import TrainingSettings
from analysis.scorer_requests import current_scorer, newest_scorer, with_vectors
from dashboard.results.forms import ScorerForm, TextForm
from dashboard.results.scorer_asking import ask_to_score, ask_to_train
from dashboard.shared.access import (
    ResearcherRequest,
    first_or_404,
    needs,
    study_or_404,
)
from dashboard.shared.csv_files import csv_file
from dashboard.shared.log import record
from dashboard.shared.newest_analysis import include_query, included
from dashboard.shared.pages import asked_for, note, refusals_told, wake_worker
from dashboard.shared.roles import Permission
from survey.files.csv_text import csv_lines, time_text
from survey.models import Study

#: The places of both forms on that page.
TRAINING, SCORING = "scorer-asked", "score-text"
FLAGGED_COLUMNS = ("text", "scorer", "dimension", "score", "low", "high", "scored_at")


def about_scorer(study: Study) -> dict[str, Any]:
    """What the page of the scorer has in addition to its tables."""
    newest, current = newest_scorer(study), current_scorer(study)
    options = with_vectors(TrainingSettings(), installed_options())
    texts = list(scored_texts_of(study)[:10])
    return {
        "newest": newest,
        "scorer": current,
        "embeddings": options.model or options.folder,
        "scorer_form": ScorerForm(auto_id="scorer-%s"),
        "scored": texts,
        # The page looks after the last one that is scored.
        "waiting_text": next((text for text in texts if text.is_under_way), None),
        "n_flagged": scored_texts_of(study).filter(flagged=True).count(),
    }


def _back(study: Study, include: list[str] | None, anchor: str) -> HttpResponse:
    page = reverse("results", args=[study, SCORER])
    return redirect(f"{page}{include_query(include)}#{anchor}")


@needs(change=Permission.COMPUTE)
def ask_scorer(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for a scorer of the people whom the page shows, or of a file, and wake a worker."""
    study, include = study_or_404(name), asked_for(request)
    form, people = ScorerForm(request.POST, request.FILES), included(study, include)
    with refusals_told(request):
        scorer, notices = ask_to_train(study, form.asked, request.user, include=people)
        note(request, notices)
        wake_worker(request, scorer.TASK, scorer.pk)
    return _back(study, include, TRAINING)


@needs(change=Permission.COMPUTE)
def score_text(request: ResearcherRequest, name: str) -> HttpResponse:
    """Have a pasted text scored by the newest trained scorer."""
    study, form = study_or_404(name), TextForm(request.POST)
    with refusals_told(request):
        asked = ask_to_score(study, form.asked, request.user)
        wake_worker(request, asked.TASK, asked.pk)
    return _back(study, asked_for(request), SCORING)


@needs(change=Permission.COMPUTE)
def flag_text(request: ResearcherRequest, name: str, text: int) -> HttpResponse:
    """Keep a scored text for the file of flagged ones, or no longer."""
    study = study_or_404(name)
    missing = f"{study} has no scored text {text}."
    scored = first_or_404(scored_texts_of(study).filter(pk=text), missing)
    scored.flagged = not scored.flagged
    scored.save(update_fields=["flagged"])
    record(study, request.user, "text flagged" if scored.flagged else "text not flagged")
    return _back(study, asked_for(request), SCORING)


@needs(Permission.READ, is_download=True)
def flagged_texts(request: ResearcherRequest, name: str) -> StreamingHttpResponse:
    """The flagged texts with their scores as CSV: a row per text and dimension."""
    study = study_or_404(name)
    lines = csv_lines(FLAGGED_COLUMNS, _flagged(study))
    return csv_file(f"{study.slug}-flagged.csv", lines, for_excel=True)


def _flagged(study: Study) -> Iterator[tuple[Any, ...]]:
    done = scored_texts_of(study).filter(flagged=True, state=Scorer.State.DONE)
    for text in done.order_by("id"):
        assert text.finished_at is not None
        at = time_text(text.finished_at.replace(microsecond=0))
        for dimension, *numbers in text.scores:
            yield (text.text, text.scorer.name, dimension, *numbers, at)
