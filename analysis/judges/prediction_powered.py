"""What people would say of all responses that a judge scored, though they rated some of them.

People are the raters kept by every rule but `sigma_mae`, as in `judges.agreement_with_people`:
raters whom their distance to the judge has chosen would confirm it, and not correct it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.judges.agreement_with_people import BEFORE, OTHER_SCALE, PEOPLE, WHOSE
from analysis.judges.judged import Judged, ScoreSource
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import Vector
from analysis.stats.prediction_powered import (
    EstimatedMean,
    PredictionPowered,
    RatedAndJudged,
    prediction_powered,
)
from analysis.study_data import Contrast
from survey.definition.contrast import comparison_of

ALL = "all"
PREDICTION_POWERED = TableSpec(
    "prediction_powered",
    "People's ratings and a judge's scores together",
    (
        c.JUDGE, c.DIMENSION,
        Column("estimand", "What is estimated: the mean of a system, the mean of a condition's "
            "systems, or the difference of the study's two conditions (a minus b, over the models "
            "that have both)", choice=True, is_key=True, labels="words"),
        c.MODEL, c.CONDITION, c.CONDITION_A.but(is_key=False), c.CONDITION_B.but(is_key=False),
        Column("people", "Estimate from people's ratings alone", signed=True),
        *c.interval("people", "people_ci"),
        Column("estimate", "Prediction-powered estimate: from the judge's scores of all responses, "
            "corrected by people's ratings of some", label="people and judge",
            signed=True),
        *c.interval("estimate"),
        Column("power", "λ: how much the judge's scores count, from 0 (not at all) to 1; chosen "
            "for the shortest interval", label="λ"),
        Column("gain", "How many times as many ratings people alone would need for an interval as "
            "short: the ratio of the squared widths"),
        Column("n_rated", "Number of responses that people rated", kind="count"),
        Column("n_judged", "Number of responses that the judge scored", kind="count"),
        Column("scenarios_rated", "Number of scenarios with a rated response", kind="count",
            latex=False),
        Column("scenarios_judged", "Number of scenarios with a response that the judge scored",
            kind="count", latex=False),
        c.N_RATERS.but(latex=False),
        c.RATERS.but(meaning=WHOSE),
        c.NOTE,
    ),
    question="What do people and a judge say together?",
    observations="scenarios",
    says=PEOPLE + "If people rated a random part of the responses that the judge scored, this "
        "estimates what they would say of all. The judge's scores make the interval shorter, and "
        "the rated responses correct its errors (prediction-powered inference; Angelopoulos et "
        "al. 2023). Intervals hold for other scenarios and other raters. The difference is {a} "
        "minus {b}. A condition's mean is that of its systems, each counted once. An interval may "
        "leave the scale, whose ends the normal distribution does not know.",
    section="Judges",
    keep=lambda row: bool(row["n_judged"] > row["n_rated"]),
    kept="rows with responses that the judge alone scored",
)  # fmt: skip
NUMBERS = [
    "people", "people_ci_low", "people_ci_high", "estimate", "ci_low", "ci_high", "power", "gain",
]  # fmt: skip


class Estimand(NamedTuple):
    """What a row estimates: the sum of systems' means, each times its weight."""

    estimand: str
    model: str
    condition: str
    weights: Vector
    condition_a: str = ""
    condition_b: str = ""


def prediction_powered_means(judged: Judged, contrast: Contrast) -> DataFrame:
    """A row for each judge, dimension and system, condition of several systems, and a − b.

    `people` and `estimate` stand with their 95 % intervals. Of a judge on another scale than
    people's there is what people say alone. `note` says why something is empty.
    """
    rows = []
    for judge in judged.judges:
        for dimension in judged.dimensions_of(judge):
            key = {"judge": judge.name, "dimension": dimension}
            rows += [key | row for row in _rows(judged, judge, dimension, contrast)]
    table = DataFrame(rows, columns=PREDICTION_POWERED.names).assign(raters=BEFORE)
    return table.assign(**{name: pd.to_numeric(table[name]) for name in NUMBERS})


def _rows(
    judged: Judged, judge: ScoreSource, dimension: str, contrast: Contrast
) -> Iterator[dict[str, Any]]:
    responses = judged.responses[dimension]
    people = judged.people.get(dimension, DataFrame(index=responses.index, dtype=float))
    scores = np.asarray(judged.means(judge, dimension).reindex(responses.index), float)
    places = Series(list(zip(responses["model"], responses["condition"], strict=True)))
    numbers, systems = pd.factorize(places)
    data = RatedAndJudged(
        scenario=pd.factorize(responses["scenario"])[0].astype(np.int64),
        system=numbers.astype(np.int64),
        judge=scores,
        ratings=people.reindex(responses.index).to_numpy(float),
    )
    of_people = replace(data, judge=np.full(len(scores), np.nan))
    for estimand in _estimands(list(systems), contrast):
        counts = _counts(data, estimand.weights != 0)
        row = {**estimand._asdict(), **counts}
        del row["weights"]
        if not estimand.weights.any():
            yield row | {"note": "not estimable, because no model has both conditions"}
        elif judge.comparable:
            result = prediction_powered(data, estimand.weights)
            yield row | _result(result, counts["n_raters"])
        else:
            result = prediction_powered(of_people, estimand.weights)
            yield row | _of_people(result) | {"note": OTHER_SCALE}


def _estimands(systems: list[tuple[str, str]], contrast: Contrast) -> Iterator[Estimand]:
    """Each of `systems` (model and condition), each condition of several, and a − b."""
    models, conditions = (np.array(names) for names in zip(*systems, strict=True))
    for model, condition in systems:
        own = (models == model) & (conditions == condition)
        yield Estimand("system", model, condition, own.astype(float))
    for condition in dict.fromkeys(conditions):
        of_condition = conditions == condition
        if (n := of_condition.sum()) > 1:
            yield Estimand("condition", ALL, str(condition), of_condition / n)
    a, b = contrast.condition_a, contrast.condition_b
    if comparison := comparison_of(systems, a, b):
        weights = np.array([comparison.of_all.get(system, 0.0) for system in systems])
        yield Estimand("difference", ALL, "", weights, str(a), str(b))


def _counts(data: RatedAndJudged, counted: "npt.NDArray[np.bool_]") -> dict[str, int]:
    """What there is of the systems that are counted."""
    of_system = counted[data.system]
    rated, scored = of_system & (data.counts > 0), of_system & ~np.isnan(data.judge)
    return {
        "n_rated": int(rated.sum()),
        "n_judged": int(scored.sum()),
        "scenarios_rated": len(np.unique(data.scenario[rated])),
        "scenarios_judged": len(np.unique(data.scenario[scored])),
        "n_raters": int((~np.isnan(data.ratings[rated])).any(axis=0).sum()),
    }


def _of_people(result: PredictionPowered | Inestimable) -> dict[str, Any]:
    """What people alone say."""
    if isinstance(result, Inestimable):
        return {}
    return {"people": result.people.value, **_interval(result.people, "people_ci")}


def _result(result: PredictionPowered | Inestimable, n_raters: int) -> dict[str, Any]:
    if isinstance(result, Inestimable):
        return {"note": str(result)}
    notes = []
    if result.unused:
        notes.append(f"the same as people's, because {result.unused}")
    elif result.power == 0:
        notes.append("the same as people's, because the judge's scores do not follow theirs")
    if result.powered.interval is None:
        notes.append("no interval, because every scenario has the same mean")
    elif n_raters == 1:
        notes.append("the interval is for this rater alone")
    return {
        **_of_people(result),
        "estimate": result.powered.value,
        **_interval(result.powered, "ci"),
        "power": result.power,
        "gain": result.gain,
        "note": "; ".join(notes),
    }


def _interval(estimate: EstimatedMean, name: str) -> dict[str, float | None]:
    low, high = estimate.interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}
