"""What an analysis says of the filter, rankings and choices, agreement and order. Pure."""

from collections.abc import Iterator

from analysis.catalogue.number_text import count, decimals, degrees, noun, share
from analysis.definition import DECISION
from analysis.recipe import Recipe
from analysis.text.cells import Cited, Row, Sentence, Tables, counted, counted_of, rows_of
from analysis.text.findings.words import (
    ALL,
    LEVEL,
    at_level,
    bounds,
    does,
    if_adjusted,
    interval,
    named,
    of_recipe,
    together,
    why,
)

#: How choices are held against chance.
CHOICE_TESTS = {
    "chi_squared": "Pearson's χ²",
    "permuted_within_pages": "systems permuted anew on each page",
    "permuted_by_rater": "systems permuted once for each rater",
}
#: What `sensitivity` computes anew, in words.
MAIN_RESULTS = {
    "by_raters": "difference by raters",
    "by_scenarios": "difference by scenarios",
    "mixed_latent": "difference by the mixed model, latent scale",
    "mixed_ratings": "difference by the mixed model, scale of the ratings",
}
#: What one step of a covariate of order is.
STEPS = {
    "response_position": "One place further down the page",
    "block_position": "One block later in the survey",
    "previous_rating": "One point more in the rating before",
}
#: What is said of agreement: the statistic, the sentence, what is counted, and which others the
#: interval speaks of.
AGREEMENT = (
    ("krippendorff_alpha_ordinal", "Krippendorff's α (ordinal) is ", "item", "texts"),
    ("icc_2_1", "The reliability of a single rater, ICC(2,1), is ", "item", "raters and items"),
    (
        "icc_2_k",
        "The reliability of the mean of all raters, ICC(2,k), is ",
        "item",
        "raters and items",
    ),
    (
        "kendalls_w_ranks_within_blocks",
        "Kendall's W of the ranks on one page is on average ",
        "item",
        "blocks",
    ),
    ("randolphs_kappa_best", "Randolph's κ of what is chosen as best is ", "block", "blocks"),
    ("randolphs_kappa_worst", "Randolph's κ of what is chosen as worst is ", "block", "blocks"),
)


def included(tables: Tables) -> Iterator[Sentence]:
    """How many raters are left after the filter, and how many each rule took."""
    steps = rows_of(tables, "funnel")
    if not steps:
        return
    entered = steps[0]["excluded"] + steps[0]["remaining"]
    if not entered:
        yield ("Nobody has finished or left yet.",)
        return
    taken: list[str | Cited] = []
    for step in steps:
        if step["step"] == DECISION:
            continue
        taken += [f"{', ' if taken else ''}{step['step']} ", step.cite("excluded", count)]
    decided = rows_of(tables, "funnel", step=DECISION)
    yield (
        steps[-1].cite("remaining", count),
        " of ",
        steps[0].derive(count(entered)),
        " people who agreed to take part and finished or left are included.",
        *(
            part
            for step in decided
            for part in (" The researchers' decision left out ", step.cite("excluded", count), ".")
        ),
        *((" The rules left out: ", *taken, ".") if taken else ()),
    )


def rankings(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """Who is ranked best, and whether that is more than chance; by sets of systems on one page."""
    if recipe is None:
        return
    tests = of_recipe(tables, "ranking_tests", recipe, dimension)
    several = len([test for test in tests if test.has("p", "p_adjusted")]) > 1
    for test in tests:
        of_set = of_recipe(tables, "rankings", recipe, dimension, set=test["set"])
        ranked = [row for row in of_set if row.has("mean_rank")]
        where = "" if test["set"] == ALL else f"Set {test['set']}: "
        if not ranked or not test.has("p"):
            yield (f"{where}Friedman's test is {why(test)}.",)
            continue
        best = min(ranked, key=lambda row: (row["mean_rank"], row.place))
        first = [row for row in ranked if row["mean_rank"] == best["mean_rank"]]
        has = "has" if len(first) == 1 else "share"
        yield (
            f"{where}{together(first)} {has} the best mean rank, ",
            best.cite("mean_rank"),
            *(bounds(best, recipe) if len(first) == 1 else ()),
            " among ",
            best.cite("systems", count),
            " systems; Friedman's χ²(",
            test.cite("df", degrees),
            ") = ",
            test.cite("chi_squared"),
            " over ",
            test.cite("n", count),
            f" {noun(test['n'], 'rater')}, ",
            *test.p(),
            *((", after Holm ", *test.p("p_adjusted")) if several else ()),
            "; Kendall's W of their mean ranks ",
            test.cite("w"),
            ".",
        )


def choices(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    rows = of_recipe(tables, "choices", recipe, dimension, scenario=ALL)
    rows = rows or of_recipe(tables, "choices", recipe, dimension)
    for kind in ("best", "worst"):
        chosen = [row for row in rows if row.has(f"share_{kind}")]
        if not chosen:
            continue
        most = max(chosen, key=lambda row: (row[f"share_{kind}"], -row.place))
        alike = [row for row in chosen if row[f"share_{kind}"] == most[f"share_{kind}"]]
        were, each = ("was", "") if len(alike) == 1 else ("were", "each ")
        yield (
            f"{together(alike)} {were} chosen as {kind} most often: {each}on ",
            most.cite(f"share_{kind}", share),
            " of the pages that showed it",
            *(bounds(most, recipe, f"{kind}_ci", share) if len(alike) == 1 else ()),
            ".",
        )
        yield from _choice_test(tables, recipe, dimension, kind)


def _choice_test(
    tables: Tables, recipe: Recipe | None, dimension: str, kind: str
) -> Iterator[Sentence]:
    rows = of_recipe(tables, "choice_tests", recipe, dimension, scenario=ALL, choice=kind)
    rows = rows or of_recipe(tables, "choice_tests", recipe, dimension, choice=kind)
    tested = [row for row in rows if row.has("p")]
    by_rater = [row for row in tested if row["unit"] == "participant"]
    for row in (by_rater or tested)[:1]:
        units, things = ("n_raters", "rater") if by_rater else ("n_choices", "choice")
        yield (
            f"That all systems are chosen as {kind} equally often: ",
            *row.p(),
            f" ({CHOICE_TESTS[row['test']]}; units are ",
            row.cite(units, count),
            f" {noun(row[units], things)}).",
        )


def agreement(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """Of the included raters; `recipe` is the one whose level the intervals have."""
    if recipe is None:
        return
    rows = {row["statistic"]: row for row in rows_of(tables, "agreement", dimension=dimension)}
    for name, says, things, others in AGREEMENT:
        row = rows.get(name)
        if row is None or not row.has("value"):
            continue
        yield (
            says,
            row.cite("value"),
            *bounds(row, recipe, whose=f" for other {others}"),
            ", of ",
            row.cite("n_raters", count),
            f" {noun(row['n_raters'], 'rater')} and ",
            row.cite("n_items", count),
            f" {noun(row['n_items'], things)}.",
        )


def sensitivity(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    rows = of_recipe(tables, "sensitivity", recipe, dimension)
    others = [row for row in rows if row["same_conclusion"] is not None]
    others = [row for row in others if row["variant"] != "rules in force"]
    if not others:
        return
    moved = [row for row in others if row["same_conclusion"] is False]
    same = [row for row in others if row["same_raters"]]
    yield (
        "Under ",
        counted_of(moved, others, "same_conclusion"),
        " of ",
        counted(others, "same_conclusion"),
        f" other {noun(len(others), 'choice')} of exclusion rules, a main result changes its sign, "
        f"crosses {at_level(recipe)}, or is estimable under only one of the two",
        *_what_moves(moved),
        *_same_raters(same, others),
        ".",
    )


def _what_moves(moved: list[Row]) -> Iterator[str | Cited]:
    """Each choice that moves a main result, with how many raters it leaves."""
    for place, row in enumerate(moved):
        yield f"{'; ' if place else ' ('}{row['variant']}, "
        yield row.cite("n_raters", count)
        yield f" {noun(row['n_raters'], 'rater')}: {_result_names(row['what_moves'])}"
    if moved:
        yield ")"


def _result_names(what_moves: str) -> str:
    """What moves, as `sensitivity` says it, with the results called as people do."""
    for name, words in MAIN_RESULTS.items():
        what_moves = what_moves.replace(f"{name} (", f"{words} (")
    return what_moves


def _same_raters(same: list[Row], others: list[Row]) -> Sentence:
    """Of how many variants that cannot but agree, since the raters are those of the rules."""
    if not same:
        return ()
    if len(same) == len(others):
        every = "it includes" if len(same) == 1 else "all of them include"
        return (f"; {every} the very raters who are included here, so that nothing can change",)
    return (
        "; ",
        counted_of(same, others, "same_raters"),
        f" of these {count(len(others))} {noun(len(others), 'choice')} "
        f"{'includes' if len(same) == 1 else 'include'} the very raters who are included here",
    )


def order(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    effects = of_recipe(tables, "order_effects", recipe, dimension)
    tested = [row for row in effects if row.has("p_adjusted")]
    for row in tested:
        if row["p_adjusted"] < LEVEL:
            yield (
                f"{STEPS[row['covariate']]} goes with ",
                row.cite("estimate", _three),
                " points in a rating (",
                *interval(row, recipe, form=_three),
                f"; {if_adjusted(tested, 'after Holm ')}",
                *row.p("p_adjusted"),
                ").",
            )
    rows = of_recipe(tables, "order_conclusions", recipe, dimension)
    known = [row for row in rows if row.has("difference") or row.has("difference_with")]
    if known:
        moved = [row for row in known if row["moves"]]
        yield (
            "With positions and the previous rating taken into account, ",
            counted_of(moved, known, "moves"),
            " of ",
            counted(known, "moves"),
            f" {noun(len(known), 'difference')} between conditions "
            f"{does(moved, known, 'changes sign, crosses', 'change sign, cross')} "
            f"{at_level(recipe)}, or {does(moved, known, 'is', 'are')} estimable only with or only "
            f"without them{named(moved)}.",
        )


def _three(value: float) -> str:
    """Changes per step are small."""
    return decimals(value, 3)


def replication(tables: Tables) -> Iterator[Sentence]:
    rows = [row for row in rows_of(tables, "replication") if row["match"] is not None]
    if rows:
        same = [row for row in rows if row["match"]]
        yield (
            counted_of(same, rows, "match"),
            " of ",
            counted(rows, "match"),
            f" printed {noun(len(rows), 'number')} that could be looked up "
            f"{does(same, rows, 'comes', 'come')} out as printed.",
        )
