"""The `quality:` section of study.yaml: which raters count, and in which order that is asked.

Each rule stands here once, with its settings and its words. A new one is a class, a name, what it
measures, and a section of `QualityRules`: workers, the page of thresholds and texts take it from
there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import Field, FiniteFloat, field_validator, model_validator

from analysis.exclusion_rule import Measure, RaterArrays, Rule, SettingChoices, Threshold
from analysis.writing_rules import WritingRules, writing_changes
from survey.definition.labels import Labels
from survey.definition.parts import Part

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RuleName = Literal["duration", "attention", "early_exit", "sigma_mae"]
#: The step of the funnel that is no rule: who is excluded by a recorded decision. It comes first.
DECISION: Literal["decision"] = "decision"
StepName = RuleName | Literal["decision"]
#: The rule that goes by gold scores.
BY_GOLD: Literal["sigma_mae"] = "sigma_mae"
#: Characters that the reason of a decision may have.
LONGEST_REASON = 500
#: Numbers closer than this count as equal. Judge scores are thirds, so a mean absolute error of
#: exactly 0.9 may come out as 0.9000000000000001, which is not above 0.9. Two values of σ or MAE
#: that really differ lie farther apart, for any survey that a person can sit through.
TOLERANCE = 1e-9
#: What σ is the standard deviation of: every rating, or the mean rating of every block.
SigmaOver = Literal["ratings", "blocks"]
MEASURES = {
    "minutes": Measure("duration_seconds", "Minutes", "{} minutes", 1, per=60),
    "failures": Measure("attention_checks_failed", "Failed checks", "{} failed", 0),
    "sigma": Measure("sigma", "σ", "σ {}", 3),
    "mae": Measure("mae", "MAE", "MAE {}", 3),
}


@dataclass(frozen=True)
class RatedScale:
    """What each rater gives: so many ratings from `lowest` to `highest`, on so many blocks."""

    lowest: float
    highest: float
    ratings: int
    blocks: int


class DurationWindow(Rule):
    """Minutes from start to end; both ends of the window still count as inside.

    Raters who left before any time was recorded have no duration; `early_exit` excludes them.
    """

    name = "duration"
    label = "Too fast or too slow"
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

    def matches(self, raters: RaterArrays) -> "npt.NDArray[np.bool_]":
        minutes = raters.measures["minutes"]
        return (minutes < self.minimum - TOLERANCE) | (minutes > self.maximum + TOLERANCE)

    def in_short(self) -> str:
        return f"under {self.minimum:g} or over {self.maximum:g} minutes"

    def against(self, measured: Mapping[str, Any]) -> str:
        if measured["minutes"] < self.minimum:
            return f"under {self.minimum:g} minutes"
        return f"over {self.maximum:g} minutes"

    def in_words(self) -> str:
        return f"who took less than {self.minimum:g} or more than {self.maximum:g} minutes"


class Attention(Rule):
    """How many attention checks a rater may fail and still count."""

    name = "attention"
    label = "Failed attention checks"
    measures = ("failures",)

    failures_allowed: Annotated[
        int, Threshold("Failed attention checks allowed", measure="failures")
    ] = Field(default=0, ge=0)

    def matches(self, raters: RaterArrays) -> "npt.NDArray[np.bool_]":
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
    """A participant in progress who is inactive for longer than this has left."""

    name = "early_exit"
    label = "Left early"

    inactive_minutes: Annotated[
        FiniteFloat, Threshold("Left early: inactive for", "minutes", 5, most=24 * 60)
    ] = Field(default=120.0, gt=0)

    def matches(self, raters: RaterArrays) -> "npt.NDArray[np.bool_]":
        return raters.left

    def measured(self, rater: Mapping[str, float]) -> dict[str, Any]:
        return {"status": "in_progress"}

    def in_short(self) -> str:
        return "left before the end"

    def in_words(self) -> str:
        return (
            "who left before the end (in progress, and inactive for more than "
            f"{self.inactive_minutes:g} minutes)"
        )


class SigmaMae(Rule):
    """Ratings that hardly vary and, at the same time, lie far from the gold scores.

    Both comparisons are strict. `ddof` 1 is the sample standard deviation, 0 the population's.
    `sigma_over` says of what: of all ratings, or of the mean rating of each block. Means vary less
    than ratings do, so the same `sigma_below` matches far more raters.
    """

    name = "sigma_mae"
    label = "Low variance and far from gold"
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
        SettingChoices("σ divides by", {1: "n − 1 (of a sample)", 0: "n (of a population)"}),
    ] = 1
    sigma_over: Annotated[
        SigmaOver,
        SettingChoices("σ is over", {"ratings": "all ratings", "blocks": "the mean of each block"}),
    ] = "ratings"

    def matches(self, raters: RaterArrays) -> "npt.NDArray[np.bool_]":
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


DEFAULT_ORDER: tuple[RuleName, ...] = ("duration", "attention", "early_exit", "sigma_mae")


class QualityRules(Part):
    """The steps of the funnel in their order; a rule that is not in `order` is not applied. The
    rules of `writing` flag raters and exclude nobody.

    `model_dump(mode="json")` and `model_validate` take the rules to JSON and back.
    """

    order: list[RuleName] = list(DEFAULT_ORDER)
    duration_minutes: DurationWindow = DurationWindow()
    attention: Attention = Attention()
    early_exit: EarlyExit = EarlyExit()
    sigma_mae: SigmaMae = SigmaMae()
    writing: WritingRules = WritingRules()

    @field_validator("order")
    @classmethod
    def _each_rule_once(cls, order: list[RuleName]) -> list[RuleName]:
        for rule in order:
            if order.count(rule) > 1:
                raise ValueError(f"{rule} is repeated")
        return order

    def rule(self, name: str) -> Rule:
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

    def warnings(
        self, *, minutes: int, scale: RatedScale | None, has_gold: bool
    ) -> Iterator[tuple[tuple[str, ...], str]]:
        """What hardly fits a study that takes `minutes`, rates on `scale`, or on none, and has a
        source of gold scores, or none; with its key.
        """
        window = self.duration_minutes
        if "duration" in self.order and not window.minimum <= minutes <= window.maximum:
            yield (
                ("estimated_minutes",),
                f"the study takes {minutes} minutes, but the rule `duration` excludes people who "
                f"take less than {window.minimum:g} or more than {window.maximum:g}: change "
                "quality.duration_minutes, or remove `duration` from quality.order",
            )
        if BY_GOLD not in self.order:
            return
        if scale is not None:
            yield from self._warnings_of_sigma(scale)
            if not has_gold:
                yield (
                    ("quality", "order"),
                    "the study has no judge, so without gold scores from a file or a panel the "
                    "rule `sigma_mae` excludes nobody: remove it from quality.order, or choose "
                    "such scores",
                )
        # the default order is for all studies; without ratings that rule just does not apply
        elif tuple(self.order) != DEFAULT_ORDER:
            yield (
                ("quality", "order"),
                "the study asks for no ratings, so the rule `sigma_mae` excludes nobody: remove it "
                "from quality.order",
            )

    def _warnings_of_sigma(self, scale: RatedScale) -> Iterator[tuple[tuple[str, ...], str]]:
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

    rule: str
    section: str
    key: str
    about: Threshold | SettingChoices
    is_whole: bool

    def of(self, rules: QualityRules) -> Any:
        """Its value."""
        return getattr(getattr(rules, self.section), self.key)


#: The sections that hold a rule's settings, by the name of the rule.
SECTIONS: dict[str, str] = {
    rule.name: section for section, rule in QualityRules() if isinstance(rule, Rule)
}
#: What each step of the funnel is called, unless a study labels it otherwise.
STEP_LABELS: dict[str, str] = {DECISION: "Excluded by decision"} | {
    name: QualityRules().rule(name).label for name in SECTIONS
}
#: Those of a study that labels nothing and whose names are not known.
USUAL_LABELS = Labels({"rules": STEP_LABELS})
#: By the name of the field in forms and addresses.
SETTINGS: dict[str, Setting] = {
    about.name or key: Setting(rule, section, key, about, field.annotation is int)
    for rule, section in SECTIONS.items()
    for key, field in type(QualityRules().rule(rule)).model_fields.items()
    for about in field.metadata
    if isinstance(about, Threshold | SettingChoices)
}


def changes(
    before: QualityRules, after: QualityRules, labels: Labels
) -> Iterator[tuple[Setting | None, str]]:
    """What changed in words (`Failed attention checks allowed: 0 → 1`), with the setting; none of
    it where the rules are others, or in another order.
    """
    if before.order != after.order:
        steps = (_steps(rules, labels) for rules in (before, after))
        yield None, f"Rules in order: {' → '.join(steps)}"
    for setting in SETTINGS.values():
        if setting.of(before) != setting.of(after):
            values = (_value(setting, rules) for rules in (before, after))
            yield setting, f"{setting.about.label}: {' → '.join(values)}"


def changes_in_words(before: QualityRules, after: QualityRules, labels: Labels) -> list[str]:
    """What changed, in words."""
    excluding = [said for _, said in changes(before, after, labels)]
    return [*excluding, *writing_changes(before.writing, after.writing)]


def _steps(rules: QualityRules, labels: Labels) -> str:
    return ", ".join(labels.text("rules", rule) for rule in rules.order) or "no rule"


def _value(setting: Setting, rules: QualityRules) -> str:
    value = setting.of(rules)
    if isinstance(setting.about, SettingChoices):
        return setting.about.values[value]
    return f"{value:g}"
