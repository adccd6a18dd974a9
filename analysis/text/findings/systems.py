"""What an analysis says of the order of the systems, and which are not told apart. Pure."""

from collections.abc import Iterator

from analysis.catalogue.number_text import count
from analysis.recipe import Recipe
from analysis.text.cells import Cited, Row, Sentence, Some, Tables, those_with
from analysis.text.findings.words import of_recipe
from analysis.text.sentences import Sentences

say = Sentences("findings/systems.j2")


def order(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """The order by the first model that is estimable; nothing of two systems that are the study's
    two conditions, of which the contrast says all.
    """
    if recipe is None:
        return
    rows = of_recipe(tables, "system_groups", recipe, dimension)
    ranked = those_with(rows, "place")
    for row in rows:
        if not row.has("place"):
            yield say("no_model", row=row)
    if ranked:
        ranked = [row for row in ranked if row["link"] == ranked[0]["link"]]
        if len(ranked) == 2 and of_recipe(tables, "mixed_contrasts", recipe, dimension):
            return
        pairs = of_recipe(tables, "system_pairs", recipe, dimension, link=ranked[0]["link"])
        yield _told_apart(ranked, pairs, recipe)
    yield from _places(tables, recipe, dimension)


def _told_apart(ranked: list[Row], pairs: list[Row], recipe: Recipe) -> Sentence:
    apart = Some([row for row in pairs if row["told_apart"]], pairs, "told_apart")
    if len(ranked) == 2:
        return say("two", ranked=ranked, pair=pairs[0], recipe=recipe)
    best = [row for row in ranked if row["place"] == 1]
    what = {"k": _counted(ranked), "ranked": ranked, "best": best, "apart": apart, "recipe": recipe}
    if len(apart) == len(pairs):
        return say("all_apart", **what)
    if not apart:
        return say("none_apart", **what)
    highest = {_name(row) for row in best}
    alike = {
        _name(pair, "_b")
        for pair in pairs
        if not pair["told_apart"] and _name(pair, "_a") in highest
    }
    others = [row for row in ranked if row not in best]
    near = Some([row for row in others if _name(row) in alike], others, "letters")
    below = Some([row for row in others if _name(row) not in alike], others, "letters")
    return say("some_apart", near=near, below=below, **what)


def _name(row: Row, side: str = "") -> tuple[str, str]:
    return row[f"model{side}"], row[f"condition{side}"]


def _counted(ranked: list[Row]) -> Cited:
    """How many systems there are, in the column of their letters."""
    table = ranked[0].table
    address = f"{table.file}#col={table.columns.index('letters') + 1}"
    return Cited(count(len(ranked)), str(len(ranked)), address, len(ranked))


def _places(tables: Tables, recipe: Recipe, dimension: str) -> Iterator[Sentence]:
    """How sure the first place is, by resamples."""
    rows = of_recipe(tables, "system_order", recipe, dimension)
    known = those_with(rows, "share_first", "place_ci_low", "place_ci_high")
    if known:
        first = [row for row in known if row["place"] == 1]
        yield say("first_place", first=first, unit=known[0]["unit"], recipe=recipe)
