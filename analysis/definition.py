"""The `quality:` section of study.yaml: which raters count, and in which order that is asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from pydantic import Field, FiniteFloat, field_validator, model_validator

from survey.definition.parts import Part

RuleName = Literal["duration", "attention", "early_exit", "sigma_mae"]
#: The step of the funnel that is no rule: who is excluded by a recorded decision. It comes first.
DECISION: Literal["decision"] = "decision"
StepName = RuleName | Literal["decision"]
#: Characters that the reason of a decision may have.
LONGEST_REASON = 500
#: What σ is the standard deviation of: every rating, or the mean rating of every block.
SigmaOver = Literal["ratings", "blocks"]


@dataclass(frozen=True)
class RatedScale:
    """What each rater gives: so many ratings from `lowest` to `highest`, on so many blocks."""

    lowest: int
    highest: int
    ratings: int
    blocks: int


class DurationWindow(Part):
    """Minutes from start to end; both ends of the window still count as inside."""

    minimum: FiniteFloat = Field(default=10.0, ge=0)
    maximum: FiniteFloat = Field(default=75.0, gt=0)

    @model_validator(mode="after")
    def _minimum_first(self) -> "DurationWindow":
        if self.minimum > self.maximum:
            raise ValueError("minimum is greater than maximum")
        return self


class Attention(Part):
    """How many attention checks a rater may fail and still count."""

    failures_allowed: int = Field(default=0, ge=0)


class EarlyExit(Part):
    """Somebody in progress and silent for longer than this has left."""

    inactive_minutes: FiniteFloat = Field(default=120.0, gt=0)


class SigmaMae(Part):
    """Ratings that hardly vary and, at the same time, lie far from the gold scores.

    Both comparisons are strict. `ddof` 1 is the sample standard deviation, 0 the population's.
    `sigma_over` says of what: of all ratings, or of the mean rating of each block. Means vary less
    than ratings do, so the same `sigma_below` matches far more raters.
    """

    sigma_below: FiniteFloat = Field(default=0.6, ge=0)
    mae_above: FiniteFloat = Field(default=0.9, ge=0)
    ddof: Literal[0, 1] = 1
    sigma_over: SigmaOver = "ratings"

    def largest_sigma(self, scale: RatedScale) -> float:
        """The greatest standard deviation that a rater can have: half of all at either end."""
        n = scale.ratings if self.sigma_over == "ratings" else scale.blocks
        half = (scale.highest - scale.lowest) / 2
        return half * sqrt(n / (n - 1)) if self.ddof and n > 1 else half


DEFAULT_ORDER: tuple[RuleName, ...] = ("duration", "attention", "early_exit", "sigma_mae")


class QualityRules(Part):
    """The steps of the funnel in their order; a rule that is not in `order` is not applied.

    `model_dump(mode="json")` and `model_validate` take the rules to JSON and back.
    """

    order: list[RuleName] = list(DEFAULT_ORDER)
    duration_minutes: DurationWindow = DurationWindow()
    attention: Attention = Attention()
    early_exit: EarlyExit = EarlyExit()
    sigma_mae: SigmaMae = SigmaMae()

    @field_validator("order")
    @classmethod
    def _each_rule_once(cls, order: list[RuleName]) -> list[RuleName]:
        for rule in order:
            if order.count(rule) > 1:
                raise ValueError(f"{rule} stands twice")
        return order

    def without(self, rule: RuleName) -> "QualityRules":
        """The same rules, with one step fewer."""
        return self.model_copy(update={"order": [r for r in self.order if r != rule]})

    def doubts(
        self, *, minutes: int, scale: RatedScale | None
    ) -> Iterator[tuple[tuple[str, ...], str]]:
        """What hardly fits a study that takes `minutes` and rates on `scale`, or on none; with its
        key.
        """
        window = self.duration_minutes
        if "duration" in self.order and not window.minimum <= minutes <= window.maximum:
            yield (
                ("estimated_minutes",),
                f"the study takes {minutes} minutes, and the rule `duration` excludes whoever "
                f"takes less than {window.minimum:g} or more than {window.maximum:g}: set "
                "quality.duration_minutes to what fits, or leave `duration` out of quality.order",
            )
        if "sigma_mae" not in self.order:
            return
        if scale is not None:
            yield from self._doubts_of_sigma(scale)
        # the default order is for all studies; without ratings that rule just does not apply
        elif tuple(self.order) != DEFAULT_ORDER:
            yield (
                ("quality", "order"),
                "the study asks for no ratings, so the rule `sigma_mae` excludes nobody: leave it "
                "out of quality.order",
            )

    def _doubts_of_sigma(self, scale: RatedScale) -> Iterator[tuple[tuple[str, ...], str]]:
        rule, path = self.sigma_mae, ("quality", "sigma_mae")
        largest, length = rule.largest_sigma(scale), scale.highest - scale.lowest
        on = f"on a scale from {scale.lowest} to {scale.highest}"
        if rule.sigma_below == 0:
            yield (
                (*path, "sigma_below"),
                "no standard deviation is below 0, so the rule `sigma_mae` excludes nobody: set a "
                "threshold in points of the scale",
            )
        if rule.sigma_below > largest:
            yield (
                (*path, "sigma_below"),
                f"{on} no standard deviation is above {largest:.3g}, so every rater is below "
                f"{rule.sigma_below:g}: set a threshold in points of this scale",
            )
        if rule.mae_above >= length:
            yield (
                (*path, "mae_above"),
                f"{on} no rater is more than {length} away from the gold scores, so the rule "
                "`sigma_mae` excludes nobody: set a threshold in points of this scale",
            )
