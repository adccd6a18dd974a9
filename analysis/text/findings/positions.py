"""What an analysis says of places on the page, to choices and ranks. Pure."""

from collections.abc import Iterator

from analysis.catalogue.number_text import count, decimals, degrees, noun, share
from analysis.recipe import Recipe
from analysis.text.cells import Row, Sentence, Tables, counted, counted_of
from analysis.text.findings.words import ALL, LEVEL, capital, listed, of_recipe, system, why

WHAT = {"best": "what is chosen as best", "worst": "what is chosen as worst", "rank": "ranks"}
BY = {"best": "chosen as best", "worst": "chosen as worst", "rank": "mean rank"}
VALUES = {"best": "shares of choices", "worst": "shares of choices", "rank": "mean ranks"}


def positions(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    tests = of_recipe(tables, "position_tests", recipe, dimension)
    several = len([test for test in tests if test.has("p")]) > 1
    for test in tests:
        what = WHAT[test["answer"]] + ("" if test["set"] == ALL else f" in set {test['set']}")
        if not test.has("p", "p_adjusted"):
            yield (f"Whether places on the page matter to {what}: {why(test)}.",)
            continue
        numbers: Sentence = (
            " (χ²(",
            test.cite("df", degrees),
            ") = ",
            test.cite("chi_squared"),
            ", ",
            *test.p(),
            *((", after Holm ", *test.p("p_adjusted")) if several else ()),
            "; ",
            test.cite("pages", count),
            f" {noun(test['pages'], 'page')})",
        )
        if test["p_adjusted"] < LEVEL:
            yield (
                f"{capital(what)} {'depend' if test['answer'] == 'rank' else 'depends'} on where "
                "on the page a response stood",
                *numbers,
                *_from_to(tables, recipe, dimension, test),
                ".",
            )
        else:
            yield (
                f"These data do not show that the place on the page matters to {what}",
                *numbers,
                ".",
            )
    yield from _evened(of_recipe(tables, "position_conclusions", recipe, dimension))


def _from_to(tables: Tables, recipe: Recipe | None, dimension: str, test: Row) -> Sentence:
    """The places with the lowest and the highest number."""
    keys = {"answer": test["answer"], "set": test["set"]}
    rows = of_recipe(tables, "position_effects", recipe, dimension, **keys)
    if not rows:
        return ()
    low, high = (end(rows, key=lambda row: (row["value"], row.place)) for end in (min, max))
    form = decimals if test["answer"] == "rank" else share
    name = "mean ranks go" if test["answer"] == "rank" else "shares go"
    return (
        f": {name} from ",
        low.cite("value", form),
        f" at place {low['response_position']} to ",
        high.cite("value", form),
        f" at place {high['response_position']}",
    )


def _evened(rows: list[Row]) -> Iterator[Sentence]:
    """Whether others would come first if each system had stood at every place as often."""
    known = [row for row in rows if row["moves"] is not None]
    if known:
        moved = [row for row in known if row["moves"]]
        kinds = dict.fromkeys(VALUES[row["answer"]] for row in known)
        yield (
            "Had each system stood at every place on the page equally often, ",
            counted_of(moved, known, "moves"),
            " of ",
            counted(known, "moves"),
            f" {' and '.join(kinds)} would gain or lose the lead"
            f"{listed(list(map(_place_of, moved)))}.",
        )


def _place_of(row: Row) -> str:
    return f"{system(row)} ({BY[row['answer']]})"
