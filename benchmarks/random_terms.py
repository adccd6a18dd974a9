"""Why the mixed models have so many terms: false positives of models with fewer.

    .venv/bin/python benchmarks/random_terms.py [--studies 500] [--jobs 1]

Linear models, each fitted to the same simulated studies; a contrast is true of nobody.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from analysis.stats.mixed import MixedFit, contrasts, crossed, fit_linear
from analysis.tables.fits import RANDOM, SystemLevel, frame_of
from benchmarks.running.tables import reported
from benchmarks.simulated.null_studies import MAIN, A, B, Design

#: By lme4's notation: what was usual, then without single terms of ours, then all of ours.
MODELS = {
    "raters and texts": ("rater", "scenario/system"),
    "no preferences": ("rater", "scenario/condition/system"),
    "no preferences for a system": ("rater/condition", "scenario/condition/system"),
    "no scenario × condition": ("rater/condition/system", "scenario/system"),
    "all": RANDOM,
}
#: Designs with the contrasts that are counted: of a against b over all models, or of two models in
#: one condition.
DESIGNS: dict[str, tuple[Design, str]] = {
    "5 × 50, preferences .3": (MAIN["5x50-0.3"], "conditions"),
    "10 × 20 × 4, preferences for systems .3": (
        Design(raters=10, scenarios=20, sets=2, system_taste_sd=0.3),
        "models",
    ),
    "20 × 20 × 4, scenarios × condition .2": (MAIN["20x20x4-scenarios"], "conditions"),
    "60 × 6 × 4, scenarios × condition .2": (MAIN["60x6x4-scenarios"], "conditions"),
}


@dataclass(frozen=True)
class Part:
    """Some of a design's studies."""

    design: Design
    contrast: str
    studies: int
    seed: int


def rejected(part: Part) -> "np.ndarray":
    """Whether each model rejects (studies × models); NaN where it cannot be fitted."""
    draw = np.random.default_rng(part.seed)
    found = np.full((part.studies, len(MODELS)), np.nan)
    for study in range(part.studies):
        ratings, _ = part.design.study(draw)
        frame = frame_of(ratings)
        for at, groups in enumerate(MODELS.values()):
            data = crossed(frame, rating="rating", fixed=["system"], groups=groups)
            fit = fit_linear(data)
            if isinstance(fit, MixedFit):
                weights = {"null": weights_of(fit, part.contrast)}
                found[study, at] = contrasts(fit, "system", weights)["p"].iloc[0] < 0.05
    return found


def weights_of(fit: MixedFit, contrast: str) -> dict[SystemLevel, float]:
    systems = fit.data.term("system").levels
    if contrast == "models":
        return {SystemLevel("model 1", A): 1.0, SystemLevel("model 2", A): -1.0}
    sides = {A: 1.0, B: -1.0}
    both = [system for system in systems if system.condition in sides]
    return {system: 2 * sides[system.condition] / len(both) for system in both}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=500, help="simulated for each design")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args()
    title = f"Percent rejected at 5 %, {given.studies} studies of each design"
    with reported(title, "raters × scenarios × models", *MODELS) as add:
        for name, (design, contrast) in DESIGNS.items():
            each = given.studies // given.jobs
            parts = [Part(design, contrast, each, 300 + job) for job in range(given.jobs)]
            with ProcessPoolExecutor(given.jobs) as pool:
                found = np.vstack(list(pool.map(rejected, parts)))
            add(name, *(f"{100 * np.nanmean(column):.1f}" for column in found.T))


if __name__ == "__main__":
    main()
