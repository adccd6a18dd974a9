"""What an analysis says of groups of raters. Pure."""

from collections.abc import Iterator

from analysis.catalogue.number_text import count, noun
from analysis.recipe import Recipe
from analysis.tables.anova import TESTS as ANOVAS
from analysis.tables.anova import main_test
from analysis.tables.group_tests import KEYS
from analysis.text.cells import Row, Sentence, Tables, counted, counted_of, rows_of, values
from analysis.text.findings.words import (
    ALL,
    LEVEL,
    bounds,
    capital,
    listed,
    of_recipe,
    untested,
    why,
)

TESTS = {
    "student": "Student's t",
    "welch": "Welch's t",
    "mann_whitney": "Mann–Whitney",
}


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
    holm = has_families(tables, recipe)
    for factor in values(everything, "factor"):
        rows = [row for row in everything if row["factor"] == factor]
        test = preferred(recipe, rows)
        rows = [row for row in rows if row["test"] == test]
        tested = [row for row in rows if row.has("p")]
        whose = f"{capital(factor)}, {rows[0]['group_a']} against {rows[0]['group_b']}"
        if not tested:
            yield (f"{whose}: {TESTS[test]} is {why(rows[0])}.",)
            continue
        clear = [row for row in tested if row["p"] < LEVEL]
        still = [row for row in tested if row["p_adjusted"] < LEVEL]
        yield (
            f"{whose}: p < .05 for ",
            counted_of(clear, tested, "p"),
            " of ",
            counted(tested, "p"),
            f" {noun(len(tested), 'model')}",
            *((", after Holm for ", counted_of(still, tested, "p_adjusted")) if holm else ()),
            f" ({TESTS[test]})",
            *_least(tested, recipe, holm=holm),
            *_within_margin(tested, holm=holm),
            *untested(rows, tested),
            ".",
        )


def preferred(recipe: Recipe, rows: list[Row]) -> str:
    """Of raters Welch's t, which asks for no equal spreads; of ratings Student's, as is usual."""
    tests = values(rows, "test")
    wanted = "welch" if recipe.unit == "participant" else "student"
    return wanted if wanted in tests else str(tests[0])


def _least(rows: list[Row], recipe: Recipe, *, holm: bool) -> Sentence:
    """The model with the smallest p."""
    row = min(rows, key=lambda row: (row["p"], row.place))
    unit = "raters" if recipe.unit == "participant" else "ratings"
    numbers: Sentence = ()
    if row.has("difference", "ci_low", "ci_high"):
        numbers = (row.cite("difference"), " points", *bounds(row, recipe), ", ")
    return (
        f"; {'the least p is that of ' if len(rows) > 1 else ''}{row['model']}, ",
        row.cite("n_a", count),
        " and ",
        row.cite("n_b", count),
        f" {unit}: ",
        *numbers,
        *row.p(),
        *((", adjusted ", *row.p("p_adjusted")) if holm else ()),
    )


def _within_margin(rows: list[Row], *, holm: bool) -> Sentence:
    """For how many a difference that matters is ruled out, which no p above .05 does by itself."""
    tested = [row for row in rows if row.has("margin", "p_equivalent_adjusted")]
    if not tested:
        return ()
    near = [row for row in tested if row["p_equivalent_adjusted"] < LEVEL]
    open_ = [row for row in tested if row not in near and not row["p_adjusted"] < LEVEL]
    return (
        "; within the margin of ",
        tested[0].cite("margin"),
        " points for ",
        counted_of(near, tested, "p_equivalent_adjusted"),
        f" (TOST at 5 %{', Holm' if holm else ''}){listed([row['model'] for row in near])}; "
        "neither different nor within it, as far as these data show, for ",
        counted_of(open_, tested, "p_equivalent_adjusted"),
    )


def several(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    test = main_test(recipe)
    rows = of_recipe(tables, "anova", recipe, dimension, test=test)
    for factor in values(rows, "factor"):
        of_factor = [row for row in rows if row["factor"] == factor]
        single = [row for row in of_factor if row["scenario"] != ALL]
        tested = [row for row in single if row.has("p", "p_adjusted_scenarios")]
        unit = "raters" if recipe.unit == "participant" else "ratings"
        name = ANOVAS[test]
        overall = [row for row in of_factor if row["scenario"] == ALL and row.has("p")]
        if tested:
            yield (
                f"{capital(factor)}, {name} of {unit}: p < .05 in ",
                counted_of([row for row in tested if row["p"] < LEVEL], tested, "p"),
                " of ",
                counted(tested, "p"),
                f" {noun(len(tested), 'scenario')}",
                *_over_scenarios(tested),
                *untested(single, tested),
                ".",
            )
        elif overall:
            yield (
                f"{capital(factor)}, {name} of {unit}, all scenarios together: ",
                *overall[0].p(),
                ".",
            )
        else:
            yield (f"{capital(factor)}: {why(of_factor[0])}.",)


def _over_scenarios(tested: list[Row]) -> Sentence:
    """In how many scenarios p stays below .05 once it is adjusted over all of them."""
    if len(tested) == 1:
        return ()
    clear = [row for row in tested if row["p_adjusted_scenarios"] < LEVEL]
    return (", after Holm over them in ", counted_of(clear, tested, "p_adjusted_scenarios"))
