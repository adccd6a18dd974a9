"""What a figure of a recipe is drawn from."""

from collections.abc import Mapping
from dataclasses import dataclass

from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.recipe import Recipe, Scale
from analysis.study_data import Contrast
from analysis.tables.request import Answers


@dataclass(frozen=True)
class Drawing:
    """The tables that were made and why others were not, the answers of the included raters, and
    the first recipe whose units are raters.
    """

    tables: Mapping[str, DataFrame]
    not_available: Mapping[str, str]
    included: Answers
    contrast: Contrast
    scale: Scale
    recipe: Recipe

    def table(self, name: str) -> DataFrame:
        """A table by name. Raises NotAvailable where it was not made."""
        if name not in self.tables:
            usual = f"the recipe {self.recipe.name} makes no {name}"
            raise NotAvailable(self.not_available.get(name, usual))
        return self.tables[name]
