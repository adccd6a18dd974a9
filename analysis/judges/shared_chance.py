"""Do the calls of a judge share their chance?

A replicate asks about every text once. Where an endpoint draws the same random numbers for all of
them (because each is sent the same seed, or because it keeps a seed of its own), the replicate
scores every text too high, or too low, or all of them the same. The error of its level is then
that of one draw, however many texts there are, and every distance to the gold scores has it too.
"""

from collections.abc import Iterator

import numpy as np
from pandas import DataFrame, Series
from pingouin import rm_anova
from scipy.stats import fisher_exact

#: With fewer calls in a replicate, nothing is said.
FEWEST_CALLS = 10
#: From which share of one score on a replicate hardly varies.
HARDLY_VARIES = 0.95
#: How improbable a finding must be where calls have chances of their own. Small, since every judge
#: is looked at on every dimension.
LEVEL = 0.001
WHAT_TO_DO = (
    "the endpoint probably reuses one random stream for all texts, so check the judge's seed and "
    "the endpoint's own"
)


def shared_chance(table: DataFrame, calls: "Series[str]") -> list[str]:
    """What suggests that calls share their chance, in words; nothing where they seem not to.

    `table` has the scores (items × replicates, NaN where there is none); `calls` says for each
    item which call of a replicate it was asked in: what one call answers has one chance.

    Two things give it away. A replicate hardly varies: HARDLY_VARIES of its scores are the same,
    and the other replicates give that score less often (Fisher's exact test over calls). Or the
    replicates differ in level (F test of the replicates in a two-way layout of calls ×
    replicates, as of a repeated-measures ANOVA), which is what shared noise comes to where it is
    milder. A judge that gives nearly every text the same score in every replicate does neither.
    """
    return [
        f"{text}: {WHAT_TO_DO}"
        for text in (*_hardly_varying(table, calls), *_of_other_level(table, calls))
    ]


def _hardly_varying(table: DataFrame, calls: "Series[str]") -> Iterator[str]:
    for replicate in table.columns:
        own = table[replicate].dropna()
        if calls[own.index].nunique() < FEWEST_CALLS:
            continue
        score = own.mode().iloc[0]
        share = float((own == score).mean())
        if share < HARDLY_VARIES:
            continue
        others = table.drop(columns=replicate)
        same = (table == score).where(table.notna()).groupby(calls).min()
        here, elsewhere = same.pop(replicate).dropna(), same.stack().dropna()
        counts = np.array([[one.sum(), (1 - one).sum()] for one in (here, elsewhere)])
        if fisher_exact(counts.astype("int64"), alternative="greater").pvalue < LEVEL:
            of_others = (others == score).sum().sum() / others.count().sum()
            yield (
                f"replicate {replicate} hardly varies, {share:.0%} of its scores are {score:g} and "
                f"{of_others:.0%} of the other replicates'"
            )


def _of_other_level(table: DataFrame, calls: "Series[str]") -> Iterator[str]:
    levels = table.dropna(axis="columns", how="all").groupby(calls).mean().dropna()
    if len(levels) >= FEWEST_CALLS and levels.shape[1] > 1:
        p = replicate_effect(levels.astype(float))
        if p < LEVEL:
            means = ", ".join(f"{mean:.2f}" for mean in levels.mean())
            yield f"replicates differ in level more than by chance, with means {means}"


def replicate_effect(levels: DataFrame) -> float:
    """The p value of the replicates (columns) in a repeated-measures ANOVA of calls (rows), by
    `pingouin.rm_anova` without correction for sphericity.

    Where replicates differ by constants alone, p is 0, and where their means are equal, 1.
    """
    spread = levels.sub(levels.mean(axis=1), axis=0)
    if np.isclose(spread.mean(), 0).all():
        return 1.0
    if np.isclose(spread - spread.mean(), 0).all():
        return 0.0
    return float(rm_anova(levels, correction=False)["p_unc"].iloc[0])
