"""Automatic metrics of a study's responses: computed from their texts, and stored."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from django.db.models import QuerySet
from django.utils import timezone
from pandas import DataFrame

from analysis.metrics import METRICS, Metric, MetricSettings, score
from analysis.models import ComputedMetric, MetricValue
from analysis.not_computed import NotComputed
from survey.definition.text_language import base
from survey.models import Response, Study
from survey.text_languages import StudyLanguages
from survey.tidy import definition_of

Progress = Callable[[int, int], None]


def texts_of(study: Study) -> DataFrame:
    """The responses as `analysis.metrics.score` takes them, and `model`, `condition` and `how` the
    language of each is known.

    `response` is the database's id. The reference of a scenario is the reference system's response
    to it, which has no reference itself.
    """
    definition = definition_of(study)
    reference = definition.reference
    responses = _responses(study).order_by("scenario__position", "id")
    languages = StudyLanguages(study)
    rows = []
    for one in responses.select_related("scenario", "system"):
        known = languages.of_response(one.text, one.language)
        about = (one.scenario.prompt, one.scenario.name, one.system.model, one.system.condition)
        rows.append((one.pk, one.text, *about, known.language, known.how))
    names = ["response", "text", "prompt", "scenario", "model", "condition", "language", "how"]
    texts = DataFrame(rows, columns=names).assign(reference=None)
    if reference is not None:
        is_reference = texts["model"].eq(reference.model) & texts["condition"].eq(
            reference.condition
        )
        written = texts[is_reference].drop_duplicates("scenario").set_index("scenario")["text"]
        texts["reference"] = texts["scenario"].map(written).where(~is_reference, None)
    return texts


def _responses(study: Study) -> QuerySet[Response]:
    return Response.objects.filter(scenario__study=study)


@dataclass(frozen=True)
class ComputedMetrics:
    """Metrics of all responses of a study, not yet stored: each with the value of each response."""

    study: Study
    responses: frozenset[int]
    metrics: Mapping[str, tuple[ComputedMetric, list[MetricValue]]]


def computed_metrics(
    study: Study, names: Sequence[str], settings: MetricSettings, progress: Progress
) -> ComputedMetrics:
    """Metrics of all responses as they are now.

    Raises NotComputed for an unknown metric, for one that lacks what it needs, and for one that
    needs a reference where the study has none.
    """
    texts = texts_of(study)
    if texts.empty:
        raise NotComputed(f"{study} has no responses")
    without = [n for n in names if n in METRICS and METRICS[n].needs_reference]
    if without and texts["reference"].isna().all():
        raise NotComputed(
            f"{without[0]} compares with a reference, and no scenario of {study} has one: name "
            "`reference` in study.yaml, or choose other metrics with --metric"
        )
    values = score(texts, names, settings, progress).groupby("metric", sort=False)
    made = {str(name): _made(study, str(name), part, texts, settings) for name, part in values}
    return ComputedMetrics(study, frozenset(texts["response"]), made)


def store_metrics(computed: ComputedMetrics, before_storing: Callable[[], None]) -> None:
    """Store metrics in place of earlier values, in a transaction of the caller's. `before_storing`
    is called first, and may raise. Raises NotComputed if the responses have changed.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=computed.study.pk)
    before_storing()
    if computed.responses != set(_responses(study).values_list("id", flat=True)):
        raise NotComputed(f"the responses of {study} changed meanwhile: compute metrics again")
    study.computed_metrics.filter(name__in=computed.metrics).delete()
    for metric, values in computed.metrics.values():
        metric.save()
        for value in values:
            value.metric = metric
        MetricValue.objects.bulk_create(values, batch_size=1000)


def _made(
    study: Study, name: str, values: DataFrame, texts: DataFrame, settings: MetricSettings
) -> tuple[ComputedMetric, list[MetricValue]]:
    metric = METRICS[name]
    about = {
        "meaning": metric.meaning,
        **metric.recorded(settings),
        "languages": _languages(metric, texts, settings),
    }
    computed = ComputedMetric(
        study=study,
        name=name,
        recorded=about,
        corpus=_of_systems(metric, texts[metric.measures(texts, settings)]),
        computed_at=timezone.now(),
    )
    return computed, [
        MetricValue(response_id=response, value=None if pd.isna(value) else value)
        for response, value in zip(values["response"], values["value"], strict=True)
    ]


def _languages(metric: Metric, texts: DataFrame, settings: MetricSettings) -> list[dict[str, Any]]:
    """How many texts are in each language, how that is known, and why the metric does not measure
    them, if it does not.
    """
    counts = Counter(zip(texts["language"], texts["how"], strict=True))
    return [
        {
            "language": language,
            "how": how,
            "n": n,
            "not_for": metric.not_for(base(language), settings),
        }
        for (language, how), n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]


def _of_systems(metric: Metric, texts: DataFrame) -> list[list[object]]:
    of_corpus = metric.of_corpus
    if of_corpus is None:
        return []
    return [
        [*map(str, system), of_corpus(part)]
        for system, part in texts.groupby(["model", "condition"], sort=False)
    ]


def possible_metrics(study: Study, settings: MetricSettings) -> list[str]:
    """The metrics for which the study and the settings have all that they need."""
    given = [m for m in METRICS.values() if not m.needs or getattr(settings, m.needs)]
    has_reference = texts_of(study)["reference"].notna().any()
    return [metric.name for metric in given if has_reference or not metric.needs_reference]
