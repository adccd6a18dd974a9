"""What an analysis says of condition a against b, and of systems beside the reference. Pure."""

from collections.abc import Iterator
from typing import Literal

from analysis.catalogue.number_text import count
from analysis.recipe import Recipe
from analysis.text.cells import Row, Sentence, Some, Tables, rows_of, texts, those_with
from analysis.text.findings.words import (
    ALL,
    LEVEL,
    below,
    by_model,
    compares_groups,
    least_p,
    more_wins_first,
    of_recipe,
    others,
    raters_of_both,
    winner_first,
)
from analysis.text.sentences import Sentences, system

say = Sentences("findings/conditions.j2")

#: How far a difference carries.
Verdict = Literal["not_shown", "raters_texts_unknown", "raters_texts_not_shown", "shown"]


def contrast(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """a against b over all models (or the only one), the higher one first: the mixed model's
    estimate, beside it what was observed within raters and within scenarios; the wins.
    """
    if recipe is None:
        return
    rows = of_recipe(tables, "contrasts", recipe, dimension)
    mixed = of_recipe(tables, "mixed_contrasts", recipe, dimension, scale="ratings")
    over_all = any(row["model"] == ALL for row in (*rows, *mixed))
    mixed = [row for row in mixed if row["model"] == ALL or not over_all]
    led = those_with(mixed, "difference", "p")
    grouped = False
    if led:
        groups = _groups(tables, recipe, dimension, led[0])
        grouped = bool(groups)
        yield from _main_result(tables, recipe, dimension, led, groups)
    if rows and not grouped:
        model = ALL if any(row["model"] == ALL for row in rows) else rows[0]["model"]
        by = {row["generalises_to"]: row for row in rows if row["model"] == model}
        read = winner_first(*(row["difference"] for row in (*led[:1], by["raters"])))
        yield from _observed({whom: read(row) for whom, row in by.items()}, led, recipe)
        for row in those_with(of_recipe(tables, "paired", recipe, dimension, model=model), "p"):
            yield _signed_ranks(read(row))
    if not grouped:
        for row in of_recipe(tables, "mixed_models", recipe, dimension, parameter=""):
            if rows or mixed:
                yield say("no_mixed", row=row)
    tests = list(_wins_tests(tables, recipe, dimension))
    if tests and grouped:
        compared = texts(rows_of(tables, "wins", dimension=dimension), "model")
        yield say("within_models", models=compared)
    yield from tests


def _main_result(
    tables: Tables, recipe: Recipe, dimension: str, led: list[Row], groups: dict[str, Some]
) -> Iterator[Sentence]:
    """What the recipe's first model says, and then the others; how they were compared where not
    every model has both conditions.
    """
    read = winner_first(led[0]["difference"])
    shown = {row["p"] < 1 - recipe.confidence for row in led}
    yield say(
        "main",
        row=read(led[0]),
        recipe=recipe,
        grouped=bool(groups),
        prefer=raters_of_both(tables, dimension) > 0,
        shown=None if len(shown) > 1 else shown.pop(),
    )
    for row in led[1:]:
        yield say("other_model", row=read(row), recipe=recipe)
    if groups:
        yield say("of_groups", sides=groups)


def _groups(tables: Tables, recipe: Recipe, dimension: str, row: Row) -> dict[str, Some]:
    """By the conditions' names, the systems that are compared as groups; nothing where every model
    has both conditions.
    """
    systems = of_recipe(
        tables, "mixed_systems", recipe, dimension, link=row["link"], scale="ratings"
    )
    if not compares_groups(row, systems):
        return {}
    return {
        row.text(side): Some(
            [each for each in systems if each["condition"] == row[side]], systems, "condition"
        )
        for side in ("condition_a", "condition_b")
    }


def _observed(by: dict[str, Row], led: list[Row], recipe: Recipe) -> Iterator[Sentence]:
    """How far a and b lie apart within these raters, and within these scenarios."""
    raters, scenarios, both = by["raters"], by["scenarios"], by["both"]
    if raters.has("difference"):
        level = 1 - recipe.confidence
        yield say("observed", row=raters, leads=not led, verdict=_verdict(raters, both, led, level))
    if raters["note"] == scenarios["note"] and not raters.has("p"):
        yield say("not_within", row=raters)
    else:
        yield say("by_raters", row=raters, recipe=recipe)
        yield say("by_scenarios", row=scenarios, recipe=recipe)
    if both.has("p"):
        yield say("both_at_once", row=both, leads=not led)


def _verdict(raters: Row, both: Row, led: list[Row], level: float) -> Verdict:
    """How far the difference within these raters carries, by what leads: the mixed models, or
    without one min F′.
    """
    leading = [row["p"] for row in led or those_with([both], "p")]
    if leading and all(p < level for p in leading):
        return "shown"
    if not raters.has("p") or raters["p"] >= level:
        return "not_shown"
    return "raters_texts_not_shown" if leading else "raters_texts_unknown"


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
    """Each system beside the reference, by the mixed model; where there is none, for other raters
    and for other scenarios.
    """
    if recipe is None:
        return
    rows = of_recipe(tables, "reference_contrasts", recipe, dimension)
    compared = those_with(rows, "difference")
    if compared:
        first, *others = by_model(compared)
        yield _beside_reference(first, recipe)
        yield from _near_reference(first, first, "not_inferior", "p_non_inferior_adjusted")
        for rows in others:
            apart = below(1 - recipe.confidence, rows, "p_adjusted")
            reference = system(rows[0], "reference_")
            yield say(
                "other_beside_reference",
                rows=rows,
                reference=reference,
                apart=apart,
                recipe=recipe,
            )
        return
    for unit, name in (
        ("participant", "not_inferior_by_raters"),
        ("scenario", "not_inferior_by_scenarios"),
    ):
        rows = of_recipe(tables, "to_reference", recipe, dimension, unit=unit)
        tested = those_with(rows, "p_adjusted")
        yield from _near_reference(tested, rows, name, "p_adjusted")
        worse = below(0, tested, "ci_high")
        if worse:
            yield say("below_reference", below=worse, recipe=recipe)


def _beside_reference(rows: list[Row], recipe: Recipe) -> Sentence:
    reference = system(rows[0], "reference_")
    if len(rows) == 1:
        return say("one_beside_reference", row=rows[0], reference=reference, recipe=recipe)
    apart = below(1 - recipe.confidence, rows, "p_adjusted").rows
    lower = Some([row for row in apart if row["difference"] < 0], rows, "difference")
    higher = Some([row for row in apart if row["difference"] > 0], rows, "difference")
    rest = Some([row for row in rows if row not in apart], rows, "p_adjusted")
    return say(
        "beside_reference",
        reference=reference,
        lower=lower,
        higher=higher,
        rest=rest,
        ends=sorted(rows, key=lambda row: row["difference"]),
        recipe=recipe,
    )


def _near_reference(
    tested: list[Row], rows: list[Row], name: str, adjusted: str
) -> Iterator[Sentence]:
    """Which systems are shown to be non-inferior, where there is a margin."""
    with_margin = those_with(tested, "margin", adjusted)
    if with_margin:
        yield say(
            name,
            near=below(LEVEL, with_margin, adjusted),
            reference=system(with_margin[0], "reference_"),
            margin=with_margin[0].cite("margin"),
            without=others(with_margin, rows),
        )
