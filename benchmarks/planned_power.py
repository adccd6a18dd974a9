"""Does a study find what `manage.py plan` says it would? Simulated studies of three designs.

    .venv/bin/python benchmarks/planned_power.py [--studies 1000] [--jobs 2] [--store FILE]

Each design has a true difference that is predicted to be found in 80 % of studies. Ratings are
points from 1 to 5, with the typical variance components; each study is analysed by the linear and
by the ordinal model of the main result.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from pandas import DataFrame

from analysis.planning.components import typical
from analysis.planning.design import PlannedDesign
from analysis.planning.power import USUAL_POWER, Precision, precision
from analysis.planning.simulation import SimulatedScale, simulated_p
from analysis.recipe import FittedLink
from analysis.tables.fits import SystemLevel
from benchmarks.running.tables import reported

A, B, REFERENCE = "zero_shot", "fine_tuned", SystemLevel("reference", "reference")
SCALE = SimulatedScale(1, 5)
LINKS: Sequence[FittedLink] = ("linear", "probit")


def design(models: int, raters: int, scenarios: int, pages: int | None = None) -> PlannedDesign:
    """One set of so many models in two conditions, and a reference."""
    systems = [SystemLevel(f"model {m}", condition) for m in range(models) for condition in (A, B)]
    return PlannedDesign(((*systems, REFERENCE),), raters, scenarios, pages)


DESIGNS = {
    "5 raters × 50 scenarios": design(1, 5, 50),
    "40 raters × 12 scenarios, 2 models": design(2, 40, 12),
    "20 raters × 10 of 40 scenarios": design(1, 20, 40, pages=10),
}


@dataclass(frozen=True)
class Part:
    """Some of the studies of a design."""

    design: PlannedDesign
    difference: float
    link: FittedLink
    studies: int
    seed: int


def found(part: Part) -> list[bool]:
    """Whether each study found the difference."""
    p = simulated_p(
        part.design, typical(4), part.design.contrast(A, B), part.difference, SCALE,
        link=part.link, studies=part.studies, seed=part.seed,
    )  # fmt: skip
    return [each < 0.05 for each in p]


COLUMNS = ("design", "model", "difference, points", "predicted", "found")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--store", type=Path, help="write the result to a CSV file")
    given = parser.parse_args()
    rows = []
    with ProcessPoolExecutor(given.jobs) as pool, reported("Power", *COLUMNS) as add:
        for name, planned in DESIGNS.items():
            at = precision(planned, typical(4), planned.contrast(A, B))
            assert isinstance(at, Precision)
            difference = at.detectable(USUAL_POWER)
            for link in LINKS:
                parts = [
                    Part(planned, difference, link, given.studies // given.jobs, seed)
                    for seed in range(1, given.jobs + 1)
                ]
                every = np.concatenate(list(pool.map(found, parts)))
                rows.append(
                    (name, link, difference, at.power(difference), len(every), every.mean())
                )
                add(
                    name,
                    link,
                    f"{difference:.3f}",
                    f"{USUAL_POWER:.1%}",
                    f"{every.mean():.1%} of {len(every):,} studies",
                )
    if given.store:
        columns = ["design", "link", "difference", "predicted", "studies", "found"]
        DataFrame(rows, columns=columns).to_csv(given.store, index=False)


if __name__ == "__main__":
    main()
