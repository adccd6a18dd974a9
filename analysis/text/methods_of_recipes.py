"""What a recipe does, in sentences that can be pasted into a paper: of its tables that are there.

Pure.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from analysis.recipe import MOST_CATEGORIES, Recipe
from analysis.tables.agreement import DELTA_METHOD
from analysis.tables.resampling import resampling
from analysis.text.cells import Row, Sentence, Tables, rows_of, texts, those_with, values
from analysis.text.findings.groups import has_families
from analysis.text.findings.words import ALL, compares_groups
from analysis.text.sentences import Sentences

say = Sentences("methods/recipes.j2")

#: What occurs in names of statistics of agreement, in variants of exclusion rules, and among
#: covariates of order, in the order in which they are said; the template has their words.
METHODS_OF_AGREEMENT = (
    "krippendorff_alpha",
    "icc",
    "crossed_icc",
    "kendalls_w_ratings",
    "kendalls_w_ranks",
    "randolphs_kappa",
)
VARIANTS = ("no rule", "alone", "all but", "sigma over", "without flagged raters")
ORDER = ("response_position", "block_position", "previous_rating")
#: Models of comparisons on a page.
COMPARISONS = ("plackett_luce", "best_worst", "davidson", "bradley_terry")
#: Tables of tests by the mixed models.
TESTED_BY_MODELS = ("mixed_contrasts", "reference_contrasts", "system_pairs")
#: How choices are held against chance.
CHOICE_TESTS = ("chi_squared", "permuted_within_pages", "permuted_by_rater")

#: Columns without which nothing was computed: texts whose lengths are unknown or all the same, or
#: raters of whom nobody rated both conditions, or too few for a model.
NEEDED = {
    "contrasts": "p",
    "paired": "p",
    "signed_ranks": "p",
    "win_differences": "p",
    "fragility": "p",
    "mixed_models": "estimate",
    "reference_contrasts": "difference",
    "system_groups": "estimate",
    "agreement": "value",
    "length_adjusted": "adjusted",
}
#: The values that the sentence about a table takes.
Values = dict[str, Any]


def recipe_sentences(
    tables: Tables, recipe: Recipe, before: Sequence[Recipe], *, rated: bool = True
) -> Iterator[Sentence]:
    """What a recipe does; groups that a recipe `before` it has described are not described again.

    `rated` is whether the study asks for ratings. Nothing is said of a recipe without tables.
    """
    same = next((each.name for each in before if each.groups == recipe.groups), "")
    parts = [sentence for _, sentence in of_tables(tables, recipe, same)]
    if not parts:
        return
    if recipe.unit == "rating":
        yield say("ratings_are_units")
    else:
        yield say("raters_are_units", recipe=recipe, rated=rated)
    yield from parts


def of_tables(tables: Tables, recipe: Recipe, same: str = "") -> Iterator[tuple[str, Sentence]]:
    """Each table that has rows of the recipe, with how it was made; `same` names a recipe of equal
    groups.
    """
    for name, values_of in SAID.items():
        rows = rows_of(tables, name, recipe=recipe.name)
        rows = _estimated(rows, NEEDED.get(name, ""))
        is_of_recipe = name in tables and "recipe" in tables[name].columns
        if rows and (is_of_recipe or recipe.unit == "participant"):
            more = {"same": same} if name == "group_tests" else {}
            yield name, say(name, **values_of(tables, recipe, rows), **more)


def _estimated(rows: list[Row], column: str) -> list[Row]:
    """The rows with a number in the column, if the table has it."""
    return those_with(rows, column) if rows and column in rows[0].table.columns else rows


def _contrasts(_: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    return {
        "a": rows[0].text("condition_a"),
        "b": rows[0].text("condition_b"),
        "models": _has_models(rows),
    }


def _has_models(rows: list[Row]) -> bool:
    """Whether there are several models, whose p values are adjusted, beside all of them pooled."""
    return len({*values(rows, "model")} - {ALL}) > 1


def _paired(tables: Tables, _: Recipe, __: list[Row]) -> Values:
    return {"models": _has_models(rows_of(tables, "paired"))}


def _wins_tests(_: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    return {
        "recipe": recipe,
        "points": any(row["reference_points"] is not None for row in rows),
        "bootstrap": recipe.bootstrap if any(row["resamples"] for row in rows) else None,
    }


def _win_differences(_: Tables, __: Recipe, rows: list[Row]) -> Values:
    return {"several": len({(row["model"], row["scenario"]) for row in rows}) > 1}


def _to_reference(_: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    return {
        "recipe": recipe,
        "margin": _margin(rows),
        "several": len({(row["model"], row["condition"]) for row in rows}) > 1,
    }


def _reference_contrasts(_: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    systems = {(row["model"], row["condition"]) for row in rows}
    margin = _margin(rows) if those_with(rows, "margin") else None
    return {"recipe": recipe, "margin": margin, "several": len(systems) > 1}


def _margin(rows: list[Row]) -> float:
    """The margin of these rows, in points."""
    return float(those_with(rows, "margin")[0]["margin"])


def _group_tests(tables: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    factors = {row["factor"]: row.text("factor") for row in rows}
    models = values(rows, "model")
    within = {
        "condition": _within(rows, "condition"),
        "scenario": _within(rows, "scenario"),
        "both": _within(rows, "condition", "scenario"),
    }
    return {
        "recipe": recipe,
        "factors": {name: factors[name] for name in recipe.groups if name in factors},
        "within": [name for name, there in within.items() if there],
        "families": has_families(tables, recipe),
        "single": "model" in recipe.adjust_over and len(models) == 1,
        "margin": _margin(rows) if those_with(rows, "p_equivalent") else None,
    }


def _within(rows: list[Row], *parts: str) -> bool:
    """Whether some tests are within one of these and over all of the others."""
    of_groups = ("condition", "scenario")
    return any(all((row[part] != ALL) is (part in parts) for part in of_groups) for row in rows)


def _anova(_: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    return {
        "factors": texts(rows, "factor"),
        "scenarios": recipe.each_scenario,
        "several": len({*values(rows, "scenario")} - {ALL}) > 1,
    }


def _mixed_models(tables: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    links = values(rows, "link")
    contrasts = rows_of(tables, "mixed_contrasts", recipe=recipe.name)
    parameters = [str(parameter) for parameter in values(rows, "parameter")]
    factors = [p.removeprefix("sd ").split(":") for p in parameters if p.startswith("sd ")]
    systems = rows_of(tables, "mixed_systems", recipe=recipe.name)
    return {
        "several": len({(row["model"], row["condition"]) for row in systems}) != 1,
        "effects": {
            side: [
                name
                for name in (side, "condition", "system")
                if any(factor[0] == side and factor[-1] == name for factor in factors)
            ]
            for side in ("rater", "scenario")
        },
        "ordinal": [link for link in links if link != "linear"],
        "linear": "linear" in links,
        "tests": any(rows_of(tables, name, recipe=recipe.name) for name in TESTED_BY_MODELS),
        "contrasts": bool(contrasts),
        "models": _has_models(contrasts),
        "groups": _groups_compared(tables, recipe, contrasts),
        "by_scale": recipe.mixed_models is not None and recipe.mixed_models.links is None,
        "most": MOST_CATEGORIES,
    }


def _groups_compared(tables: Tables, recipe: Recipe, contrasts: list[Row]) -> list[str]:
    """What both conditions are called where their systems are compared as groups."""
    systems = rows_of(tables, "mixed_systems", recipe=recipe.name)
    grouped = [row for row in contrasts if compares_groups(row, systems)]
    return [grouped[0].text(side) for side in ("condition_a", "condition_b")] if grouped else []


def _system_pairs(_: Tables, __: Recipe, rows: list[Row]) -> Values:
    of_first = [row for row in rows if row["link"] == rows[0]["link"]]
    return {"several": len({(row["raters"], row["dimension"]) for row in rows}) < len(of_first)}


def _system_groups(_: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    several = len(values(rows, "model")) > 1 or len(values(rows, "condition")) > 1
    drawn = resampling(recipe)
    return {"several": several, "seed": drawn["seed"], "draws": drawn["resamples"]}


def _ranking_tests(tables: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    pairs = rows_of(tables, "ranking_pairs", recipe=recipe.name, raters=recipe.raters[0])
    return {
        "friedman": bool(_estimated(rows, "p")),
        "permuted": any(row["method"] in ("exact", "permuted") for row in rows),
        "sets": len(values(rows, "set")) > 1,
        "pairs": len(pairs) > len(values(pairs, "dimension")),
        "signed_ranks_said": bool(rows_of(tables, "paired")),
    }


def _choices(_: Tables, recipe: Recipe, __: list[Row]) -> Values:
    return {"recipe": recipe, "resamples": resampling(recipe)["resamples"]}


def _choice_tests(_: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    tests, drawn = values(rows, "test"), values(rows, "permutations")
    return {
        "used": [test for test in CHOICE_TESTS if test in tests],
        "permutations": sorted({min(drawn), max(drawn)}) if drawn else [],
        "seed": resampling(recipe)["seed"],
        "scenarios": any(row["scenario"] != ALL for row in those_with(rows, "p_adjusted")),
    }


def _strengths(_: Tables, recipe: Recipe, rows: list[Row]) -> Values:
    used = values(rows, "comparison_model")
    return {
        "used": [model for model in COMPARISONS if model in used],
        "bootstrap": any(row.has("ci_low") for row in rows),
        "resamples": resampling(recipe)["resamples"],
        "seed": resampling(recipe)["seed"],
    }


def _agreement(tables: Tables, _: Recipe, __: list[Row]) -> Values:
    known = _estimated(rows_of(tables, "agreement"), NEEDED["agreement"])
    statistics = [
        f"crossed_{row['statistic']}" if row["interval"] == DELTA_METHOD else str(row["statistic"])
        for row in known
    ]
    return {
        "used": [
            name
            for name in METHODS_OF_AGREEMENT
            if any(each.startswith(name) for each in statistics)
        ]
    }


def _sensitivity(_: Tables, __: Recipe, rows: list[Row]) -> Values:
    """With which other rules; a study without rules, or with one, has fewer of them."""
    variants = [str(variant) for variant in values(rows, "variant")]
    return {"used": [kind for kind in VARIANTS if any(kind in variant for variant in variants)]}


def _order_effects(_: Tables, __: Recipe, rows: list[Row]) -> Values:
    estimated = values(those_with(rows, "estimate"), "covariate")
    return {
        "used": [covariate for covariate in ORDER if covariate in estimated],
        "several_dimensions": len(values(rows, "dimension")) > 1,
    }


def _position_tests(_: Tables, __: Recipe, rows: list[Row]) -> Values:
    answers = values(rows, "answer")
    kinds = ["choices"] if {"best", "worst"} & set(answers) else []
    families = {"answers": answers, "sets": values(rows, "set")}
    return {
        "kinds": [*kinds, "ranks"] if "rank" in answers else kinds,
        "adjusted_over": [name for name, members in families.items() if len(members) > 1],
    }


#: The tables of which a sentence of that name is said, in order, and what gives it its values.
SAID: dict[str, Callable[[Tables, Recipe, list[Row]], Values]] = {
    "contrasts": _contrasts,
    "paired": _paired,
    "signed_ranks": _contrasts,
    "wins_tests": _wins_tests,
    "win_differences": _win_differences,
    "to_reference": _to_reference,
    "group_tests": _group_tests,
    "anova": _anova,
    "games_howell": lambda *_: {},
    "mixed_models": _mixed_models,
    "reference_contrasts": _reference_contrasts,
    "system_pairs": _system_pairs,
    "system_groups": _system_groups,
    "ranking_tests": _ranking_tests,
    "choices": _choices,
    "choice_tests": _choice_tests,
    "strengths": _strengths,
    "agreement": _agreement,
    "without_flagged": lambda *_: {},
    "sensitivity": _sensitivity,
    "fragility": lambda *_: {},
    "length_adjusted": lambda *_: {},
    "multiverse_summary": lambda *_: {},
    "order_effects": _order_effects,
    "position_tests": _position_tests,
}
