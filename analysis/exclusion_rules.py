"""The rules of exclusion: each has its settings, whom it matches, and what it is called. Pure.

A new rule is a class here, with the measures that it goes by, and a section of
`definition.QualityRules`. Workers, the page of thresholds and all texts take it from there. Rules
compare arrays of numpy, which this module never imports: study files are read by processes that
have no use for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, FiniteFloat, model_validator

from survey.definition.parts import Part

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RuleName = Literal["duration", "attention", "early_exit", "sigma_mae"]
#: Numbers closer than this count as equal. Judge scores are thirds, so a mean absolute error of
#: exactly 0.9 may come out as 0.9000000000000001, which is not above 0.9. Two values of σ or MAE
#: that really differ lie farther apart, for any survey that a person can sit through.
TOLERANCE = 1e-9
#: What σ is the standard deviation of: every rating, or the mean rating of every block.
SigmaOver = Literal["ratings", "blocks"]


@dataclass(frozen=True)
class Measure:
    """A number that rules go by: its column in raters.csv, how many units of that column are one of
    its own, and how pages show it.
    """

    column: str
    label: str
    decimals: int
    per: int = 1


MEASURES = {
    "minutes": Measure("duration_seconds", "Minutes", 1, per=60),
    "failures": Measure("attention_checks_failed", "Failed checks", 0),
    "sigma": Measure("sigma", "σ", 3),
    "mae": Measure("mae", "MAE", 3),
}


@dataclass(frozen=True)
class Raters:
    """Raters as the rules see them: each has a place in every array.

    `entered` who finished or left; the others are still at it, or never took part. `left` who did
    not finish. `decided` whom a decision excludes. `measures` has an array for each of MEASURES,
    with NaN, which matches no rule, where a number is not known.
    """

    entered: "npt.NDArray[np.bool_]"
    left: "npt.NDArray[np.bool_]"
    decided: "npt.NDArray[np.bool_]"
    sex: "npt.NDArray[np.str_]"
    measures: "Mapping[str, npt.NDArray[np.float64]]"


@dataclass(frozen=True)
class Threshold:
    """A number of a rule that researchers may try others for.

    Its slider reaches to the largest value of `measure` among the raters, or to `most`. `name` is
    that of its field where its key alone says too little.
    """

    label: str
    unit: str = ""
    step: float = 1
    measure: str = ""
    most: float = 0
    name: str = ""


@dataclass(frozen=True)
class Choice:
    """A setting of a rule that has few values, and what each is called."""

    label: str
    values: Mapping[Any, str]
    name: str = ""


@dataclass(frozen=True)
class RatedScale:
    """What each rater gives: so many ratings from `lowest` to `highest`, on so many blocks."""

    lowest: int
    highest: int
    ratings: int
    blocks: int


class Rule(Part):
    """Settings of a rule. `of_ratings`: it excludes nobody in a study that rates nothing."""

    name: ClassVar[RuleName]
    measures: ClassVar[tuple[str, ...]] = ()
    of_ratings: ClassVar[bool] = False

    def matches(self, raters: Raters) -> "npt.NDArray[np.bool_]":
        """Whom the rule would exclude by itself."""
        raise NotImplementedError

    def measured(self, rater: Mapping[str, float]) -> dict[str, Any]:
        """What is recorded with an exclusion: the measures of the `rater`."""
        whole = {name for name in self.measures if not MEASURES[name].decimals}
        return {n: int(rater[n]) if n in whole else rater[n] for n in self.measures}

    def in_short(self) -> str:
        """Whom it excludes, for a box of a figure."""
        raise NotImplementedError

    def in_words(self) -> str:
        """Whom it excludes, for the Methods: "who took less than 10 or …"."""
        raise NotImplementedError


class DurationWindow(Rule):
    """Minutes from start to end; both ends of the window still count as inside.

    Somebody who left before any time was recorded has no duration, and is caught by `early_exit`.
    """

    name = "duration"
    measures = ("minutes",)

    minimum: Annotated[
        FiniteFloat,
        Threshold("Shortest time", "minutes", 0.5, "minutes", name="duration_minimum"),
    ] = Field(default=10.0, ge=0)
    maximum: Annotated[
        FiniteFloat,
        Threshold("Longest time", "minutes", 0.5, "minutes", name="duration_maximum"),
    ] = Field(default=75.0, gt=0)

    @model_validator(mode="after")
    def _minimum_first(self) -> "DurationWindow":
        if self.minimum > self.maximum:
            raise ValueError("minimum is greater than maximum")
        return self

    def matches(self, raters: Raters) -> "npt.NDArray[np.bool_]":
        minutes = raters.measures["minutes"]
        return (minutes < self.minimum - TOLERANCE) | (minutes > self.maximum + TOLERANCE)

    def in_short(self) -> str:
        return f"under {self.minimum:g} or over {self.maximum:g} minutes"

    def in_words(self) -> str:
        return f"who took less than {self.minimum:g} or more than {self.maximum:g} minutes"


class Attention(Rule):
    """How many attention checks a rater may fail and still count."""

    name = "attention"
    measures = ("failures",)

    failures_allowed: Annotated[
        int, Threshold("Failed attention checks allowed", measure="failures")
    ] = Field(default=0, ge=0)

    def matches(self, raters: Raters) -> "npt.NDArray[np.bool_]":
        return raters.measures["failures"] > self.failures_allowed

    def in_short(self) -> str:
        if not self.failures_allowed:
            return "an attention check failed"
        return f"more than {self.failures_allowed} attention checks failed"

    def in_words(self) -> str:
        if not self.failures_allowed:
            return "who failed any attention check"
        return f"who failed more than {self.failures_allowed} attention checks"


class EarlyExit(Rule):
    """Somebody in progress and silent for longer than this has left."""

    name = "early_exit"

    inactive_minutes: Annotated[
        FiniteFloat, Threshold("Left after a silence of", "minutes", 5, most=24 * 60)
    ] = Field(default=120.0, gt=0)

    def matches(self, raters: Raters) -> "npt.NDArray[np.bool_]":
        return raters.left

    def measured(self, rater: Mapping[str, float]) -> dict[str, Any]:
        return {"status": "in_progress"}

    def in_short(self) -> str:
        return "left before the end"

    def in_words(self) -> str:
        return (
            "who left before the end (in progress, and silent for more than "
            f"{self.inactive_minutes:g} minutes)"
        )


class SigmaMae(Rule):
    """Ratings that hardly vary and, at the same time, lie far from the gold scores.

    Both comparisons are strict. `ddof` 1 is the sample standard deviation, 0 the population's.
    `sigma_over` says of what: of all ratings, or of the mean rating of each block. Means vary less
    than ratings do, so the same `sigma_below` matches far more raters.
    """

    name = "sigma_mae"
    measures = ("sigma", "mae")
    of_ratings = True

    sigma_below: Annotated[
        FiniteFloat, Threshold("Ratings hardly vary: σ below", "points", 0.01, "sigma")
    ] = Field(default=0.6, ge=0)
    mae_above: Annotated[
        FiniteFloat, Threshold("… and lie far from gold: MAE above", "points", 0.01, "mae")
    ] = Field(default=0.9, ge=0)
    ddof: Annotated[
        Literal[0, 1],
        Choice("σ divides by", {1: "n − 1 (of a sample)", 0: "n (of a population)"}),
    ] = 1
    sigma_over: Annotated[
        SigmaOver,
        Choice("σ is over", {"ratings": "all ratings", "blocks": "the mean of each block"}),
    ] = "ratings"

    def matches(self, raters: Raters) -> "npt.NDArray[np.bool_]":
        flat = raters.measures["sigma"] < self.sigma_below - TOLERANCE
        return flat & (raters.measures["mae"] > self.mae_above + TOLERANCE)

    def in_short(self) -> str:
        of = ", σ of block means" if self.sigma_over == "blocks" else ""
        return f"σ under {self.sigma_below:g} and MAE over {self.mae_above:g}{of}"

    def in_words(self) -> str:
        sigma = f"σ = standard deviation, {'n − 1' if self.ddof else 'n'} in its denominator"
        if self.sigma_over == "blocks":
            sigma += ", over the mean ratings of blocks"
        return (
            f"whose gold-scored ratings had σ < {self.sigma_below:g} and at the same time a mean "
            f"absolute distance to the gold scores of more than {self.mae_above:g} ({sigma})"
        )

    def largest_sigma(self, scale: RatedScale) -> float:
        """The greatest standard deviation that a rater can have: half of all at either end."""
        n = scale.ratings if self.sigma_over == "ratings" else scale.blocks
        half = (scale.highest - scale.lowest) / 2
        return half * sqrt(n / (n - 1)) if self.ddof and n > 1 else half
