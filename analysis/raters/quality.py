"""How each rater rated: the indices that the quality rules are about.

A rater's ratings that have a gold score give

    σ_r   = √( Σ (x − x̄)² / (n − ddof) )        the spread of the rater's own ratings
    MAE_r = Σ |x − G| / n                        the distance to the gold scores G

over all n of them (Pursuit of Empathy, appendix C). Where nobody's ratings have a gold score, σ_r
is over all ratings and MAE_r is empty. The paper can also be read as taking σ_r of 24 scores, one
for each block: then x are the means of the rater's ratings in each block, and n counts blocks.
"""

import numpy as np
from pandas import DataFrame, Series

from analysis.definition import QualityRules, SigmaOver

NO_RATINGS = "no ratings"
NO_GOLD = "none of the ratings has a gold score"
NO_SPREAD: dict[SigmaOver, str] = {
    "ratings": "one rating has no spread",
    "blocks": "one block has no spread",
}
BLOCK = ["scenario", "set"]


def rater_quality(
    participants: DataFrame, ratings: DataFrame, *, ddof: int, sigma_over: SigmaOver = "ratings"
) -> DataFrame:
    """One row per participant, in the order given, with `n_ratings`, `n_gold`, `sigma`, `mae`.

    `participants` keeps its columns; `ratings` has `participant`, `rating` (whole numbers) and
    `gold` (may be empty), and for σ over blocks `scenario` and `set`. `sigma` and `mae` are in
    points of the scale. `note` says why one of them is empty.
    """
    scored = ratings[ratings["gold"].notna()]
    has_gold = not scored.empty
    behind_sigma = scored if has_gold else ratings
    who = participants["participant"]
    if sigma_over == "ratings":
        sums = _sums(behind_sigma)
        sigma, n = _sigma(sums, ddof), sums["n"]
    else:
        sigma, n = _sigma_of_blocks(behind_sigma, ddof)
    table = participants.reset_index(drop=True)
    table["n_ratings"] = _count(ratings, who)
    table["n_gold"] = _count(scored, who)
    table["sigma"] = who.map(sigma)
    table["mae"] = who.map(_mae(scored))
    too_few = who.map(n).fillna(0) <= ddof
    table["note"] = _note(table, too_few, NO_SPREAD[sigma_over], has_gold=has_gold)
    return table


def quality_under(rules: QualityRules, participants: DataFrame, ratings: DataFrame) -> DataFrame:
    """`rater_quality` as the rules have it."""
    limits = rules.sigma_mae
    return rater_quality(participants, ratings, ddof=limits.ddof, sigma_over=limits.sigma_over)


def _count(ratings: DataFrame, who: "Series[str]") -> "Series[int]":
    counts = who.map(ratings.groupby("participant", observed=True).size())
    return counts.fillna(0).astype("int64")


def _sums(ratings: DataFrame) -> DataFrame:
    """Per participant n, Σx and Σx², as whole numbers and therefore exact."""
    values = ratings["rating"]
    frame = DataFrame(
        {"participant": ratings["participant"], "n": 1, "total": values, "squares": values**2}
    )
    return frame.groupby("participant", observed=True).sum()


def _sigma(sums: DataFrame, ddof: int) -> "Series[float]":
    """σ from n Σx² − (Σx)², which loses nothing: everything before the division is exact."""
    n = sums["n"]
    spread = n * sums["squares"] - sums["total"] ** 2
    sigma: Series[float] = np.sqrt(spread / (n * (n - ddof)).where(n > ddof))
    return sigma


def _sigma_of_blocks(ratings: DataFrame, ddof: int) -> "tuple[Series[float], Series[int]]":
    """σ of each rater's block means, and of how many. Equal means give exactly 0."""
    means = ratings.groupby(["participant", *BLOCK], observed=True)["rating"].mean()
    by_rater = means.groupby(level="participant", observed=True)
    apart = means - by_rater.transform("first")
    spread = apart.groupby(level="participant", observed=True).std(ddof=ddof)
    return spread, by_rater.size()


def _mae(scored: DataFrame) -> "Series[float]":
    distance = (scored["rating"] - scored["gold"]).abs()
    return distance.groupby(scored["participant"], observed=True).mean()


def _note(
    table: DataFrame, too_few: "Series[bool]", no_spread: str, *, has_gold: bool
) -> np.ndarray:
    reasons = {
        NO_RATINGS: table["n_ratings"] == 0,
        NO_GOLD: (table["n_gold"] == 0) & has_gold,
        # Without gold scores σ is over all ratings, and MAE is empty for a reason of its own.
        no_spread if has_gold else f"{no_spread}; {NO_GOLD}": too_few,
    }
    return np.select(list(reasons.values()), list(reasons), default="" if has_gold else NO_GOLD)
