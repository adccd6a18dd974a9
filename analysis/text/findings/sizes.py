"""What an analysis says of ratings over the size of the models. Pure."""

from collections.abc import Iterator

from analysis.recipe import Recipe
from analysis.text.cells import Sentence, Tables, those_with
from analysis.text.findings.words import of_recipe
from analysis.text.sentences import Sentences

say = Sentences("findings/sizes.j2")


def trends(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """The line of each condition, and that of what condition b gains."""
    if recipe is None:
        return
    rows = those_with(of_recipe(tables, "size_trends", recipe, dimension), "slope", "slope_ci_low")
    for row in rows:
        named = "mean" if row["of"] == "mean" else "difference"
        away = row["slope_ci_low"] > 0 or row["slope_ci_high"] < 0
        yield say(named, row=row, ranked=row.has("rho"), away=away, recipe=recipe)
    if rows:
        yield say("models_alone", row=rows[0])
