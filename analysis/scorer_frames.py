"""The scorer of a study as tidy tables: as one more source beside judges, and its evaluation."""

import json
from collections.abc import Iterator

from pandas import DataFrame

from analysis.judges.trained_scorer import SCORER_SOURCE, ScorerData
from analysis.models import Scorer
from analysis.scorer_requests import current_scorer
from judge.tidy import response_names
from survey.models import Study
from survey.tidy import Row, cells_of, definition_of, dimensions_of

#: What kind of source it is.
KIND = "scorer"


def scorer_judge_rows(study: Study) -> Iterator[Row]:
    """The scorer in the columns of JUDGE_COLUMNS, if there is one that scores what people rate."""
    scorer = current_scorer(study)
    if scorer is None or not scorer.scores.exists():
        return
    is_comparable = _is_comparable(study, scorer)
    yield scorer.name, KIND, False, "", None, 1, is_comparable, False, "single"


def scorer_score_rows(study: Study) -> Iterator[Row]:
    """Its scores in the columns of JUDGE_SCORE_COLUMNS: of responses that it learned from those
    that it gave while their scenario was held out.
    """
    scorer = current_scorer(study)
    if scorer is None:
        return
    cells = cells_of(study)
    names = response_names(cells)
    rated = set(dimensions_of(definition_of(study)))
    scores: dict[int, list[tuple[str, float]]] = {}
    for response, dimension, value in scorer.scores.order_by("id").values_list(
        "response_id", "dimension", "value"
    ):
        if dimension in rated:
            scores.setdefault(response, []).append((dimension, value))
    for (_, response), cell in cells.items():
        for dimension, value in scores.get(response, []):
            yield (
                scorer.name, *cell.names, dimension, names[response], 1, None, float(value), ""
            )  # fmt: skip


def read_scorer_data(study: Study) -> ScorerData:
    """What is kept of the newest trained scorer. Call it inside `reading()` too."""
    scorer = current_scorer(study)
    if scorer is None:
        return ScorerData()
    tables = {
        name: DataFrame(content["rows"], columns=content["columns"])
        for name, content in scorer.evaluation.items()
    }
    for name, table in tables.items():
        texts = [
            column for column in ("dimension", "head", "held_out", "scenario") if column in table
        ]
        numbers = [column for column in table if column not in texts]
        tables[name] = table.astype(dict.fromkeys(numbers, "float64"))
    tables["evaluation"] = tables["evaluation"].astype({"n": "int64", "scenarios": "int64"})
    tables["calibration"] = tables["calibration"].astype({"n": "int64", "bin": "int64"})
    kept = json.loads(scorer.content)
    source = [
        scorer.name,
        kept["head"],
        json.dumps(kept["vectors"], ensure_ascii=False),
        json.dumps(kept["trained_on"], ensure_ascii=False),
        kept["fingerprint"],
    ]
    return ScorerData(
        name=scorer.name,
        scale=(kept["low"], kept["high"]),
        source=DataFrame([source], columns=SCORER_SOURCE.names),
        **tables,
    )


def _is_comparable(study: Study, scorer: Scorer) -> bool:
    """Whether its scores are on the study's scale."""
    rating = definition_of(study).rating
    if rating is None:
        return False
    kept = json.loads(scorer.content)
    values = [float(point.value) for point in rating.scale]
    return bool((kept["low"], kept["high"]) == (min(values), max(values)))
