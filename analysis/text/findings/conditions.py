"""What an analysis says of condition a against b, and of systems beside the reference. Pure."""

from collections.abc import Iterator

from analysis.catalogue.number_text import NARROW, count, decimals, degrees, noun, percent, tally
from analysis.recipe import Recipe
from analysis.tables.lead import TASTES, min_f_leads, without_lead
from analysis.text.cells import Row, Sentence, Tables, counted, counted_of, rows_of
from analysis.text.findings.words import (
    ALL,
    LEVEL,
    LINKS,
    does,
    if_adjusted,
    interval,
    least_p,
    level,
    named,
    of_recipe,
    points_apart,
    untested,
    why,
)

NOT_SHOWN = (
    " No difference is shown; that is no evidence that there is none, and whatever lies inside the "
    "intervals is compatible with these data."
)
DISAGREEMENT = " Whether that is more than chance, the tests below disagree."


def contrast(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    """a against b over all models (or the only one): how far apart, what it speaks of, the wins."""
    rows = of_recipe(tables, "contrasts", recipe, dimension)
    if recipe is not None and rows:
        model = ALL if any(row["model"] == ALL for row in rows) else rows[0]["model"]
        by = {row["generalises_to"]: row for row in rows if row["model"] == model}
        mixed = of_recipe(
            tables, "mixed_contrasts", recipe, dimension, model=model, scale="ratings"
        )
        few = min_f_leads(by["both"]["note"])
        yield from _apart(by["raters"], by["both"], [] if few else mixed, recipe)
        if few:
            yield from _min_f_first(by["both"])
        yield from _by_unit(by["raters"], "For other raters of these very texts (F1)", recipe)
        yield from _by_unit(by["scenarios"], "For other scenarios before these raters (F2)", recipe)
        if not few and by["both"].has("p"):
            yield ("For both at once: ", *_min_f(by["both"]), ".")
        yield from _signed_ranks(tables, dimension, model, recipe)
        yield from _mixed(mixed, recipe)
        for row in of_recipe(tables, "mixed_models", recipe, dimension, parameter=""):
            yield (f"The mixed model ({LINKS.get(row['link'])}) is {why(row)}.",)
    yield from _wins_tests(tables, recipe, dimension)


def _apart(raters: Row, both: Row, mixed: list[Row], recipe: Recipe) -> Iterator[Sentence]:
    """How far a and b lie apart in these data, and how far that carries."""
    if not raters.has("difference"):
        return
    whose = "Over all models" if raters["model"] == ALL else f"For {raters['model']}"
    if raters["note"]:
        whose += f" ({raters['note']})"
    verdict = _verdict(
        raters["p"], both["p"], [row["p"] for row in mixed if row.has("p")], 1 - recipe.confidence
    )
    yield (
        f"{whose}, {raters['condition_a']} was rated ",
        *points_apart(raters, "difference"),
        f" {raters['condition_b']}.{verdict}",
    )


def _verdict(raters: float, both: float | None, mixed: list[float], level: float) -> str:
    """What p values by raters, by raters and scenarios at once, and of mixed models say."""
    beyond = [p < level for p in (both, *mixed) if p is not None]
    if raters >= level:
        return DISAGREEMENT if any(beyond) else NOT_SHOWN
    if beyond and all(beyond):
        return " That is more than chance among raters and texts would make."
    if not any(beyond):
        rest = (
            "whether it goes beyond them, these data do not say"
            if beyond
            else "of other texts nothing can be said"
        )
    elif both is not None and len({p < level for p in mixed}) == 1:
        return (
            " Whether it goes beyond these texts depends on what is meant by that: min F′, which "
            "speaks of other scenarios, and the mixed models, which speak of other texts, disagree."
        )
    else:
        rest = "whether it goes beyond them, the tests below disagree"
    return f" That is more than chance among raters would make of these texts; {rest}."


def _by_unit(row: Row, whom: str, recipe: Recipe) -> Iterator[Sentence]:
    if not row.has("p"):
        yield (f"{whom} it is {why(row)}.",)
        return
    yield (
        f"{whom}: ",
        *interval(row, recipe),
        ", ",
        *row.p(),
        "; ",
        row.cite("n", count),
        f" {noun(row['n'], row['generalises_to'].removesuffix('s'))}.",
    )


def _min_f(row: Row) -> Sentence:
    return (
        "min F′(",
        row.cite("df1", degrees),
        ", ",
        row.cite("df2", degrees),
        ") = ",
        row.cite("F"),
        ", ",
        *row.p(),
    )


def _min_f_first(row: Row) -> Iterator[Sentence]:
    """min F′ where it leads, with the reason; and why there is nothing that leads, without it."""
    whom = "For other raters and other scenarios at once"
    if row.has("p"):
        yield (f"{whom}: ", *_min_f(row), f". This result leads, because {TASTES}.")
    else:
        missing = without_lead(row["note"]).strip().rstrip(".")
        yield (f"{whom}, min F′ would lead, because {TASTES}. It is {missing}.",)


def _signed_ranks(tables: Tables, dimension: str, model: str, recipe: Recipe) -> Iterator[Sentence]:
    """Wilcoxon's test of the same raters' means, which asks for no normal distribution."""
    for row in of_recipe(tables, "paired", recipe, dimension, model=model):
        if not row.has("p"):
            continue
        least, moved = "", row["n"] - (row["zeros"] or 0)
        if row["method"] == "exact" and least_p(moved) >= LEVEL:
            least = f", with whom it cannot have p{NARROW}<{NARROW}.05"
        yield (
            "Raters' means by Wilcoxon's signed-rank test: ",
            *row.p(),
            ", rank-biserial correlation ",
            row.cite("rank_biserial"),
            "; ",
            *((row.derive(count(moved)), " of ") if row["zeros"] else ()),
            row.cite("n", count),
            f" {noun(row['n'], 'rater')}{' with a difference' if row['zeros'] else ''}{least}.",
        )


def _mixed(rows: list[Row], recipe: Recipe) -> Iterator[Sentence]:
    """A mixed model's difference, on the scale of the ratings."""
    for row in rows:
        if row.has("difference", "p"):
            narrow = (
                " With so few raters its interval is too narrow if raters differ in what they "
                "think of a condition."
            )
            yield (
                "For other raters and other texts, a mixed model of both at once "
                f"({LINKS.get(row['link'])}) puts {row['condition_a']} ",
                *points_apart(row, "difference"),
                f" {row['condition_b']}: ",
                *interval(row, recipe),
                ", ",
                *row.p(),
                f".{narrow if min_f_leads(row['note']) else ''}",
            )


def wins(tables: Tables, dimension: str) -> Iterator[Sentence]:
    for row in rows_of(tables, "wins_summary", scenario=ALL, dimension=dimension):
        each = rows_of(tables, "wins", dimension=dimension)
        compared = [win for win in each if win["winner"]]
        if not compared:
            yield ("No comparison of means could be made.",)
            return
        a, b = compared[0]["condition_a"], compared[0]["condition_b"]
        yield (
            f"{a} has the higher mean in ",
            row.cite("a_wins", tally),
            " of ",
            counted(compared, "winner"),
            f" {noun(len(compared), 'comparison')} of model and scenario (",
            row.cite("a_percent", percent),
            f"), {b} in ",
            row.cite("b_wins", tally),
            " (",
            row.cite("b_percent", percent),
            "), ",
            row.cite("ties", count),
            f" {noun(row['ties'], 'tie')}. A count of wins says nothing of how large or how sure a "
            "difference is.",
        )


def _wins_tests(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    for row in of_recipe(tables, "wins_tests", recipe, dimension, scenario=ALL):
        if row.has("p"):
            yield (
                row.cite("a_wins", tally),
                f" {noun(row['a_wins'], 'win')} of {row['condition_a']} against ",
                row.cite("b_wins", tally),
                f" of {row['condition_b']}: sign test ",
                *row.p(),
                ", as if the comparisons were independent.",
            )
        if row.has("a_wins_low", "a_wins_high") and recipe is not None:
            low, high = (row.cite(f"a_wins_{end}", tally) for end in ("low", "high"))
            one = row["a_wins_low"] == row["a_wins_high"]
            drawn: Sentence = (low,) if one else ("between ", low, " and ", high)
            yield (
                f"With raters drawn anew and the same texts, {row['condition_a']} wins ",
                *drawn,
                f" of them{', neither fewer nor more' if one else ''} ({level(recipe)} interval, ",
                row.cite("resamples", count),
                " resamples).",
            )
    rows = of_recipe(tables, "win_differences", recipe, dimension)
    tested = [row for row in rows if row.has("p_adjusted")]
    if tested:
        clear = [row for row in tested if row["p_adjusted"] < LEVEL]
        yield (
            "Taken one by one, ",
            counted_of(clear, tested, "p_adjusted"),
            " of ",
            counted(tested, "p_adjusted"),
            f" {noun(len(tested), 'comparison')} {does(clear, tested, 'differs', 'differ')} at "
            "p < .05",
            if_adjusted(tested, " after Holm's adjustment"),
            ", for other raters of these very texts",
            *untested(rows, tested),
            ".",
        )


def points(tables: Tables, dimension: str) -> Iterator[Sentence]:
    for row in rows_of(tables, "wins_summary", scenario=ALL, dimension=dimension):
        if row["reference_points_max"]:
            yield (
                "The reference earned ",
                row.cite("reference_points", count),
                " of ",
                row.cite("reference_points_max", count),
                " points (",
                row.cite("reference_percent", percent),
                "): one for each mean that its own on the same pages is above.",
            )


def to_reference(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    for unit, others in (
        ("participant", "other raters of these very texts"),
        ("scenario", "other scenarios before these raters"),
    ):
        rows = of_recipe(tables, "to_reference", recipe, dimension, unit=unit)
        tested = [row for row in rows if row.has("p_adjusted")]
        if not tested:
            continue
        near = [row for row in tested if row["p_adjusted"] < LEVEL]
        yield (
            f"For {others}: ",
            counted_of(near, tested, "p_adjusted"),
            " of ",
            counted(tested, "p_adjusted"),
            f" {noun(len(tested), 'system')} {does(near, tested, 'is', 'are')} shown to lie less "
            "than ",
            tested[0].cite("margin", decimals),
            " points below the reference, or above it (non-inferiority at 5 %",
            if_adjusted(tested, ", Holm"),
            ")",
            named(near),
            *untested(rows, tested),
            ".",
        )
        below = [row for row in tested if row["ci_high"] is not None and row["ci_high"] < 0]
        if below:
            yield (
                f"The whole {level(recipe)} interval lies below the reference for ",
                counted_of(below, tested, "ci_high"),
                ".",
            )
