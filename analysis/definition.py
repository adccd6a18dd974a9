"""The `quality:` section of study.yaml: which raters count, and in which order that is asked."""

from collections.abc import Iterator
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


class QualityRules(Part):
    """The steps of the funnel in their order; a rule that is not in `order` is not applied.

    `model_dump(mode="json")` and `model_validate` take the rules to JSON and back.
    """

    order: list[RuleName] = ["duration", "attention", "early_exit", "sigma_mae"]
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

    def doubts(self, *, minutes: int, rated: bool) -> Iterator[tuple[tuple[str, ...], str]]:
        """What hardly fits a study that takes `minutes`, and rates or not; with its key."""
        window = self.duration_minutes
        if "duration" in self.order and not window.minimum <= minutes <= window.maximum:
            yield (
                ("estimated_minutes",),
                f"the study takes {minutes} minutes, and the rule `duration` excludes whoever "
                f"takes less than {window.minimum:g} or more than {window.maximum:g}: set "
                "quality.duration_minutes to what fits, or leave `duration` out of quality.order",
            )
        # the default order is for all studies; without ratings that rule just does not apply
        if "sigma_mae" in self.order and "order" in self.model_fields_set and not rated:
            yield (
                ("quality", "order"),
                "the study asks for no ratings, so the rule `sigma_mae` excludes nobody: leave it "
                "out of quality.order",
            )
