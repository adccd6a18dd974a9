"""Does the comparison of two groups of systems find differences that are not there, and does the
interval of a single system cover its mean?

    .venv/bin/python benchmarks/group_calibration.py [--studies 400] [--designs 5x50 …] [--store …]

Simulated studies of known truth: one system of a person and five of models, whose means are that of
the person on average; or the person's system alone. The functions are those of a researcher's
tables.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from pandas import DataFrame

from analysis.recipe import FittedLink, MixedModels, shipped_recipes
from analysis.stats.mixed import MixedFit
from analysis.study_data import ITEM, Contrast
from analysis.tables.fits import Fits
from analysis.tables.mixed_models import system_contrasts
from analysis.tables.told_apart import told_apart
from benchmarks.running.tables import reported

CONTRAST = Contrast("human", "ai", None)
#: Latent means of the five models' systems: even around that of the person.
OFFSETS = np.array([0.0, -0.3, -0.15, 0.0, 0.15, 0.3])
#: Even around 3, so that the mean rating of a system with a latent mean of 0 is 3.
THRESHOLDS = np.array([-1.2, -0.4, 0.4, 1.2])
MEAN, ENDS = 3.0, (1.0, 5.0)
SOUND = shipped_recipes()["sound"]
LINKS: tuple[FittedLink, ...] = ("linear", "probit")
SEED = 490


@dataclass(frozen=True)
class Design:
    """Raters rate all systems in so many (`each`) of the scenarios; of these ratings, a share is
    `missing`. SDs are latent ones; that of a single rating is 1.
    """

    raters: int
    scenarios: int
    each: int
    missing: float = 0.0
    rater: float = 0.6
    preference: float = 0.3
    liking: float = 0.15
    scenario: float = 0.3
    scenario_condition: float = 0.1
    text: float = 0.35

    def study(self, draw: np.random.Generator, *, systems: int) -> DataFrame:
        rater, scenario, system = (
            each.ravel() for each in np.indices((self.raters, self.scenarios, systems))
        )
        condition = np.minimum(system, 1)
        latent = (
            OFFSETS[system]
            + draw.normal(0, self.rater, self.raters)[rater]
            + draw.normal(0, self.preference, (self.raters, 2))[rater, condition]
            + draw.normal(0, self.liking, (self.raters, systems))[rater, system]
            + draw.normal(0, self.scenario, self.scenarios)[scenario]
            + draw.normal(0, self.scenario_condition, (self.scenarios, 2))[scenario, condition]
            + draw.normal(0, self.text, (self.scenarios, systems))[scenario, system]
            + draw.normal(0, 1, len(rater))
        )
        order = draw.random((self.raters, self.scenarios)).argsort(axis=1).argsort(axis=1)
        rated = (order < self.each)[rater, scenario] & (draw.random(len(rater)) >= self.missing)
        frame: DataFrame = DataFrame(
            {
                "participant": [f"r{number}" for number in rater],
                "scenario": [f"S{number}" for number in scenario],
                "set": "",
                "model": [f"m{number}" for number in system],
                "condition": np.where(condition == 0, "human", "ai"),
                "dimension": "quality",
                "rating": 1 + np.digitize(latent, THRESHOLDS),
            }
        )[rated]
        return frame.astype(dict.fromkeys(ITEM, "category")).reset_index(drop=True)


DESIGNS = {
    "5x50": Design(5, 50, 50),
    "25x6 of 60": Design(25, 60, 6),
    "8x40, 30 % missing": Design(8, 40, 40, missing=0.3),
}


def group_against_group(ratings: DataFrame, link: FittedLink) -> bool:
    """Whether a difference is found that is not there."""
    fit = Fits().of(ratings, link)
    if not isinstance(fit, MixedFit):
        return False
    rows = [row for row in system_contrasts(fit, CONTRAST, SOUND) if row["scale"] == "ratings"]
    (row,) = (row for row in rows if row["model"] == "all")
    return bool(row["p"] < 0.05)


def single_system(ratings: DataFrame, link: FittedLink) -> bool:
    """Whether its interval misses its mean."""
    recipe = SOUND.model_copy(update={"mixed_models": MixedModels(links=[link])})
    table = told_apart(ratings, recipe, raters="all", fits=Fits(ends=ENDS)).groups
    row = table.iloc[0]
    return not row["ci_low"] <= MEAN <= row["ci_high"]


COLUMNS = ("raters × scenarios", "what is wrong", "model", "studies")
WHAT = {
    "group_against_group": "a difference is found",
    "single_system": "the interval misses",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--designs", nargs="+", choices=DESIGNS, default=list(DESIGNS))
    parser.add_argument("--store", type=Path, help="append the counts to a CSV file")
    given = parser.parse_args()
    with reported(f"Wrong, of {given.studies} studies of each design", *COLUMNS) as add:
        for number, name in enumerate(DESIGNS):
            if name not in given.designs:
                continue
            for what, systems in ((group_against_group, len(OFFSETS)), (single_system, 1)):
                wrong = count(what, DESIGNS[name], systems, given.studies, SEED + number)
                for link, n in wrong.items():
                    add(name, WHAT[what.__name__], link, f"{n} of {given.studies}")
                if given.store:
                    store(given.store, name, what.__name__, given.studies, wrong)


def count(
    what: Callable[[DataFrame, FittedLink], bool],
    design: Design,
    systems: int,
    studies: int,
    seed: int,
) -> dict[str, int]:
    """How many of the simulated studies go wrong, by link."""
    draw = np.random.default_rng(seed)
    wrong: dict[str, int] = dict.fromkeys(LINKS, 0)
    for _ in range(studies):
        ratings = design.study(draw, systems=systems)
        for link in LINKS:
            wrong[link] += what(ratings, link)
    return wrong


def store(file: Path, design: str, what: str, studies: int, wrong: dict[str, int]) -> None:
    rows = DataFrame(
        [(design, what, link, studies, n) for link, n in wrong.items()],
        columns=["design", "what", "link", "studies", "wrong"],
    )
    rows.to_csv(file, mode="a", header=not file.exists(), index=False)


if __name__ == "__main__":
    main()
