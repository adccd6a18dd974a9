"""What to know before leaning on the results: each limit only where it is true. Pure."""

from collections.abc import Iterator, Sequence

from analysis.catalogue.number_text import count, decimals, degrees, noun, percent, tally
from analysis.definition import DECISION, QualityRules
from analysis.raters.thresholds import BOTH
from analysis.recipe import Recipe
from analysis.tables.lead import LEAST_RATERS, min_f_leads
from analysis.text.cells import Row, Sentence, Tables, counted, counted_of, rows_of, values
from analysis.text.findings.groups import TESTS, has_families, preferred
from analysis.text.findings.words import ALL, LEVEL, capital, of_unit
from analysis.text.methods_of_recipes import listed
from analysis.ungrouped import given_answers, sentences, ungrouped

#: Below so many scenarios, more raters hardly add power (Westfall, Kenny & Judd 2014).
FEW_SCENARIOS = 20
#: So many of a list are named.
NAMED = 5
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
        *_fixed_texts_of_choices(tables),
        *_few_raters(tables),
        *_tastes(tables),
        *_single_texts(tables),
        *_ungrouped(tables, recipes),
        *_groups(tables, sound),
        *_families(tables, sound),
        *_ratings_as_units(tables, paper),
        *_unadjusted(tables, recipes),
        *_judge_filter(tables, rules, gold),
        *_left_out(tables),
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
    for row in _once(rows_of(tables, "wins_tests", scenario=ALL, raters="included")):
        if not row.has("p") or row["p"] < LEVEL:
            continue
        if row["a_wins"] == row["b_wins"]:
            yield (
                row.cite("a_wins", tally),
                " against ",
                row.cite("b_wins", tally),
                " wins",
                *_of_dimension(tables, row),
                ": an even count does not show that the conditions are equally good.",
            )
            continue
        yield (
            row.cite("a_wins", tally),
            " against ",
            row.cite("b_wins", tally),
            " wins",
            *_of_dimension(tables, row),
            ": sign test ",
            *row.p(),
            ". So uneven a count, or one more so, is no rarity where neither condition is better, "
            "even if the comparisons were independent, which those of one scenario or one model "
            "need not be.",
        )


def _population(tables: Tables) -> Iterator[Sentence]:
    if any(rows_of(tables, name) for name in ("systems", "choices", "rankings")):
        yield (
            "Other raters are people who would come in the same way and pass the same filter, not "
            "people in general; other scenarios and texts are such as those that were chosen here.",
        )


def _scenarios(tables: Tables) -> Iterator[Sentence]:
    rows = rows_of(tables, "systems", unit="scenario", raters="included")
    if not rows:
        return
    row = max(rows, key=lambda row: (row["n"], -row.place))
    if row["n"] == 1:
        yield (
            "There is ",
            row.cite("n", count),
            " scenario, so nothing here speaks of other scenarios.",
        )
    elif row["n"] < FEW_SCENARIOS:
        yield (
            "There are ",
            row.cite("n", count),
            f" scenarios. Below some {FEW_SCENARIOS}, what is said of other scenarios has little "
            "power, and more raters cannot raise it: a true difference may well go unseen.",
        )


def _fixed_texts(tables: Tables) -> Iterator[Sentence]:
    if rows_of(tables, "contrasts", generalises_to="raters"):
        yield (
            "Intervals by raters (F1, Wilcoxon, the bootstrap of raters) take the texts as given: "
            "they say what other raters would say of these very texts, not of others by the same "
            "systems.",
        )


def _fixed_texts_of_choices(tables: Tables) -> Iterator[Sentence]:
    of = {"choices": ("shares of choices", "choose among"), "rankings": ("mean ranks", "rank")}
    there = [words for name, words in of.items() if rows_of(tables, name)]
    if there:
        what, do = (" and ".join(words) for words in zip(*there, strict=True))
        yield (
            f"{capital(what)}, with their intervals and tests, take the texts as given: they say "
            f"how other raters would {do} these very texts, not others by the same systems.",
        )


def _few_raters(tables: Tables) -> Iterator[Sentence]:
    row = _included(tables)
    if row is not None and 0 < row["remaining"] < FEW_RATERS:
        yield (
            "There ",
            "is " if row["remaining"] == 1 else "are ",
            row.cite("remaining", count),
            f" included {noun(row['remaining'], 'rater')}. What is said of other raters rests on "
            "these few, and a bootstrap of so few gives intervals that are too narrow.",
        )


def _tastes(tables: Tables) -> Iterator[Sentence]:
    """What few raters think of the conditions, for which only min F′ allows."""
    rows = rows_of(tables, "contrasts", raters="included")
    if any(min_f_leads(row["note"]) for row in rows):
        there = rows_of(tables, "mixed_contrasts")
        models = " So do the mixed models, whose intervals are too narrow then." if there else ""
        yield (
            f"Fewer than {LEAST_RATERS} raters are included. What so few of them happen to like "
            "about a condition does not even out, and F2 takes it for a difference of the "
            f"conditions.{models} min F′ allows for that, and leads.",
        )


def _single_texts(tables: Tables) -> Iterator[Sentence]:
    """One text of a system per scenario; a reference in several sets has one, too."""
    keys = ["scenario", "model", "condition", "dimension"]
    rows = rows_of(tables, "items")
    sets: dict[tuple[object, ...], int] = {}
    for row in rows:
        key = tuple(row[column] for column in keys)
        sets[key] = sets.get(key, 0) + 1
    most = [key for key, n in sets.items() if n == 1]
    if rows and len(most) > len(sets) / 2:
        yield (
            "A system has one text per scenario, so within a scenario a better system cannot be "
            "told from a luckier text.",
        )


def _ungrouped(tables: Tables, recipes: Sequence[Recipe]) -> Iterator[Sentence]:
    """Answers of included raters that no group of a recipe knows."""
    rows = given_answers(rows_of(tables, "demographics"))
    for found in ungrouped(recipes, rows):
        numbers = {answer: row.cite("n", count) for answer, row in rows[found.column].items()}
        yield sentences(found, numbers)


def _groups(tables: Tables, recipe: Recipe | None) -> Iterator[Sentence]:
    if recipe is None:
        return
    rows = [
        row
        for row in rows_of(
            tables,
            "group_tests",
            recipe=recipe.name,
            raters="included",
            condition=ALL,
            scenario=ALL,
        )
        if row.has("n_a", "n_b")
    ]
    for factor in values(rows, "factor"):
        own = [row for row in rows if row["factor"] == factor]
        side = min("ab", key=lambda side: min(row[f"n_{side}"] for row in own))
        row = min(own, key=lambda row: (row[f"n_{side}"], row.place))
        ranked = any(row["method"] == "asymptotic" for row in own)
        approximate = (
            " The normal approximation behind the Mann–Whitney test is not to be relied on with "
            "so few."
            if ranked
            else ""
        )
        if 0 < row[f"n_{side}"] < FEW_RATERS:
            yield (
                f"The group {row[f'group_{side}']} ({factor}) has ",
                row.cite(f"n_{side}", count),
                f" included {noun(row[f'n_{side}'], 'rater')}: its mean says little of other "
                f"people like them.{approximate}",
            )


def _families(tables: Tables, recipe: Recipe | None) -> Iterator[Sentence]:
    """Over what p values are not adjusted."""
    rows = rows_of(tables, "group_tests", recipe=recipe.name) if recipe is not None else []
    over = []
    for column in ("factor", "condition", "scenario"):
        found = [value for value in values(rows, column) if value != ALL]
        if recipe is not None and column not in recipe.adjust_over and len(found) > 1:
            over.append(f"the {len(found)} {column}s")
    if over:
        yield (f"p values of groups are not adjusted over {listed(over)}.",)
    dimensions = values(rows_of(tables, "items"), "dimension")
    if len(dimensions) > 1:
        yield (f"p values are not adjusted over the {len(dimensions)} dimensions.",)


def _ratings_as_units(tables: Tables, recipe: Recipe | None) -> Iterator[Sentence]:
    if recipe is None:
        return
    rows = [row for row in rows_of(tables, "group_tests", recipe=recipe.name) if row.has("df")]
    raters = _included(tables)
    if rows and raters is not None:
        row = max(rows, key=lambda row: (row["df"], -row.place))
        yield (
            f"Recipe {recipe.name} counts every rating as an observation by itself: up to ",
            row.cite("df", degrees),
            " degrees of freedom from ",
            raters.cite("remaining", count),
            " raters. Ratings of one rater resemble each other, so its p values of groups of "
            "raters are, as a rule, too small, and its intervals too narrow.",
        )


def _unadjusted(tables: Tables, recipes: Sequence[Recipe]) -> Iterator[Sentence]:
    """Of recipes that count ratings, whose p is printed as it is, and of those that have nothing to
    adjust p for.
    """
    for recipe in recipes:
        if recipe.unit == "participant" and has_families(tables, recipe):
            continue
        of = {"recipe": recipe.name, "raters": recipe.raters[0]}
        rows = [row for row in rows_of(tables, "group_tests", **of) if row.has("p")]
        test = preferred(recipe, rows) if rows else ""
        tests = [row for row in rows if row["test"] == test]
        if len(tests) < 2:
            continue
        small = [row for row in tests if row["p"] < LEVEL]
        yield (
            f"Recipe {recipe.name} makes ",
            counted(tests, "p"),
            f" comparisons of groups by {TESTS[test]}; ",
            counted_of(small, tests, "p"),
            f" {'has' if len(small) == 1 else 'have'} p < .05 unadjusted. At 5 % each, some "
            f"{_expected(len(tests))} would be expected of true null hypotheses alone, had the "
            "test the right size.",
        )


def _expected(tests: int) -> str:
    """How many of so many true null hypotheses are rejected at 5 %."""
    n = LEVEL * tests
    return decimals(n, 0 if n >= 1 else 1)


def _judge_filter(tables: Tables, rules: QualityRules, gold: str) -> Iterator[Sentence]:
    for row in rows_of(tables, "funnel", step="sigma_mae"):
        if row["excluded"] and any(rater["mae"] is not None for rater in rows_of(tables, "raters")):
            limit = rules.sigma_mae
            yield (
                "The rule sigma_mae left out ",
                row.cite("excluded", count),
                f" {noun(row['excluded'], 'rater')} with σ below {limit.sigma_below:g} and more "
                f"than {limit.mae_above:g} from the gold scores ({gold}). ",
                *_by_distance(tables),
            )


def _by_distance(tables: Tables) -> Sentence:
    """What the distance to the gold scores decides about who counts, beside σ."""
    beyond = {row["measure"]: row for row in rows_of(tables, "thresholds") if row.has("removed")}
    if {"sigma", BOTH} <= beyond.keys() and beyond["sigma"]["removed"] == beyond[BOTH]["removed"]:
        return (
            "All ",
            beyond["sigma"].cite("removed", count),
            " with so small a σ are that far from them, so the distance decides nothing here.",
        )
    return (
        "Who agrees with the gold scores is thus more likely to count, so that agreement of the "
        "included raters with them is no evidence for them; and who gives one answer throughout "
        "stays, if that answer is near the gold scores.",
    )


def _left_out(tables: Tables) -> Iterator[Sentence]:
    steps = rows_of(tables, "funnel")
    if not steps:
        return
    # whom a decision excludes is no rater whom the filter could leave
    first, last = next((s for s in steps if s["step"] != DECISION), steps[-1]), steps[-1]
    entered = first["remaining"] + (first["excluded"] if first["step"] != DECISION else 0)
    if not last["remaining"]:
        yield ("No rater is included (", last.cite("remaining", count), "), so nothing is known.")
    elif last["remaining"] < 0.9 * entered:
        share = percent(100 * (1 - last["remaining"] / entered))
        with_all = ("systems", "contrasts", "choices", "rankings")
        everybody = any(rows_of(tables, name, raters="all") for name in with_all)
        yield (
            "The filter leaves ",
            last.cite("remaining", count),
            " of ",
            first.derive(count(entered)),
            " raters (",
            last.derive(share),
            " are left out)."
            + (
                " Results of all raters stand beside those of the included ones."
                if everybody
                else ""
            ),
        )


def _margins(tables: Tables, recipe: Recipe | None) -> Iterator[Sentence]:
    if recipe is None:
        return
    used = {"to_reference": "to the reference", "group_tests": "between groups of raters"}
    for name, where in used.items():
        rows = [row for row in rows_of(tables, name, recipe=recipe.name) if row.has("margin")]
        if rows:
            yield (
                "The margin of ",
                rows[0].cite("margin"),
                f" points {where} is the recipe's. It proves something only if it was set before "
                "anybody saw the data, which this report cannot know.",
            )


def _steps(tables: Tables, scale: int) -> Iterator[Sentence]:
    if scale and rows_of(tables, "items"):
        ordinal = any(row["link"] != "linear" for row in rows_of(tables, "mixed_shares"))
        beside = (
            " So do the ordinal mixed models on the scale of the ratings; on the latent scale, and "
            "in the shares of each point, they do not."
            if ordinal
            else ""
        )
        yield (
            f"Means take the {scale} points of the scale as evenly spaced, which the answers need "
            f"not be.{beside}",
        )


def _empty_cells(tables: Tables) -> Iterator[Sentence]:
    rows = [row for row in rows_of(tables, "contrasts", raters="included") if row["missing_cells"]]
    if rows:
        row = max(rows, key=lambda row: (row["missing_cells"], -row.place))
        models = " × models" if row["model"] == ALL else ""
        yield (
            "Not every rater rated every model in both conditions of every scenario: of ",
            row.cite("missing_cells", count),
            f" raters × scenarios{models} one or both are missing ({_whose(row)}). Conditions are "
            "compared by the pairs that are there.",
        )


def _unrated(tables: Tables) -> Iterator[Sentence]:
    """Responses that no included rater rated: tables that need a rating of each leave them out."""
    every = rows_of(tables, "items")
    rows = [row for row in every if row.has("n") and not row["n"]]
    if rows:
        named = [f"{row['model']} ({row['condition']}) in {row['scenario']}" for row in rows]
        more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
        yield (
            counted_of(rows, every, "n"),
            f" of {count(len(every))} responses have no rating of an included "
            f"rater: {', '.join(named[:NAMED])}{more}. Tables of groups and mixed models have no "
            "row where there is nothing else.",
        )


def _other_raters(tables: Tables) -> Iterator[Sentence]:
    """Wins compare means of all ratings, even where other raters rated a than b."""
    every = rows_of(tables, "wins")
    uneven = [row for row in every if row.has("n_a", "n_b") and row["n_a"] != row["n_b"]]
    if uneven:
        yield (
            "Wins compare the means of all ratings. In ",
            counted_of(uneven, every, "n_a"),
            f" of {count(len(every))} comparisons one condition has more ratings "
            "than the other, so that some of the difference may be one of raters; "
            "win_differences is of the raters who saw both.",
        )


def _gold(tables: Tables) -> Iterator[Sentence]:
    """What is said of the gold judge; how much it matters stands in the tables of judges."""
    for row in rows_of(tables, "guard_warnings"):
        if row["kind"] in ("shared_chance", "same_family", "family_unknown"):
            yield (str(row["text"]),)


def _notes(tables: Tables) -> Iterator[Sentence]:
    """What the mixed models say of themselves, once each, and on which dimensions."""
    rows = rows_of(tables, "mixed_models", raters="included")
    several = len(values(rows, "dimension")) > 1
    for note in values(rows, "note"):
        if note and not str(note).startswith("not estimable"):
            of = values([row for row in rows if row["note"] == note], "dimension")
            where = f" ({', '.join(map(str, of))})" if several else ""
            yield (f"Mixed model{where}: {note}",)


def _not_estimable(tables: Tables) -> Iterator[Sentence]:
    for table in tables.values():
        rows = [row for row in table if str(row["note"] or "").startswith("not estimable")]
        if rows:
            yield (
                "Not estimable: ",
                counted(rows, "note"),
                f" of {count(len(table.rows))} rows of {table.file}. The column note says why.",
            )


def _once(rows: list[Row]) -> list[Row]:
    """The rows of the first recipe: the test is the same in every one."""
    return [row for row in rows if row["recipe"] == rows[0]["recipe"]]


def _included(tables: Tables) -> Row | None:
    steps = rows_of(tables, "funnel")
    return steps[-1] if steps else None


def _of_dimension(tables: Tables, row: Row) -> Sentence:
    several = len(values(rows_of(tables, "items"), "dimension")) > 1
    return (f" ({row['dimension']})",) if several else ()


def _whose(row: Row) -> str:
    return "over all models" if row["model"] == ALL else str(row["model"])
