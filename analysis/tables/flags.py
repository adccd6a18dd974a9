"""Responses that are accepted or flagged: ratings on a scale of two points. Pure."""

from collections.abc import Sequence

import numpy as np
from pandas import DataFrame
from statsmodels.stats.proportion import proportion_confint

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.catalogue.subjects import FLAGS
from analysis.recipe import USUAL_CONFIDENCE
from analysis.study_data import ITEM

POINTS = 2
#: What raters decided together.
ACCEPTED, FLAGGED, SPLIT = "accepted by all", "flagged by all", "flagged by some"
FLAGS_TABLE = TableSpec(
    "flags",
    "Accepted and flagged responses",
    (
        c.SCENARIO.but(first="", choice=False), c.SET, c.MODEL, c.CONDITION, c.DIMENSION,
        c.N.but(meaning="Number of included raters who decided"),
        Column("accepted", "Those who gave the higher point of the scale", kind="count"),
        Column("flagged", "Those who gave the lower point", kind="count"),
        Column("percent", "Accepted, in percent of those who decided", form="percent"),
        *c.interval("percent", form="percent"),
        Column("decision", "What they decided together", kind="text"),
    ),
    question="Which responses are flagged?",
    observations="raters",
    says="On a scale of two points the lower one is a flag, the higher one accepts. Wilson "
        "intervals. The most flagged come first. How far raters agree is under Rater agreement.",
    section="Systems",
    subject=FLAGS,
)  # fmt: skip


def flags(
    counts: DataFrame, points: Sequence[float], *, confidence: float = USUAL_CONFIDENCE
) -> DataFrame:
    """How many accepted and flagged each item that was rated, the most flagged first.

    `counts` comes from `items.rating_counts`; `points` are the two of the scale, rising.
    """
    low, high = points
    wide = counts.pivot_table(
        index=ITEM, columns="rating", values="n", aggfunc="sum", observed=True, sort=False
    ).reindex(columns=[low, high])
    wide = wide.fillna(0).astype("int64").reset_index()
    flagged, accepted = wide[low], wide[high]
    n = flagged + accepted
    ends = proportion_confint(accepted, n, alpha=1 - confidence, method="wilson")
    table = wide[ITEM].assign(
        n=n,
        accepted=accepted,
        flagged=flagged,
        percent=100 * accepted / n,
        ci_low=100 * ends[0],
        ci_high=100 * ends[1],
        decision=np.select([flagged == 0, accepted == 0], [ACCEPTED, FLAGGED], default=SPLIT),
    )
    return table.sort_values(["percent", *ITEM], ignore_index=True)[FLAGS_TABLE.names]
