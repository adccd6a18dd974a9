"""Words that findings share. Pure."""

from collections.abc import Callable, Sequence

from analysis.catalogue.number_text import NARROW, decimals
from analysis.recipe import Recipe
from analysis.text.cells import Row, Sentence, Tables, counted_of, rows_of

ALL = "all"
LEVEL = 0.05
LINKS = {"probit": "ordinal, probit", "logit": "ordinal, logit", "linear": "linear"}


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


def points_apart(row: Row, column: str) -> Sentence:
    """ "0.12 points lower than", from a difference a − b."""
    way = "lower" if row[column] < 0 else "higher"
    if row[column] == 0:
        return ("exactly as high (difference ", row.cite(column), ") as")
    return (row.cite(column, lambda value: decimals(abs(value))), f" points {way} than")


def interval(
    row: Row, recipe: Recipe, name: str = "ci", form: Callable[[float], str] | None = None
) -> Sentence:
    """ "95 % interval 2.41 to 2.64"."""
    return (
        f"{level(recipe)} interval ",
        row.cite(f"{name}_low", form),
        " to ",
        row.cite(f"{name}_high", form),
    )


def bounds(
    row: Row,
    recipe: Recipe,
    name: str = "ci",
    form: Callable[[float], str] | None = None,
    whose: str = "",
) -> Sentence:
    """ " (95 % interval 2.41 to 2.64)", where the row has both ends; `whose` others it is of."""
    if not row.has(f"{name}_low", f"{name}_high"):
        return ()
    return (" (", *interval(row, recipe, name, form), f"{whose})")


def level(recipe: Recipe) -> str:
    return f"{100 * recipe.confidence:g}{NARROW}%"


def at_level(recipe: Recipe) -> str:
    """ "p = .05": what p values are below where an interval of the recipe's excludes zero."""
    return f"p = {1 - recipe.confidence:.3g}".replace("0.", ".")


def least_p(n: int) -> float:
    """The smallest two-sided p of an exact signed-rank test of n raters: all in one direction."""
    return float(2 ** (1 - n))


def system(row: Row) -> str:
    return " ".join(filter(None, (row["model"], row["condition"])))


def together(rows: list[Row]) -> str:
    """ "this one", or "this one, that one and the third"."""
    *others, last = [system(row) for row in rows]
    return f"{', '.join(others)} and {last}" if others else last


def named(rows: list[Row]) -> str:
    """The systems of these rows, as `listed`."""
    return listed([system(row) for row in rows])


def listed(names: Sequence[str]) -> str:
    """ ": this one, that one", where there are any and not too many."""
    return f": {', '.join(names)}" if 0 < len(names) <= 8 else ""


def why(row: Row) -> str:
    """Why a row has no numbers, as a part of a sentence."""
    note = str(row["note"] or "not estimable").strip().rstrip(".")
    return note if note.startswith("not estimable") else f"not estimable ({note})"


def untested(rows: list[Row], tested: list[Row]) -> Sentence:
    """ "; not estimable for 2", where only some of the rows could be tested."""
    without = [row for row in rows if row not in tested]
    return ("; not estimable for ", counted_of(without, rows, "note")) if without else ()


def if_adjusted(tested: Sequence[Row], words: str) -> str:
    """Words about an adjustment, where there are several p values: one alone stays as it is."""
    return words if len(tested) > 1 else ""


def does(part: list[Row], whole: list[Row], one: str, many: str) -> str:
    """The verb of "1 of 12 comparisons differs", and "0 of 12 differ"."""
    return one if 1 in (len(part), len(whole)) else many


def capital(text: str) -> str:
    """The text as a sentence begins."""
    return text[:1].upper() + text[1:]
