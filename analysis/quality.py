"""How each rater rated: the indices that the quality rules are about.

A rater's ratings that have a gold score give

    σ_r   = √( Σ (x − x̄)² / (n − ddof) )        the spread of the rater's own ratings
    MAE_r = Σ |x − G| / n                        the distance to the gold scores G

over all n of them (Pursuit of Empathy, appendix C). Where nobody's ratings have a gold score, σ_r
is over all ratings and MAE_r is empty.
"""

import numpy as np
from pandas import DataFrame, Series

NO_RATINGS = "no ratings"
NO_GOLD = "none of the ratings has a gold score"
NO_SPREAD = "one rating has no spread"


def rater_quality(participants: DataFrame, ratings: DataFrame, *, ddof: int) -> DataFrame:
    """One row per participant, in the order given, with `n_ratings`, `n_gold`, `sigma`, `mae`.

    `participants` keeps its columns; `ratings` has `participant`, `rating` (whole numbers) and
    `gold` (may be empty). `sigma` and `mae` are in points of the scale. `note` says why one of
    them is empty.
    """
    scored = ratings[ratings["gold"].notna()]
    has_gold = not scored.empty
    spread = _sums(scored if has_gold else ratings)
    who = participants["participant"]
    table = participants.reset_index(drop=True)
    table["n_ratings"] = _count(ratings, who)
    table["n_gold"] = _count(scored, who)
    table["sigma"] = who.map(_sigma(spread, ddof))
    table["mae"] = who.map(_mae(scored))
    table["note"] = _note(table, has_gold=has_gold, ddof=ddof)
    return table


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


def _mae(scored: DataFrame) -> "Series[float]":
    distance = (scored["rating"] - scored["gold"]).abs()
    return distance.groupby(scored["participant"], observed=True).mean()


def _note(table: DataFrame, *, has_gold: bool, ddof: int) -> np.ndarray:
    n = table["n_gold"] if has_gold else table["n_ratings"]
    reasons = {
        NO_RATINGS: table["n_ratings"] == 0,
        NO_GOLD: n == 0,
        # Without gold scores σ is over all ratings, and MAE is empty for a reason of its own.
        NO_SPREAD if has_gold else f"{NO_SPREAD}; {NO_GOLD}": n <= ddof,
    }
    return np.select(list(reasons.values()), list(reasons), default="" if has_gold else NO_GOLD)
