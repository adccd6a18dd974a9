"""What an analysis says of the filter, rankings and choices, agreement, order, other decisions and
another study. Pure.
"""

from collections.abc import Iterator

from analysis.catalogue.number_text import count
from analysis.quality_rules import DECISION
from analysis.recipe import Recipe
from analysis.tables.replication import NOT_REPLICATED
from analysis.tables.sensitivity import IN_FORCE, WITHOUT_FLAGGED
from analysis.text.cells import (
    Row,
    Sentence,
    Some,
    Tables,
    from_column,
    rows_of,
    those_with,
)
from analysis.text.findings.words import ALL, LEVEL, below, of_recipe
from analysis.text.sentences import Sentences

say = Sentences("findings/answers.j2")

ALPHA = "krippendorff_alpha_ordinal"
#: The statistics of which something is said, each in a sentence of that name.
FINDINGS_OF_AGREEMENT = (
    ALPHA,
    "icc_2_1",
    "icc_2_k",
    "kendalls_w_ranks_within_blocks",
    "randolphs_kappa_best",
    "randolphs_kappa_worst",
)


def included(tables: Tables) -> Iterator[Sentence]:
    """How many raters are left after the filter, and how many each rule took."""
    steps = rows_of(tables, "funnel")
    if not steps:
        return
    entered = steps[0]["excluded"] + steps[0]["remaining"]
    if not entered:
        yield say("nobody_yet")
        return
    rules = [step for step in steps if step["step"] != DECISION]
    yield say(
        "included",
        last=steps[-1],
        entered=steps[0].derive(count(entered)),
        decision=next((step for step in steps if step["step"] == DECISION), None),
        rules=rules,
        by_rule=from_column(rules, "excluded", sum(rule["excluded"] for rule in rules))
        if rules
        else None,
    )


def rankings(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """Who is ranked best, and whether that is more than chance; by sets of systems on one page."""
    if recipe is None:
        return
    tests = of_recipe(tables, "ranking_tests", recipe, dimension)
    several = len(those_with(tests, "p", "p_adjusted")) > 1
    for test in tests:
        of_set = of_recipe(tables, "rankings", recipe, dimension, set=test["set"])
        ranked = those_with(of_set, "mean_rank")
        if not ranked or not test.has("p"):
            if not _compared(tables, recipe, dimension):
                yield say("not_ranked", test=test)
            continue
        best = min(ranked, key=lambda row: (row["mean_rank"], row.place))
        first = [row for row in ranked if row["mean_rank"] == best["mean_rank"]]
        yield say("ranked", test=test, best=best, first=first, several=several, recipe=recipe)


def comparisons(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """Who is strongest in all comparisons by ranks or choices; those by ratings say what the order
    of the systems says.
    """
    for rows in _compared(tables, recipe, dimension):
        first = [row for row in rows if row["place"] == 1]
        yield say("compared", first=first, rows=rows, recipe=recipe)
        other = _observed_first(tables, recipe, dimension, rows[0]["answers"])
        if other and not any(_is_of_system(row, one) for row in other for one in first):
            yield say("observed_otherwise", answers=rows[0]["answers"], other=other)


def _observed_first(
    tables: Tables, recipe: Recipe | None, dimension: str, answers: str
) -> list[Row]:
    """Who has the best mean rank, or is chosen as best most often, as observed."""
    if answers == "ranks":
        rows = those_with(of_recipe(tables, "rankings", recipe, dimension, set=ALL), "mean_rank")
        return [row for row in rows if row["mean_rank"] == min(r["mean_rank"] for r in rows)]
    every = of_recipe(tables, "choices", recipe, dimension)
    rows = those_with([row for row in every if row["scenario"] == ALL] or every, "share_best")
    return [row for row in rows if row["share_best"] == max(r["share_best"] for r in rows)]


def _compared(tables: Tables, recipe: Recipe | None, dimension: str) -> list[list[Row]]:
    """The estimated strengths by each kind of answers but ratings, the strongest first."""
    of_kinds = (
        those_with(of_recipe(tables, "strengths", recipe, dimension, answers=kind), "strength")
        for kind in ("ranks", "choices")
    )
    return [rows for rows in of_kinds if rows]


def choices(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    rows = of_recipe(tables, "choices", recipe, dimension, scenario=ALL)
    rows = rows or of_recipe(tables, "choices", recipe, dimension)
    for kind in ("best", "worst"):
        share = f"share_{kind}"
        chosen = those_with(rows, share)
        if not chosen:
            continue
        most = max(chosen, key=lambda row: (row[share], -row.place))
        alike = [row for row in chosen if row[share] == most[share]]
        yield say(f"chosen_as_{kind}", most=most, alike=alike, recipe=recipe)
        if len(alike) == 1:
            yield from _by_scenario(tables, recipe, dimension, kind, most)
        yield from _choice_test(tables, recipe, dimension, kind)


def _by_scenario(
    tables: Tables, recipe: Recipe, dimension: str, kind: str, most: Row
) -> Iterator[Sentence]:
    """In how many scenarios the system that is first over all of them is first, too."""
    share = f"share_{kind}"
    rows = those_with(of_recipe(tables, "choices", recipe, dimension), share)
    highest: dict[str, float] = {}
    for row in rows:
        highest[row["scenario"]] = max(row[share], highest.get(row["scenario"], 0.0))
    own = [row for row in rows if row["scenario"] != ALL and _is_of_system(row, most)]
    first = [row for row in own if row[share] == highest[row["scenario"]] > 0]
    if own:
        yield say("by_scenario", kind=kind, system=most, first=Some(first, own, share))


def _is_of_system(row: Row, other: Row) -> bool:
    return all(row[column] == other[column] for column in ("model", "condition"))


def _choice_test(tables: Tables, recipe: Recipe, dimension: str, kind: str) -> Iterator[Sentence]:
    """By raters where there is such a test, else by choices."""
    rows = of_recipe(tables, "choice_tests", recipe, dimension, scenario=ALL, choice=kind)
    rows = rows or of_recipe(tables, "choice_tests", recipe, dimension, choice=kind)
    tested = sorted(those_with(rows, "p"), key=lambda row: row["unit"] != "participant")
    for row in tested[:1]:
        yield say("choice_test", row=row, kind=kind)


def agreement(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """Of the included raters; `recipe` is the one whose level the intervals have."""
    if recipe is None:
        return
    rows = {row["statistic"]: row for row in rows_of(tables, "agreement", dimension=dimension)}
    for name in FINDINGS_OF_AGREEMENT:
        if name in rows and rows[name].has("value"):
            fewer = {"fewer": _counts_fewer(rows)} if name == ALPHA else {}
            yield say(name, row=rows[name], recipe=recipe, **fewer)


def _counts_fewer(rows: dict[str, Row]) -> bool:
    """Whether α is of fewer items than the ICC beside it."""
    beside = rows.get("icc_2_1")
    return beside is not None and beside.has("value") and rows[ALPHA]["n_items"] < beside["n_items"]


def sensitivity(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    rows = of_recipe(tables, "sensitivity", recipe, dimension)
    variants = [row for row in rows if row["variant"] not in (IN_FORCE, WITHOUT_FLAGGED)]
    variants = those_with(variants, "same_conclusion")
    if variants:
        moved = _such(variants, "same_conclusion", is_so=False)
        same = _such(variants, "same_raters")  # these cannot but agree
        if len(same) == len(variants):
            yield say("sensitivity_same_raters", same=same)
        else:
            results = [row.cite("what_moves", _how_many) for row in moved.rows]
            yield say("sensitivity", moved=moved, results=results, same=same, recipe=recipe)


def _how_many(results: str) -> str:
    return count(len(results.split(", ")))


def order(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    tested = those_with(of_recipe(tables, "order_effects", recipe, dimension), "p_adjusted")
    for row in below(LEVEL, tested, "p_adjusted").rows:
        yield say("order_matters", row=row, several=len(tested) > 1, recipe=recipe)
    rows = of_recipe(tables, "order_conclusions", recipe, dimension)
    known = [row for row in rows if row.has("difference") or row.has("difference_with")]
    if known:
        yield say("order_conclusions", moved=_such(known, "moves"), recipe=recipe)


def replication(tables: Tables) -> Iterator[Sentence]:
    rows = those_with(rows_of(tables, "replication"), "match")
    if rows:
        yield say("replication", same=_such(rows, "match"))
    reasons: dict[str, list[str]] = {}
    for row in rows_of(tables, "replication"):
        if str(row["note"]).startswith(f"{NOT_REPLICATED}: "):
            reason = row["note"].removeprefix(f"{NOT_REPLICATED}: ")
            reasons.setdefault(reason, []).append(row["item"])
    if reasons:
        yield say("not_replicated", reasons=reasons)


def _such(rows: list[Row], column: str, *, is_so: bool = True) -> Some:
    """The rows of which the column says so."""
    return Some([row for row in rows if bool(row[column]) is is_so], rows, column)
