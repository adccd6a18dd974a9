"""The main findings of an analysis in sentences, each number with the cell it comes from. Pure.

What a recipe that counts raters says stands beside what one that counts ratings says, as it would
be printed. No sentence says more than its table: a test that does not reject is never "no
difference", and each interval says which others it speaks of.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.cells import Row, Sentence, Tables, counted, counted_of, rows_of, values
from analysis.number_text import count, decimals, degrees, percent, share, tally
from analysis.recipe import Recipe

ALL = "all"
LEVEL = 0.05
TESTS = {
    "student": "Student's t",
    "welch": "Welch's t",
    "mann_whitney": "Mann–Whitney",
}
LINKS = {"probit": "ordinal, probit", "logit": "ordinal, logit", "linear": "linear"}


@dataclass(frozen=True)
class Finding:
    """A question, and what two kinds of recipes say to it: `sound` counts raters (and items),
    `paper` counts ratings or wins. Either may be empty.
    """

    title: str
    sound: tuple[Sentence, ...]
    paper: tuple[Sentence, ...] = ()


def of_unit(recipes: Sequence[Recipe], unit: str) -> Recipe | None:
    """The first recipe that counts raters (`participant`), or ratings (`rating`)."""
    return next((recipe for recipe in recipes if recipe.unit == unit), None)


def findings(tables: Tables, recipes: Sequence[Recipe]) -> list[Finding]:
    """What the tables say of each dimension, in the order of their questions.

    `tables` are those of the chosen recipes. A question without tables is left out.
    """
    sound, paper = of_unit(recipes, "participant"), of_unit(recipes, "rating")
    dimensions = _dimensions(tables)
    found: list[Finding] = []
    for dimension in dimensions:
        of = f" ({dimension})" if len(dimensions) > 1 else ""
        questions = [
            ("Condition against condition", _contrast(tables, sound, dimension), ()),
            (
                "Wins, cell by cell",
                _wins_tests(tables, sound, dimension),
                _wins(tables, dimension),
            ),
            (
                "The reference",
                _to_reference(tables, sound, dimension),
                _points(tables, dimension),
            ),
            (
                "Groups of raters",
                _groups(tables, sound, dimension),
                _groups(tables, paper, dimension),
            ),
            (
                "Several groups at once",
                _anova(tables, sound, dimension),
                _anova(tables, paper, dimension),
            ),
            ("Rankings", _rankings(tables, sound, dimension), ()),
            ("Best and worst", _choices(tables, sound, dimension), ()),
            ("Agreement of raters", _agreement(tables, dimension), ()),
            ("Exclusions", _sensitivity(tables, dimension), ()),
            ("Order", _order(tables, sound, dimension), ()),
        ]
        found += [Finding(title + of, tuple(a), tuple(b)) for title, a, b in questions]
    found.append(Finding("Printed numbers", (), tuple(_replication(tables))))
    return [finding for finding in found if finding.sound or finding.paper]


def _dimensions(tables: Tables) -> list[str]:
    """What was rated, ranked or chosen by, each once; empty where the study names none."""
    names = ("items", "systems", "rankings", "choices", "agreement")
    found = [d for name in names for d in values(rows_of(tables, name), "dimension")]
    return list(dict.fromkeys(found))


# ── Condition a against b ─────────────────────────────────────────────────────────────────────────


def _contrast(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    rows = _of_recipe(tables, "contrasts", recipe, dimension)
    if recipe is None or not rows:
        return
    model = ALL if any(row["model"] == ALL for row in rows) else rows[0]["model"]
    by = {row["generalises_to"]: row for row in rows if row["model"] == model}
    whose = "Over all models" if model == ALL else f"For {model}"
    raters, scenarios, both = (by.get(name) for name in ("raters", "scenarios", "both"))
    if raters is not None and raters.has("difference"):
        a, b = raters["condition_a"], raters["condition_b"]
        yield (f"{whose}, {a} was rated ", *_points_apart(raters, "difference"), f" {b}.")
        yield (
            "For other raters of these very texts (F1, ",
            raters.cite("n", count),
            " raters): ",
            *_interval(raters, recipe),
            ", p ",
            raters.p(),
            ".",
        )
    elif raters is not None:
        yield (f"{whose}, the difference by raters is {_why(raters)}.",)
    if scenarios is not None and scenarios.has("p"):
        yield (
            "For other scenarios before these raters (F2, ",
            scenarios.cite("n", count),
            " scenarios): ",
            *_interval(scenarios, recipe),
            ", p ",
            scenarios.p(),
            ".",
        )
    elif scenarios is not None:
        yield (f"For other scenarios (F2) it is {_why(scenarios)}.",)
    if both is not None and both.has("p"):
        yield (
            "For other raters and other scenarios at once: min F′(",
            both.cite("df1", degrees),
            ", ",
            both.cite("df2", degrees),
            ") = ",
            both.cite("F"),
            ", p ",
            both.p(),
            ".",
        )
    mixed = list(_mixed(tables, recipe, dimension, model))
    yield from mixed
    verdict = _verdict(raters, both or scenarios, 1 - recipe.confidence)
    if verdict:
        yield (verdict,)


def _mixed(tables: Tables, recipe: Recipe, dimension: str, model: str) -> Iterator[Sentence]:
    """A mixed model's difference, on the scale of the ratings."""
    for row in _of_recipe(
        tables, "mixed_contrasts", recipe, dimension, model=model, scale="ratings"
    ):
        if row.has("difference", "p"):
            yield (
                f"A mixed model of raters and items at once ({LINKS.get(row['link'])}) puts "
                f"{row['condition_a']} ",
                *_points_apart(row, "difference"),
                f" {row['condition_b']}, ",
                *_interval(row, recipe),
                ", p ",
                row.p(),
                ": for other raters and other texts.",
            )
    for row in _of_recipe(tables, "mixed_models", recipe, dimension, parameter=""):
        yield (f"The mixed model ({LINKS.get(row['link'])}) is {_why(row)}.",)


def _verdict(raters: Row | None, wider: Row | None, level: float) -> str:
    if raters is None or wider is None or not raters.has("p") or not wider.has("p"):
        return ""
    here, beyond = raters["p"] < level, wider["p"] < level
    if here and beyond:
        return "So the difference is not one of these raters and these scenarios alone."
    if here:
        return (
            "So the difference is shown for these texts; whether it holds for other scenarios, "
            "these data do not say."
        )
    if beyond:
        return "So it is shown across scenarios, and not across raters."
    return (
        "So no difference is shown. That is no evidence that there is none: whatever lies "
        "inside the intervals is compatible with these data."
    )


# ── Wins and the reference ────────────────────────────────────────────────────────────────────────


def _wins(tables: Tables, dimension: str) -> Iterator[Sentence]:
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
            " comparisons of model and scenario (",
            row.cite("a_percent", percent),
            f"), {b} in ",
            row.cite("b_wins", tally),
            " (",
            row.cite("b_percent", percent),
            "), ",
            row.cite("ties", count),
            " ties. A count of wins says nothing of how large or how sure a difference is.",
        )


def _wins_tests(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    for row in _of_recipe(tables, "wins_tests", recipe, dimension, scenario=ALL):
        if row.has("p"):
            yield (
                row.cite("a_wins", tally),
                " against ",
                row.cite("b_wins", tally),
                " wins: sign test p ",
                row.p(),
                ", as if the comparisons were independent.",
            )
        if row.has("a_wins_low", "a_wins_high") and recipe is not None:
            yield (
                f"With raters drawn anew, {row['condition_a']} wins between ",
                row.cite("a_wins_low", tally),
                " and ",
                row.cite("a_wins_high", tally),
                f" of them ({_level(recipe)} interval, ",
                row.cite("resamples", count),
                " resamples of these texts' raters).",
            )
    rows = _of_recipe(tables, "win_differences", recipe, dimension)
    tested = [row for row in rows if row.has("p_adjusted")]
    if tested:
        clear = [row for row in tested if row["p_adjusted"] < LEVEL]
        yield (
            "Taken one by one, ",
            counted_of(clear, tested, "p_adjusted"),
            " of ",
            counted(tested, "p_adjusted"),
            " comparisons differ within raters at p < .05 after Holm's adjustment.",
        )


def _points(tables: Tables, dimension: str) -> Iterator[Sentence]:
    for row in rows_of(tables, "wins_summary", scenario=ALL, dimension=dimension):
        if row["reference_points_max"]:
            yield (
                "The reference earned ",
                row.cite("reference_points", count),
                " of ",
                row.cite("reference_points_max", count),
                " points (",
                row.cite("reference_percent", percent),
                "): one for each mean that its own is above.",
            )


def _to_reference(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    for unit, others in (
        ("participant", "other raters of these very texts"),
        ("scenario", "other scenarios before these raters"),
    ):
        rows = _of_recipe(tables, "to_reference", recipe, dimension, unit=unit)
        tested = [row for row in rows if row.has("p_adjusted")]
        if not tested:
            continue
        near = [row for row in tested if row["p_adjusted"] < LEVEL]
        yield (
            f"For {others}: ",
            counted_of(near, tested, "p_adjusted"),
            " of ",
            counted(tested, "p_adjusted"),
            " systems are shown to lie less than ",
            tested[0].cite("margin", decimals),
            " points below the reference, or above it (non-inferiority at 5 %, Holm)",
            f"{_named(near)}.",
        )
        below = [row for row in tested if row["ci_high"] is not None and row["ci_high"] < 0]
        if below:
            yield (
                "The whole interval lies below the reference for ",
                counted_of(below, tested, "ci_high"),
                ".",
            )


# ── Groups of raters ──────────────────────────────────────────────────────────────────────────────


def _groups(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    everything = _of_recipe(tables, "group_tests", recipe, dimension, condition=ALL, scenario=ALL)
    for factor in values(everything, "factor"):
        rows = [row for row in everything if row["factor"] == factor]
        test = _preferred(recipe, rows)
        rows = [row for row in rows if row["test"] == test]
        tested = [row for row in rows if row.has("p")]
        whose = f"{factor}, {rows[0]['group_a']} against {rows[0]['group_b']}"
        if not tested:
            yield (f"{whose}: {_why(rows[0])}.",)
            continue
        clear = [row for row in tested if row["p"] < LEVEL]
        still = [row for row in tested if row["p_adjusted"] < LEVEL]
        yield (
            f"{whose}: p < .05 for ",
            counted_of(clear, tested, "p"),
            " of ",
            counted(tested, "p"),
            " models, after Holm for ",
            counted_of(still, tested, "p_adjusted"),
            f" ({TESTS[test]})",
            *_least(tested, recipe),
            *_within_margin(tested, recipe),
            ".",
        )


def _preferred(recipe: Recipe, rows: list[Row]) -> str:
    """The t test that recipes have in common, else the first."""
    tests = values(rows, "test")
    return next((test for test in ("student", "welch") if test in tests), str(tests[0]))


def _least(rows: list[Row], recipe: Recipe) -> Sentence:
    """The model with the smallest p."""
    row = min(rows, key=lambda row: (row["p"], row.place))
    unit = "raters" if recipe.unit == "participant" else "ratings"
    numbers: Sentence = ()
    if row.has("difference", "ci_low", "ci_high"):
        numbers = (
            row.cite("difference"),
            " points (",
            row.cite("ci_low"),
            " to ",
            row.cite("ci_high"),
            "), ",
        )
    return (
        f"; least p {row['model']}, ",
        row.cite("n_a", count),
        " and ",
        row.cite("n_b", count),
        f" {unit}: ",
        *numbers,
        "p ",
        row.p(),
        ", adjusted ",
        row.p("p_adjusted"),
    )


def _within_margin(rows: list[Row], recipe: Recipe) -> Sentence:
    """For how many a difference that matters is ruled out."""
    if recipe.margins is None or not all(row.has("ci_low", "ci_high") for row in rows):
        return ()
    margin = recipe.margins.groups
    inside = [row for row in rows if -margin < row["ci_low"] and row["ci_high"] < margin]
    return (
        f"; the {_level(recipe)} interval rules out {margin:g} points or more for ",
        counted_of(inside, rows, "ci_low"),
    )


def _anova(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    if recipe is None:
        return
    test = "welch" if recipe.unit == "participant" else "anova"
    rows = _of_recipe(tables, "anova", recipe, dimension, test=test)
    for factor in values(rows, "factor"):
        tested = [row for row in rows if row["factor"] == factor and row.has("p")]
        single = [row for row in tested if row["scenario"] != ALL]
        unit = "raters" if recipe.unit == "participant" else "ratings"
        if not single:
            continue
        name = "Welch's analysis of variance" if test == "welch" else "analysis of variance"
        yield (
            f"{factor}, {name} of {unit}: p < .05 in ",
            counted_of([row for row in single if row["p"] < LEVEL], single, "p"),
            " of ",
            counted(single, "p"),
            " scenarios, after Holm over them in ",
            counted_of(
                [row for row in single if (row["p_adjusted_scenarios"] or 0) < LEVEL],
                single,
                "p_adjusted_scenarios",
            ),
            ".",
        )


# ── Rankings and choices ──────────────────────────────────────────────────────────────────────────


def _rankings(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    for test in _of_recipe(tables, "ranking_tests", recipe, dimension):
        of_set = _of_recipe(tables, "rankings", recipe, dimension, set=test["set"])
        ranked = [row for row in of_set if row.has("mean_rank")]
        where = "" if test["set"] == ALL else f"Set {test['set']}: "
        if ranked:
            best = min(ranked, key=lambda row: (row["mean_rank"], row.place))
            yield (
                f"{where}the best mean rank is that of {_system(best)}, ",
                best.cite("mean_rank"),
                " (",
                best.cite("ci_low"),
                " to ",
                best.cite("ci_high"),
                ") among ",
                best.cite("systems", count),
                " systems.",
            )
        if test.has("p"):
            yield (
                f"{where}Friedman's χ²(",
                test.cite("df", degrees),
                ") = ",
                test.cite("chi_squared"),
                " over ",
                test.cite("n", count),
                " raters, p ",
                test.p(),
                "; Kendall's W of their mean ranks ",
                test.cite("w"),
                ".",
            )
        else:
            yield (f"{where}Friedman's test is {_why(test)}.",)


def _choices(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    rows = _of_recipe(tables, "choices", recipe, dimension, scenario=ALL)
    rows = rows or _of_recipe(tables, "choices", recipe, dimension)
    for kind in ("best", "worst"):
        chosen = [row for row in rows if row.has(f"share_{kind}")]
        if not chosen:
            continue
        most = max(chosen, key=lambda row: (row[f"share_{kind}"], -row.place))
        interval: Sentence = ()
        if most.has(f"{kind}_ci_low", f"{kind}_ci_high"):
            interval = (
                " (",
                most.cite(f"{kind}_ci_low", share),
                " to ",
                most.cite(f"{kind}_ci_high", share),
                ")",
            )
        yield (
            f"{_system(most)} was chosen as {kind} most often: on ",
            most.cite(f"share_{kind}", share),
            " of its pages",
            *interval,
            ".",
        )
        yield from _choice_test(tables, recipe, dimension, kind)


def _choice_test(
    tables: Tables, recipe: Recipe | None, dimension: str, kind: str
) -> Iterator[Sentence]:
    rows = _of_recipe(tables, "choice_tests", recipe, dimension, scenario=ALL, choice=kind)
    rows = rows or _of_recipe(tables, "choice_tests", recipe, dimension, choice=kind)
    tested = [row for row in rows if row.has("p")]
    by_rater = [row for row in tested if row["unit"] == "participant"]
    for row in (by_rater or tested)[:1]:
        how = "with raters as units" if by_rater else "with choices as units"
        yield (
            f"That all systems are chosen as {kind} alike: p ",
            row.p(),
            f" ({row['test'].replace('_', ' ')}, {how}, ",
            row.cite("n", count),
            " raters).",
        )


# ── Agreement, exclusions, order ──────────────────────────────────────────────────────────────────


def _agreement(tables: Tables, dimension: str) -> Iterator[Sentence]:
    rows = {row["statistic"]: row for row in rows_of(tables, "agreement", dimension=dimension)}
    for name, says in (
        ("krippendorff_alpha_ordinal", "Krippendorff's α (ordinal) is "),
        ("icc_2_1", "The reliability of a single rater, ICC(2,1), is "),
        ("icc_2_k", "that of the mean of all these raters, ICC(2,k), "),
        ("kendalls_w_ranks_within_blocks", "Kendall's W of the ranks on one page is on average "),
    ):
        row = rows.get(name)
        if row is None or not row.has("value"):
            continue
        interval: Sentence = ()
        if row.has("ci_low", "ci_high"):
            interval = (" (", row.cite("ci_low"), " to ", row.cite("ci_high"), ")")
        yield (
            says[0].upper() + says[1:],
            row.cite("value"),
            *interval,
            ", of ",
            row.cite("n_raters", count),
            " raters and ",
            row.cite("n_items", count),
            " items.",
        )


def _sensitivity(tables: Tables, dimension: str) -> Iterator[Sentence]:
    rows = rows_of(tables, "sensitivity", dimension=dimension)
    others = [row for row in rows if row["same_conclusion"] is not None]
    others = [row for row in others if row["variant"] != "rules in force"]
    if not others:
        return
    moved = [row for row in others if row["same_conclusion"] is False]
    named = "; ".join(f"{row['variant']} ({row['what_moves']})" for row in moved)
    yield (
        "Under ",
        counted_of(moved, others, "same_conclusion"),
        " of ",
        counted(others, "same_conclusion"),
        " other choices of exclusion rules, a main result changes its sign or crosses p = .05",
        f": {named}." if named else ".",
    )


def _order(tables: Tables, recipe: Recipe | None, dimension: str) -> Iterator[Sentence]:
    for row in _of_recipe(tables, "order_effects", recipe, dimension):
        if row.has("p_adjusted") and row["p_adjusted"] < LEVEL:
            yield (
                f"One step of {row['covariate'].replace('_', ' ')} goes with ",
                row.cite("estimate", lambda value: decimals(value, 3)),
                " points (",
                row.cite("ci_low", lambda value: decimals(value, 3)),
                " to ",
                row.cite("ci_high", lambda value: decimals(value, 3)),
                "; p ",
                row.p("p_adjusted"),
                " after Holm).",
            )
    rows = _of_recipe(tables, "order_conclusions", recipe, dimension)
    known = [row for row in rows if row["moves"] is not None]
    if known:
        moved = [row for row in known if row["moves"]]
        yield (
            "With positions and the previous rating taken into account, ",
            counted_of(moved, known, "moves"),
            " of ",
            counted(known, "moves"),
            " differences between conditions change their sign or cross p = .05",
            f"{_named(moved)}.",
        )


def _replication(tables: Tables) -> Iterator[Sentence]:
    rows = [row for row in rows_of(tables, "replication") if row["match"] is not None]
    if rows:
        yield (
            counted_of([row for row in rows if row["match"]], rows, "match"),
            " of ",
            counted(rows, "match"),
            " printed numbers that could be looked up come out as printed.",
        )


# ── Words ─────────────────────────────────────────────────────────────────────────────────────────


def _of_recipe(
    tables: Tables, name: str, recipe: Recipe | None, dimension: str, **wanted: str
) -> list[Row]:
    """The rows of one recipe and dimension, of the included raters."""
    if recipe is None:
        return []
    return rows_of(
        tables, name, recipe=recipe.name, raters="included", dimension=dimension, **wanted
    )


def _points_apart(row: Row, column: str) -> Sentence:
    """ "0.12 points lower than", from a difference a − b."""
    way = "lower" if row[column] < 0 else "higher"
    if row[column] == 0:
        return ("exactly as high (difference ", row.cite(column), ") as")
    return (row.cite(column, lambda value: decimals(abs(value))), f" points {way} than")


def _interval(row: Row, recipe: Recipe) -> Sentence:
    return (
        f"{_level(recipe)} interval of the difference ",
        row.cite("ci_low"),
        " to ",
        row.cite("ci_high"),
    )


def _level(recipe: Recipe) -> str:
    return f"{100 * recipe.confidence:g} %"


def _system(row: Row) -> str:
    return " ".join(filter(None, (row["model"], row["condition"])))


def _named(rows: list[Row]) -> str:
    """ ": this one, that one", where there are any and not too many."""
    names = [_system(row) for row in rows]
    return f": {', '.join(names)}" if 0 < len(names) <= 8 else ""


def _why(row: Row) -> str:
    """Why a row has no numbers, as a part of a sentence."""
    note = str(row["note"] or "not estimable").strip().rstrip(".")
    return note if note.startswith("not estimable") else f"not estimable ({note})"
