"""What an analysis says of condition a against b, and of systems beside the reference. Pure."""

from collections.abc import Iterator
from typing import Literal

from analysis.catalogue.number_text import count
from analysis.recipe import Recipe
from analysis.tables.lead import TASTES, min_f_leads, without_lead
from analysis.text.cells import Row, Sentence, Some, Tables, rows_of, those_with
from analysis.text.findings.words import (
    ALL,
    LEVEL,
    below,
    least_p,
    of_recipe,
    others,
)
from analysis.text.sentences import Sentences, system

say = Sentences("findings/conditions.j2")

#: How far a difference carries.
Verdict = Literal[
    "not_shown",
    "tests_disagree",
    "raters_and_texts",
    "raters_texts_unknown",
    "raters_texts_not_shown",
    "raters_tests_disagree",
    "min_f_against_models",
]


def contrast(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """a against b over all models (or the only one): how far apart, what it speaks of, the wins."""
    if recipe is None:
        return
    rows = of_recipe(tables, "contrasts", recipe, dimension)
    if rows:
        model = ALL if any(row["model"] == ALL for row in rows) else rows[0]["model"]
        by = {row["generalises_to"]: row for row in rows if row["model"] == model}
        mixed = of_recipe(
            tables, "mixed_contrasts", recipe, dimension, model=model, scale="ratings"
        )
        few = min_f_leads(by["both"]["note"])
        yield from _apart(by["raters"], by["both"], [] if few else mixed, recipe)
        if few:
            yield _min_f_first(by["both"])
        yield say("by_raters", row=by["raters"], recipe=recipe)
        yield say("by_scenarios", row=by["scenarios"], recipe=recipe)
        if not few and by["both"].has("p"):
            yield say("both_at_once", row=by["both"])
        for row in those_with(of_recipe(tables, "paired", recipe, dimension, model=model), "p"):
            yield _signed_ranks(row)
        for row in those_with(mixed, "difference", "p"):
            yield say("mixed", row=row, few=min_f_leads(row["note"]), recipe=recipe)
        for row in of_recipe(tables, "mixed_models", recipe, dimension, parameter=""):
            yield say("no_mixed", row=row)
    yield from _wins_tests(tables, recipe, dimension)


def _apart(raters: Row, both: Row, mixed: list[Row], recipe: Recipe) -> Iterator[Sentence]:
    """How far a and b lie apart in these data, and how far that carries."""
    if raters.has("difference"):
        of_models = [row["p"] for row in mixed if row.has("p")]
        verdict = _verdict(raters["p"], both["p"], of_models, 1 - recipe.confidence)
        yield say("apart", row=raters, verdict=verdict)


def _verdict(raters: float, both: float | None, mixed: list[float], level: float) -> Verdict:
    """What p values by raters, by raters and scenarios at once, and of mixed models say."""
    beyond = [p < level for p in (both, *mixed) if p is not None]
    if raters >= level:
        return "tests_disagree" if any(beyond) else "not_shown"
    if not beyond:
        return "raters_texts_unknown"
    if all(beyond):
        return "raters_and_texts"
    if not any(beyond):
        return "raters_texts_not_shown"
    models_agree = len({p < level for p in mixed}) == 1
    return "min_f_against_models" if both is not None and models_agree else "raters_tests_disagree"


def _min_f_first(row: Row) -> Sentence:
    """min F′ where it leads, with the reason; and why there is nothing that leads, without it."""
    if row.has("p"):
        return say("min_f_leads", row=row, because=TASTES)
    return say("min_f_would_lead", because=TASTES, missing=without_lead(row["note"]))


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
        a, b = compared[0].text("condition_a"), compared[0].text("condition_b")
        yield say("wins", row=row, a=a, b=b, compared=Some(compared, compared, "winner"))


def _wins_tests(tables: Tables, recipe: Recipe, dimension: str) -> Iterator[Sentence]:
    for row in of_recipe(tables, "wins_tests", recipe, dimension, scenario=ALL):
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
