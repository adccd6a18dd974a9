"""What turns a text's vector into a score: a weight for each number of it, and an intercept."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from analysis.metrics.metric import Matrix

#: Penalties that the ridge chooses from, by the squared error of each text left out in turn.
PENALTIES = np.logspace(-3, 3, 13)
#: Haleas (2025): a linear layer on frozen vectors, AdamW with these settings, squared error.
EPOCHS, LEARNING_RATE = 50, 2e-4
#: The paper does not give its batches: as many as its 100 texts give in batches of 16.
BATCHES, SMALLEST_BATCH = 7, 16


@dataclass(frozen=True)
class LinearFit:
    """`intercept` + vector · `weights`; `penalty` is the ridge's choice."""

    weights: Matrix
    intercept: float
    penalty: float | None = None

    def of(self, vectors: Matrix) -> Matrix:
        """The score of each row."""
        scores: Matrix = vectors @ self.weights + self.intercept
        return scores


Head = Callable[[Matrix, Matrix, int], LinearFit]


def ridge(vectors: Matrix, ratings: Matrix, seed: int) -> LinearFit:
    """Ridge regression, whose penalty is chosen by leaving out each of these texts in turn."""
    from sklearn.linear_model import RidgeCV

    fit = RidgeCV(alphas=PENALTIES).fit(vectors, ratings)
    return LinearFit(np.asarray(fit.coef_, float), float(fit.intercept_), float(fit.alpha_))


def linear(vectors: Matrix, ratings: Matrix, seed: int) -> LinearFit:
    """The published head: a linear layer that is trained for 50 epochs by Adam, from random
    weights. Vectors and ratings are standardised first, so that the scale of a study does not
    matter: the paper's was 1 to 3.
    """
    from sklearn.neural_network import MLPRegressor

    centre, spread = vectors.mean(axis=0), vectors.std(axis=0)
    spread = np.where(spread > 0, spread, 1)
    middle, scale = float(ratings.mean()), float(ratings.std()) or 1.0
    layer = MLPRegressor(
        hidden_layer_sizes=(),
        activation="identity",
        learning_rate_init=LEARNING_RATE,
        max_iter=EPOCHS,
        n_iter_no_change=EPOCHS + 1,
        batch_size=min(len(ratings), max(SMALLEST_BATCH, len(ratings) // BATCHES)),
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has not converged: so the paper has it
        layer.fit((vectors - centre) / spread, (ratings - middle) / scale)
    weights = scale * layer.coefs_[0][:, 0] / spread
    return LinearFit(weights, middle + scale * float(layer.intercepts_[0][0]) - centre @ weights)


def mean(vectors: Matrix, ratings: Matrix, seed: int) -> LinearFit:
    """The baseline: every text gets the mean rating of the others."""
    return LinearFit(np.zeros(vectors.shape[1]), float(ratings.mean()))


HEADS: Mapping[str, Head] = MappingProxyType({"ridge": ridge, "linear": linear, "mean": mean})
