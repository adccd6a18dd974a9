"""A recipe: a named way to analyse, as a file that a researcher can copy and edit.

Two are shipped, in `analysis/recipes/`: `paper`, the first published study to the letter, and
`sound`, whose units are raters and items. What both need to be compared stands in both.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, isnan
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, StringConstraints, field_validator, model_validator

from survey.definition.parts import Name, Part, Text, refuse_repeats, wrong
from survey.definition.tasks import RatingTask
from survey.files.problems import DefinitionError, Problem
from survey.files.yaml_file import YamlFile
from survey.regions import REGIONS

FOLDER = Path(__file__).parent / "recipes"
#: In the order in which their rows stand in tables.
SHIPPED = ("paper", "sound")
#: What `analyze --recipe` calls the shipped ones together, so no recipe can be chosen by it.
BOTH = "both"
#: Of intervals, where a recipe says nothing else, and where a run has no recipe.
USUAL_CONFIDENCE = 0.95
#: With fewer, the ends of an interval are left to chance.
RESAMPLES = 2000

Unit = Literal["rating", "participant"]
Raters = Literal["included", "all"]
GroupTest = Literal["student", "welch", "mann_whitney"]
#: What a p value is adjusted over: all rows that agree in every column *but* this one.
Over = Literal["model", "factor", "condition", "scenario"]
FittedLink = Literal["probit", "logit", "linear"]
#: Names of mixed models, by their link.
LINK_LABELS: dict[str, str] = {
    "probit": "ordinal, probit",
    "logit": "ordinal, logit",
    "linear": "linear",
}
#: Points of a scale up to which its ratings are ordered categories where a recipe names no link.
MOST_CATEGORIES = 10
#: How small and how large a margin may be, in percent of the scale's length: a smaller one can
#: hardly be shown, a larger one calls systems equal that lie half a scale apart.
LEAST_MARGIN, GREATEST_MARGIN = 1.0, 50.0


@dataclass(frozen=True)
class Scale:
    """The points of the scale of ratings; a slider's are its two ends, with ratings `between`.

    There are none where nothing is rated.
    """

    points: Sequence[tuple[float, str]]
    between: bool

    @classmethod
    def of(cls, rating: RatingTask | None) -> "Scale":
        """That of a task; without one, no points."""
        if rating is None:
            return cls([], between=False)
        return cls([(point.value, point.label) for point in rating.scale], rating.between)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest rating."""
        return self.points[0][0], self.points[-1][0]

    @property
    def length(self) -> float:
        """How far apart they are."""
        low, high = self.ends
        return high - low

    @property
    def is_ordinal(self) -> bool:
        """Whether ratings are few ordered categories, and no slider's."""
        return not self.between and len(self.points) <= MOST_CATEGORIES


class FactorGroup(Part):
    """One side of a comparison: whose answer is one of `values`, or lies between two numbers.

    `others` is everybody with an answer who is in neither the other group nor `left_out`.
    """

    label: Text
    values: list[Text] = []
    others: bool = False
    at_least: FiniteFloat | None = None
    above: FiniteFloat | None = None
    at_most: FiniteFloat | None = None
    below: FiniteFloat | None = None

    @property
    def is_numeric(self) -> bool:
        return any(end is not None for end in (self.at_least, self.above, self.at_most, self.below))

    def names(self, answer: str) -> bool:
        """Whether it has the answer, as participants.csv writes it; `others` name none."""
        if self.values:
            return answer in self.values
        number = _number(answer)
        return self.is_numeric and number is not None and self._holds(number)

    def _holds(self, number: float) -> bool:
        return (
            (self.at_least is None or number >= self.at_least)
            and (self.above is None or number > self.above)
            and (self.at_most is None or number <= self.at_most)
            and (self.below is None or number < self.below)
        )

    @property
    def span(self) -> tuple[tuple[float, bool], tuple[float, bool]]:
        """Where its numbers begin and end. `True` lies just above the number beside it: an open
        beginning, and an end that still belongs to it.
        """
        first = [(-inf, False), (self.at_least, False), (self.above, True)]
        last = [(inf, True), (self.at_most, True), (self.below, False)]
        return (
            max((end, beyond) for end, beyond in first if end is not None),
            min((end, within) for end, within in last if end is not None),
        )

    @model_validator(mode="after")
    def _said_in_one_way(self) -> "FactorGroup":
        if sum([bool(self.values), self.others, self.is_numeric]) != 1:
            raise ValueError(
                "say who is in it in one way: by values, by numbers (at_least, above, at_most, "
                "below), or as others"
            )
        return self


class Grouping(Part):
    """Two groups of raters by a column of participants.csv; `left_out` are answers of neither."""

    column: Text
    a: FactorGroup
    b: FactorGroup
    left_out: list[Text] = []

    @model_validator(mode="after")
    def _two_groups(self) -> "Grouping":
        if self.a.others and self.b.others:
            raise ValueError("both groups are all others")
        if self.a.label == self.b.label:
            raise ValueError(f"both groups are called {self.a.label!r}")
        refuse_repeats("answer", [*self.a.values, *self.b.values, *self.left_out])
        if self.a.is_numeric and self.b.is_numeric and _overlap(self.a, self.b):
            raise ValueError("some numbers are in both groups")
        return self

    def side(self, answer: str) -> Literal["a", "b", ""]:
        """Which group an answer is in; none where there is no answer, too. Raises ValueError for an
        answer that is in both.
        """
        in_a, in_b = self.a.names(answer), self.b.names(answer)
        if in_a and in_b:
            raise ValueError(f"{answer!r} of {self.column} is in both groups")
        rest = answer != "" and answer not in self.left_out
        if in_a or (self.a.others and rest and not in_b):
            return "a"
        return "b" if in_b or (self.b.others and rest) else ""

    def is_unknown(self, answer: str) -> bool:
        """Whether an answer is in no group though the recipe does not say so: neither by `left_out`
        nor by groups of numbers between which it lies.
        """
        if not answer or answer in self.left_out or self.side(answer):
            return False
        of_numbers = self.a.is_numeric or self.b.is_numeric
        return not (of_numbers and _number(answer) is not None)


def _number(answer: str) -> float | None:
    try:
        number = float(answer)
    except ValueError:
        return None
    return None if isnan(number) or "_" in answer else number


def _overlap(one: FactorGroup, other: FactorGroup) -> bool:
    """Whether some number is in both."""
    (from_one, to_one), (from_other, to_other) = one.span, other.span
    return max(from_one, from_other) < min(to_one, to_other)


class MarginOutsideScale(ValueError):
    """A margin that means nothing on the study's scale; the message says which, and what to do."""


class WinRules(Part):
    """How a win is counted: the reference of the model's own set or of all sets pooled, and
    whether equal means are nobody's win or half a win for each.
    """

    reference: Literal["own_set", "pooled"] = "own_set"
    ties: Literal["neither", "half"] = "neither"


class Margins(Part):
    """Differences that do not matter, set before the data were seen: `given_in` points of the
    scale, or in percent of its length, which is the same on every scale.

    Without one, what it makes testable is not tested.
    """

    given_in: Literal["points", "percent"] = "points"
    #: How far below the reference a system may be and still approach it.
    reference: FiniteFloat | None = Field(default=None, gt=0)
    #: Between the means of two groups of raters, either way: what TOST calls "no difference".
    groups: FiniteFloat | None = Field(default=None, gt=0)

    @property
    def each(self) -> dict[str, float]:
        """Those that are set, by name."""
        both = {"reference": self.reference, "groups": self.groups}
        return {name: margin for name, margin in both.items() if margin is not None}

    def in_points(self, name: Literal["reference", "groups"]) -> float | None:
        """A margin in points of the scale. Raises ValueError where it is in percent: of which
        scale, `Recipe.on` says.
        """
        if self.given_in == "percent":
            raise ValueError("margins in percent have no points without a scale")
        return self.each.get(name)

    def problems(self, scale: Scale | None) -> Iterator[tuple[str, str]]:
        """Margins that are too small or too large to mean anything, by name, on this scale or on
        any; in points, only a scale tells.
        """
        for name, margin in self.each.items():
            percent, said, how = margin, f"a margin of {margin:g} % of the scale's length", ""
            if self.given_in == "points":
                if scale is None:
                    continue
                low, high = scale.ends
                percent = 100 * margin / scale.length
                said = (
                    f"a margin of {margin:g} on a scale from {low} to {high} is {percent:.4g} % of "
                    "the scale's length"
                )
                how = ": set it in points of this scale, or in percent with given_in: percent"
            if not LEAST_MARGIN <= percent <= GREATEST_MARGIN:
                yield (
                    name,
                    f"{said}; it has to be {LEAST_MARGIN:g} to {GREATEST_MARGIN:g} %{how}",
                )


class Bootstrap(Part):
    """Raters resampled with replacement; the whole pipeline runs on each resample."""

    resamples: int = Field(default=RESAMPLES, ge=200, le=100_000)
    seed: int = Field(default=1, ge=0)


class MixedModels(Part):
    """Which models with crossed random intercepts of raters and items are fitted.

    Without links, what fits the scale (`Recipe.on`): an ordinal model of a scale of a few points,
    a linear one of a slider or of more points, which would need a threshold between every two.
    """

    links: list[FittedLink] | None = Field(default=None, min_length=1)

    @property
    def fitted(self) -> list[FittedLink]:
        """The links; those for a scale of a few points where there are none."""
        return self.links or ["probit"]

    @field_validator("links")
    @classmethod
    def _each_link_once(cls, links: list[FittedLink] | None) -> list[FittedLink] | None:
        refuse_repeats("link", links or [])
        return links


#: How the names of tables begin that are about gold scores or the judges they come from.
OF_GOLD = ("gold_", "guard_", "judge_", "alt_test")
#: A rater's words, short enough to be read beside a map.
Quote = Annotated[Text, StringConstraints(max_length=140, pattern=r"^[^\r\n]*$")]


class Printed(Part):
    """A number as it is printed somewhere, and where the same number stands in our tables; or why
    it is `not_replicated`.

    `match` is within half a unit of the last printed decimal, or within `within`. Our number is
    multiplied by `times`, such as 100 where a share is printed in percent.
    """

    item: Text
    printed: Text
    table: Name | Literal[""] = ""
    row: Mapping[str, Text] = {}
    column: Text | Literal[""] = ""
    #: A reason, of a number that this program does not compute.
    not_replicated: str = ""
    within: FiniteFloat | None = Field(default=None, ge=0)
    times: FiniteFloat = Field(default=1, gt=0)
    note: str = ""

    @property
    def is_of_gold(self) -> bool:
        """Whether our number depends on the gold scores, whichever raters count."""
        of_gold = self.table.startswith(OF_GOLD) and self.row.get("is_gold") != "false"
        return of_gold or self.column in ("gold", "mae")

    @model_validator(mode="after")
    def _has_a_place_or_a_reason(self) -> "Printed":
        place = self.table or self.row or self.column or self.within or self.times != 1
        if self.not_replicated and place:
            raise ValueError("not_replicated goes without table, row, column, within and times")
        if not self.not_replicated and not (self.table and self.column):
            raise ValueError("give table and column, or say why it is not_replicated")
        return self


class Recipe(Part):
    """A way to analyse. Groupings and factors that a study has no column for are said to be so."""

    name: Name
    title: Text
    unit: Unit
    raters: list[Raters] = Field(default=["included"], min_length=1)
    groups: dict[Name, Grouping] = {}
    group_tests: list[GroupTest] = Field(default=["student", "welch"], min_length=1)
    anova: list[Name] = []
    #: Scenarios that analyses of variance also pool: a name for them, and theirs.
    scenario_groups: dict[Name, list[Text]] = {}
    #: Whether tests are made within each condition and each scenario, too, or over all alone, and
    #: of groups also within each condition of each scenario.
    each_condition: bool = True
    each_scenario: bool = True
    conditions_in_scenarios: bool = False
    adjust_over: list[Over] = ["model"]
    confidence: FiniteFloat = Field(default=USUAL_CONFIDENCE, gt=0.5, lt=1)
    wins: WinRules = WinRules()
    margins: Margins = Margins()
    bootstrap: Bootstrap | None = None
    mixed_models: MixedModels | None = None
    replication: list[Printed] = []
    #: What a rater of a region said, for the map of regions.
    quotes: dict[str, Quote] = {}

    def on(self, scale: Scale) -> "Recipe":
        """The recipe with what depends on the scale: margins in its points, and the links of mixed
        models where it names none. Raises MarginOutsideScale.
        """
        if not scale.points:
            return self
        for name, problem in self.margins.problems(scale):
            raise MarginOutsideScale(
                f"recipe {self.name}, margins.{name}: {problem}; then load the study folder again"
            )
        changes: dict[str, object] = {}
        if self.margins.given_in == "percent":
            points = {name: m / 100 * scale.length for name, m in self.margins.each.items()}
            changes["margins"] = Margins.model_validate(points)
        if self.mixed_models is not None and self.mixed_models.links is None:
            link: FittedLink = "probit" if scale.is_ordinal else "linear"
            changes["mixed_models"] = MixedModels(links=[link])
        return self.model_copy(update=changes)

    @field_validator("margins", mode="before")
    @classmethod
    def _nothing_sets_none(cls, given: object) -> object:
        return {} if given is None else given

    @model_validator(mode="after")
    def _each_once(self) -> "Recipe":
        each: dict[str, Sequence[str]] = {
            "raters": self.raters,
            "group_tests": self.group_tests,
            "anova": self.anova,
            "adjust_over": self.adjust_over,
            "replication": [printed.item for printed in self.replication],
        }
        for key, names in each.items():
            for name in names:
                if names.count(name) > 1:
                    raise wrong((key,), f"{name!r} is repeated")
        for group, scenarios in self.scenario_groups.items():
            if len(set(scenarios)) < 2 or len(set(scenarios)) < len(scenarios):
                message = "give two scenarios or more, each once"
                raise wrong(("scenario_groups", group), message)
        for region in self.quotes:
            if region not in REGIONS:
                regions = ", ".join(REGIONS)
                raise wrong(("quotes", region), f"{region!r} is no region; there are {regions}")
        if self.scenario_groups and not self.anova:
            raise wrong(("scenario_groups",), "only anova pools scenarios, and names no factor")
        return self


def read_recipe(path: Path) -> Recipe:
    """A recipe from its file. Raises DefinitionError with each problem's line and column."""
    yaml = YamlFile.read(path)
    return yaml.check(Recipe, yaml.plain())


def read_recipes(folder: Path) -> dict[str, Recipe]:
    """The recipes of a folder by name, beside the shipped ones, which they may take the place of.

    Raises DefinitionError with every problem of every file. A file has the name of its recipe.
    """
    own: dict[str, Recipe] = {}
    # Nobody who wrote such a file means it to be passed over.
    problems = [
        Problem(str(path), 0, 0, f"recipes are files *.yaml: call it {path.stem}.yaml")
        for path in folder.glob("*")
        if path.suffix.lower() in (".yaml", ".yml") and path.suffix != ".yaml"
    ]
    for path in sorted(folder.glob("*.yaml")):
        try:
            yaml = YamlFile.read(path)
            recipe = yaml.check(Recipe, yaml.plain())
        except DefinitionError as error:
            problems += error.problems
            continue
        if recipe.name != path.stem:
            message = f"the recipe of this file is called {path.stem}"
            problems.append(yaml.problem(("name",), message))
        if recipe.name == BOTH:
            message = f"{BOTH} stands for {' and '.join(SHIPPED)} where a recipe is chosen"
            problems.append(yaml.problem(("name",), f"{message}: call it something else"))
        own[recipe.name] = recipe
    if problems:
        raise DefinitionError(problems)
    recipes = shipped_recipes() | own
    return {name: recipes[name] for name in in_order(list(recipes))}


def shipped_recipes() -> dict[str, Recipe]:
    """The recipes that come with the program, by name."""
    return dict(_shipped())


@cache
def _shipped() -> Mapping[str, Recipe]:
    """Their files do not change while the program runs."""
    return {name: read_recipe(FOLDER / f"{name}.yaml") for name in SHIPPED}


def in_order(names: Sequence[str]) -> list[str]:
    """Shipped recipes first, others by name."""
    return sorted(names, key=lambda name: (name not in SHIPPED, name))
