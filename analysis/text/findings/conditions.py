"""What an analysis says of condition a against b, and of systems beside the reference. Pure."""

from collections.abc import Iterator
from typing import Literal

from analysis.catalogue.number_text import count
from analysis.recipe import Recipe
from analysis.text.cells import Row, Sentence, Some, Tables, rows_of, those_with
from analysis.text.findings.words import (
    ALL,
    LEVEL,
    below,
    compares_groups,
    has_preferences,
    least_p,
    more_wins_first,
    of_recipe,
    others,
    winner_first,
)
from analysis.text.sentences import Sentences, system

say = Sentences("findings/conditions.j2")

#: How far a difference carries.
Verdict = Literal[
    "not_shown",
    "raters_and_texts",
    "raters_texts_unknown",
    "raters_texts_not_shown",
    "models_disagree",
]


def contrast(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """a against b over all models (or the only one), the higher one first: how far apart, what it
    speaks of; the wins.
    """
    if recipe is None:
        return
    grouped = list(_of_groups(tables, recipe, dimension))
    yield from grouped
    rows = of_recipe(tables, "contrasts", recipe, dimension)
    if rows and not grouped:
        model = ALL if any(row["model"] == ALL for row in rows) else rows[0]["model"]
        as_stored = {row["generalises_to"]: row for row in rows if row["model"] == model}
        mixed = of_recipe(
            tables, "mixed_contrasts", recipe, dimension, model=model, scale="ratings"
        )
        led = those_with(mixed, "difference", "p")
        read = winner_first(*(row["difference"] for row in (as_stored["raters"], *led)))
        by = {whom: read(row) for whom, row in as_stored.items()}
        yield from _apart(by["raters"], led or those_with([by["both"]], "p"), recipe)
        prefer = has_preferences(of_recipe(tables, "mixed_models", recipe, dimension))
        apart = by["raters"].has("difference")
        for row in map(read, led):
            yield say("mixed", row=row, recipe=recipe, prefer=prefer, apart=apart)
        if by["raters"]["note"] == by["scenarios"]["note"] and not by["raters"].has("p"):
            yield say("not_within", row=by["raters"])
        else:
            yield say("by_raters", row=by["raters"], recipe=recipe)
            yield say("by_scenarios", row=by["scenarios"], recipe=recipe)
        if by["both"].has("p"):
            yield say("both_at_once", row=by["both"], leads=not led)
        for row in those_with(of_recipe(tables, "paired", recipe, dimension, model=model), "p"):
            yield _signed_ranks(read(row))
        for row in of_recipe(tables, "mixed_models", recipe, dimension, parameter=""):
            yield say("no_mixed", row=row)
    yield from _wins_tests(tables, recipe, dimension)


def _of_groups(tables: Tables, recipe: Recipe, dimension: str) -> Iterator[Sentence]:
    """a against b where not every model has both conditions: their systems' means."""
    rows = of_recipe(tables, "mixed_contrasts", recipe, dimension, model=ALL, scale="ratings")
    led = those_with(rows, "difference", "p")
    prefer = has_preferences(of_recipe(tables, "mixed_models", recipe, dimension))
    for row in led:
        read = winner_first(row["difference"])(row)
        systems = of_recipe(
            tables, "mixed_systems", recipe, dimension, link=row["link"], scale="ratings"
        )
        if not compares_groups(row, systems):
            return
        sides = [
            Some([each for each in systems if each["condition"] == row[side]], systems, "condition")
            for side in ("condition_a", "condition_b")
        ]
        names = [row.text("condition_a"), row.text("condition_b")]
        yield say("of_groups", sides=dict(zip(names, sides, strict=True)))
        yield say("mixed", row=read, recipe=recipe, prefer=prefer, apart=False)


def _apart(raters: Row, led: list[Row], recipe: Recipe) -> Iterator[Sentence]:
    """How far a and b lie apart in these data, and how far that carries, as what leads has it."""
    if raters.has("difference"):
        verdict = _verdict(raters["p"], [row["p"] for row in led], 1 - recipe.confidence)
        yield say("apart", row=raters, verdict=verdict)


def _verdict(raters: float, led: list[float], level: float) -> Verdict:
    """What p values say: by raters, and by what leads, which is about raters and texts at once."""
    beyond = {p < level for p in led}
    if beyond == {True}:
        return "raters_and_texts"
    if len(beyond) > 1:
        return "models_disagree"
    if raters >= level:
        return "not_shown"
    return "raters_texts_not_shown" if beyond else "raters_texts_unknown"


def _signed_ranks(row: Row) -> Sentence:
    """Wilcoxon's test of the same raters' means, which asks for no normal distribution."""
    moved = row["n"] - (row["zeros"] or 0)
    powerless = row["method"] == "exact" and least_p(moved) >= LEVEL
    return say("signed_ranks", row=row, moved=row.derive(count(moved)), powerless=powerless)


def wins(tables: Tables, dimension: str) -> Iterator[Sentence]:
    for row in rows_of(tables, "wins_summary", scenario=ALL, dimension=dimension):
        each = rows_of(tables, "wins", dimension=dimension)
        compared = [win for win in each if win["winner"]]
        if not compared:
            yield say("no_wins")
            return
        read = more_wins_first(row)
        names = read(compared[0])
        a, b = names.text("condition_a"), names.text("condition_b")
        yield say("wins", row=read(row), a=a, b=b, compared=Some(compared, compared, "winner"))


def _wins_tests(tables: Tables, recipe: Recipe, dimension: str) -> Iterator[Sentence]:
    for stored in of_recipe(tables, "wins_tests", recipe, dimension, scenario=ALL):
        row = more_wins_first(stored)(stored)
        if row.has("p"):
            yield say("sign_test", row=row)
        if row.has("a_wins_low", "a_wins_high"):
            yield say("resampled_wins", row=row, recipe=recipe)
    rows = of_recipe(tables, "win_differences", recipe, dimension)
    tested = those_with(rows, "p_adjusted")
    if tested:
        clear = below(LEVEL, tested, "p_adjusted")
        yield say("one_by_one", clear=clear, without=others(tested, rows))


def points(tables: Tables, dimension: str) -> Iterator[Sentence]:
    for row in rows_of(tables, "wins_summary", scenario=ALL, dimension=dimension):
        if row["reference_points_max"]:
            yield say("reference_points", row=row)


def to_reference(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    for unit, name in (
        ("participant", "not_inferior_by_raters"),
        ("scenario", "not_inferior_by_scenarios"),
    ):
        rows = of_recipe(tables, "to_reference", recipe, dimension, unit=unit)
        tested = those_with(rows, "p_adjusted")
        if not tested:
            continue
        near = below(LEVEL, tested, "p_adjusted")
        margin = tested[0].cite("margin")
        reference = system(tested[0], "reference_")
        without = others(tested, rows)
        yield say(name, near=near, reference=reference, margin=margin, without=without)
        worse = below(0, tested, "ci_high")
        if worse:
            yield say("below_reference", below=worse, recipe=recipe)
