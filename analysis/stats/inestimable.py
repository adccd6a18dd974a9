"""Why a statistic cannot be had."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "no_values",
    "too_few",
    "too_many",  # more than the method can be computed for
    "constant",  # nothing varies
    "one_group",  # nothing to compare with
    "incomplete",  # cells are missing that the statistic needs
    "no_difference",  # everything is equal, so there is nothing to test or to order
    "not_independent",  # the assumptions of the test do not hold
    "rank_deficient",  # fixed effects of a model that are sums of others
    "confounded",  # effects of a model that cannot be told apart
    "separated",  # ever larger effects would fit ever better
    "too_large",
    "unconverged",
]


@dataclass(frozen=True)
class Inestimable:
    """Stands in a result's place; `because` completes the sentence that str() gives."""

    kind: Kind
    because: str

    def __str__(self) -> str:
        return f"not estimable, because {self.because}"
