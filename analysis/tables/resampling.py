"""How the intervals that need resamples are drawn."""

from typing import TypedDict

from analysis.recipe import Bootstrap, Recipe


class Resampling(TypedDict):
    """What every bootstrap in `analysis.stats` takes."""

    seed: int
    resamples: int
    confidence: float


def resampling(recipe: Recipe) -> Resampling:
    """The recipe's settings, or the defaults of its bootstrap where it has none."""
    bootstrap = recipe.bootstrap or Bootstrap()
    return {
        "seed": bootstrap.seed,
        "resamples": bootstrap.resamples,
        "confidence": recipe.confidence,
    }
