"""What ppi-python says of means of independent responses, kept in reference.json.

    python -m venv /tmp/ppi && /tmp/ppi/bin/pip install ppi-python==0.2.3
    /tmp/ppi/bin/python tests/oracle/prediction_powered/ppi_mean.py

It draws the inputs, too: people's `labels` and the judge's `scores` of rated responses, and its
`unrated` scores.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

Vector = np.ndarray[Any, np.dtype[np.float64]]

#: Slope, offset and noise of the judge's scores, and how many responses are rated and are not.
JUDGES = {
    "good": (0.9, 0.0, 0.4, 40, 40),
    "good, few rated": (0.9, 0.0, 0.4, 30, 300),
    "biased": (0.5, 1.5, 0.5, 40, 40),
    "useless": (0.0, 3.0, 1.0, 40, 40),
    "contrary": (-0.8, 6.0, 0.3, 40, 40),
    "timid": (0.3, 2.0, 0.05, 40, 200),
    "many": (0.8, 0.5, 0.7, 400, 2000),
}
POWERS = (0.0, 0.3, 1.0)


def case(draw: np.random.Generator, judge: tuple[float, float, float, int, int]) -> dict[str, Any]:
    slope, offset, noise, rated, unrated = judge
    truth = draw.normal(3, 1, rated + unrated)
    scores = np.round(offset + slope * truth + draw.normal(0, noise, len(truth)), 2)
    labels = np.round(truth[:rated] + draw.normal(0, 0.3, rated), 2)
    inputs = (labels, scores[:rated], scores[rated:])
    names = ("labels", "scores", "unrated")
    return {
        **{name: values.tolist() for name, values in zip(names, inputs, strict=True)},
        "tuned": result(*inputs, None),
        "fixed": [result(*inputs, power) for power in POWERS],
    }


def result(
    labels: Vector, scores: Vector, unrated: Vector, power: float | None
) -> dict[str, float]:
    """λ, the estimate and its 95 % interval; a tuned λ from where it has put the estimate."""
    value = float(ppi_mean_pointestimate(labels, scores, unrated, lam=power).item())
    low, high = ppi_mean_ci(labels, scores, unrated, alpha=0.05, lam=power)
    moved = (labels.mean() - value) / (scores.mean() - unrated.mean())
    return {
        "power": float(moved) if power is None else power,
        "value": value,
        "low": float(low.item()),
        "high": float(high.item()),
    }


if __name__ == "__main__":
    generator = np.random.default_rng(8)
    found = {name: case(generator, judge) for name, judge in JUDGES.items()}
    file = Path(__file__).with_name("reference.json")
    file.write_text(json.dumps(found) + "\n")
