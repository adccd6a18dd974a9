"""The methods of an analysis in sentences that can be pasted into a paper.

They are made from the settings that were used and from the tables that came of them: what was
not computed is not described. Pure.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analysis.definition import DECISION, QualityRules, RuleName
from analysis.recipe import Recipe
from analysis.text.cells import Cited, Sentence, Tables, from_column, rows_of, values
from analysis.text.findings.words import ALL
from analysis.text.methods_of_recipes import listed, recipe_sentences
from analysis.text.number_text import count, noun, percent

#: Of the tests of ranks: pages that were ranked in full, and others.
PAGES = ("pages", "pages_left_out")


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
        Paragraph("Rankings", tuple(_rankings(tables, settings.recipes))),
        Paragraph("Choices", tuple(_choices(tables, settings.recipes))),
        *(
            Paragraph(
                f"Analysis: {recipe.title} ({recipe.name})",
                tuple(
                    recipe_sentences(
                        tables, recipe, settings.recipes[:place], rated=bool(settings.scale)
                    )
                ),
            )
            for place, recipe in enumerate(settings.recipes)
        ),
        Paragraph("Software", tuple(_software(settings))),
    ]
    return [paragraph for paragraph in paragraphs if paragraph.sentences]


# ── Who and what ──────────────────────────────────────────────────────────────────────────────────


def rule_text(name: RuleName, rules: QualityRules) -> str:
    """Whom a rule leaves out, with its thresholds: "who took less than 10 or …"."""
    return rules.rule(name).in_words()


def _raters(tables: Tables, settings: Settings) -> Iterator[Sentence]:
    steps = rows_of(tables, "funnel")
    sources = listed(settings.sources)
    yield (f"Participants from these sources count, as far as there are any: {sources}.",)
    if not steps:
        yield ("No rule of exclusion was applied.",)
        return
    entered = steps[0]["excluded"] + steps[0]["remaining"]
    if not entered:
        yield ("Nobody has finished or left yet.",)
        return
    whom: Sentence = (
        "Of ",
        steps[0].derive(count(entered)),
        " people who agreed to take part and finished or left",
    )
    rules = [step for step in steps if step["step"] != DECISION]
    if len(rules) < len(steps):
        (decision,) = (step for step in steps if step["step"] == DECISION)
        yield (
            *whom,
            ", ",
            decision.cite("excluded", count),
            " were excluded by the researchers' decision (",
            *_reasons(tables),
            "), ",
            decision.cite("remaining", count),
            " remaining.",
        )
        whom = ("Of these",)
    if rules:
        yield (*whom, ", those were left out, in this order and for the first rule that matched,")
    for number, step in enumerate(rules, start=1):
        end = "." if number == len(rules) else ","
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


def _reasons(tables: Tables) -> Sentence:
    """The reasons of the researchers' decisions, the most frequent first, with their numbers."""
    whole = rows_of(tables, "raters")
    excluded = [row for row in whole if row["exclusion"] == DECISION]
    reasons = Counter(str(row["excluded_by_decision"]) for row in excluded)
    parts: list[str | Cited] = []
    for reason, n in reasons.most_common():
        parts.append(f"{'; ' if parts else ''}“{reason}”: ")
        parts.append(from_column(whole, "excluded_by_decision", count(n)))
    return tuple(parts)


def _ratings(tables: Tables, settings: Settings) -> Iterator[Sentence]:
    items = rows_of(tables, "items")
    if items:
        systems = {(row["model"], row["condition"]) for row in items if row["n"]}
        scenarios, dimensions = values(items, "scenario"), values(items, "dimension")
        scale = f", {settings.scale}" if settings.scale else ""
        several = f", on {len(dimensions)} dimensions ({listed(dimensions)})"
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
        keys = "model and scenario"
        if len(values(rows_of(tables, "wins"), "dimension")) > 1:
            keys = "model, scenario and dimension"
        yield (
            f"Per {keys}, the condition with the higher mean of the included raters' "
            "ratings wins; equal means are a tie, and nobody's win."
            + (
                " The reference earns a point for each of both means that its own mean, in the "
                "sets in which the model was shown, is above."
                if points
                else ""
            ),
        )


def _rankings(tables: Tables, recipes: Sequence[Recipe]) -> Iterator[Sentence]:
    """How many pages the included raters ranked."""
    for recipe in recipes:
        rows = rows_of(tables, "ranking_tests", recipe=recipe.name, raters="included")
        if rows:
            pages, left_out = (sum(row[n] or 0 for row in rows) for n in PAGES)
            yield (
                "The included raters ranked all responses of ",
                from_column(rows, "pages", count(pages)),
                f" {noun(pages, 'page')}; equal ranks share their middle.",
            )
            if left_out:
                yield (
                    from_column(rows, "pages_left_out", count(left_out)),
                    f" {noun(left_out, 'page')}, ranked in part, could not be used.",
                )
            return


def _choices(tables: Tables, recipes: Sequence[Recipe]) -> Iterator[Sentence]:
    """How many choices of a best and of a worst response the included raters made."""
    for recipe in recipes:
        whole = {"recipe": recipe.name, "raters": "included"}
        rows = rows_of(tables, "choices", **whole, scenario=ALL)
        if rows:
            systems = {(row["model"], row["condition"]) for row in rows}
            scenarios = values(rows_of(tables, "choices", **whole), "scenario")
            n = len(scenarios) - 1  # without the row of all
            yield (
                "The included raters chose a best response ",
                from_column(rows, "best", count(sum(row["best"] for row in rows))),
                " times and a worst one ",
                from_column(rows, "worst", count(sum(row["worst"] for row in rows))),
                f" times, among {len(systems)} {noun(len(systems), 'system')} (a model in a "
                f"condition) in {n} {noun(n, 'scenario')}.",
            )
            return


# ── Software ──────────────────────────────────────────────────────────────────────────────────────


def _software(settings: Settings) -> Iterator[Sentence]:
    named = {"python": "Python", "numpy": "NumPy", "pandas": "pandas", "scipy": "SciPy"}
    packages = [f"{named[name]} {v}" for name, v in settings.software.items() if name in named]
    code = settings.software.get("analysis", "")
    yield (
        f"Computed with Fivefold (digest of its analysis code {code[:12]}), {', '.join(packages)}, "
        f"from the data snapshot {settings.snapshot[:12]}.",
    )
