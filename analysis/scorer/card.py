"""The model card of a trained scorer, in Markdown (Mitchell et al., 2019): what it is, how well it
predicts texts that it has not seen, and what it is not for.
"""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd
from pandas import DataFrame

from analysis.catalogue.number_text import decimals
from analysis.scorer.training import SCENARIO, SYSTEM, Trained
from analysis.study_data import records
from survey.files.markdown_text import literal_line

#: Beyond these a slope is called too steep or too flat.
FLAT, STEEP = 0.8, 1.25
HEAD_NAMES = {"ridge": "ridge regression", "linear": "the published linear layer"}
#: Less than this share of the squared error is no difference.
SAME = 0.005
#: With fewer scenarios, intervals that resample them are too narrow.
FEW_SCENARIOS = 10


def card(trained: Trained, name: str) -> str:
    """The card of a scorer that is called `name`."""
    return "\n".join(_lines(trained, name)) + "\n"


def verdict(rows: DataFrame, dimension: str, head: str, held_out: str = SCENARIO) -> str:
    """Whether a head beats the mean on texts that it has not seen, in a sentence."""
    row = _row(rows, dimension, head, held_out)
    dimension = literal_line(dimension)
    if row is None or pd.isna(row["skill"]):
        return f"{dimension}: it was not possible to compare it with the mean."
    said = f"{decimals(100 * row['skill'], 0)} % less squared error than the mean"
    is_same = abs(row["skill"]) < SAME
    if is_same:
        said = "as much squared error as the mean"
    elif row["skill"] < 0:
        said = f"{decimals(-100 * row['skill'], 0)} % more squared error than the mean"
    if pd.isna(row["skill_low"]):
        return f"{dimension}: {said}, without an interval."
    interval = (
        f"95 % CI {decimals(100 * row['skill_low'], 0)} to {decimals(100 * row['skill_high'], 0)} %"
    )
    if row["skill_low"] > 0:
        return f"{dimension}: better than the mean: {said} ({interval})."
    if row["skill_high"] < 0 and not is_same:
        return f"{dimension}: **worse than the mean**: {said} ({interval}). Do not use its scores."
    return (
        f"{dimension}: **not shown to be better than the mean**: {said} ({interval}). Do not use "
        "its scores."
    )


def _lines(trained: Trained, name: str) -> Iterator[str]:
    scorer, rows = trained.scorer, trained.evaluation
    about = scorer.trained_on
    yield f"# {literal_line(name)}"
    yield ""
    yield (
        f"A trained scorer: {HEAD_NAMES[scorer.head]} on vectors of texts. It predicts the mean "
        f"rating that people would give a text, from {scorer.low:g} to {scorer.high:g}."
    )
    yield ""
    yield "## Is it better than the mean?"
    yield ""
    yield (
        "The mean gives every text the mean rating of the others. Each number is of texts whose "
        "scenario was held out; intervals resample scenarios."
    )
    yield ""
    for dimension in scorer.dimensions:
        yield f"- {verdict(rows, dimension, scorer.head)}"
    yield ""
    yield "## Trained on"
    yield ""
    yield f"- Ratings: {literal_line(str(about['data']))}"
    yield (
        f"- {about['texts']} texts, {about['scenarios']} scenarios, {about['systems']} systems, "
        f"{about['ratings']} ratings"
    )
    yield f"- Vectors: {literal_line(_settings(scorer.vectors))}"
    yield f"- Seed {about['seed']}; {_settings(about['software'])}"
    yield f"- Fingerprint of data, vectors, settings and software: `{scorer.fingerprint}`"
    yield ""
    yield "## Errors"
    yield ""
    yield "| dimension | head | held out | MSE (95 % CI) | MAE | ρ within scenarios | slope |"
    yield "|---|---|---|---|---|---|---|"
    for row in records(rows):
        yield (
            f"| {literal_line(row['dimension'])} | {row['head']} | {row['held_out']} | "
            f"{_with_interval(row, 'mse')} | {_number(row['mae'])} | "
            f"{_with_interval(row, 'spearman')} | {_with_interval(row, 'slope')} |"
        )
    yield ""
    yield (
        "Nothing held out: errors on the texts that it learned from. They are too small, and are "
        "here because papers report them."
    )
    yield ""
    yield "## Intervals and calibration"
    yield ""
    for dimension, head in scorer.dimensions.items():
        shown = literal_line(dimension)
        found = _row(rows, dimension, scorer.head, SCENARIO)
        yield f"- {shown}: {_of_interval(trained, dimension, head.half_width)}"
        yield f"- {shown}: {_of_slope(found)}"
        if said := _of_noise(found):
            yield f"- {shown}: {said}"
    yield ""
    yield "## Limits"
    yield ""
    yield "- It knows the text alone: neither the prompt nor who rates."
    if about["scenarios"] < FEW_SCENARIOS:
        yield f"- {about['scenarios']} scenarios are few: intervals over them are too narrow."
    yield from _of_systems(trained)
    yield (
        "- It repeats what these raters liked, for whatever reason. See the perturbations for what "
        "changes its scores."
    )
    yield "- It is no judge of single people or texts: intervals are wide."


def _of_systems(trained: Trained) -> Iterator[str]:
    rows, scorer = trained.evaluation, trained.scorer
    if (rows["held_out"] == SYSTEM).any():
        yield "- Texts of systems that it has not seen, each held out in turn:"
        for dimension in scorer.dimensions:
            yield f"    - {verdict(rows, dimension, scorer.head, SYSTEM)}"
    else:
        yield "- How it does on other systems is not known: fewer than three were rated."


def _of_interval(trained: Trained, dimension: str, half: float | None) -> str:
    scorer = trained.scorer
    percent = f"{100 * scorer.confidence:g} %"
    if half is None:
        return f"no prediction interval of {percent}: too few texts"
    row = _row(trained.evaluation, dimension, scorer.head, SCENARIO)
    said = f"prediction interval of {percent}: ± {decimals(half)}"
    if row is not None and not pd.isna(row["coverage"]):
        said += f"; it covered {decimals(100 * row['coverage'], 0)} % of held-out texts"
    if 2 * half >= scorer.high - scorer.low:
        said += ". It is as wide as the scale, so it says nothing"
    return said


def _of_slope(row: dict[str, Any] | None) -> str:
    if row is None or pd.isna(row["slope"]):
        return "calibration unknown: its predictions hardly vary"
    slope = _with_interval(row, "slope")
    if row["slope"] < FLAT:
        return f"slope {slope}: high scores are too high and low ones too low"
    if row["slope"] > STEEP:
        return f"slope {slope}: its scores are too close to each other"
    return f"slope {slope}; 1 is calibrated"


def _of_noise(row: dict[str, Any] | None) -> str:
    if row is None or pd.isna(row["noise"]):
        return ""
    return (
        "raters disagree, so mean ratings are uncertain: no scorer can be expected to have an MSE "
        f"below {decimals(row['noise'])}"
    )


def _row(rows: DataFrame, dimension: str, head: str, held_out: str) -> dict[str, Any] | None:
    chosen = rows[
        (rows["dimension"] == dimension) & (rows["head"] == head) & (rows["held_out"] == held_out)
    ]
    return {str(k): v for k, v in chosen.iloc[0].items()} if len(chosen) else None


def _with_interval(row: dict[str, Any], name: str) -> str:
    if pd.isna(row[name]):
        return "–"
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    ends = "" if pd.isna(low) or pd.isna(high) else f" ({decimals(low)} to {decimals(high)})"
    return f"{decimals(row[name])}{ends}"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else decimals(value)


def _settings(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_plain(value)}" for name, value in settings.items())


def _plain(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    return (" and " if isinstance(value[0], str) else " to ").join(map(str, value))
