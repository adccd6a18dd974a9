"""Which rows a finding speaks of. Pure."""

from collections.abc import Callable, Sequence

from analysis.recipe import Recipe
from analysis.text.cells import Row, Some, Tables, rows_of, turned
from survey.definition.contrast import comparison_of

ALL = "all"
LEVEL = 0.05


def of_unit(recipes: Sequence[Recipe], unit: str) -> Recipe | None:
    """The first recipe that counts raters (`participant`), or ratings (`rating`)."""
    return next((recipe for recipe in recipes if recipe.unit == unit), None)


def of_recipe(
    tables: Tables, name: str, recipe: Recipe | None, dimension: str, **wanted: str
) -> list[Row]:
    """The rows of one recipe and dimension, of the included raters."""
    if recipe is None:
        return []
    return rows_of(
        tables, name, recipe=recipe.name, raters="included", dimension=dimension, **wanted
    )


def winner_first(*differences: float | None) -> Callable[[Row], Row]:
    """How to read rows of a − b so that the higher side comes first: as they are, or turned. The
    first difference that is given tells which side that is.
    """
    given = next((each for each in differences if each is not None), 0)
    return turned if given < 0 else lambda row: row


def more_wins_first(row: Row) -> Callable[[Row], Row]:
    """The same where the row counts wins: the side with more of them comes first."""
    return winner_first(row["a_wins"] - row["b_wins"] if row.has("a_wins", "b_wins") else None)


def below(limit: float, rows: Sequence[Row], column: str) -> Some:
    """The rows whose number in the column is smaller."""
    return Some(
        [row for row in rows if row[column] is not None and row[column] < limit], rows, column
    )


def by_model(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each mixed model, in the order in which they stand."""
    models: dict[str, list[Row]] = {}
    for row in rows:
        models.setdefault(row["link"], []).append(row)
    return list(models.values())


def raters_of_both(tables: Tables, dimension: str) -> int:
    """How many included raters rated both conditions, so that they can prefer one."""
    of = {"raters": "included", "answers": "ratings", "dimension": dimension}
    return sum(row["raters_of_both"] or 0 for row in rows_of(tables, "design", **of))


def compares_groups(contrast: Row, systems: Sequence[Row]) -> bool:
    """Whether a mixed model's contrast is of the means of two groups of `systems` (its rows of
    estimated means), because not every model has both conditions.
    """
    names = [(row["model"], row["condition"]) for row in systems]
    comparison = comparison_of(names, contrast["condition_a"], contrast["condition_b"])
    return comparison is not None and not comparison.is_within


def leads_by_groups(tables: Tables, recipe: Recipe, dimension: str) -> bool:
    """Whether the main result is of groups of systems, so that what is within models is none."""
    of = {"scale": "ratings"}
    over_all = of_recipe(tables, "mixed_contrasts", recipe, dimension, model=ALL, **of)
    return any(
        compares_groups(row, of_recipe(tables, "mixed_systems", recipe, dimension, **of))
        for row in over_all[:1]
    )


def others(tested: Sequence[Row], rows: Sequence[Row]) -> Some:
    """The rows that could not be tested."""
    return Some([row for row in rows if row not in tested], rows, "note")


def least_p(n: int) -> float:
    """The smallest two-sided p of an exact signed-rank test of n raters: all in one direction."""
    return float(2 ** (1 - n))
