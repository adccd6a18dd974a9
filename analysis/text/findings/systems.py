"""What an analysis says of systems: means, order, and which are not told apart. Pure."""

from collections.abc import Iterator
from math import ceil

from analysis.catalogue.number_text import count, decimals
from analysis.recipe import Recipe
from analysis.text.cells import Cited, Row, Sentence, Some, Tables, rows_of, those_with, values
from analysis.text.findings.words import below, by_model, of_recipe
from analysis.text.sentences import Sentences

say = Sentences("findings/systems.j2")

#: Standard errors between an observed and an estimated mean that need a reason.
FAR = 0.5


def order(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """The order by the first model that is estimable; nothing of two systems of which the study's
    contrast says all.
    """
    if recipe is None:
        return
    rows = of_recipe(tables, "system_groups", recipe, dimension)
    ranked = those_with(rows, "place")
    if not ranked:
        for note in values(rows, "note"):
            yield say("no_model", row=next(row for row in rows if row["note"] == note))
        if rows:
            yield from _without_model(tables, recipe, dimension)
        return
    ranked, *others = by_model(ranked)
    if len(ranked) == 1:
        known = rows_of(tables, "design", dimension=dimension, answers="ratings")
        scale = those_with(known, "scale_from", "scale_to")[:1]
        yield say("single", row=ranked[0], scale=scale, recipe=recipe)
    elif len(ranked) == 2 and any(
        of_recipe(tables, name, recipe, dimension)
        for name in ("mixed_contrasts", "reference_contrasts")
    ):
        return
    else:
        pairs = of_recipe(tables, "system_pairs", recipe, dimension, link=ranked[0]["link"])
        yield _told_apart(ranked, pairs, recipe)
        beside = of_recipe(tables, "reference_contrasts", recipe, dimension, link=ranked[0]["link"])
        alone = _only_beside_reference(pairs, below(1 - recipe.confidence, beside, "p_adjusted"))
        if alone:
            yield say("only_beside_reference", apart=alone)
    if len(ranked) > 2:
        first = [row for row in ranked if row["place"] == 1]
        yield say("first_place", first=first, recipe=recipe)
    yield from _observed(ranked)
    for rows in others:
        pairs = of_recipe(tables, "system_pairs", recipe, dimension, link=rows[0]["link"])
        best = [row for row in rows if row["place"] == 1]
        apart = Some([row for row in pairs if row["told_apart"]], pairs, "told_apart")
        yield say("other_model", best=best, apart=apart, recipe=recipe)


def _observed(ranked: list[Row]) -> Iterator[Sentence]:
    """The means as they were observed: how far they are from the estimated ones, and who has the
    highest, where that is another system.
    """
    known = those_with(ranked, "observed_mean")
    if not known:
        return
    highest = max(row["observed_mean"] for row in known)
    most = [row for row in known if row["observed_mean"] == highest]
    furthest = max(known, key=lambda row: abs(row["observed_mean"] - row["estimate"]))
    distance = abs(furthest["observed_mean"] - furthest["estimate"])
    by = furthest.derive(decimals(max(ceil(100 * distance), 1) / 100, 2))
    same = any(row["place"] == 1 for row in most)
    far = distance > FAR * furthest["se"]
    yield say("observed", most=most, by=by, same=same, far=far, several=len(known) > 1)


def _without_model(tables: Tables, recipe: Recipe, dimension: str) -> Iterator[Sentence]:
    """Who has the highest observed mean where no model can be had."""
    rows = those_with(of_recipe(tables, "systems", recipe, dimension, unit="scenario"), "mean")
    if len(rows) > 1:
        highest = max(row["mean"] for row in rows)
        yield say("highest_observed", most=[row for row in rows if row["mean"] == highest])


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


def _only_beside_reference(pairs: list[Row], beside: Some) -> Some:
    """The systems that are told apart from the reference alone, but not among all pairs."""
    alike = [{_name(pair, "_a"), _name(pair, "_b")} for pair in pairs if not pair["told_apart"]]
    rows = [row for row in beside.rows if {_name(row), _reference(row)} in alike]
    return Some(rows, beside.among, beside.column)


def _name(row: Row, side: str = "") -> tuple[str, str]:
    return row[f"model{side}"], row[f"condition{side}"]


def _reference(row: Row) -> tuple[str, str]:
    return row["reference_model"], row["reference_condition"]


def _counted(ranked: list[Row]) -> Cited:
    """How many systems there are, in the column of their letters."""
    table = ranked[0].table
    address = f"{table.file}#col={table.columns.index('letters') + 1}"
    return Cited(count(len(ranked)), str(len(ranked)), address, len(ranked))
