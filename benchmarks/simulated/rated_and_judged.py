"""Studies of known truth of which people rated some responses and judges scored all.

Each study has its own random raters, scenarios and responses. A rating is a point from 1 to 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
from pandas import DataFrame
from scipy.stats import norm

from analysis.judges.judged import Judged, ScoreSource
from benchmarks.simulated.null_studies import THRESHOLDS, A, B

CONDITIONS = (A, B)
#: How well each judge knows what a response is worth. The useless one knows nothing of it.
JUDGES = ("good", "biased", "useless")
CALLS = 3
DIMENSION = "empathy"


@dataclass(frozen=True)
class Design:
    """Every model answers every scenario in both conditions, and judges score all responses.

    People rate `rated` of the scenarios, with all their responses, or of every scenario `of_each`
    responses, drawn at random. Each of these has `ratings` by raters who are drawn at random.

    SDs are those of latent effects: of raters, of what a rater thinks of a condition (`taste`), of
    scenarios, of a scenario in a condition, and of responses; a single rating's is 1.
    """

    scenarios: int
    rated: int = 0
    of_each: int = 0
    models: int = 3
    raters: int = 20
    ratings: int = 6
    rater_sd: float = 0.5
    taste_sd: float = 0.2
    scenario_sd: float = 0.5
    scenario_taste_sd: float = 0.25
    text_sd: float = 0.5

    @cached_property
    def responses(self) -> DataFrame:
        """A row for each response, in study order."""
        names = [f"model {number + 1}" for number in range(self.models)]
        rows = product([f"S{n + 1}" for n in range(self.scenarios)], names, CONDITIONS)
        table = DataFrame(rows, columns=["scenario", "model", "condition"])
        response = table["scenario"] + "/" + table["model"] + "/" + table["condition"]
        return table.assign(set="", dimension=DIMENSION, response=response, words=100, family="")

    @cached_property
    def latent(self) -> "np.ndarray":
        """What each response is worth but for chance, by its system."""
        model = pd.factorize(self.responses["model"])[0]
        condition = pd.factorize(self.responses["condition"])[0]
        return np.asarray(0.3 * model - 0.2 + 0.3 * condition)

    @cached_property
    def truth(self) -> DataFrame:
        """The expected rating of each system, over all raters, scenarios and responses."""
        variances = [
            self.rater_sd**2,
            self.taste_sd**2,
            self.scenario_sd**2,
            self.scenario_taste_sd**2,
            self.text_sd**2,
        ]
        spread = np.sqrt(1 + sum(variances))
        expected = 1 + norm.sf((THRESHOLDS - self.latent[:, None]) / spread).sum(axis=1)
        systems = self.responses[["model", "condition"]].assign(mean=expected)
        return systems.drop_duplicates(["model", "condition"])

    def study(self, draw: np.random.Generator) -> Judged:
        """What people and all judges say of a study's responses."""
        n = len(self.responses)
        scenario = pd.factorize(self.responses["scenario"])[0]
        condition = pd.factorize(self.responses["condition"])[0]
        quality = (
            self.latent
            + draw.normal(0, self.scenario_sd, self.scenarios)[scenario]
            + draw.normal(0, self.scenario_taste_sd, (self.scenarios, 2))[scenario, condition]
            + draw.normal(0, self.text_sd, n)
        )
        own = draw.normal(0, 0.4, self.scenarios)[scenario]
        opinions = {
            "good": quality,
            "biased": 0.6 * quality + own + 0.5 + 0.8 * condition,
            "useless": own + draw.normal(0, 0.6, n),
        }
        scores = [self._scores(draw, judge, of) for judge, of in opinions.items()]
        return Judged(
            judges=[_judge(name) for name in JUDGES],
            cells=self.responses,
            scores=pd.concat(scores, ignore_index=True),
            ratings=self._ratings(draw, quality, condition),
        )

    def _scores(self, draw: np.random.Generator, judge: str, opinion: "np.ndarray") -> DataFrame:
        """A judge's scores: whole points, by calls that differ by chance."""
        calls = opinion[:, None] + draw.normal(0, 0.4, (len(opinion), CALLS))
        return DataFrame(
            {
                "judge": judge,
                "dimension": DIMENSION,
                "item": np.repeat(self.responses["response"], CALLS),
                "replicate": np.tile(np.arange(1, CALLS + 1), len(opinion)),
                "score": 1.0 + np.digitize(calls, THRESHOLDS).ravel(),
            }
        )

    def _ratings(
        self, draw: np.random.Generator, quality: "np.ndarray", condition: "np.ndarray"
    ) -> DataFrame:
        response = np.repeat(np.array(list(self._rated(draw))), self.ratings)
        order = draw.random((len(response) // self.ratings, self.raters)).argsort(axis=1)
        rater = order[:, : self.ratings].ravel()
        latent = (
            quality[response]
            + draw.normal(0, self.rater_sd, self.raters)[rater]
            + draw.normal(0, self.taste_sd, (self.raters, 2))[rater, condition[response]]
            + draw.normal(0, 1, len(response))
        )
        return DataFrame(
            {
                "participant": [f"r{number:02}" for number in rater],
                "dimension": DIMENSION,
                "response": self.responses["response"].to_numpy()[response],
                "rating": 1 + np.digitize(latent, THRESHOLDS),
            }
        )

    def _rated(self, draw: np.random.Generator) -> Iterator[int]:
        """The numbers of the responses that people rate."""
        each = 2 * self.models
        for scenario in draw.permutation(self.scenarios)[: self.rated]:
            yield from range(scenario * each, (scenario + 1) * each)
        if self.of_each:
            for scenario in range(self.scenarios):
                yield from (scenario * each + draw.permutation(each)[: self.of_each]).tolist()


def _judge(name: str) -> ScoreSource:
    return ScoreSource(name, "judge", False, "", 1.0, CALLS, True, False, "single")


DESIGNS = {
    "6 of 12 scenarios": Design(12, rated=6),
    "3 of 6 responses to each of 12": Design(12, of_each=3),
    "20 of 60 scenarios": Design(60, rated=20),
    "2 of 6 responses to each of 60": Design(60, of_each=2),
    "10 of 100 scenarios": Design(100, rated=10),
    "6 of 12 scenarios, 5 raters": Design(12, rated=6, raters=5, ratings=5),
    "20 of 60 scenarios, one rating each": Design(60, rated=20, ratings=1),
}
