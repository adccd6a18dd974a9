"""What an analysis says of places on the page, to choices and ranks. Pure."""

from collections.abc import Iterator

from analysis.recipe import Recipe
from analysis.text.cells import Row, Sentence, Some, Tables, those_with, values
from analysis.text.findings.words import LEVEL, of_recipe
from analysis.text.sentences import Sentences

say = Sentences("findings/positions.j2")


def positions(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    tests = of_recipe(tables, "position_tests", recipe, dimension)
    several = len(those_with(tests, "p")) > 1
    for test in tests:
        if not test.has("p", "p_adjusted"):
            yield say("not_tested", test=test)
        elif test["p_adjusted"] < LEVEL:
            low, high = _ends(tables, recipe, dimension, test)
            yield say("place_matters", test=test, low=low, high=high, several=several)
        else:
            yield say("place_not_shown", test=test, several=several)
    known = those_with(of_recipe(tables, "position_conclusions", recipe, dimension), "moves")
    if known:
        moved = Some([row for row in known if row["moves"]], known, "moves")
        yield say("evened", moved=moved, answers=values(known, "answer"))


def _ends(
    tables: Tables, recipe: Recipe | None, dimension: str, test: Row
) -> tuple[Row | None, Row | None]:
    """The places with the lowest and the highest number."""
    keys = {"answer": test["answer"], "set": test["set"]}
    rows = of_recipe(tables, "position_effects", recipe, dimension, **keys)
    if not rows:
        return None, None
    return min(rows, key=_rank), max(rows, key=_rank)


def _rank(row: Row) -> tuple[float, int]:
    return row["value"], row.place
