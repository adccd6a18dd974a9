"""The `quality:` section of study.yaml: which raters count, and in which order that is asked."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from pydantic import field_validator

from analysis.exclusion_rules import (
    Attention,
    Choice,
    DurationWindow,
    EarlyExit,
    RatedScale,
    Rule,
    RuleName,
    SigmaMae,
    Threshold,
)
from survey.definition.parts import Part

#: The step of the funnel that is no rule: who is excluded by a recorded decision. It comes first.
DECISION: Literal["decision"] = "decision"
StepName = RuleName | Literal["decision"]
#: Characters that the reason of a decision may have.
LONGEST_REASON = 500


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

    def rule(self, name: RuleName) -> Rule:
        """The settings of a rule."""
        rule: Rule = getattr(self, SECTIONS[name])
        return rule

    def applied(self, *, rated: bool) -> "QualityRules":
        """The same rules, without those that are about ratings where a study asks for none."""
        order = [name for name in self.order if rated or not self.rule(name).of_ratings]
        return self.model_copy(update={"order": order})

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


class Setting(NamedTuple):
    """A number or choice of a rule that researchers may try others for."""

    rule: RuleName
    section: str
    key: str
    about: Threshold | Choice
    is_whole: bool

    def of(self, rules: QualityRules) -> Any:
        """Its value."""
        return getattr(getattr(rules, self.section), self.key)


#: The sections that hold a rule's settings, by the name of the rule.
SECTIONS: dict[RuleName, str] = {
    rule.name: section for section, rule in QualityRules() if isinstance(rule, Rule)
}
#: By the name of the field in forms and addresses.
SETTINGS: dict[str, Setting] = {
    about.name or key: Setting(rule, section, key, about, field.annotation is int)
    for rule, section in SECTIONS.items()
    for key, field in type(QualityRules().rule(rule)).model_fields.items()
    for about in field.metadata
    if isinstance(about, Threshold | Choice)
}
