"""What keeps a mixed model from being fitted or trusted, in a word and in a sentence."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "missing",  # ratings, factors or covariates that are not there
    "no_ratings",
    "constant",  # every rating is the same
    "one_level",  # one rater, one item, one system
    "too_few",  # fewer ratings than the model has unknowns
    "rank_deficient",  # fixed effects that are sums of others
    "confounded",  # a random effect that cannot be told from something else
    "too_large",
    "empty_category",
    "separated",
    "boundary",  # a random effect whose SD is estimated at 0
    "unconverged",
]


@dataclass(frozen=True)
class Problem:
    """`sentence` is to be shown as it is."""

    kind: Kind
    sentence: str


class NotEstimable(ValueError):
    """There are no estimates; the message says why."""

    def __init__(self, kind: Kind, sentence: str) -> None:
        super().__init__(sentence)
        self.problem = Problem(kind, sentence)
