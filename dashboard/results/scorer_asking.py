"""Asking for a scorer of a study's ratings, and for scores of texts; the log has who asked."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from analysis.metric_options import MetricOptions, installed_options
from analysis.models import ScoredText, Scorer
from analysis.scored_texts import request_score
from analysis.scorer_options import TextOptions, TrainingOptions
from analysis.scorer_requests import request_scorer, trained_scorer, with_vectors
from dashboard.importing.files import ImportRefused, read_upload
from dashboard.importing.rated_texts import read_rated_texts
from dashboard.shared.log import record
from survey.definition.options import SentFile
from survey.models import Study
from survey.tidy import counted_sources, definition_of, dimensions_of


def ask_to_train(
    study: Study,
    options: TrainingOptions,
    author: User | None,
    *,
    include: Sequence[str] = (),
    vectors: MetricOptions | None = None,
) -> tuple[Scorer, list[str]]:
    """A scorer that waits to be trained on the ratings of those who count and those to `include`,
    or on those of a file, or the same one that is under way; and what is worth knowing of the file.
    Its vectors are those of the installation unless others are given. The caller wakes a worker, or
    trains it. Raises ImportRefused, DefinitionError and Conflict.
    """
    file, here = options.ratings, installed_options() if vectors is None else vectors
    given, notices = _rated_texts(study, file) if file else (None, [])
    chosen = with_vectors(options, here, file=file.short_name if file else "")
    sources = counted_sources(include) if given is None else []
    with transaction.atomic():
        scorer = request_scorer(study, chosen, sources=sources, given=given, author=author)
        record(study, author, "scorer requested", name=scorer.name)
    return scorer, notices


def ask_to_score(study: Study, options: TextOptions, author: User) -> ScoredText:
    """A text that waits to be scored by the newest trained scorer. The caller wakes a worker.
    Raises Conflict where there is none.
    """
    scorer = trained_scorer(study)
    with transaction.atomic():
        asked = request_score(scorer, options.text, author)
        record(study, author, "text scored", name=scorer.name)
    return asked


def _rated_texts(study: Study, file: SentFile) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of the file, and what is worth knowing of it. Raises as `ask_to_train`."""
    dimensions, notices = list(dimensions_of(definition_of(study))), list[str]()
    given = {"dimensions": dimensions, "notices": notices}
    rows = read_upload(read_rated_texts, file.content, file.name, **given)
    if not rows:
        raise ImportRefused(f"{file.name}: the file has no rated texts")
    return rows, notices
