"""What to know before leaning on the results: each limit only where it is true. Pure."""

from collections.abc import Iterator, Sequence

from analysis.catalogue.number_text import count, decimals, percent
from analysis.catalogue.spec import OF_ALL
from analysis.quality_rules import DECISION, QualityRules
from analysis.raters.thresholds import BOTH
from analysis.raters.writing import ANY
from analysis.recipe import Recipe
from analysis.text.cells import Row, Sentence, Some, Tables, rows_of, texts, those_with, values
from analysis.text.findings.groups import has_families, preferred
from analysis.text.findings.words import (
    ALL,
    LEVEL,
    below,
    more_wins_first,
    of_unit,
    raters_of_both,
    winner_first,
)
from analysis.text.sentences import Sentences
from analysis.ungrouped import given_answers, sentence, ungrouped

say = Sentences("limits.j2")

#: Below so many scenarios, more raters hardly add power (Westfall, Kenny & Judd 2014).
FEW_SCENARIOS = 20
#: What names a mixed model among those of an analysis.
MODEL = ("recipe", "raters", "dimension", "link")
#: So many of a list are named.
NAMED = 5
#: Sections of tables from which nobody concludes anything.
NO_RESULTS = ("Participants", "Judges")
#: A p below which nobody doubts that there is a difference.
BEYOND_DOUBT = 0.001
#: Tables whose tests are made on each dimension.
TESTS = (
    *("contrasts", "mixed_contrasts", "reference_contrasts", "system_pairs"),
    *("group_tests", "ranking_tests", "choice_tests"),
)
#: Below so many raters, a group's mean and spread are hardly known.
FEW_RATERS = 10


def limits(
    tables: Tables, recipes: Sequence[Recipe], rules: QualityRules, *, gold: str, scale: int
) -> list[Sentence]:
    """The limits that are true of these tables. `gold` says who made the gold scores, `scale` how
    many points the ratings have (0 where there are none, or where they lie between two ends).
    """
    sound, paper = of_unit(recipes, "participant"), of_unit(recipes, "rating")
    return [
        *_wins(tables),
        *_population(tables),
        *_scenarios(tables),
        *_fixed_texts(tables),
        *_few_raters(tables),
        *_between(tables),
        *_raters_limit(tables),
        *_single_texts(tables),
        *_ungrouped(tables, recipes),
        *_groups(tables, sound),
        *_groups_of_conditions(tables),
        *_families(tables, sound),
        *_ratings_as_units(tables, paper),
        *_unadjusted(tables, recipes),
        *_judge_filter(tables, rules, gold),
        *_left_out(tables),
        *_attrition(tables),
        *_flagged(tables),
        *_interfaces(tables),
        *_margins(tables, sound),
        *_steps(tables, scale),
        *_empty_cells(tables),
        *_unrated(tables),
        *_other_raters(tables),
        *_gold(tables),
        *_notes(tables),
        *_not_estimable(tables),
    ]


def _wins(tables: Tables) -> Iterator[Sentence]:
    several = len(values(rows_of(tables, "items"), "dimension")) > 1
    tests = _once(rows_of(tables, "wins_tests", scenario=ALL, raters="included"))
    unclear = [row for row in those_with(tests, "p") if row["p"] >= LEVEL]
    even = [row for row in unclear if row["a_wins"] == row["b_wins"] > 0]
    uneven = [row for row in unclear if row["a_wins"] != row["b_wins"]]
    for name, rows in (("even_wins", even), ("uneven_wins", uneven)):
        if rows:
            read = [more_wins_first(row)(row) for row in rows]
            yield say(name, rows=read, several=several)


def _population(tables: Tables) -> Iterator[Sentence]:
    if any(rows_of(tables, name) for name in ("systems", "choices", "rankings", "strengths")):
        yield say("population")


def _scenarios(tables: Tables) -> Iterator[Sentence]:
    rows = rows_of(tables, "design", raters="included", answers="ratings")
    if not rows:
        return
    row = max(rows, key=lambda row: (row["n_scenarios"], -row.place))
    if row["n_scenarios"] == 1:
        yield say("one_scenario", row=row)
    elif row["n_scenarios"] < FEW_SCENARIOS and row["n_systems"] > 1:
        tested = list(_main_results(tables)) or _other_results(tables)
        if not tested or any(row["p"] >= BEYOND_DOUBT for row in tested):
            of_texts = tested and all(row["limited_by"] == "texts" for row in tested)
            yield say("few_scenarios", row=row, least=FEW_SCENARIOS, raters_help=not of_texts)


def _other_results(tables: Tables) -> list[Row]:
    """What a study is about that compares no two conditions: systems beside the reference, and
    their pairs.
    """
    return [
        row
        for name in ("reference_contrasts", "system_pairs")
        for row in those_with(rows_of(tables, name, raters="included"), "p")
    ]


def _fixed_texts(tables: Tables) -> Iterator[Sentence]:
    if those_with(rows_of(tables, "contrasts", generalises_to="raters"), "p"):
        yield say("fixed_texts")
    there = [name for name in ("choices", "rankings") if rows_of(tables, name)]
    if there:
        yield say("fixed_texts_of_choices", tables=there)


def _few_raters(tables: Tables) -> Iterator[Sentence]:
    rows = rows_of(tables, "design", raters="included")
    few = [row for row in rows if 0 < row["n_raters"] < FEW_RATERS]
    if few:
        fewest = min(few, key=lambda row: (row["n_raters"], row.place))
        named = len(values(rows, "n_raters")) > 1
        yield say("few_raters", row=fewest, named=named, resampled=_resamples_raters(tables))


def _resamples_raters(tables: Tables) -> bool:
    """Whether some intervals are of resampled raters."""
    return bool(
        those_with(rows_of(tables, "wins_tests"), "a_wins_low")
        or those_with(rows_of(tables, "strengths"), "ci_low")
        or rows_of(tables, "choices")
        or those_with(rows_of(tables, "ranking_tests"), "w_ci_low")
    )


def _between(tables: Tables) -> Iterator[Sentence]:
    """Where most raters saw one of the conditions, or one system, only."""
    rows = rows_of(tables, "design", raters="included", answers="ratings")
    tested = values(list(_main_results(tables)), "dimension")
    others = [] if tested else values(_other_results(tables), "dimension")
    apart = {
        "between": [
            row
            for row in rows
            if row["dimension"] in tested and row["raters_of_one"] > row["raters_of_both"]
        ],
        "between_systems": [
            row
            for row in rows
            if row["dimension"] in others and row["raters_of_one_system"] > row["n_raters"] / 2
        ],
    }
    for name, of in apart.items():
        if of:
            yield say(name, row=of[0], dimensions=texts(of, "dimension") if len(rows) > 1 else [])


def _raters_limit(tables: Tables) -> Iterator[Sentence]:
    """Where raters' preferences are why a main result is not shown: it would be, with more raters,
    if there is a difference.
    """
    every = list(_main_results(tables))
    rows = [row for row in every if row["limited_by"] == "raters" and row["p"] >= LEVEL]
    if rows:
        designs = [
            of
            for row in rows
            for of in rows_of(
                tables, "design", raters="included", answers="ratings", dimension=row["dimension"]
            )
        ]
        raters = designs[0].cite("n_raters")
        prefer = any(raters_of_both(tables, row["dimension"]) for row in rows)
        read = [winner_first(row["difference"])(row) for row in rows]  # as the findings do
        yield say("raters_limit", rows=read, several=len(every) > 1, raters=raters, prefer=prefer)


def _main_results(tables: Tables) -> Iterator[Row]:
    """Of each dimension, by the recipe's first model, a against b over all models, or of the only
    one.
    """
    rows = rows_of(tables, "mixed_contrasts", raters="included", scale="ratings")
    links: dict[tuple[str, str], str] = {}
    for row in rows:
        link = links.setdefault((row["recipe"], row["dimension"]), row["link"])
        of = {name: row[name] for name in MODEL}
        is_main = row["model"] == ALL or not rows_of(tables, "mixed_contrasts", **of, model=ALL)
        if row["link"] == link and is_main:
            yield row


def _single_texts(tables: Tables) -> Iterator[Sentence]:
    """One text of a system per scenario; a reference in several sets has one, too."""
    keys = ["scenario", "model", "condition", "dimension"]
    rows = rows_of(tables, "items")
    sets: dict[tuple[object, ...], int] = {}
    for row in rows:
        key = tuple(row[column] for column in keys)
        sets[key] = sets.get(key, 0) + 1
    single = [key for key, n in sets.items() if n == 1]
    if rows and len(single) > len(sets) / 2:
        yield say("single_texts", systems=len({key[1:3] for key in sets}))


def _ungrouped(tables: Tables, recipes: Sequence[Recipe]) -> Iterator[Sentence]:
    """Answers of included raters that no group of a recipe knows."""
    rows = given_answers(rows_of(tables, "demographics"))
    for unknown in ungrouped(recipes, rows):
        numbers = {answer: row.cite("n", count) for answer, row in rows[unknown.column].items()}
        yield sentence(unknown, numbers)


def _groups(tables: Tables, recipe: Recipe | None) -> Iterator[Sentence]:
    if recipe is None:
        return
    of = {"recipe": recipe.name, "raters": "included", "condition": ALL, "scenario": ALL}
    rows = those_with(rows_of(tables, "group_tests", **of), "n_a", "n_b")
    for factor in values(rows, "factor"):
        own = [row for row in rows if row["factor"] == factor]
        side = min("ab", key=lambda side: min(row[f"n_{side}"] for row in own))
        row = min(own, key=lambda row: (row[f"n_{side}"], row.place))
        if 0 < row[f"n_{side}"] < FEW_RATERS:
            yield say(
                "small_group",
                group=row[f"group_{side}"],
                factor=row.text("factor"),
                n=row.cite(f"n_{side}"),
                model="" if len(values(own, f"n_{side}")) == 1 else row.text("model"),
                ranked=any(row["method"] == "asymptotic" for row in own),
            )


def _groups_of_conditions(tables: Tables) -> Iterator[Sentence]:
    """Where groups are compared over both conditions of a model, of which each rater saw one."""
    for row in rows_of(tables, "design", raters="included", answers="ratings", raters_of_both=0):
        of = {"raters": "included", "scenario": ALL, "dimension": row["dimension"]}
        rows = those_with(rows_of(tables, "group_tests", **of), "p")
        within = {(each["model"], each["condition"]) for each in rows if each["condition"] != ALL}
        if len(within) > len({model for model, _ in within}):
            yield say("groups_of_conditions")
            return


def _families(tables: Tables, recipe: Recipe | None) -> Iterator[Sentence]:
    """Over what p values are not adjusted."""
    if recipe is not None:
        rows = rows_of(tables, "group_tests", recipe=recipe.name)
        numbers = {
            column: len(set(values(rows, column)) - {ALL})
            for column in ("factor", "condition", "scenario")
            if column not in recipe.adjust_over
        }
        families = {column: n for column, n in numbers.items() if n > 1}
        if families:
            yield say("groups_not_adjusted_over", families=families)
    dimensions = values(rows_of(tables, "items"), "dimension")
    if len(dimensions) > 1 and any(rows_of(tables, name) for name in TESTS):
        yield say("dimensions_not_adjusted_over", n=len(dimensions))


def _ratings_as_units(tables: Tables, recipe: Recipe | None) -> Iterator[Sentence]:
    if recipe is None:
        return
    rows = those_with(rows_of(tables, "group_tests", recipe=recipe.name), "df")
    last = _last_step(tables)
    if rows and last is not None:
        row = max(rows, key=lambda row: (row["df"], -row.place))
        yield say("ratings_as_units", recipe=recipe, row=row, last=last)


def _unadjusted(tables: Tables, recipes: Sequence[Recipe]) -> Iterator[Sentence]:
    """Of recipes that count ratings, whose p is printed as it is, and of those that have nothing to
    adjust p for.
    """
    for recipe in recipes:
        if recipe.unit == "participant" and has_families(tables, recipe):
            continue
        of = {"recipe": recipe.name, "raters": recipe.raters[0]}
        rows = those_with(rows_of(tables, "group_tests", **of), "p")
        test = preferred(recipe, rows) if rows else ""
        tests = [row for row in rows if row["test"] == test]
        if len(tests) > 1:
            small = below(LEVEL, tests, "p")
            expected = _expected(len(tests))
            yield say("unadjusted", recipe=recipe, test=test, small=small, expected=expected)


def _expected(tests: int) -> str:
    """How many of so many true null hypotheses are rejected at 5 %."""
    n = LEVEL * tests
    return decimals(n, 0 if n >= 1 else 1)


def _judge_filter(tables: Tables, rules: QualityRules, gold: str) -> Iterator[Sentence]:
    for row in rows_of(tables, "funnel", step="sigma_mae"):
        if row["excluded"] and those_with(rows_of(tables, "raters"), "mae"):
            decided = _decided_by_sigma(tables)
            limit = rules.sigma_mae
            yield say("judge_filter", row=row, limit=limit, gold=gold, decided_by_sigma=decided)


def _decided_by_sigma(tables: Tables) -> Row | None:
    """How many have too small a σ, where the distance to the gold scores decides nothing beside."""
    beyond = {row["measure"]: row for row in those_with(rows_of(tables, "thresholds"), "removed")}
    sigma, both = beyond.get("sigma"), beyond.get(BOTH)
    return sigma if sigma and both and sigma["removed"] == both["removed"] else None


def _left_out(tables: Tables) -> Iterator[Sentence]:
    steps = rows_of(tables, "funnel")
    if not steps:
        return
    # whom a decision excludes is no rater whom the filter could leave
    first, last = next((s for s in steps if s["step"] != DECISION), steps[-1]), steps[-1]
    entered = first["remaining"] + (first["excluded"] if first["step"] != DECISION else 0)
    if not last["remaining"]:
        yield say("nobody", last=last)
    elif last["remaining"] < 0.9 * entered:
        with_all = ("systems", "contrasts", "choices", "rankings")
        yield say(
            "left_out",
            last=last,
            entered=first.derive(count(entered)),
            share=last.derive(percent(100 * (1 - last["remaining"] / entered))),
            has_all=any(rows_of(tables, name, raters="all") for name in with_all),
        )


def _attrition(tables: Tables) -> Iterator[Sentence]:
    """Where people left, or were excluded, in some parts of the design more than in others."""
    tested = those_with(rows_of(tables, "design_health"), "p_adjusted")
    for row in tested:
        if row["p_adjusted"] < LEVEL:
            yield say("attrition", row=row, several=len(tested) > 1)


def _flagged(tables: Tables) -> Iterator[Sentence]:
    """What flags of writing do not show."""
    for row in rows_of(tables, "flagged_writing", rule=ANY):
        yield say("flagged", row=row)


def _interfaces(tables: Tables) -> Iterator[Sentence]:
    """Pages that an update of the program changed while people took part."""
    for row in rows_of(tables, "protocol", measure="interfaces"):
        if row["value"] and row["value"] > 1:
            yield say("interfaces", row=row)


def _margins(tables: Tables, recipe: Recipe | None) -> Iterator[Sentence]:
    """Of margins, which the recipe sets."""
    if recipe is None:
        return
    said = {
        "margin_to_reference": ("reference_contrasts", "to_reference"),
        "margin_of_groups": ("group_tests",),
    }
    for name, among in said.items():
        rows = [row for table in among for row in rows_of(tables, table, recipe=recipe.name)]
        for row in those_with(rows, "margin")[:1]:
            yield say(name, row=row)


def _steps(tables: Tables, scale: int) -> Iterator[Sentence]:
    if scale and rows_of(tables, "items"):
        ordinal = any(row["link"] != "linear" for row in rows_of(tables, "mixed_shares"))
        yield say("steps", scale=scale, ordinal=ordinal)


def _empty_cells(tables: Tables) -> Iterator[Sentence]:
    compared = those_with(rows_of(tables, "contrasts", raters="included"), "p")
    rows = [row for row in compared if row["missing_cells"]]
    if rows:
        most = max(rows, key=lambda row: (row["missing_cells"], -row.place))
        yield say("empty_cells", row=most, mixed=bool(rows_of(tables, "mixed_contrasts")))


def _unrated(tables: Tables) -> Iterator[Sentence]:
    """Responses that no included rater rated: tables that need a rating of each leave them out."""
    every = rows_of(tables, "items")
    missing = Some([row for row in every if row["n"] == 0], every, "n")
    if missing:
        yield say("unrated", missing=missing, named=NAMED)


def _other_raters(tables: Tables) -> Iterator[Sentence]:
    """Wins compare means of all ratings, even where other raters rated a than b."""
    both = [row["raters_of_both"] for row in rows_of(tables, "design", answers="ratings")]
    rows = those_with(rows_of(tables, "wins"), "n_a", "n_b")
    every = [row for row in rows if row["n_a"] and row["n_b"]]
    uneven = [row for row in every if row["n_a"] != row["n_b"]]
    if uneven and any(both):
        within = bool(those_with(rows_of(tables, "win_differences"), "p"))
        yield say("other_raters", uneven=Some(uneven, every, "n_a"), within=within)


def _gold(tables: Tables) -> Iterator[Sentence]:
    """What is said of the gold judge; how much it matters stands in the tables of judges."""
    for row in rows_of(tables, "guard_warnings"):
        if row["kind"] in ("shared_chance", "same_family", "family_unknown"):
            yield say("of_judges", text=row.text("text"))


def _notes(tables: Tables) -> Iterator[Sentence]:
    """What the mixed models say of themselves, once each, and on which dimensions."""
    rows = rows_of(tables, "mixed_models", raters="included")
    several = len(values(rows, "dimension")) > 1
    for note in values(rows, "note"):
        if note and not str(note).startswith("not estimable"):
            of = texts([row for row in rows if row["note"] == note], "dimension")
            yield say("note_of_models", note=note, dimensions=of if several else [])


def _not_estimable(tables: Tables) -> Iterator[Sentence]:
    """Of which results some or all rows have no numbers; what is about all raters says the same."""
    parts = []
    for name, table in tables.items():
        if table.spec.section in NO_RESULTS or name.removesuffix(OF_ALL) in tables.keys() - {name}:
            continue
        every = list(table)
        rows = [row for row in every if str(row["note"] or "").startswith("not estimable")]
        if rows:
            parts.append((Some(rows, every, "note"), table))
    if parts:
        yield say("not_estimable", parts=parts)


def _once(rows: list[Row]) -> list[Row]:
    """The rows of the first recipe: the test is the same in every one."""
    return [row for row in rows if row["recipe"] == rows[0]["recipe"]]


def _last_step(tables: Tables) -> Row | None:
    """The last step of the filter, after which the included raters remain."""
    steps = rows_of(tables, "funnel")
    return steps[-1] if steps else None
