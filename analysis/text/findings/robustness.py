"""What an analysis says of how far its main result depends on choices and on single units. Pure."""

from collections.abc import Iterator

from analysis.recipe import Recipe
from analysis.tables.multiverse import POINTS
from analysis.text.cells import Row, Sentence, Tables, rows_of
from analysis.text.findings.words import ALL
from analysis.text.sentences import Sentences

say = Sentences("findings/robustness.j2")


def multiverse(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """Over all models, or of the only one, in points of the scale."""
    if recipe is None:
        return
    of = {"recipe": recipe.name, "dimension": dimension, "scale": POINTS}
    for row in _of_main(rows_of(tables, "multiverse_summary", **of)):
        yield say(
            "multiverse" if row["specifications"] else "no_multiverse", row=row, recipe=recipe
        )


def _of_main(rows: list[Row]) -> list[Row]:
    """Those over all models, or of the only one."""
    return [row for row in rows if row["model"] == ALL] or rows[:1]
