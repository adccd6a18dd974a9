"""Does a rater's fit to the mixed model find careless raters without gold scores, and how does it
compare with σ and with the distance to gold scores?

    .venv/bin/python benchmarks/careless.py [--studies 20]
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from pandas import DataFrame, Series

from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM
from analysis.tables.rater_fit import rater_fit
from benchmarks.running.tables import reported

SOUND = shipped_recipes()["sound"]
#: Raters, scenarios and systems.
DESIGNS = [(40, 8, 4), (20, 10, 5), (5, 50, 3), (116, 6, 10)]
THRESHOLDS = [-1.2, -0.4, 0.5, 1.4]


@dataclass(frozen=True)
class Careless:
    """Ratings from 1 to 5, what each rater is, and each rater's σ and distance to gold scores that
    are the texts' true means.
    """

    ratings: DataFrame
    behaviour: Series
    sigma: Series
    mae: Series


def planted(*, raters: int, scenarios: int, systems: int, seed: int) -> Careless:
    """A tenth of the raters, but at least one, rates by chance, as many nearly always the same; the
    others differ in severity and in their preferences.
    """
    draw = np.random.default_rng(seed)
    shape = (raters, scenarios, systems)
    texts = np.linspace(-0.5, 0.5, systems) + draw.normal(0, 0.3, (scenarios, 1))
    texts = texts + draw.normal(0, 0.4, shape[1:])
    latent = (
        texts + draw.normal(0, 0.6, (raters, 1, 1)) + draw.normal(0, 0.25, (raters, 1, systems))
    )
    rating = 1 + np.searchsorted(THRESHOLDS, latent + draw.normal(0, 1, shape))
    few = max(1, raters // 10)
    behaviour = np.repeat(
        ["random_clicker", "straight_liner", "careful"], [few, few, raters - 2 * few]
    )
    rating[:few] = draw.integers(1, 6, (few, *shape[1:]))
    always = draw.integers(2, 5, (few, 1, 1)) * np.ones((few, *shape[1:]), dtype=int)
    moved = draw.choice([-1, 0, 1], always.shape, p=[0.05, 0.9, 0.05])
    rating[few : 2 * few] = always + moved
    names = np.array([f"p{number:02}" for number in range(raters)])
    rater, scenario, system = (each.ravel() for each in np.indices(shape))
    frame = DataFrame(
        {
            "participant": names[rater],
            "scenario": [f"S{each:02}" for each in scenario],
            "set": "",
            "model": [f"m{each:02}" for each in system],
            "condition": "base",
            "dimension": "quality",
            "rating": rating.ravel(),
        }
    )
    gold = 3 + 0.9 * texts
    return Careless(
        frame.astype(dict.fromkeys(ITEM, "category")),
        Series(behaviour, index=names),
        Series(rating.reshape(raters, -1).std(axis=1, ddof=1), index=names),
        Series(np.abs(rating - gold).mean(axis=(1, 2)), index=names),
    )


def found(study: Careless) -> dict[str, float]:
    """How often a careless rater stands out more than a careful one (the area under the ROC curve):
    by a high infit, σ or distance among raters by chance, by a low infit or σ and a high distance
    among those who always rate the same.
    """
    infit = rater_fit(study.ratings, SOUND, raters="all").set_index("participant")["infit"]
    measures = {"infit": infit.astype(float), "sigma": study.sigma, "mae": study.mae}
    shares = {}
    for kind in ("random_clicker", "straight_liner"):
        for name, values in measures.items():
            is_low = kind == "straight_liner" and name != "mae"
            striking = (-values if is_low else values).loc[study.behaviour.index]
            careless = striking[study.behaviour == kind].to_numpy()[:, None]
            careful = striking[study.behaviour == "careful"].to_numpy()[None]
            ahead = (careless > careful) + (careless == careful) / 2
            shares[f"{name}, {kind}"] = float(ahead.mean())
    return shares


COLUMNS = ("raters × scenarios × systems", "careless raters and measure", "area")


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--studies", type=int, default=20, help="simulated studies of each design")
    return parser.parse_args(given)


def main() -> None:
    studies = arguments().studies
    with reported(f"Area under the ROC curve, {studies} studies of each design", *COLUMNS) as add:
        for raters, scenarios, systems in DESIGNS:
            each = [
                found(planted(raters=raters, scenarios=scenarios, systems=systems, seed=seed))
                for seed in range(studies)
            ]
            for key in each[0]:
                mean = np.mean([one[key] for one in each])
                add(f"{raters} × {scenarios} × {systems}", key, f"{mean:.2f}")


if __name__ == "__main__":
    main()
