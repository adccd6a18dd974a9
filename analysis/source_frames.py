"""Scores of responses by judges, the trained scorer and automatic metrics, as tidy tables.

Apart from `frames`, because filters and exports of ratings need none of what it loads.
"""

import hashlib
import json
from collections import Counter
from itertools import chain

from analysis.frames import HashedTable, frame_of, number
from analysis.judges.automatic_metrics import (
    METRIC_SOURCES,
    OTHER_LANGUAGES,
    OUTDATED,
    MetricsData,
)
from analysis.judges.judged import JudgesData
from analysis.measured_languages import MeasuredLanguages
from analysis.metric_labels import LABELS
from analysis.models import ComputedMetric
from analysis.scorer_frames import scorer_judge_rows, scorer_score_rows
from analysis.study_data import StudyData
from judge.definition import JudgingDefinition
from judge.models import Judging
from judge.tidy import (
    JUDGE_COLUMNS,
    JUDGE_COMPARISON_COLUMNS,
    JUDGE_EXAMPLE_COLUMNS,
    JUDGE_SCORE_COLUMNS,
    RETURNED_MODEL_COLUMNS,
    judge_comparison_rows,
    judge_example_rows,
    judge_rows,
    judge_score_rows,
    response_names,
    returned_model_rows,
)
from survey.models import Study
from survey.text_languages import response_languages
from survey.tidy import Row, cells_of

#: Of every bootstrap about judges, so that the same data give the same intervals.
JUDGES_SEED = 1


def read_judges(study: Study, data: StudyData) -> tuple[JudgesData, str]:
    """Everybody's scores of the responses of `data`, and their SHA-256. Call it inside `reading()`
    too.
    """
    scores = HashedTable(
        JUDGE_SCORE_COLUMNS,
        (
            (*row[:-2], number(row[-2]), row[-1])
            for row in chain(judge_score_rows(study), scorer_score_rows(study))
        ),
    )
    comparisons = HashedTable(JUDGE_COMPARISON_COLUMNS, judge_comparison_rows(study))
    judging = Judging.objects.filter(study=study).first()
    definition = judging.read_definition() if judging else JudgingDefinition()
    judges = JudgesData(
        judge_scores=scores.frame,
        responses=data.responses,
        judges=frame_of(JUDGE_COLUMNS, (*judge_rows(study), *scorer_judge_rows(study))),
        returned_models=frame_of(RETURNED_MODEL_COLUMNS, returned_model_rows(study)),
        families=definition.families,
        epsilon=definition.epsilon,
        seed=JUDGES_SEED,
        comparisons=comparisons.frame,
        examples=frame_of(JUDGE_EXAMPLE_COLUMNS, judge_example_rows(study)),
    )
    if comparisons.frame.empty:
        return judges, scores.hash
    return judges, hashlib.sha256(f"{scores.hash}{comparisons.hash}".encode()).hexdigest()


def read_metrics(study: Study) -> MetricsData:
    """The automatic metrics that were computed of the study's responses; without values where some
    of these came later. Call it inside `reading()` too.
    """
    names = response_names(cells_of(study))
    order = list(LABELS)
    known = study.computed_metrics.filter(name__in=order).prefetch_related("values")
    found = response_languages(study) if known else {}
    languages = {each: one.language for each, one in found.items()}
    in_languages = Counter(languages.values())
    values: list[Row] = []
    corpus: list[Row] = []
    sources: list[Row] = []
    for metric in sorted(known, key=lambda metric: order.index(metric.name)):
        by_response = {value.response_id: value.value for value in metric.values.all()}
        page = study.definition["language"]
        measured = MeasuredLanguages.of(metric.recorded, page=page, n=len(by_response))
        note = "" if measured.counts == in_languages else OTHER_LANGUAGES
        note = note if names.keys() <= by_response.keys() else OUTDATED
        sources.append((*_recorded(metric), measured.in_words, note))
        if not note:
            reasons = measured.reasons
            values += [
                (metric.name, name, by_response[each], reasons.get(languages[each], ""))
                for each, name in names.items()
            ]
            corpus += [(metric.name, *row) for row in metric.corpus]
    return MetricsData(
        frame_of(("metric", "response", "value", "not_for"), values).astype({"value": "float64"}),
        frame_of(("metric", "model", "condition", "corpus"), corpus),
        frame_of(METRIC_SOURCES.names, sources),
    )


def _recorded(metric: ComputedMetric) -> Row:
    about = metric.recorded
    settings = json.dumps(about["settings"], ensure_ascii=False, sort_keys=True)
    return metric.name, about["meaning"], about["package"], about["version"], settings
