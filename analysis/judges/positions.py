"""Does a judge of whole blocks score by the position at which a response is shown to it?"""

from typing import Any

import numpy as np
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.judges.judged import Judged, ScoreSource
from analysis.stats.shown_positions import PositionEffects, position_effects
from analysis.study_data import records

P_OF_ALL = c.P.but(meaning="p value of no effect of any position (randomization test)")
JUDGE_POSITIONS = TableSpec(
    "judge_positions",
    "Position bias of judges",
    (
        c.JUDGE, c.DIMENSION,
        Column("position", "Position of the response in the judge's call, from 1", kind="count",
            is_key=True),
        Column("effect", "Points above the mean of all positions, for the same responses"),
        *c.interval("effect"),
        c.N.but(meaning="Number of scores at this position"),
        P_OF_ALL,
        Column("n_calls", "Number of calls about whole blocks", kind="count").csv_only(),
        Column("n_scenarios", "Number of scenarios", kind="count"),
        c.NOTE,
    ),
    question="Do judges score by position?",
    observations="scores",
    says="A judge of whole blocks sees several responses at once, in random order. The effect of a "
        "position is in points of the judge's scale, above the mean of all positions. p belongs to "
        "all positions of a dimension: how often responses that change places at random differ as "
        "much. To average a bias out, give the judge as many replicates as a block has responses.",
    section="Judges",
)  # fmt: skip


def judge_positions(judged: Judged, *, seed: int) -> DataFrame:
    """A row per judge of whole blocks, dimension and position; one row with a note where positions
    can't be told apart. Judges that see each response alone have no rows.
    """
    rows = []
    for judge in judged.judges:
        if judge.presentation == "block":
            for dimension in judged.dimensions_of(judge):
                front = {"judge": judge.name, "dimension": dimension}
                shown = _shown(judged, judge, dimension)
                rows += [front | row for row in _positions(shown, seed)]
    table = DataFrame(rows, columns=JUDGE_POSITIONS.names)
    return table.astype({"position": "Int64", "n": "Int64"})


def _positions(shown: DataFrame, seed: int) -> list[dict[str, Any]]:
    found = position_effects(shown, seed=seed)
    if found is None:
        return [{"note": "not estimable, because no block was scored in several positions"}]
    return [row | _about(found, row) for row in records(found.effects)]


def _about(found: PositionEffects, row: dict[str, Any]) -> dict[str, Any]:
    no_interval = "no interval, because there are too few scenarios"
    return {
        "p": found.p,
        "n_calls": found.n_calls,
        "n_scenarios": found.n_scenarios,
        "note": no_interval if np.isnan(row["ci_low"]) else "",
    }


def _shown(judged: Judged, judge: ScoreSource, dimension: str) -> DataFrame:
    """The scores with their scenario and block, as `position_effects` takes them."""
    ours = judged.scores["judge"].eq(judge.name) & judged.scores["dimension"].eq(dimension)
    scores = judged.scores[ours]
    blocks = judged.calls(judge, dimension)
    scenarios = judged.items(judge, dimension)["scenario"]
    return scores.assign(
        block=scores["item"].map(blocks), scenario=scores["item"].map(scenarios).astype("str")
    )
