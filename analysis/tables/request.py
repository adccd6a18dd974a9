"""What a table of a recipe is made from, and what makes it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec, TableSpec
from analysis.quality_rules import QualityRules
from analysis.recipe import Raters, Recipe, Unit
from analysis.study_data import Contrast
from analysis.tables.fits import Fits
from analysis.text.cells import Sentence, Table

#: Of every recipe.
EVERY_UNIT: tuple[Unit, ...] = ("rating", "participant")
Tables = dict[str, DataFrame]
NOBODY = "no rater is included"


@dataclass(frozen=True)
class Answers:
    """What some of the raters answered, as `study_data.check` gives it, and who they are.

    `unrated` says why there are no ratings, where there are none.
    """

    ratings: DataFrame
    ranks: DataFrame
    people: DataFrame
    unrated: str


@dataclass(frozen=True)
class StudyInput:
    """All ratings, everyone who consented, all items with their gold scores, what the study is
    about, and the rules: analyses with other raters start from it. `fits` are the mixed
    models that tables have in common; `parameters` is the size of models of which it is known.
    `people` have the column of `raters.writing.with_flagged`.
    """

    ratings: DataFrame
    people: DataFrame
    known: DataFrame
    contrast: Contrast
    rules: QualityRules
    fits: Fits = field(default_factory=Fits)
    parameters: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """A recipe, and the answers it is applied to."""

    recipe: Recipe
    raters: Raters
    answers: Answers
    study: StudyInput


@dataclass(frozen=True)
class FindingSpec:
    """A question that the report answers in its first section, and what says the answer: of the
    tables, of the recipe whose units are raters, and of a dimension. `table` has the numbers.
    """

    title: str
    table: str
    say: Callable[[Mapping[str, Table], Recipe | None, str], Iterator[Sentence]]


@dataclass(frozen=True)
class AnalysisSpec:
    """What makes some tables, by name.

    By default a table is one of recipes whose unit is the participant (`of_units`), by the recipe's
    raters, and needs ratings. Tables that are not `of_recipes` are the same in each: of the
    included raters, and with `_all` behind their name of all. `figures` are drawn from them, and
    the `finding` says what they show. Those that take long and are no main results are `for_later`:
    an analysis of a large study leaves them out.
    """

    tables: tuple[TableSpec, ...]
    make: Callable[[Request], Tables]
    of_recipes: bool = True
    of_units: tuple[Unit, ...] = ("participant",)
    of_ratings: bool = True
    of_all_at_once: bool = False
    for_later: bool = False
    figures: tuple[FigureSpec, ...] = ()
    finding: FindingSpec | None = None

    @property
    def names(self) -> list[str]:
        return [table.name for table in self.tables]
