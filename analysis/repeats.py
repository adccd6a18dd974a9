"""Several judgments of one response by one rater: which of them the analysis takes. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pandas import DataFrame

from survey.definition.settings import RepeatTaken

REPEAT = "repeat"
PAGE = ["participant", "scenario", "set", "dimension"]
RATED = [*PAGE, "model", "condition"]


@dataclass(frozen=True)
class Repeats:
    """Which of several judgments is taken, of how many raters, and how many judgments are beyond
    the first of a rater and response; ranks and choices count by row.
    """

    taken: RepeatTaken
    ratings: int
    ranks: int
    raters: int
    #: `participant`, the names of the item, and its `first` and `second` rating.
    again: DataFrame = field(default_factory=DataFrame)

    @property
    def as_content(self) -> dict[str, Any]:
        """What a manifest has of it; nothing without repeats."""
        if not self.ratings + self.ranks:
            return {}
        return {
            REPEAT + "s": {
                "taken": self.taken,
                "ratings": self.ratings,
                "ranks": self.ranks,
                "raters": self.raters,
            }
        }


@dataclass(frozen=True)
class OneEach:
    """Each rater's ratings and ranks, one of each response, and how many there were."""

    ratings: DataFrame
    ranks: DataFrame
    repeats: Repeats


def one_of_each(tables: Mapping[str, DataFrame], taken: RepeatTaken) -> OneEach:
    """The judgments that count, of the tables `ratings` and `ranks`, without `repeat`.

    A mean is that of ratings: of ranks and choices, whose values are places on one page, the first
    are taken then. Of ranks the whole first or last page of a block counts.
    """
    ratings, ranks = tables["ratings"], tables["ranks"]
    again = [_again(ratings, RATED), _again(ranks, RATED)]
    raters = {name for frame in again for name in frame["participant"]}
    twice = _twice(ratings) if len(again[0]) else DataFrame()
    repeats = Repeats(taken, len(again[0]), len(again[1]), len(raters), twice)
    ratings = _chosen(ratings, RATED, taken) if len(again[0]) else ratings
    ranks = _chosen(ranks, PAGE, "first" if taken == "mean" else taken) if len(again[1]) else ranks
    return OneEach(
        ratings.drop(columns=REPEAT, errors="ignore"),
        ranks.drop(columns=REPEAT, errors="ignore"),
        repeats,
    )


def _again(frame: DataFrame, judged: list[str]) -> DataFrame:
    if REPEAT not in frame or not (frame[REPEAT] > 1).any():
        return frame.iloc[:0]
    return frame[frame.duplicated(judged)]


def _twice(ratings: DataFrame) -> DataFrame:
    """The first and the second rating of each response that a rater rated several times."""
    numbered = ratings.sort_values(REPEAT, kind="stable")
    numbered = numbered.assign(time=numbered.groupby(RATED).cumcount())
    wide = numbered[numbered["time"] < 2].pivot(index=RATED, columns="time", values="rating")
    wide = wide.rename(columns={0: "first", 1: "second"}).dropna().astype("float64")
    return wide.reset_index().rename_axis(columns=None)


def _chosen(frame: DataFrame, judged: list[str], taken: RepeatTaken) -> DataFrame:
    """The rows of one repeat of what is judged; their order stays."""
    of_same = frame.groupby(judged, sort=False, dropna=False)
    numbers = of_same[REPEAT]
    number = numbers.transform("max" if taken == "last" else "min")
    rows = frame[frame[REPEAT] == number]
    if taken != "mean":
        return rows.reset_index(drop=True)
    return rows.assign(rating=of_same["rating"].transform("mean")[rows.index]).reset_index(
        drop=True
    )
