"""The methods of an analysis in sentences that can be pasted into a paper.

They are made from the settings that were used and from the tables that came of them: what was
not computed is not described. Pure.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.catalogue.number_text import count, percent
from analysis.quality_rules import DECISION, QualityRules
from analysis.raters.writing import ANY
from analysis.recipe import Recipe
from analysis.text.cells import Cited, Sentence, Tables, from_column, rows_of, texts, values
from analysis.text.findings.words import ALL
from analysis.text.methods_of_recipes import recipe_sentences
from analysis.text.plan_text import plan_sentences
from analysis.text.sentences import Sentences

say = Sentences("methods/study.j2")

#: Packages that a paper cites.
CITED = {
    "python": "Python", "numpy": "NumPy", "pandas": "pandas", "scipy": "SciPy",
    "statsmodels": "statsmodels", "pingouin": "Pingouin",
}  # fmt: skip


@dataclass(frozen=True)
class AnalysisSettings:
    """What an analysis was made with. `gold` says who made the gold scores, empty for none;
    `scale` are the two ends of the scale in words, empty where nothing is rated; `plan` is the
    manifest's, and `not_counted` names those who are included though they never count.
    `composites` are dimensions with their parts. `comprehension` are the manifest's numbers of who
    passed that check and who failed it, None without one; `ai_policy` is whether participants read
    one on AI. `repeats` are the manifest's numbers of repeated judgments, None without any.
    """

    rules: QualityRules
    recipes: Sequence[Recipe]
    sources: Sequence[str]
    gold: str
    scale: str
    software: Mapping[str, str]
    snapshot: str
    plan: Mapping[str, Any] | None = None
    not_counted: Sequence[str] = ()
    composites: Mapping[str, Sequence[str]] = field(default_factory=dict)
    comprehension: Mapping[str, int] | None = None
    training_items: int = 0
    ai_policy: bool = False
    repeats: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Paragraph:
    title: str
    sentences: tuple[Sentence, ...]


def methods(tables: Tables, settings: AnalysisSettings) -> list[Paragraph]:
    """The methods, a paragraph per subject; one without sentences is left out."""
    code = settings.software.get("analysis", "")
    plan = plan_sentences(settings.plan, not_counted=settings.not_counted, code=code)
    paragraphs = [
        Paragraph("Plan", tuple(plan)),
        Paragraph("Raters", tuple(_raters(tables, settings))),
        Paragraph("AI tools", tuple(_ai(tables, settings))),
        Paragraph("Ratings", tuple(_ratings(tables, settings))),
        Paragraph("Rankings", tuple(_rankings(tables, settings.recipes))),
        Paragraph("Choices", tuple(_choices(tables, settings.recipes))),
        Paragraph("People and judges", tuple(_judges(tables))),
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
        Paragraph("Software", (_software(settings),)),
    ]
    return [paragraph for paragraph in paragraphs if paragraph.sentences]


def _raters(tables: Tables, settings: AnalysisSettings) -> Iterator[Sentence]:
    steps = rows_of(tables, "funnel")
    yield say("sources", names=settings.sources)
    if settings.comprehension is not None:
        yield say("comprehension", **settings.comprehension)
    if settings.training_items:
        yield say("training", items=settings.training_items)
    if not steps:
        yield say("no_rule")
        return
    entered = steps[0]["excluded"] + steps[0]["remaining"]
    if not entered:
        yield say("nobody_yet")
        return
    people = steps[0].derive(count(entered))
    decision = next((step for step in steps if step["step"] == DECISION), None)
    if decision:
        yield say("decided", entered=people, decision=decision, reasons=_reasons(tables))
    rules = [step for step in steps if step["step"] != DECISION]
    if rules:
        yield say("left_out", entered=people, decision=decision)
    for number, row in enumerate(rules, start=1):
        last = number == len(rules)
        who = settings.rules.rule(row["step"]).in_words()
        yield say("step", number=number, row=row, who=who, last=last)
    share = steps[-1].derive(percent(100 * steps[-1]["remaining"] / entered))
    yield say("included", row=steps[-1], share=share)


def _ai(tables: Tables, settings: AnalysisSettings) -> Iterator[Sentence]:
    """What participants were told of AI tools, and which writing was flagged."""
    if settings.ai_policy:
        yield say("ai_policy")
    rules = settings.rules.writing
    for row in rows_of(tables, "flagged_writing", rule=ANY):
        words = [rule.in_words() for rule in rules.rules]
        yield say("flagged_writing", row=row, rules=words, least=rules.least_characters)


def _reasons(tables: Tables) -> dict[str, Cited]:
    """The reasons of the researchers' decisions, the most frequent first, with their numbers."""
    whole = rows_of(tables, "raters")
    excluded = [row for row in whole if row["exclusion"] == DECISION]
    said = (row["excluded_by_decision"] for row in excluded)
    reasons = Counter("reason not shared" if reason is True else str(reason) for reason in said)
    return {
        reason: from_column(whole, "excluded_by_decision", n) for reason, n in reasons.most_common()
    }


def _ratings(tables: Tables, settings: AnalysisSettings) -> Iterator[Sentence]:
    everything = rows_of(tables, "items")
    items = [row for row in everything if row["dimension"] not in settings.composites]
    if items:
        systems = {(row["model"], row["condition"]) for row in items if row["n"]}
        yield say(
            "ratings",
            n=from_column(items, "n", sum(row["n"] for row in items)),
            systems=from_column(items, "condition", len(systems)),
            scenarios=from_column(items, "scenario", len(values(items, "scenario"))),
            scale=settings.scale,
            dimensions=texts(items, "dimension"),
        )
    if settings.repeats is not None:
        yield say("repeats", **settings.repeats)
    labels = {row["dimension"]: row.text("dimension") for row in everything}
    for name, parts in settings.composites.items():
        if name in labels:
            yield say("composite", label=labels[name], parts=[labels[part] for part in parts])
    filtered = bool(rows_of(tables, "funnel", step="sigma_mae"))
    if settings.gold:
        yield say("gold", gold=settings.gold, filtered=filtered)
    elif filtered:
        yield say("no_gold")
    wins = rows_of(tables, "wins")
    if wins:
        points = any(row["reference_points"] is not None for row in wins)
        yield say("wins", dimensions=values(wins, "dimension"), points=points)


def _rankings(tables: Tables, recipes: Sequence[Recipe]) -> Iterator[Sentence]:
    """How many pages the included raters ranked."""
    for recipe in recipes:
        rows = rows_of(tables, "ranking_tests", recipe=recipe.name, raters="included")
        if rows:
            pages, in_part = (sum(row[n] or 0 for row in rows) for n in ("pages", "pages_left_out"))
            yield say("ranked", pages=from_column(rows, "pages", pages))
            if in_part:
                yield say("ranked_in_part", pages=from_column(rows, "pages_left_out", in_part))
            return


def _choices(tables: Tables, recipes: Sequence[Recipe]) -> Iterator[Sentence]:
    """How many choices of a best and of a worst response the included raters made."""
    for recipe in recipes:
        whole = {"recipe": recipe.name, "raters": "included"}
        rows = rows_of(tables, "choices", **whole, scenario=ALL)
        if rows:
            scenarios = values(rows_of(tables, "choices", **whole), "scenario")
            yield say(
                "chosen",
                best=from_column(rows, "best", sum(row["best"] for row in rows)),
                worst=from_column(rows, "worst", sum(row["worst"] for row in rows)),
                systems=len({(row["model"], row["condition"]) for row in rows}),
                scenarios=len(scenarios) - 1,  # without the row of all
            )
            return


def _judges(tables: Tables) -> Iterator[Sentence]:
    """What judges had as examples, and how their scores of what people did not rate are used."""
    agreement = rows_of(tables, "judge_agreement")
    with_examples = [row for row in agreement if row.has("n_examples") and row["n_examples"]]
    of_judges = {(row["judge"], row["dimension"]): row for row in with_examples}
    for row in of_judges.values():
        yield say("judge_examples", row=row, n=row["n_examples"])
    rows = [row for row in rows_of(tables, "prediction_powered") if row.has("power")]
    used = [row for row in rows if row["n_judged"] > row["n_rated"]]
    if used:
        yield say("prediction_powered", judges=values(used, "judge"))


def _software(settings: AnalysisSettings) -> Sentence:
    versions = settings.software
    return say(
        "software",
        version=versions.get("fivefold", ""),
        packages=[f"{CITED[name]} {versions[name]}" for name in versions if name in CITED],
        code=versions.get("analysis", "")[:12],
        snapshot=settings.snapshot[:12],
    )
