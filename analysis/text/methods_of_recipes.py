"""What a recipe does, in sentences that can be pasted into a paper: of its tables that are there.

Pure.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from analysis.recipe import MOST_CATEGORIES, Group, Grouping, Recipe
from analysis.tables.lead import TASTES, min_f_leads
from analysis.tables.resampling import resampling
from analysis.text.cells import Row, Sentence, Tables, rows_of, values
from analysis.text.findings.groups import has_families
from analysis.text.findings.words import ALL

TESTS = {
    "student": "Student's t test (equal variances)",
    "welch": "Welch's t test",
    "mann_whitney": "the Mann–Whitney test (exact for up to 50, else by the normal approximation, "
    "ties corrected for)",
}
OVER = {
    "model": "models",
    "factor": "factors",
    "condition": "conditions and all of them pooled",
    "scenario": "scenarios and all of them pooled",
}
ONE_MODEL = "there is one model, so there is nothing to adjust for"
OVER_MODELS = "p values of models are adjusted by Holm's method"
SIGNED_RANKS = (
    "Wilcoxon's test leaves out raters without a difference, whom the column zeros counts; p is "
    "exact for up to 50 raters, else by the normal approximation, ties corrected for, as the "
    "column method says. The matched-pairs rank-biserial correlation has an interval by Fisher's "
    "z, with the standard error that it has where nothing differs; where all differences have one "
    "direction, it has none."
)
ORDER = {
    "response_position": "the position of the response",
    "block_position": "the position of the block",
    "previous_rating": "the previous rating",
}
RATERS = {
    ("included",): "the included raters",
    ("all",): "all raters, excluded ones among them",
    ("included", "all"): "the included raters, and once more of all raters",
    ("all", "included"): "all raters, and once more of the included ones",
}


def recipe_sentences(
    tables: Tables, recipe: Recipe, before: Sequence[Recipe], *, rated: bool = True
) -> Iterator[Sentence]:
    """What a recipe does; groups that a recipe `before` it has described are not described anew.

    `rated` is whether the study asks for ratings, which are all that some recipes are about.
    """
    same = next((each.name for each in before if each.groups == recipe.groups), "")
    parts = list(_recipe_parts(tables, recipe, same))
    if not parts:
        nothing_rated = recipe.unit == "rating" and not rated
        yield (
            "It is about ratings, for which the study does not ask."
            if nothing_rated
            else "None of its tables could be computed.",
        )
        return
    if recipe.unit == "rating":
        yield ("Every rating counts as one observation.",)
    else:
        whose = RATERS[tuple(recipe.raters)]
        one = (
            "A rater's mean is one observation, however many ratings it rests on"
            if rated
            else "A rater is one observation, however many pages they answered"
        )
        yield (
            f"{one}. Tables are of "
            f"{whose}; intervals have {100 * recipe.confidence:g} % confidence.",
        )
    for text in parts:
        yield (text,)


def _recipe_parts(tables: Tables, recipe: Recipe, same: str) -> Iterator[str]:
    """A sentence for each table that has rows of the recipe; `same` names one of equal groups."""
    parts: dict[str, Callable[[Tables, Recipe], str] | str] = {
        "contrasts": _of_contrasts,
        "paired": _of_paired,
        "wins_tests": _of_wins_tests,
        "win_differences": _of_win_differences,
        "to_reference": _of_reference,
        "group_tests": partial(_of_groups, same=same),
        "anova": _of_anova,
        "games_howell": "Games and Howell's comparisons of every two groups follow.",
        "mixed_models": _of_mixed_models,
        "ranking_tests": _of_rankings,
        "choices": _of_shares,
        "choice_tests": _of_choices,
        "agreement": _of_agreement,
        "sensitivity": _of_sensitivity,
        "order_effects": _of_order,
        "position_tests": _of_positions,
    }
    for name, text in parts.items():
        rows = rows_of(tables, name, recipe=recipe.name)
        is_of_recipe = name in tables and "recipe" in tables[name].columns
        if rows and (is_of_recipe or recipe.unit == "participant"):
            yield text if isinstance(text, str) else text(tables, recipe)


def _of_contrasts(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "contrasts", recipe=recipe.name)
    few = any(min_f_leads(row["note"]) for row in rows if row["raters"] == recipe.raters[0])
    leads = f" min F′ leads, because {TASTES}." if few else ""
    return (
        f"{rows[0]['condition_a']} and {rows[0]['condition_b']} were compared within raters and "
        "within scenarios, by what a rater rated of both on the same page: by a paired t test over "
        "raters' means (F1), one over scenarios' means (F2), and both at once (min F′; Clark "
        f"1973); {OVER_MODELS if _has_models(rows) else ONE_MODEL}.{leads}"
    )


def _has_models(rows: list[Row]) -> bool:
    """Whether there are several models, whose p values are adjusted, beside all of them pooled."""
    return len({*values(rows, "model")} - {ALL}) > 1


def _of_paired(tables: Tables, recipe: Recipe) -> str:
    over = ", adjusted over models by Holm's method" * _has_models(rows_of(tables, "paired"))
    return f"Raters' means were also compared by Wilcoxon's signed-rank test{over}. {SIGNED_RANKS}"


def _of_wins_tests(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "wins_tests", recipe=recipe.name)
    drawn = ""
    if recipe.bootstrap and any(row["resamples"] for row in rows):
        drawn = (
            f" Intervals of the numbers of wins come from {recipe.bootstrap.resamples:,} resamples "
            f"(seed {recipe.bootstrap.seed}) of raters drawn with replacement, excluded ones "
            "among them; the filter and all means were computed anew for each."
        )
    ties = "nobody's win" if recipe.wins.ties == "neither" else "half a win for each condition"
    points = ""
    if any(row["reference_points"] is not None for row in rows):
        own = recipe.wins.reference == "own_set"
        reference = "the set in which a model was shown" if own else "all sets pooled"
        points = f" Reference points are earned by the reference's mean in {reference}."
    return (
        f"The number of wins was held against even chances by the sign test (ties are {ties})."
        f"{points}{drawn}"
    )


def _of_win_differences(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "win_differences", recipe=recipe.name)
    several = len({(row["model"], row["scenario"]) for row in rows}) > 1
    adjusted = ", adjusted over all comparisons by Holm's method" if several else ""
    return (
        "Each comparison of a model in a scenario was tested by a paired t test within raters"
        f"{adjusted}."
    )


def _of_reference(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "to_reference", recipe=recipe.name)
    several = len({(row["model"], row["condition"]) for row in rows}) > 1
    return (
        f"Each system was tested against the reference with a margin of "
        f"{_margin(rows, recipe.margins.reference, recipe)}: for non-inferiority by a one-sided, "
        "and for equivalence by two one-sided paired t tests (TOST) at 5 %, over raters' means "
        "and, separately, over scenarios' means, of pages on which a rater rated both"
        + ("; p values of both are adjusted over systems by Holm's method." if several else ".")
    )


def _margin(rows: list[Row], given: float | None, recipe: Recipe) -> str:
    """ "0.25 points (6.25 % of the scale's length)": the margin of these rows, and as given."""
    points = next(row["margin"] for row in rows if row.has("margin"))
    percent = f" ({given:g} % of the scale's length)" * (recipe.margins.given_in == "percent")
    return f"{points:g} points{percent}"


def _of_groups(tables: Tables, recipe: Recipe, *, same: str) -> str:
    rows = rows_of(tables, "group_tests", recipe=recipe.name)
    present = values(rows, "factor")
    groups = f"those of recipe {same}"
    if not same:
        groups = "; ".join(
            f"{name}: {_grouping(grouping)}"
            for name, grouping in recipe.groups.items()
            if name in present
        )
    within = [
        name
        for name, each in (
            ("condition", recipe.each_condition),
            ("scenario", recipe.each_scenario),
        )
        if each
    ]
    where = f", over all ratings and within each {' and '.join(within)}" if within else ""
    tests = listed([TESTS[test] for test in recipe.group_tests])
    families, adjusted = has_families(tables, recipe), ""
    if families:
        over = listed([OVER[over] for over in recipe.adjust_over])
        adjusted = (
            f"; p values are adjusted over {over} where all else is equal, by Holm's method and, "
            "beside it, by Benjamini and Hochberg's"
        )
    elif "model" in recipe.adjust_over and len(values(rows, "model")) == 1:
        adjusted = f"; {ONE_MODEL}"
    equivalent = ""
    if any(row["p_equivalent"] is not None for row in rows):
        equivalent = (
            f" That two groups differ by less than {_margin(rows, recipe.margins.groups, recipe)} "
            "was tested by two one-sided t tests (TOST)"
            + (", adjusted over the same by Holm's method." if families else ".")
        )
    return (
        f"Groups of raters ({groups}) were compared per model by {tests}{where}{adjusted}. "
        "Beside every test stand Cohen's d, with an interval from the noncentral t distribution "
        "that is exact for independent normal values that vary alike in both groups (equal "
        f"variances), and Hedges' g, which is d less its bias.{equivalent}"
    )


def _grouping(grouping: Grouping) -> str:
    left_out = f", without {', '.join(grouping.left_out)}" if grouping.left_out else ""
    return f"{_group(grouping.a)} against {_group(grouping.b)}{left_out}"


def _group(group: Group) -> str:
    """A side's label, and how it is cut where it is by a number."""
    cuts = {
        "at least": group.at_least,
        "above": group.above,
        "at most": group.at_most,
        "below": group.below,
    }
    said = [f"{word} {value:g}" for word, value in cuts.items() if value is not None]
    if said:
        return f"{group.label} ({' and '.join(said)})"
    if group.others:
        return f"{group.label} (all other answers)"
    if [value for value in group.values if value != group.label]:
        return f"{group.label} ({' or '.join(group.values)})"
    return group.label


def _of_anova(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "anova", recipe=recipe.name)
    where = ", over all scenarios and in each" if recipe.each_scenario else ""
    several = len({*values(rows, "scenario")} - {ALL}) > 1
    adjusted = "; p values of scenarios are adjusted by Holm's method" if several else ""
    return (
        f"The groups of {listed(values(rows, 'factor'))} were compared by one-way analyses of "
        f"variance, Fisher's and Welch's{where}{adjusted}."
    )


def _of_mixed_models(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "mixed_models", recipe=recipe.name)
    links = values(rows, "link")
    ordinal = [link for link in links if link != "linear"]
    kinds = []
    if ordinal:
        kinds.append(
            f"cumulative link mixed models ({listed(ordinal)}; Laplace approximation, restricted "
            "by Cox and Reid's adjusted profile likelihood)"
        )
    if "linear" in links:
        kinds.append("linear mixed models (REML)")
    by_scale = ""
    if recipe.mixed_models is not None and recipe.mixed_models.links is None:
        by_scale = " The kind of model follows from the scale: " + (
            f"ratings of up to {MOST_CATEGORIES} points are taken as ordered categories."
            if ordinal
            else f"ratings on a slider or of more than {MOST_CATEGORIES} points are taken as "
            "numbers, because each further point would need a threshold of its own."
        )
    contrasts = rows_of(tables, "mixed_contrasts", recipe=recipe.name)
    scales = (
        f" Means{' and contrasts' if contrasts else ''} stand on the latent scale and, averaged "
        "over the population of raters and items, on that of the ratings."
        if ordinal
        else ""
    )
    tests = "tests and " if contrasts else ""
    adjusted = f", {OVER_MODELS}" if _has_models(contrasts) else ""
    return (
        f"{kinds[0][0].upper()}{listed(kinds)[1:]} have the system as fixed effect and crossed "
        "random intercepts of raters and of items (the text of a system for a scenario); "
        f"{tests}intervals use Satterthwaite's degrees of freedom{adjusted}.{scales}{by_scale}"
    )


def _of_rankings(tables: Tables, recipe: Recipe) -> str:
    sets = values(rows_of(tables, "ranking_tests", recipe=recipe.name), "set")
    several = len(sets) > 1
    pairs = rows_of(tables, "ranking_pairs", recipe=recipe.name, raters=recipe.raters[0])
    of_pairs = f", adjusted over all pairs{' of all sets' if several else ''}"
    alone = len(pairs) <= len(values(pairs, "dimension"))
    adjusted = "" if alone else f"{of_pairs}, by Holm's method"
    signed_ranks = "" if rows_of(tables, "paired") else f" {SIGNED_RANKS}"
    return (
        "Raters' mean ranks of systems that stood on the same pages were compared by Friedman's "
        f"test with Kendall's W{', adjusted over sets' if several else ''}, and in pairs by "
        f"Wilcoxon's signed-rank test{adjusted}.{signed_ranks}"
    )


def _of_shares(tables: Tables, recipe: Recipe) -> str:
    resamples = resampling(recipe)["resamples"]
    return (
        "Shares of best and of worst choices are of the pages that showed a system; their "
        f"intervals ({100 * recipe.confidence:g} %) are over raters: Wilson's where each could "
        "choose a system once, or where it was never or always chosen (a rater is then one "
        f"choice), else a bootstrap of raters ({resamples:,} resamples)."
    )


def _of_choices(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "choice_tests", recipe=recipe.name)
    names = {
        "chi_squared": "Pearson's χ² distribution where each rater chose once and five choices or "
        "more of each system are expected",
        "permuted_within_pages": "systems permuted anew on each page (each choice is then blind)",
        "permuted_by_rater": "systems permuted once for each rater (who may then like some more "
        "than others, as long as that evens out over raters)",
    }
    used = "; ".join(text for name, text in names.items() if name in values(rows, "test"))
    drawn = sorted(values(rows, "permutations"))
    times = " to ".join(f"{n:,}" for n in dict.fromkeys([drawn[0], drawn[-1]])) if drawn else ""
    permuted = f", {times} permutations (seed {resampling(recipe)['seed']})" if drawn else ""
    adjusted = (
        " p values of scenarios are adjusted by Holm's method, those of best and of worst choices "
        "apart."
        if any(row["p_adjusted"] is not None and row["scenario"] != ALL for row in rows)
        else ""
    )
    return (
        "That all systems are chosen equally often as best, and as worst, was tested by "
        f"Σ (observed − expected)² / expected, held against {used}{permuted}.{adjusted}"
    )


def _of_positions(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "position_tests", recipe=recipe.name)
    answers = values(rows, "answer")
    tests = {
        "choices": "by Pearson's χ² of how often each place was chosen",
        "ranks": "by Friedman's χ² over pages",
    }
    kinds = ["choices"] if {"best", "worst"} & set(answers) else []
    kinds += ["ranks"] if "rank" in answers else []
    families = {"answers": answers, "sets": values(rows, "set")}
    several = [name for name, found in families.items() if len(found) > 1]
    adjusted = f", adjusted over {listed(several)} by Holm's method" if several else ""
    evened = {"choices": "shares of choices", "ranks": "mean ranks"}
    return (
        f"Whether the place on the page matters to {listed(kinds)} was tested "
        f"{listed([tests[kind] for kind in kinds])}{adjusted}; a page, whose order is its own, is "
        f"one observation. Systems' {listed([evened[kind] for kind in kinds])} were also averaged "
        "over places, each place counting the same."
    )


def _of_agreement(tables: Tables, recipe: Recipe) -> str:
    names = {
        "krippendorff_alpha": "Krippendorff's α",
        "icc": "intraclass correlations (of a single rater, and of the mean of all)",
        "kendalls_w_ratings": "Kendall's W of ratings",
        "kendalls_w_ranks": "Kendall's W of the ranks within blocks",
        "randolphs_kappa": "Randolph's free-marginal κ of the choices",
    }
    statistics = [str(name) for name in values(rows_of(tables, "agreement"), "statistic")]
    used = listed(
        [text for name, text in names.items() if any(s.startswith(name) for s in statistics)]
    )
    return f"Agreement of raters is given as {used}." if used else "Agreement of raters is given."


def _of_sensitivity(tables: Tables, recipe: Recipe) -> str:
    """With which other rules; a study without rules, or with one, has fewer of them."""
    rows = rows_of(tables, "sensitivity", recipe=recipe.name)
    kinds = {
        "no rule": "with no rule of exclusion",
        "alone": "with each rule alone",
        "all but": "with all but each",
        "sigma over": "with σ taken in other ways",
    }
    variants = [str(variant) for variant in values(rows, "variant")]
    used = [text for kind, text in kinds.items() if any(kind in variant for variant in variants)]
    if not used:
        return "No other choice of exclusion rules was there to compute the main results by."
    return f"The main results were computed anew {listed(used)}."


def _of_order(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "order_effects", recipe=recipe.name)
    estimated = values([row for row in rows if row.has("estimate")], "covariate")
    if not estimated:
        return "Whether order matters could not be tested; the column note says why."
    of = " on the same dimension" if len(values(rows, "dimension")) > 1 else ""
    used = [text for name, text in ORDER.items() if name in estimated]
    adjusted = "; p values of these are adjusted by Holm's method" if len(used) > 1 else ""
    previous = ""
    if "previous_rating" in estimated:
        previous = (
            f" A rater's first rating{of and ' on a dimension'} has none before it, and is given "
            "the mean of those that there are."
        )
    return (
        "Whether order matters was tested by a linear mixed model that has "
        f"{listed(used)}{of if previous else ''} beside the systems{adjusted}.{previous}"
    )


def listed(names: Sequence[Any]) -> str:
    """One, two and three."""
    words = [str(name) for name in names]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
