"""What an analysis says of how far its main result depends on choices and on single units, and
what a judge's scores add to it. Pure.
"""

from collections.abc import Iterator

from analysis.catalogue.number_text import percent
from analysis.raters.writing import ANY
from analysis.recipe import Recipe
from analysis.tables.multiverse import POINTS
from analysis.tables.sensitivity import WITHOUT_FLAGGED
from analysis.tables.without_flagged import DIFFERENCE
from analysis.text.cells import Row, Sentence, Tables, rows_of, those_with, values
from analysis.text.findings.words import ALL, leads_by_groups, of_recipe, winner_first
from analysis.text.sentences import Sentences

say = Sentences("findings/robustness.j2")


def multiverse(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """Over all models, or of the only one, in points of the scale."""
    if recipe is None:
        return
    of = {"recipe": recipe.name, "dimension": dimension, "scale": POINTS}
    for row in _of_main(rows_of(tables, "multiverse_summary", **of)):
        if row["specifications"]:
            read = winner_first(row["difference"], row["median"])
            yield say("multiverse", row=read(row), recipe=recipe)
        else:
            yield say("no_multiverse", row=row, recipe=recipe)


def lengths(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """The main result by the recipe's first model when responses are equally long."""
    if recipe is None or recipe.mixed_models is None:
        return
    first: str = recipe.mixed_models.fitted[0]
    rows = those_with(of_recipe(tables, "length_adjusted", recipe, dimension), "adjusted")
    if set(values(rows, "link")) == {"linear"}:
        first = "linear"  # as a composite's only model
    for row in _of_main([row for row in rows if row["link"] == first]):
        yield say("lengths", row=winner_first(row["adjusted"])(row), recipe=recipe)


def fragility(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """How few raters, and how few scenarios, turn the main result, where it is within models."""
    if recipe is None or leads_by_groups(tables, recipe, dimension):
        return
    rows = those_with(of_recipe(tables, "fragility", recipe, dimension), "p")
    for unit in values(rows, "unit"):
        by = {row["turned"]: row for row in rows if row["unit"] == unit}
        significance, sign = by["significance"], by["sign"]
        if str(significance["note"] or ""):
            yield say("fragility_of_sign", significance=significance, sign=sign)
            continue
        known = significance["p"] < round(1 - recipe.confidence, 12)
        yield say("fragility", significance=significance, sign=sign, known=known, recipe=recipe)


def flagged(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """The results without the raters whose writing is flagged: the difference of the conditions, or
    of a study without them the mean that changes most; and what moves in all main results.
    """
    if recipe is None:
        return
    counted = rows_of(tables, "flagged_writing", rule=ANY)
    rows = those_with(of_recipe(tables, "without_flagged", recipe, dimension), "value", "unflagged")
    if not counted or not rows:
        return
    if not counted[0]["flagged_included"]:
        yield say("none_flagged", count=counted[0])
        return
    differences = [row for row in rows if row["result"] == DIFFERENCE]
    row = max(differences or rows, key=lambda row: (abs(row["change"]), -row.place))
    row = winner_first(row["value"])(row) if differences else row
    yield say("flagged", count=counted[0], row=row, is_difference=bool(differences), recipe=recipe)
    variants = of_recipe(tables, "sensitivity", recipe, dimension, variant=WITHOUT_FLAGGED)
    for variant in those_with(variants, "same_conclusion"):
        yield say("flagged_conclusion", variant=variant, recipe=recipe)


def with_judges(tables: Tables, dimension: str) -> Iterator[Sentence]:
    """The difference of the conditions with the scores of each judge that are used."""
    wanted = {"estimand": "difference", "dimension": dimension}
    for row in those_with(rows_of(tables, "prediction_powered", **wanted), "gain"):
        if row["power"]:
            change = 100 * (float(row["gain"]) ** -0.5 - 1)
            size = row.derive(percent(abs(change)))
            yield say(
                "with_judge", row=winner_first(row["estimate"])(row), change=change, size=size
            )


def _of_main(rows: list[Row]) -> list[Row]:
    """Those over all models, or of the only one."""
    return [row for row in rows if row["model"] == ALL] or rows[:1]
