"""How each rater rated: the indices that the quality rules are about.

A rater's ratings that have a gold score give

    σ_r   = √( Σ (x − x̄)² / (n − ddof) )        the spread of the rater's own ratings
    MAE_r = Σ |x − G| / n                        the distance to the gold scores G

over all n of them (Pursuit of Empathy, appendix C). Where nobody's ratings have a gold score, σ_r
is over all ratings and MAE_r is empty. The paper can also be read as taking σ_r of 24 scores, one
for each block: then x are the means of the rater's ratings in each block, and n counts blocks.
"""

from typing import Any

import numpy as np
from pandas import DataFrame, Index, Series

from analysis.composites import without_composites
from analysis.quality_rules import QualityRules, SigmaOver
from analysis.raters.exclusion import Numbers, Truths, Whole, sigmas

NO_RATINGS = "no ratings"
NO_GOLD = "none of the ratings has a gold score"
NO_SPREAD: dict[SigmaOver, str] = {
    "ratings": "one rating has no spread",
    "blocks": "one block has no spread",
}
BLOCK = ["scenario", "set"]


def rater_quality(
    participants: DataFrame,
    ratings: DataFrame,
    *,
    ddof: int,
    sigma_over: SigmaOver = "ratings",
    has_gold: bool | None = None,
) -> DataFrame:
    """One row per participant, in the order given, with `n_ratings`, `n_gold`, `sigma`, `mae`.

    `participants` keeps its columns; `ratings` has `participant`, `rating`
    and `gold` (may be empty), and for σ over blocks `scenario` and `set`. `sigma` and `mae` are in
    points of the scale. `note` says why one of them is empty. Composites are no ratings of theirs.
    `has_gold` is whether any rating has a gold score, where these are not all of the study's.
    """
    ratings = without_composites(ratings)
    scored = ratings[ratings["gold"].notna()]
    if has_gold is None:
        has_gold = not scored.empty
    who = participants["participant"]
    sigma, n = _sigma(scored if has_gold else ratings, who, over=sigma_over, ddof=ddof)
    table = participants.reset_index(drop=True)
    table["n_ratings"] = _count(ratings, who)
    table["n_gold"] = _count(scored, who)
    table["sigma"] = sigma
    table["mae"] = who.map(_mae(scored))
    table["note"] = _note(table, n <= ddof, NO_SPREAD[sigma_over], has_gold=has_gold)
    return table


def quality_under(
    rules: QualityRules,
    participants: DataFrame,
    ratings: DataFrame,
    *,
    has_gold: bool | None = None,
) -> DataFrame:
    """`rater_quality` as the rules have it."""
    limits = rules.sigma_mae
    return rater_quality(
        participants,
        ratings,
        ddof=limits.ddof,
        sigma_over=limits.sigma_over,
        has_gold=has_gold,
    )


def _count(ratings: DataFrame, who: "Series[str]") -> "Series[int]":
    counts = who.map(ratings.groupby("participant", observed=True).size())
    return counts.fillna(0).astype("int64")


def _sigma(
    ratings: DataFrame, who: "Series[str]", *, over: SigmaOver, ddof: int
) -> tuple[Numbers, Whole]:
    """σ of each of `who`, and of how many values."""
    values = ratings["rating"]
    parts = DataFrame({"n": 1, "total": values, "squares": values**2})
    by = ["participant"] if over == "ratings" else ["participant", *BLOCK]
    sums = parts.groupby([ratings[name] for name in by], observed=True).sum()
    rater = Index(who).get_indexer(sums.index.get_level_values("participant"))
    known = sums[rater >= 0]
    return sigmas(
        rater[rater >= 0],
        *(known[name].to_numpy() for name in ("n", "total", "squares")),
        raters=len(who),
        over=over,
        ddof=ddof,
    )


def _mae(scored: DataFrame) -> "Series[float]":
    distance = (scored["rating"] - scored["gold"]).abs()
    return distance.groupby(scored["participant"], observed=True).mean()


def _note(table: DataFrame, too_few: Truths, no_spread: str, *, has_gold: bool) -> np.ndarray:
    reasons: dict[str, Any] = {
        NO_RATINGS: table["n_ratings"] == 0,
        NO_GOLD: (table["n_gold"] == 0) & has_gold,
        # Without gold scores σ is over all ratings, and MAE is empty for a reason of its own.
        no_spread if has_gold else f"{no_spread}; {NO_GOLD}": too_few,
    }
    return np.select(list(reasons.values()), list(reasons), default="" if has_gold else NO_GOLD)
