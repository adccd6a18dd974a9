"""Makes study.csv.xz: a simulated study of the published one's shape, always the same.

116 raters, 6 scenarios, 8 models in two conditions, and a reference that is shown in four sets:
everybody gives 6 × 20 ratings to 6 × 17 texts.

    python tests/oracle/mixed/simulate.py
"""

from pathlib import Path

import numpy as np
import pandas as pd

SEED = 20250821
RATERS, SCENARIOS, MODELS = 116, 6, 8
RATER_SD, TEXT_SD = 0.6, 0.35
THRESHOLDS = [-1.6, -0.8, -0.1, 0.9]


def study() -> pd.DataFrame:
    draw = np.random.default_rng(SEED)
    systems = [f"{model}{condition}" for model in "ABCDEFGH"[:MODELS] for condition in "fz"]
    shown = [*range(len(systems)), *[len(systems)] * 4]
    names = [*systems, "reference"]
    effects = np.append(np.repeat(np.linspace(-0.3, 0.3, MODELS), 2), 0.5)
    effects[: 2 * MODELS : 2] += 0.1
    rater, scenario, place = np.indices((RATERS, SCENARIOS, len(shown))).reshape(3, -1)
    system = np.array(shown)[place]
    text = scenario * len(names) + system
    latent = (
        effects[system]
        + np.linspace(-0.2, 0.2, SCENARIOS)[scenario]
        + draw.normal(0, RATER_SD, RATERS)[rater]
        + draw.normal(0, TEXT_SD, SCENARIOS * len(names))[text]
        + draw.normal(0, 1, len(system))
    )
    return pd.DataFrame(
        {
            "rater": rater + 1,
            "item": text + 1,
            "scenario": [f"S{number + 1}" for number in scenario],
            "system": [names[number] for number in system],
            "rating": 1 + np.digitize(latent, THRESHOLDS),
        }
    )


def simulated(
    draw: np.random.Generator, *, raters: int, systems: int, items: int, sd: float
) -> pd.DataFrame:
    """Every rater rates `items` items of each of so many systems, which do not differ."""
    rater, system, item = np.indices((raters, systems, items)).reshape(3, -1)
    item = system * items + item
    latent = (
        draw.normal(0, 0.6, raters)[rater]
        + draw.normal(0, sd, systems * items)[item]
        + draw.normal(0, 1, len(rater))
    )
    names = np.array([f"system {number + 1:02}" for number in range(systems)])
    rating = 1 + np.digitize(latent, [-1.5, -0.6, 0.2, 1.1])
    return pd.DataFrame({"rater": rater, "item": item, "system": names[system], "rating": rating})


if __name__ == "__main__":
    study().to_csv(Path(__file__).parent / "study.csv.xz", index=False)
