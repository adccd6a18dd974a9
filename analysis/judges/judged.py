"""What judges and people said of the same responses, side by side.

A judge here is any source of scores: a configuration of a language model, a file, a panel of
experts. The unit is the response on a dimension, not its place in a set: a reference that stands
in four sets was scored once, and counted four times it would pass for agreement on four texts. So
a rater's ratings of one response are averaged first, and each rater counts once for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd
from pandas import DataFrame, Series

from analysis.composites import with_composites
from analysis.study_data import ITEM, CheckedData, plain, text

#: Where a response stands.
PLACE = ["scenario", "set", "model", "condition"]
IN_SET = "\x1f"  # separates a response's id from its set
#: What a row about responses tells of them.
ABOUT = ["response", "scenario", "sets", "model", "condition", "words"]


@dataclass(frozen=True)
class JudgesData:
    """A study's judges as tidy tables.

    `judge_scores`: `judge`, the columns of `ITEM`, `response` (its id: the same in every set),
    `replicate`, `position` (where the judge saw it in a block, from 1; empty where alone), `score`
    (empty where a call gave none). `responses`: `PLACE`, the `response` that
    stands there, and its length in `words`; at a place that is not among them stands a response of
    its own.
    `judges`: `judge` (unique), `kind` (`judge`, `file`, `panel` or `jury`), `is_gold`, `family`,
    `temperature`, `replicates` (asked for), `comparable` (on the study's scale), `is_stand_in`,
    `presentation` (`single`, `block` or `pair`; the scores of pairs are win
    rates). `returned_models`: `judge`, `returned_model`,
    `fingerprint`, `calls`, `first_at`, `last_at`, then how many answers are no scores and why.
    `families` maps evaluated models to families.
    `epsilon` is the alt-test's, by who the study's raters are; `seed` is of every bootstrap.
    """

    judge_scores: DataFrame
    responses: DataFrame
    judges: DataFrame
    returned_models: DataFrame
    families: Mapping[str, str]
    epsilon: float = 0.1
    seed: int = 1
    #: What judges of pairs said: see `pairs.judge_pairs`.
    comparisons: DataFrame = field(default_factory=DataFrame)
    #: `judge` and `response`: what a judge, or one of a jury, had as examples in its prompt.
    examples: DataFrame = field(default_factory=lambda: DataFrame(columns=["judge", "response"]))


class ScoreSource(NamedTuple):
    """One source of scores. Its `temperature` is None where it has none, or none is known."""

    name: str
    kind: str
    is_gold: bool
    family: str
    temperature: float | None
    replicates: int
    comparable: bool
    is_stand_in: bool
    presentation: str

    @property
    def in_blocks(self) -> bool:
        """Whether it saw several responses at once, so that a score is of a place in a block."""
        return self.presentation != "single"


@dataclass(frozen=True)
class Judged:
    """Scores and ratings of one study's responses.

    `cells` has a row for each place of a response and dimension: `ITEM`, `response`, `words`, and
    `family` of the model, in study order. `scores` has `judge`, `dimension`, `item`, `replicate`,
    `position`, `score`: an item is a response, or its place in a set where the judge saw whole
    blocks. `ratings` are people's: `participant`, `dimension`, `response`, `rating`.
    """

    judges: list[ScoreSource]
    cells: DataFrame
    scores: DataFrame
    ratings: DataFrame
    #: By judge, the responses that it had as examples.
    examples: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def dimensions(self) -> list[str]:
        return list(self.cells["dimension"].unique())

    def dimensions_of(self, judge: ScoreSource) -> list[str]:
        return [name for name in self.dimensions if (judge.name, name) in self._scores]

    @cached_property
    def people(self) -> dict[str, DataFrame]:
        """The mean of each rater's ratings of each response (responses × raters), by dimension."""
        means = self.ratings.groupby(["dimension", "response", "participant"])["rating"].mean()
        rated = set(self.ratings["dimension"])
        return {name: means.loc[name].unstack() for name in self.dimensions if name in rated}

    @cached_property
    def responses(self) -> dict[str, DataFrame]:
        """The responses of each dimension, by their id: `ABOUT` and `family`."""
        return self._items(self.cells["response"])

    @cached_property
    def _places(self) -> dict[str, DataFrame]:
        return self._items(self.cells["response"] + IN_SET + self.cells["set"])

    def _items(self, item: "Series[str]") -> dict[str, DataFrame]:
        by_dimension = {}
        for dimension, cells in self.cells.assign(item=item).groupby("dimension", sort=False):
            sets = cells.groupby("item", sort=False)["set"].agg(", ".join)
            first = cells.drop_duplicates("item").set_index("item")
            by_dimension[str(dimension)] = first.assign(sets=sets)[[*ABOUT, "family"]]
        return by_dimension

    def items(self, judge: ScoreSource, dimension: str) -> DataFrame:
        """What the judge is asked about, by item: `ABOUT` and `family`."""
        return (self._places if judge.in_blocks else self.responses)[dimension]

    def calls(self, judge: ScoreSource, dimension: str) -> "Series[str]":
        """Which of a replicate's calls each item was asked in: that of its block, or its own."""
        items = self.items(judge, dimension)
        if judge.in_blocks:
            return items["scenario"] + IN_SET + items["sets"]
        return Series(items.index, index=items.index)

    @cached_property
    def _scores(self) -> dict[tuple[str, str], DataFrame]:
        """Scores by judge and dimension (items × replicates)."""
        index = ["item", "replicate"]
        return {
            (str(judge), str(dimension)): scores.set_index(index)["score"].unstack()
            for (judge, dimension), scores in self.scores.groupby(["judge", "dimension"])
        }

    def replicates(self, judge: ScoreSource, dimension: str) -> DataFrame:
        """The judge's scores (items × replicates, NaN where there is none).

        A language model is asked about every item; of others there are those that they scored.
        """
        items = self.items(judge, dimension).index
        table = self._scores[judge.name, dimension].reindex(items)
        return table if judge.kind == "judge" else table.dropna(how="all")

    def means(self, judge: ScoreSource, dimension: str) -> "Series[float]":
        """The mean of all of the judge's scores of each response, for those that have any, without
        its examples: it knows ratings of these, so they would say too much for it.
        """
        table = self.replicates(judge, dimension)
        response = self.items(judge, dimension)["response"].reindex(table.index)
        sums = DataFrame({"total": table.sum(axis=1), "n": table.count(axis=1)})
        by_response = sums.groupby(response, sort=False).sum()
        means: Series[float] = (by_response["total"] / by_response["n"]).dropna()
        return means[~means.index.isin(self.examples.get(judge.name, frozenset()))]

    def n_examples(self, judge: ScoreSource, dimension: str) -> int:
        """How many of a judge's examples people rated: as many responses are left out."""
        people = self.people.get(dimension, DataFrame())
        return len(self.examples.get(judge.name, frozenset()).intersection(people.index))


def judged(checked: CheckedData, judges: JudgesData, raters: "Series[str]") -> Judged:
    """What `judges` and those `raters` said. `checked` has all cells that the judges scored.

    A judge's score on a composite is the mean of its scores on the parts in the same replicate.
    """
    kept = judges.judge_scores
    scores = kept.assign(**{name: text(kept[name]) for name in [*ITEM, "judge", "response"]})
    scores = with_composites(
        scores.assign(score=pd.to_numeric(scores["score"]).astype("float64")),
        checked.composites,
        value="score",
        by=["judge", *PLACE, "response", "replicate"],
        same=["position"],
    )
    cells = _identified(plain(checked.known[ITEM]), judges.responses)
    cells["family"] = cells["model"].map(lambda model: judges.families.get(model, ""))
    everybody = [_judge(row) for row in judges.judges.to_dict("records")]
    blocks = [judge.name for judge in everybody if judge.in_blocks]
    in_sets = scores["judge"].isin(blocks)
    item = scores["response"].where(~in_sets, scores["response"] + IN_SET + scores["set"])
    keys = ["judge", "dimension", "item", "replicate"]
    numbers = {
        name: pd.to_numeric(scores[name]).astype("float64") for name in ("score", "position")
    }
    scores = scores.assign(item=item, **numbers)
    ratings = checked.ratings[checked.ratings["participant"].isin(raters)]
    places = cells[[*ITEM, "response"]]
    return Judged(
        judges=everybody,
        cells=cells,
        scores=scores.groupby(keys, sort=False)[["position", "score"]].mean().reset_index(),
        ratings=plain(ratings[["participant", *ITEM, "rating"]]).merge(places, on=ITEM),
        examples={
            str(judge): frozenset(text(of["response"]))
            for judge, of in judges.examples.groupby("judge")
        },
    )


def _identified(cells: DataFrame, responses: DataFrame) -> DataFrame:
    """The cells with the `response` that stands in each, and its `words`."""
    named = responses.assign(**{name: text(responses[name]) for name in [*PLACE, "response"]})
    merged = cells.merge(named, on=PLACE, how="left", validate="many_to_one")
    own = cells[PLACE[0]].str.cat(cells[PLACE[1:]], sep=IN_SET)
    response = merged["response"].fillna(own).astype("str")
    return cells.assign(response=response, words=pd.to_numeric(merged["words"]))


def same_family(model: str, judge: str) -> bool:
    """Whether a model's family is that of a judge, or of one of a jury (between semicolons),
    however they are capitalised; no name is of none.
    """
    families = {name.strip() for name in judge.casefold().split(";")}
    return bool(model) and model.casefold() in families


def _judge(row: Mapping[Any, Any]) -> ScoreSource:
    temperature = row["temperature"]
    family = row["family"]
    return ScoreSource(
        name=str(row["judge"]),
        kind=str(row["kind"]),
        is_gold=bool(row["is_gold"]),
        family="" if pd.isna(family) else str(family),
        temperature=None if pd.isna(temperature) else float(temperature),
        replicates=int(row["replicates"]),
        comparable=bool(row["comparable"]),
        is_stand_in=bool(row["is_stand_in"]),
        presentation=str(row["presentation"]),
    )
