"""What an analysis says of groups of raters. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from analysis.recipe import Recipe
from analysis.tables.anova import TESTS, main_test
from analysis.tables.group_tests import KEYS
from analysis.text.cells import Cited, Row, Sentence, Some, Tables, rows_of, those_with, values
from analysis.text.findings.words import ALL, LEVEL, below, of_recipe, others
from analysis.text.sentences import Sentences

say = Sentences("findings/groups.j2")


@dataclass(frozen=True)
class Margin:
    """For how many models a difference of so many points is ruled out, which no p above .05 does by
    itself; and for how many it is unclear.
    """

    points: Cited
    near: Some
    unclear: Some


def has_families(tables: Tables, recipe: Recipe) -> bool:
    """Whether some p value of the recipe's tests of groups has others to be adjusted with."""
    apart = [key for key in KEYS if key not in recipe.adjust_over]
    rows = rows_of(tables, "group_tests", recipe=recipe.name)
    families = [tuple(row[key] for key in apart) for row in rows if row.has("p")]
    return len(set(families)) < len(families)


def pairs(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    everything = of_recipe(tables, "group_tests", recipe, dimension, condition=ALL, scenario=ALL)
    for factor in values(everything, "factor"):
        rows = [row for row in everything if row["factor"] == factor]
        test = preferred(recipe, rows)
        rows = [row for row in rows if row["test"] == test]
        tested = those_with(rows, "p")
        if not tested:
            yield say("no_pair", row=rows[0], test=test)
            continue
        yield say(
            "pair",
            clear=below(LEVEL, tested, "p"),
            still=below(LEVEL, tested, "p_adjusted"),
            least=min(tested, key=lambda row: (row["p"], row.place)),
            margin=_margin(tested),
            without=others(tested, rows),
            test=test,
            holm=has_families(tables, recipe),
            recipe=recipe,
        )


def preferred(recipe: Recipe, rows: list[Row]) -> str:
    """Of raters Welch's t, which asks for no equal spreads; of ratings Student's, as is usual."""
    tests = values(rows, "test")
    wanted = "welch" if recipe.unit == "participant" else "student"
    return wanted if wanted in tests else str(tests[0])


def _margin(rows: list[Row]) -> Margin | None:
    tested = those_with(rows, "margin", "p_equivalent_adjusted")
    if not tested:
        return None
    column = "p_equivalent_adjusted"
    near = below(LEVEL, tested, column)
    clear = below(LEVEL, tested, "p_adjusted")
    unclear = [row for row in tested if row not in (*near.rows, *clear.rows)]
    return Margin(tested[0].cite("margin"), near, Some(unclear, tested, column))


def several(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    test = main_test(recipe)
    rows = of_recipe(tables, "anova", recipe, dimension, test=test)
    for factor in values(rows, "factor"):
        of_factor = [row for row in rows if row["factor"] == factor]
        single = [row for row in of_factor if row["scenario"] != ALL]
        tested = those_with(single, "p", "p_adjusted_scenarios")
        overall = [row for row in of_factor if row["scenario"] == ALL and row.has("p")]
        what = {"factor": of_factor[0].text("factor"), "test": TESTS[test], "recipe": recipe}
        if tested:
            clear = below(LEVEL, tested, "p")
            still = below(LEVEL, tested, "p_adjusted_scenarios")
            yield say("several", clear=clear, still=still, without=others(tested, single), **what)
        elif overall:
            yield say("several_over_all", row=overall[0], **what)
        else:
            yield say("not_several", factor=what["factor"], row=of_factor[0])
