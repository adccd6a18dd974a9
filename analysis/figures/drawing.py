"""What a figure of a recipe is drawn from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pandas import DataFrame

from analysis.figures.labelled import labelled, labelled_contrast
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe, Scale
from analysis.study_data import Contrast
from analysis.tables.request import Answers
from survey.definition.labels import Labels


@dataclass(frozen=True)
class Drawing:
    """The tables that were made and why others were not, the answers of the included raters, and
    the first recipe whose units are raters. What it gives to be drawn has labels for names.
    """

    tables: Mapping[str, DataFrame]
    not_available: Mapping[str, str]
    included: Answers
    study_contrast: Contrast
    scale: Scale
    recipe: Recipe
    labels: Labels
    #: A quote of a rater by region, from the first recipe with quotes.
    quotes: Mapping[str, str] = field(default_factory=dict)
    #: Whether nobody was excluded, so that all raters say nothing else.
    same_raters: bool = False

    @property
    def contrast(self) -> Contrast:
        """What the study compares."""
        return labelled_contrast(self.study_contrast, self.labels)

    @property
    def ratings(self) -> DataFrame:
        """Those of the included raters. Raises NotAvailable where there are none."""
        if self.included.ratings.empty:
            raise NotAvailable(self.included.unrated)
        return labelled(self.included.ratings, self.labels)

    def table_if_made(self, name: str) -> DataFrame | None:
        """A table by name."""
        return self.table(name) if name in self.tables else None

    def table(self, name: str) -> DataFrame:
        """A table by name. Raises NotAvailable where it was not made."""
        if name not in self.tables:
            usual = f"the recipe {self.recipe.name} makes no {name}"
            raise NotAvailable(self.not_available.get(name, usual))
        table = self.tables[name]
        if self.same_raters and "raters" in table and (table["raters"] == "included").any():
            table = table[table["raters"] != "all"]
        return labelled(table, self.labels)
