"""What a judge of pairs says: which of two responses is better, asked in both orders.

Sources: L. Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, section 3.3
(swapped order; an answer that changes with it is inconsistent).
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.stats.validity import Mean, grouped_mean

#: How much an answer counts for response a.
POINTS = {"a": 1.0, "tie": 0.5, "b": 0.0}
ANSWERS = c.N.but(meaning="Number of answers")
TIES = Column("ties", "Share of answers that neither response is better")
INCONSISTENT = Column(
    "inconsistent", "Share of pairs with another answer in the other order, of those asked in both"
)
JUDGE_PAIRS = TableSpec(
    "judge_pairs",
    "Which of two systems a judge prefers",
    (
        c.JUDGE, c.DIMENSION, *c.SYSTEM_A, *c.SYSTEM_B,
        Column("win_rate", "Share of answers in favour of a; a tie counts half",
            label="win rate of {a}"),
        *c.interval("win_rate"),
        TIES, INCONSISTENT, ANSWERS, c.NOTE,
    ),
    question="Which of two systems does a judge prefer?",
    observations="answers about two responses",
    says="The judge sees two responses of a block, in both orders. The win rate of {a} is the "
        "share of answers in its favour; a tie counts half. 95 % intervals are bootstrapped over "
        "scenarios.",
    section="Judges",
    sides="system",
)  # fmt: skip
JUDGE_PAIR_ORDER = TableSpec(
    "judge_pair_order",
    "Does a judge of pairs change its mind with the order?",
    (
        c.JUDGE, c.DIMENSION,
        Column("first_rate", "Share of answers in favour of the response shown first; a tie counts "
            "half"),
        *c.interval("first_rate"),
        TIES, INCONSISTENT, ANSWERS, c.NOTE,
    ),
    question="Does a judge of pairs prefer the first response?",
    observations="answers about two responses",
    says="Without position bias, half of the answers favour the response shown first. Both orders "
        "count alike in win rates, so the bias does not favour a system; but answers that change "
        "with the order say little about the responses.",
    section="Judges",
)  # fmt: skip
SYSTEMS = [column.name for column in (*c.SYSTEM_A, *c.SYSTEM_B)]
PAIR = ["scenario", "set", "response_a", "response_b"]
FEW = "no interval, because there is one scenario"


def judge_pairs(comparisons: DataFrame, *, seed: int) -> DataFrame:
    """A row per judge, dimension and pair of systems, in the order of `comparisons`.

    `comparisons` has `judge`, `scenario`, `set`, `dimension`, `SYSTEMS`, `response_a`,
    `response_b`, `replicate` (1 and 2 are the two orders, and so on), `first` (`a` or `b`) and
    `better` (`a`, `b` or `tie`).
    """
    keys = ["judge", "dimension", *SYSTEMS]
    rows = []
    for names, answers in comparisons.groupby(keys, sort=False):
        rate = _mean(answers["better"].map(POINTS), answers, seed)
        rows.append(dict(zip(keys, names, strict=True)) | _about("win_rate", rate, answers))
    return DataFrame(rows, columns=JUDGE_PAIRS.names)


def judge_pair_order(comparisons: DataFrame, *, seed: int) -> DataFrame:
    """A row per judge and dimension: how often its answer follows the order. See `judge_pairs`."""
    keys = ["judge", "dimension"]
    rows = []
    for names, answers in comparisons.groupby(keys, sort=False):
        points = answers["better"].map(POINTS)
        first = points.where(answers["first"] == "a", 1 - points)
        rate = _mean(first, answers, seed)
        rows.append(dict(zip(keys, names, strict=True)) | _about("first_rate", rate, answers))
    return DataFrame(rows, columns=JUDGE_PAIR_ORDER.names)


def _mean(points: "pd.Series[float]", answers: DataFrame, seed: int) -> Mean:
    found = grouped_mean(points, answers["scenario"], seed=seed)
    assert found is not None  # a group has answers
    return found


def _about(name: str, rate: Mean, answers: DataFrame) -> dict[str, Any]:
    low, high = rate.interval or (None, None)
    return {
        name: rate.value,
        "ci_low": low,
        "ci_high": high,
        "ties": float((answers["better"] == "tie").mean()),
        "inconsistent": _inconsistent(answers),
        "n": len(answers),
        "note": "" if rate.interval else FEW,
    }


def _inconsistent(answers: DataFrame) -> float | None:
    """The share of pairs whose answer changes with the order; None if none has both orders."""
    asked = (answers["replicate"] + 1) // 2
    changed = list(_changed(answers.assign(asked=asked)))
    return sum(changed) / len(changed) if changed else None


def _changed(answers: DataFrame) -> Iterator[bool]:
    for _, both in answers.groupby([*PAIR, "asked"], sort=False):
        if both["first"].nunique() == 2:
            yield both["better"].nunique() > 1
