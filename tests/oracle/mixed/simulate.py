"""Makes simulated studies, always the same.

study.csv.xz has the published study's shape: 116 raters, 6 scenarios, 8 models in two conditions,
and a reference that is shown in four sets: everybody gives 6 × 20 ratings to 6 × 17 texts.

In the others, raters may differ in their preferences: five.csv (5 raters × 40 scenarios × 2 models
in two conditions, a tenth of the ratings missing), alike.csv (12 raters × 10 scenarios; neither
preferences nor scenarios differ), incomplete.csv (20 raters, 60 scenarios × 2 conditions and a
reference, each text rated by three).

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


def tasted(
    seed: int, *, raters: int, scenarios: int, models: int, taste: float, scenario: float
) -> pd.DataFrame:
    """Every rater rates each model in conditions a and b, and a reference, on each scenario; raters
    differ in what they think of a condition, with this SD.
    """
    draw = np.random.default_rng(seed)
    names = [f"{model}{condition}" for model in "ABCD"[:models] for condition in "ab"] + ["r"]
    conditions = np.array([2 if name == "r" else "ab".index(name[1]) for name in names])
    rater, of_scenario, system = np.indices((raters, scenarios, len(names))).reshape(3, -1)
    latent = (
        0.3 * (system % 2)
        + draw.normal(0, 0.6, raters)[rater]
        + draw.normal(0, taste, (raters, 3))[rater, conditions[system]]
        + draw.normal(0, scenario, scenarios)[of_scenario]
        + draw.normal(0, 0.35, (scenarios, len(names)))[of_scenario, system]
        + draw.normal(0, 1, len(rater))
    )
    return pd.DataFrame(
        {
            "rater": rater + 1,
            "scenario": of_scenario + 1,
            "condition": np.array(["a", "b", "r"])[conditions[system]],
            "system": np.array(names)[system],
            "rating": 1 + np.digitize(latent, [-1.5, -0.6, 0.2, 1.1]),
        }
    )


def nested() -> dict[str, pd.DataFrame]:
    """The studies of raters with preferences, by name."""
    five = tasted(5, raters=5, scenarios=40, models=2, taste=0.4, scenario=0.3)
    alike = tasted(12, raters=12, scenarios=10, models=1, taste=0.0, scenario=0.0)
    thin = tasted(20, raters=20, scenarios=60, models=1, taste=0.4, scenario=0.3)
    draw = np.random.default_rng(3)
    order = thin.assign(order=draw.random(len(thin))).groupby(["scenario", "system"])["order"]
    return {
        "five": five.sample(frac=0.9, random_state=1).sort_index(),
        "alike": alike,
        "incomplete": thin[order.rank() <= 3],
    }


if __name__ == "__main__":
    for name, frame in nested().items():
        frame.to_csv(Path(__file__).parent / f"{name}.csv", index=False)
    study().to_csv(Path(__file__).parent / "study.csv.xz", index=False)
