"""The methods of an analysis in sentences that can be pasted into a paper.

They are made from the settings that were used and from the tables that came of them: what was
not computed is not described. Pure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from analysis.cells import Sentence, Tables, from_column, rows_of, values
from analysis.definition import QualityRules, RuleName
from analysis.number_text import count, noun, percent
from analysis.recipe import Group, Grouping, Recipe

TESTS = {
    "student": "Student's t test (equal variances)",
    "welch": "Welch's t test",
    "mann_whitney": "the Mann–Whitney test",
}
OVER = {
    "model": "models",
    "factor": "factors",
    "condition": "conditions and all of them pooled",
    "scenario": "scenarios and all of them pooled",
}
RATERS = {
    ("included",): "the included raters",
    ("all",): "all raters, excluded ones among them",
    ("included", "all"): "the included raters, and once more of all raters",
    ("all", "included"): "all raters, and once more of the included ones",
}


@dataclass(frozen=True)
class Settings:
    """What an analysis was made with. `gold` says who made the gold scores, empty for none;
    `scale` are the two ends of the scale in words, empty where nothing is rated.
    """

    rules: QualityRules
    recipes: Sequence[Recipe]
    sources: Sequence[str]
    gold: str
    scale: str
    software: Mapping[str, str]
    snapshot: str


@dataclass(frozen=True)
class Paragraph:
    title: str
    sentences: tuple[Sentence, ...]


def methods(tables: Tables, settings: Settings) -> list[Paragraph]:
    """The methods, a paragraph per subject; one without sentences is left out."""
    paragraphs = [
        Paragraph("Raters", tuple(_raters(tables, settings))),
        Paragraph("Ratings", tuple(_ratings(tables, settings))),
        *(
            Paragraph(
                f"Analysis: {recipe.title} ({recipe.name})",
                tuple(_analysis(tables, recipe, settings.recipes[:place])),
            )
            for place, recipe in enumerate(settings.recipes)
        ),
        Paragraph("Software", tuple(_software(settings))),
    ]
    return [paragraph for paragraph in paragraphs if paragraph.sentences]


# ── Who and what ──────────────────────────────────────────────────────────────────────────────────


def rule_text(name: RuleName, rules: QualityRules) -> str:
    """Whom a rule leaves out, with its thresholds: "who took less than 10 or …"."""
    window, limits = rules.duration_minutes, rules.sigma_mae
    allowed = rules.attention.failures_allowed
    sigma = f"σ = standard deviation, {'n − 1' if limits.ddof else 'n'} in its denominator"
    if limits.model_dump().get("sigma_over") == "blocks":
        sigma += ", over the mean ratings of blocks"
    texts: dict[RuleName, str] = {
        "duration": f"who took less than {window.minimum:g} or more than {window.maximum:g} "
        "minutes",
        "attention": "who failed any attention check"
        if not allowed
        else f"who failed more than {allowed} attention checks",
        "early_exit": "who left before the end (in progress, and silent for more than "
        f"{rules.early_exit.inactive_minutes:g} minutes)",
        "sigma_mae": f"whose gold-scored ratings had σ < {limits.sigma_below:g} and at the "
        "same time a mean absolute distance to the gold scores of more than "
        f"{limits.mae_above:g} ({sigma})",
    }
    return texts[name]


def _raters(tables: Tables, settings: Settings) -> Iterator[Sentence]:
    steps = rows_of(tables, "funnel")
    yield (f"Sources of participants that count: {', '.join(settings.sources)}.",)
    if not steps:
        yield ("No rule of exclusion was applied.",)
        return
    entered = steps[0]["excluded"] + steps[0]["remaining"]
    if not entered:
        yield ("Nobody has finished or left yet.",)
        return
    yield (
        "Of ",
        steps[0].derive(count(entered)),
        " people who agreed to take part and finished or left, those were left out, in this order "
        "and for the first rule that matched,",
    )
    for number, step in enumerate(steps, start=1):
        end = "." if number == len(steps) else ","
        yield (
            f"({number}) {rule_text(step['step'], settings.rules)}: ",
            step.cite("excluded", count),
            ", ",
            step.cite("remaining", count),
            f" remaining{end}",
        )
    last = steps[-1]
    share = percent(100 * last["remaining"] / entered)
    yield (last.cite("remaining", count), " raters (", last.derive(share), ") are included.")


def _ratings(tables: Tables, settings: Settings) -> Iterator[Sentence]:
    items = rows_of(tables, "items")
    if items:
        systems = {(row["model"], row["condition"]) for row in items}
        scenarios, dimensions = values(items, "scenario"), values(items, "dimension")
        scale = f", {settings.scale}" if settings.scale else ""
        several = f", on {len(dimensions)} dimensions ({_listed(dimensions)})"
        yield (
            "The included raters gave ",
            from_column(items, "n", count(sum(row["n"] for row in items))),
            " ratings of ",
            from_column(items, "condition", count(len(systems))),
            f" {noun(len(systems), 'system')} (a model in a condition) in ",
            from_column(items, "scenario", count(len(scenarios))),
            f" {noun(len(scenarios), 'scenario')}{scale}{several if dimensions[1:] else ''}.",
        )
    filtered = rows_of(tables, "funnel", step="sigma_mae")
    if settings.gold:
        use = " The rule on σ and mean absolute distance goes by them." if filtered else ""
        yield (f"Gold scores: {settings.gold}.{use}",)
    elif filtered:
        yield (
            "There are no gold scores, so the rule on σ and mean absolute distance could match "
            "nobody.",
        )
    if rows_of(tables, "wins"):
        points = any(row["reference_points"] is not None for row in rows_of(tables, "wins"))
        yield (
            "Per model and scenario, the condition with the higher mean of the included raters' "
            "ratings wins; equal means are a tie, and nobody's win."
            + (
                " The reference earns a point for each of both means that its own mean, in the "
                "sets in which the model was shown, is above."
                if points
                else ""
            ),
        )


# ── Recipes ───────────────────────────────────────────────────────────────────────────────────────


def _analysis(tables: Tables, recipe: Recipe, before: Sequence[Recipe]) -> Iterator[Sentence]:
    """What a recipe does; groups that a recipe `before` it has described are not described anew."""
    same = next((each.name for each in before if each.groups == recipe.groups), "")
    parts = list(_recipe_parts(tables, recipe, same))
    if not parts:
        yield ("None of its tables could be computed.",)
        return
    if recipe.unit == "rating":
        yield ("Every rating counts as one observation.",)
    else:
        whose = RATERS[tuple(recipe.raters)]
        yield (
            f"A rater's mean is one observation, however many ratings it rests on. Tables are of "
            f"{whose}; intervals have {100 * recipe.confidence:g} % confidence.",
        )
    for text in parts:
        yield (text,)


def _recipe_parts(tables: Tables, recipe: Recipe, same: str) -> Iterator[str]:
    """A sentence for each table that has rows of the recipe; `same` names one of equal groups."""
    parts: dict[str, Callable[[Tables, Recipe], str] | str] = {
        "contrasts": _of_contrasts,
        "paired": "Raters' means were also compared by Wilcoxon's signed-rank test with the "
        "matched-pairs rank-biserial correlation, adjusted over models by Holm's method.",
        "wins_tests": _of_wins_tests,
        "to_reference": _of_reference,
        "group_tests": partial(_of_groups, same=same),
        "anova": _of_anova,
        "games_howell": "Games and Howell's comparisons of every two groups follow.",
        "mixed_models": _of_mixed_models,
        "ranking_tests": "Raters' mean ranks of systems that stood on the same pages were compared "
        "by Friedman's test with Kendall's W, and in pairs by Wilcoxon's signed-rank test with "
        "Holm's adjustment.",
        "choice_tests": _of_choices,
        "agreement": _of_agreement,
        "sensitivity": "The main results were computed anew with no rule of exclusion, with each "
        "rule alone, with all but each, and with σ taken in other ways.",
        "order_effects": "Whether order matters was tested by a linear mixed model that has the "
        "position of the response, the position of the block and the previous rating beside the "
        "systems.",
    }
    for name, text in parts.items():
        rows = rows_of(tables, name, recipe=recipe.name)
        is_of_recipe = name in tables and "recipe" in tables[name].columns
        if rows and (is_of_recipe or recipe.unit == "participant"):
            yield text if isinstance(text, str) else text(tables, recipe)


def _of_contrasts(tables: Tables, recipe: Recipe) -> str:
    row = rows_of(tables, "contrasts", recipe=recipe.name)[0]
    return (
        f"{row['condition_a']} and {row['condition_b']} were compared within raters and within "
        "scenarios: by a paired t test over raters' means (F1), one over scenarios' means (F2), "
        "and both at once (min F′; Clark 1973); p values of models are adjusted by Holm's method."
    )


def _of_wins_tests(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "wins_tests", recipe=recipe.name)
    drawn = ""
    if recipe.bootstrap and any(row["resamples"] for row in rows):
        drawn = (
            f" Intervals of the numbers of wins come from {recipe.bootstrap.resamples:,} resamples "
            f"(seed {recipe.bootstrap.seed}) of raters drawn with replacement, excluded ones "
            "among them, with the filter and all means behind each."
        )
    reference = "own set" if recipe.wins.reference == "own_set" else "all sets pooled"
    ties = "nobody's win" if recipe.wins.ties == "neither" else "half a win for each condition"
    return (
        f"The number of wins was held against even chances by the sign test (reference of the "
        f"{reference}; ties are {ties}).{drawn}"
    )


def _of_reference(tables: Tables, recipe: Recipe) -> str:
    assert recipe.margins is not None  # else there are no such rows
    return (
        f"Each system was tested against the reference with a margin of "
        f"{recipe.margins.reference:g} points: for non-inferiority by a one-sided, and for "
        "equivalence by two one-sided paired t tests (TOST) at 5 %, over raters' means and, "
        "separately, over scenarios' means; p values of non-inferiority are adjusted over systems "
        "by Holm's method."
    )


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
    tests = _listed([TESTS[test] for test in recipe.group_tests])
    over = _listed([OVER[over] for over in recipe.adjust_over])
    adjusted = (
        f"; p values are adjusted over {over} where all else is equal, by Holm's method and, "
        "beside it, by Benjamini and Hochberg's"
        if over
        else ""
    )
    return (
        f"Groups of raters ({groups}) were compared per model by {tests}{where}{adjusted}. Cohen's "
        "d and Hedges' g have exact intervals from the noncentral t distribution."
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
    return f"{group.label} (all other answers)" if group.others else group.label


def _of_anova(tables: Tables, recipe: Recipe) -> str:
    factors = _listed(
        [str(v) for v in values(rows_of(tables, "anova", recipe=recipe.name), "factor")]
    )
    where = ", over all scenarios and in each" if recipe.each_scenario else ""
    return (
        f"The groups of {factors} were compared by one-way analyses of variance, Fisher's and "
        f"Welch's{where}."
    )


def _of_mixed_models(tables: Tables, recipe: Recipe) -> str:
    rows = rows_of(tables, "mixed_models", recipe=recipe.name)
    links = values(rows, "link")
    ordinal = [link for link in links if link != "linear"]
    kinds = []
    if ordinal:
        kinds.append(
            f"cumulative link mixed models ({_listed(ordinal)}; Laplace approximation, restricted "
            "by Cox and Reid's adjusted profile likelihood)"
        )
    if "linear" in links:
        kinds.append("linear mixed models (REML)")
    scales = (
        " Means and contrasts stand on the latent scale and, averaged over the population of "
        "raters and items, on that of the ratings."
        if ordinal
        else ""
    )
    return (
        f"{kinds[0][0].upper()}{_listed(kinds)[1:]} have the system as fixed effect and crossed "
        "random intercepts of raters and of items (the text of a system for a scenario); tests and "
        "intervals use Satterthwaite's degrees of freedom, p values of models are adjusted by "
        f"Holm's method.{scales}"
    )


def _of_choices(tables: Tables, recipe: Recipe) -> str:
    tests = values(rows_of(tables, "choice_tests", recipe=recipe.name), "test")
    names = {
        "chi_squared": "Pearson's χ² where raters chose once and enough choices are expected",
        "permuted_within_pages": "permutation of the systems' labels within pages",
        "permuted_by_rater": "permutation that keeps each rater's liking",
    }
    used = _listed([names.get(str(test), str(test)) for test in tests])
    return f"That all systems are chosen alike as best, and as worst, was tested by {used}."


def _of_agreement(tables: Tables, recipe: Recipe) -> str:
    names = {
        "krippendorff_alpha_ordinal": "Krippendorff's α",
        "icc_2_1": "intraclass correlations (of a single rater, and of the mean of all)",
        "kendalls_w_ratings": "Kendall's W",
    }
    statistics = values(rows_of(tables, "agreement"), "statistic")
    used = _listed([text for name, text in names.items() if name in statistics])
    return f"Agreement of raters is given as {used}." if used else "Agreement of raters is given."


# ── Software ──────────────────────────────────────────────────────────────────────────────────────


def _software(settings: Settings) -> Iterator[Sentence]:
    named = {"python": "Python", "numpy": "NumPy", "pandas": "pandas", "scipy": "SciPy"}
    packages = [f"{named[name]} {v}" for name, v in settings.software.items() if name in named]
    code = settings.software.get("analysis", "")
    yield (
        f"Computed with Fivefold (digest of its analysis code {code[:12]}), {', '.join(packages)}, "
        f"from the data snapshot {settings.snapshot[:12]}.",
    )


def _listed(names: Sequence[Any]) -> str:
    """One, two and three."""
    words = [str(name) for name in names]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
