"""What a rule of exclusion is: settings, who matches it, and what it is called. Pure.

The rules themselves are in `analysis.quality_rules`. They compare arrays of numpy without importing
it: study files are read by processes that have no use for it.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from survey.definition.parts import Part

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class Measure:
    """A number that rules go by: its column in raters.csv, how many units of that column are one of
    its own, and how pages show it: `said` is a number with its unit.
    """

    column: str
    label: str
    said: str
    decimals: int
    per: int = 1


@dataclass(frozen=True)
class RaterArrays:
    """Raters as the rules see them: each has a place in every array.

    `entered` who finished or left; the others are in progress, or never took part. `left` who did
    not finish. `decided` who is excluded by a decision. `measures` has an array for each of
    `quality_rules.MEASURES`, with NaN, which matches no rule, where a number is not known.
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
class SettingChoices:
    """A setting of a rule that has few values, and what each is called."""

    label: str
    values: Mapping[Any, str]
    name: str = ""


class Rule(Part):
    """Settings of a rule. Files call it `name`, pages, figures and texts `label`. `of_ratings`: it
    excludes nobody in a study that rates nothing.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    measures: ClassVar[tuple[str, ...]] = ()
    of_ratings: ClassVar[bool] = False

    @abstractmethod
    def matches(self, raters: RaterArrays) -> "npt.NDArray[np.bool_]":
        """Who the rule alone would exclude."""

    def measured(self, rater: Mapping[str, float]) -> dict[str, Any]:
        """What is recorded with an exclusion: the measures of the `rater`."""
        return {name: rater[name] for name in self.measures}

    @abstractmethod
    def in_short(self) -> str:
        """Who it excludes, for a box of a figure."""

    def against(self, measured: Mapping[str, Any]) -> str:
        """The part of it that excludes a rater with these measures, for a list of raters."""
        return self.in_short()

    @abstractmethod
    def in_words(self) -> str:
        """Who it excludes, for the Methods: "who took less than 10 or …"."""
