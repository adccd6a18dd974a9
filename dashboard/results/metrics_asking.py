"""Asking for the automatic metrics of a study; the log has who asked."""

import hashlib
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from analysis.metric_choice import MetricsToCompute
from analysis.metric_options import MetricOptions, installed_options
from analysis.metrics_requests import request_metrics
from analysis.models import MetricsRequest
from dashboard.importing.files import ImportRefused, read_upload
from dashboard.importing.perplexity import read_perplexities
from dashboard.importing.ratings import vocabulary_of
from dashboard.shared.log import record
from survey.definition.options import SentFile
from survey.models import Study


def ask_for_metrics(
    study: Study,
    options: MetricsToCompute,
    author: User | None,
    *,
    models: MetricOptions | None = None,
) -> tuple[MetricsRequest, list[str]]:
    """A request for the study's metrics that waits, or the same one that is under way, and what is
    worth knowing of the file. They are computed with the `models` of the installation unless others
    are given. The caller wakes a worker, or computes. Raises ImportRefused, DefinitionError and
    Conflict.
    """
    chosen = replace(models or installed_options(), phrases=tuple(options.phrases))
    given, notices = None, list[str]()
    if options.perplexity is not None:
        chosen = chosen.without_perplexity()
        given = _perplexities(study, options.perplexity, notices)
    with transaction.atomic():
        asked = request_metrics(study, list(dict.fromkeys(options.metrics)), chosen, given)
        record(study, author, "metrics requested")
    return asked, notices


def _perplexities(study: Study, file: SentFile, notices: list[str]) -> dict[str, Any]:
    """The perplexities of a file, as `request_metrics` takes them."""
    vocabulary = vocabulary_of(study)
    values = read_upload(read_perplexities, file.content, file.name, vocabulary, notices=notices)
    if not values:
        raise ImportRefused(f"{file.name}: the file has no perplexities")
    digest = hashlib.sha256(file.content).hexdigest()
    # As JSON has them, by text.
    by_response = {str(response): value for response, value in values.items()}
    return {"values": by_response, "about": {"file": file.short_name, "sha256": digest}}
