"""Studies of known truth: conditions and groups of raters that do not differ, in many designs.

Each study has its own random raters and texts. A rating is a point from 1 to 5.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from pandas import DataFrame, Series
from scipy.optimize import brentq
from scipy.stats import norm

from analysis.recipe import Scale, shipped_recipes

A, B, REFERENCE = "zero_shot", "fine_tuned", "reference"
#: Of a latent rating whose spread within a rater and text is 1; even around a mean of 3.
THRESHOLDS = np.array([-1.2, -0.4, 0.4, 1.2])
SCALE = Scale([(n, f"point {n}") for n in range(1, len(THRESHOLDS) + 2)], between=False)
#: By how much a reference may be above and still not be better, in points of the scale.
MARGIN = shipped_recipes()["sound"].on(SCALE).margins.reference
#: What simulated raters answer, whatever they rate: as many, in these shares.
ANSWERS = {
    "age": ({"70": 25, "30": 91}, {"a": "70", "b": "30"}),
    "gender": ({"Woman": 58, "Man": 58}, {"a": "Woman", "b": "Man"}),
}
REGIONS = ("Midwest", "Northeast", "South", "West")


@dataclass(frozen=True)
class Design:
    """Everybody rates every response: `scenarios` × `sets` blocks, each of some models (`of_set`)
    in both conditions and the reference. Or each block is `seen_by` so many raters; or each rater
    rates one system, so that systems differ `between` raters.

    SDs are those of latent effects: of raters, of what a rater thinks of a condition (`taste`) and
    of a system, of scenarios, of a scenario in a condition, and of texts. Where texts are `alike`,
    both conditions' answers to a scenario are equally good, one by one; where tastes are `evened`,
    those of the study's own raters add up to nothing.
    """

    raters: int = 116
    scenarios: int = 6
    sets: int = 4
    of_set: int = 2
    rater_sd: float = 0.6
    taste_sd: float = 0.0
    scenario_sd: float = 0.2
    text_sd: float = 0.35
    alike: bool = False
    evened: bool = False
    system_taste_sd: float = 0.0
    scenario_taste_sd: float = 0.0
    seen_by: int = 0
    between: bool = False

    @cached_property
    def _shown(self) -> DataFrame:
        """What each rater rates: numbers of scenario, set, system and condition."""
        rows = []
        for scenario, number in product(range(self.scenarios), range(self.sets)):
            models = range(self.of_set * number, self.of_set * (number + 1))
            shown = [*product(models, (0, 1)), (self.of_set * self.sets, 2)]
            rows += [(scenario, number, *system) for system in shown]
        return DataFrame(rows, columns=["scenario", "set", "model", "condition"])

    @cached_property
    def _frame(self) -> DataFrame:
        """The ratings of a study without their values, as `study_data.check` gives them."""
        each = self._shown
        models = [f"model {number + 1}" for number in range(self.of_set * self.sets)]
        names = {
            "scenario": [f"S{number + 1}" for number in range(self.scenarios)],
            "set": [str(number + 1) for number in range(self.sets)],
            "model": [*models, REFERENCE],
            "condition": [A, B, REFERENCE],
        }
        rows = each.loc[np.tile(each.index, self.raters)].reset_index(drop=True)
        categories = {
            column: Series(np.array(values, dtype=object)[rows[column]]).astype("category")
            for column, values in names.items()
        }
        frame = DataFrame(
            {
                "participant": np.repeat([f"r{n:04}" for n in range(self.raters)], len(each)),
                **categories,
                "dimension": Series("empathy", index=rows.index).astype("category"),
            }
        )
        for column, values in names.items():
            frame[column] = frame[column].cat.set_categories(values, ordered=True)
        return frame

    @cached_property
    def to_the_margin(self) -> float:
        """By how much the reference's latent mean is above, so that the expected rating is above
        by just the recipe's margin.
        """
        assert MARGIN is not None
        return self._latent(MARGIN)

    def _latent(self, points: float) -> float:
        effects = self.rater_sd**2 + self.taste_sd**2 + self.scenario_sd**2 + self.text_sd**2
        spread = np.sqrt(1 + effects)

        def expected(mean: float) -> float:
            return float(norm.sf((THRESHOLDS - mean) / spread).sum()) - 2 - points

        return float(brentq(expected, -2, 2))

    def study(self, draw: np.random.Generator) -> tuple[DataFrame, DataFrame]:
        """Ratings and people of a study whose conditions and groups of raters do not differ."""
        each = self._shown
        scenario, condition = each["scenario"].to_numpy(), each["condition"].to_numpy()
        system = each.groupby(["model", "condition"]).ngroup().to_numpy()
        numbers = each.groupby(["scenario", "model", "condition"]).ngroup().to_numpy()
        if self.alike:
            numbers = each.groupby(["scenario", "model"]).ngroup().to_numpy()
        text = draw.normal(0, self.text_sd, numbers.max() + 1)[numbers]
        kindness = draw.normal(0, self.rater_sd, (self.raters, 1))
        tastes = draw.normal(0, self.taste_sd, (self.raters, 3))
        if self.evened:
            tastes -= tastes.mean(axis=0)
        latent = (
            kindness
            + tastes[:, condition]
            + draw.normal(0, self.scenario_sd, self.scenarios)[scenario]
            + text
            + draw.normal(0, self.system_taste_sd, (self.raters, system.max() + 1))[:, system]
            + draw.normal(0, self.scenario_taste_sd, (self.scenarios, 3))[scenario, condition]
            + np.where(condition == 2, self.to_the_margin, 0)
            + draw.normal(0, 1, (self.raters, len(each)))
        )
        ratings = self._frame.assign(rating=1 + np.digitize(latent, THRESHOLDS).ravel())
        rated = self._rated(draw, each.groupby(["scenario", "set"]).ngroup().to_numpy(), system)
        return ratings[rated.ravel()].reset_index(drop=True), self._people(draw)

    def _rated(
        self, draw: np.random.Generator, block: "np.ndarray", system: "np.ndarray"
    ) -> "np.ndarray":
        """Which responses (columns) each rater rates."""
        rated = np.ones((self.raters, len(block)), dtype=bool)
        if self.seen_by:
            order = draw.random((self.raters, block.max() + 1)).argsort(axis=0).argsort(axis=0)
            rated &= (order < self.seen_by)[:, block]
        if self.between:
            own = draw.permutation(self.raters) % (system.max() + 1)
            rated &= own[:, None] == system
        return rated

    def _people(self, draw: np.random.Generator) -> DataFrame:
        people = DataFrame({"participant": self._frame["participant"].unique()})
        for column, (shares, _) in ANSWERS.items():
            of_all = np.cumsum(list(shares.values())) / sum(shares.values()) * self.raters
            which = np.searchsorted(np.round(of_all)[:-1], np.arange(self.raters), side="right")
            people[column] = np.array(list(shares))[draw.permutation(which)]
        people["region"] = np.array(REGIONS)[draw.permutation(self.raters) % len(REGIONS)]
        return people


DESIGNS = {
    "texts": Design(),
    "alike": Design(alike=True),
    "tastes": Design(taste_sd=0.3),
    "evened": Design(taste_sd=0.3, evened=True),
    "small": Design(raters=40, scenarios=12, sets=1),
}
#: Of the main result alone: designs in which random intercepts of raters and items are not enough.
MAIN = {
    **{
        f"{raters}x{scenarios}-{taste:g}": Design(
            raters=raters, scenarios=scenarios, sets=1, of_set=1, taste_sd=taste
        )
        for raters, scenarios, taste in (
            (5, 50, 0.3), (5, 50, 0.0), (5, 100, 0.15), (5, 100, 0.0), (10, 20, 0.3), (10, 20, 0.0),
            (3, 200, 0.2), (3, 200, 0.0), (40, 12, 0.4), (40, 12, 0.0),
        )
    },
    "116x6x8-0.3": Design(sets=4, taste_sd=0.3),
    "116x6x8-0": Design(sets=4),
    "116x6x8-systems": Design(sets=4, system_taste_sd=0.3),
    "incomplete-0.3": Design(raters=20, scenarios=100, sets=1, of_set=1, taste_sd=0.3, seen_by=3),
    "between": Design(raters=60, scenarios=10, sets=1, of_set=1, between=True),
    "20x20x4-scenarios": Design(
        raters=20, scenarios=20, sets=2, taste_sd=0.3, scenario_taste_sd=0.2
    ),
    "60x6x4-scenarios": Design(
        raters=60, scenarios=6, sets=2, taste_sd=0.2, scenario_taste_sd=0.2
    ),
}  # fmt: skip
