"""The data sets beside this file, and what R says of them (`models.R`)."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from pandas import DataFrame

from analysis.stats.mixed import Crossed, crossed

HERE = Path(__file__).parent
FILES = {
    "small": "small.csv",
    "wine": "wine.csv",
    "study": "study.csv.xz",
    "inst_eval": "inst_eval.csv.xz",
    "inst_eval_part": "inst_eval.csv.xz",
    "five": "five.csv",
    "alike": "alike.csv",
    "incomplete": "incomplete.csv",
    "study_part": "study.csv.xz",
}
#: Those with two nested factors on either side.
NESTED = ["five", "alike", "incomplete", "study_part"]
FIXED = {
    "small": ["system"],
    "wine": ["temp", "contact"],
    "study": ["system", "scenario"],
    "inst_eval": ["service"],
    "inst_eval_part": ["service"],
    **{name: ["system"] for name in NESTED},
}
GROUPS = {
    "small": ("rater", "item"),
    "wine": ("judge", "bottle"),
    "study": ("rater", "item"),
    "inst_eval": ("student", "lecturer"),
    "inst_eval_part": ("student", "lecturer"),
    **dict.fromkeys(NESTED, ("rater/condition", "scenario/system")),
}
#: What clmm calls a nested factor.
INTERACTIONS = {"taste": "rater:condition", "item": "scenario:system"}
#: What the model "order" has beside these.
COVARIATES = ["place", "previous"]
#: As many lecturers are in the part of inst_eval that clmm can do in bearable time.
LECTURERS = 120
#: Raters in the part of the study with nested factors.
RATERS = 20


@cache
def ratings(name: str) -> DataFrame:
    frame = pd.read_csv(HERE / FILES[name])
    if name == "inst_eval_part":
        return frame[frame["lecturer"] <= LECTURERS]
    if name == "study_part":
        condition = frame["system"].str[1].where(frame["system"] != "reference", "r")
        return frame.assign(condition=condition)[frame["rater"] <= RATERS]
    return frame


@cache
def data(name: str) -> Crossed:
    frame = ratings(name)
    return crossed(
        frame.astype(dict.fromkeys(FIXED[name], str)),
        rating="rating",
        fixed=FIXED[name],
        groups=GROUPS[name],
    )


def with_order(name: str) -> Crossed:
    """`data` with the place of a rating among the rater's own, and the rating before it (of the
    first one, the mean of all others).
    """
    frame = ratings(name).dropna(subset=["rating"])
    by_rater = frame.groupby(GROUPS[name][0])["rating"]
    previous = by_rater.shift()
    frame = frame.assign(place=by_rater.cumcount() + 1.0, previous=previous.fillna(previous.mean()))
    fixed = [each for each in FIXED[name] if each != "scenario"]
    return crossed(
        frame.astype(dict.fromkeys(fixed, str)),
        rating="rating",
        fixed=[*fixed, *COVARIATES],
        groups=GROUPS[name],
    )


@cache
def _reference() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / "reference.json").read_text())
    return found


def reference(name: str, model: str) -> dict[str, Any]:
    """What R found; names of coefficients are ours."""
    found: dict[str, Any] = deepcopy(_reference()[name][model])
    for part in ("coefficients", "standard_errors", "df"):
        if found.get(part):
            found[part] = {_ours(name, key): value for key, value in found[part].items()}
    if name in NESTED:
        for part in ("sds", "sd_errors"):
            of_part = found.get(part, {}).items()
            found[part] = {INTERACTIONS.get(key, key): value for key, value in of_part}
        for ours, theirs in INTERACTIONS.items():
            if ours in found["modes"]:
                modes = found["modes"].pop(ours).items()
                found["modes"][theirs] = {key.replace(".", ":"): mode for key, mode in modes}
    return found


def by_text(modes: "pd.Series[float]") -> dict[str, float]:
    """Effects by the names that R gives levels."""
    return {
        ":".join(map(str, level)) if isinstance(level, tuple) else str(level): mode
        for level, mode in modes.items()
    }


def _ours(name: str, coefficient: str) -> str:
    """`systemb` is `system[b]` here."""
    for term in FIXED[name]:
        if coefficient.startswith(term) and coefficient != term:
            return f"{term}[{coefficient[len(term) :]}]"
    return "(intercept)" if coefficient == "(Intercept)" else coefficient
