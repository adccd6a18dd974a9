"""What held-out ratings say of a trained scorer: tables of `analysis.scorer` in an analysis."""

from dataclasses import dataclass, field

import pandas as pd
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, FigureSpec, TableSpec
from analysis.catalogue.subjects import SCORER

NAME = Column("scorer", "The trained scorer and its version", is_key=True)
SCORER_EVALUATION = TableSpec(
    "scorer_evaluation",
    "Errors of the trained scorer",
    (
        NAME, c.DIMENSION,
        Column("head", "What turns vectors into scores; mean is the baseline", is_key=True,
            labels="heads"),
        Column("held_out", "What was held out in turn: each scenario, each system, or nothing",
            is_key=True, labels="held_out"),
        c.N.but(meaning="Number of texts"),
        Column("scenarios", "Number of scenarios", kind="count"),
        Column("mse", "Mean squared error", label="MSE"), *c.interval("mse", "mse"),
        Column("mae", "Mean absolute error", label="MAE"),
        Column("skill", "1 − MSE / MSE of the mean: above 0 if better than the mean"),
        *c.interval("skill", "skill"),
        Column("spearman", "Spearman's ρ of scores and ratings within scenarios", label="ρ"),
        *c.interval("spearman", "spearman"),
        Column("slope", "Slope of ratings on scores: 1 if calibrated"),
        *c.interval("slope", "slope"),
        Column("half_width", "Half the prediction interval of a new text"),
        Column("coverage", "Share of texts in an interval made from other scenarios alone"),
        Column("noise", "MSE that the raters' disagreement alone would give"),
        Column("better", "Whether it is shown to be better than the mean: the skill's interval is "
            "above 0", kind="flag"),
        c.NOTE,
    ),
    question="Does the trained scorer predict ratings that it has not seen?",
    observations="texts",
    says="Each text is scored while its scenario (or its system) is held out, also by the mean of "
        "the other texts. Intervals are bootstrapped over scenarios. With nothing held out, errors "
        "are too small; papers report them.",
    section="Trained scorer",
    subject=SCORER,
)  # fmt: skip
SCORER_CALIBRATION = TableSpec(
    "scorer_calibration",
    "Calibration of the trained scorer",
    (
        NAME, c.DIMENSION,
        Column("bin", "Fifth of the texts, by their score; 1 has the lowest", kind="count",
            is_key=True),
        c.N.but(meaning="Number of texts"),
        Column("predicted", "Mean score"),
        Column("rating", "Mean rating"), *c.interval("rating"),
    ),
    question="Are high scores as high as ratings?",
    observations="texts",
    says="Texts in order of their score with their scenario held out. If the scorer is calibrated, "
        "mean score and mean rating are equal. Intervals are bootstrapped over scenarios.",
    section="Trained scorer",
    subject=SCORER,
)  # fmt: skip
SCORER_SOURCE = TableSpec(
    "scorer_source",
    "How the scorer was trained",
    (
        NAME,
        Column("head", "What turns vectors into scores", kind="text", labels="heads"),
        Column("vectors", "What makes vectors of texts, as JSON", kind="text"),
        Column("trained_on", "What it learned from, as JSON", kind="text"),
        Column("fingerprint", "SHA-256 of data, vectors, settings and software", kind="text"),
    ),
    question="How was the scorer trained?",
    observations="scorers",
    says="With the same data, vectors, settings and software, the same texts get the same scores.",
    section="Trained scorer",
    subject=SCORER,
    folded=True,
)  # fmt: skip
CALIBRATION = FigureSpec(
    "scorer_calibration",
    "Calibration of the trained scorer",
    "Trained scorer",
    "scorer_calibration",
)
TABLES = [SCORER_EVALUATION.name, SCORER_CALIBRATION.name, SCORER_SOURCE.name]
NOT_TRAINED = "no scorer was trained: see docs/scorer.md"
NO_NEW = "errors on the texts that it learned from"


@dataclass(frozen=True)
class ScorerData:
    """The scorer that is trained, as it was kept: its `name`, the tables of `scorer.Trained`, and
    `source` with the columns of SCORER_SOURCE. Without a name there is none.
    """

    name: str = ""
    scale: tuple[float, float] = (0, 1)
    evaluation: DataFrame = field(default_factory=DataFrame)
    calibration: DataFrame = field(default_factory=DataFrame)
    held_out: DataFrame = field(default_factory=DataFrame)
    source: DataFrame = field(default_factory=DataFrame)


def scorer_tables(data: ScorerData) -> tuple[dict[str, DataFrame], dict[str, str]]:
    """The tables by name, and why they are not there."""
    if not data.name:
        return {}, dict.fromkeys([*TABLES, CALIBRATION.name], NOT_TRAINED)
    rows = data.evaluation.assign(scorer=data.name)
    is_new = rows["held_out"] != "nothing"
    better = (rows["skill_low"] > 0).astype(object)
    rows["better"] = better.where(is_new & (rows["head"] != "mean") & rows["skill_low"].notna())
    rows["note"] = pd.Series("", index=rows.index).where(is_new, NO_NEW)
    evaluation = rows.reindex(columns=SCORER_EVALUATION.names)
    calibration = data.calibration.assign(scorer=data.name)[SCORER_CALIBRATION.names]
    return {
        SCORER_EVALUATION.name: evaluation,
        SCORER_CALIBRATION.name: calibration,
        SCORER_SOURCE.name: data.source,
    }, {}
