"""What a plan fixes before the first participant, and how an analysis differs from it. Pure.

A plan is locked as JSON (`analysis.locked_plans`). Whatever an analysis does otherwise makes the
rows that come of it exploratory; `Deviation` says which these are, once for all tables.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.exclusion_rule import Threshold
from analysis.quality_rules import BY_GOLD, QualityRules, changes
from analysis.recipe import Recipe
from analysis.writing_rules import writing_changes
from survey.definition.labels import Labels
from survey.definition.preregistration import Preregistration
from survey.definition.settings import USUAL_REPEAT, Places

#: What the column `plan` says of a row.
AS_PLANNED, EXPLORATORY = "as planned", "exploratory"
#: Settings of a recipe that few tables depend on, and these tables; all tables of the recipe depend
#: on the others. What is printed elsewhere (`replication`) is compared with numbers of any table.
TABLES_OF: Mapping[str, tuple[str, ...]] = {
    "groups": ("group_tests", "replication"),
    "group_tests": ("group_tests", "replication"),
    "each_condition": ("group_tests", "replication"),
    "conditions_in_scenarios": ("group_tests", "replication"),
    "adjust_over": ("group_tests", "replication"),
    "each_scenario": ("group_tests", "anova", "games_howell", "replication"),
    "anova": ("anova", "games_howell", "replication"),
    "wins": ("wins_tests", "win_differences", "replication"),
    "margins": ("to_reference", "group_tests", "replication"),
    "margins.reference": ("to_reference", "replication"),
    "margins.groups": ("group_tests", "replication"),
    "replication": ("replication",),
}
#: What no number depends on.
NO_NUMBER = ("title", "quotes")
#: The settings of places that say how many participants are asked.
HOW_MANY = ("maximum", "ratings_per_block", "ratings_per_response")
#: The rule whose setting says who has left, included or not.
LEFT = "early_exit"
#: The tables that know which raters are flagged; no other result does.
OF_FLAGGED = ("sensitivity", "without_flagged")


@dataclass(frozen=True)
class Planned:
    """What a plan fixes; the same of an analysis, to compare it.

    `gold` names the source of the gold scores and `gold_hash` what its scores depend on; `contrast`
    is in words; `decided` is how many raters are excluded by decision; `composites` are dimensions
    with their parts; `repeats` which of several judgments of a response counts.
    """

    content_hash: str
    contrast: str
    places: Places
    rules: QualityRules
    recipes: Mapping[str, Recipe]
    gold: str
    gold_hash: str
    decided: int = 0
    composites: Mapping[str, Sequence[str]] = field(default_factory=dict)
    repeats: str = USUAL_REPEAT

    @property
    def by_raters(self) -> Recipe | None:
        """The first recipe whose units are raters, else the first."""
        recipes = list(self.recipes.values())
        return next(
            (r for r in recipes if r.unit == "participant"), recipes[0] if recipes else None
        )


@dataclass(frozen=True)
class Deviation:
    """What an analysis did otherwise than planned, and which rows come of it.

    Without a `recipe`, those of every one; `included` alone, or of all raters, too; without
    `tables`, in every table; with a `dimension`, of this one. `rows` is false where it made none.
    """

    what: str
    recipe: str = ""
    included: bool = False
    tables: tuple[str, ...] = ()
    rows: bool = True
    dimension: str = ""

    @property
    def where(self) -> str:
        """The rows that come of it, in words."""
        if not self.rows:
            return "no row"
        whose = " of the included raters" if self.included else ""
        whose += f" of recipe {self.recipe}" if self.recipe else ""
        whose += f" of dimension {self.dimension}" if self.dimension else ""
        tables = f" in {', '.join(self.tables)}" if self.tables else ""
        return f"rows{whose}{tables}" if whose or tables else "every row"


def deviations(plan: Planned, now: Planned, labels: Labels) -> list[Deviation]:
    """What `now` does otherwise than planned, what concerns every row first."""
    return [
        *_of_study(plan, now),
        *_of_composites(plan, now),
        *_of_rules(plan, now, labels),
        *_of_gold(plan, now),
        *_of_recipes(plan, now),
    ]


def _of_study(plan: Planned, now: Planned) -> Iterator[Deviation]:
    if plan.contrast != now.contrast:
        yield Deviation(f"contrast: {plan.contrast} → {now.contrast}")
    if plan.content_hash != now.content_hash:
        yield Deviation("what raters see was loaded again with changes")
    if plan.repeats != now.repeats:
        yield Deviation(f"repeated judgments: {plan.repeats} → {now.repeats}")
    for key in HOW_MANY:
        before, after = getattr(plan.places, key), getattr(now.places, key)
        if before != after:
            yield Deviation(f"places.{key}: {before or 'none'} → {after or 'none'}")
    if now.decided:
        people = "rater is" if now.decided == 1 else "raters are"
        yield Deviation(f"{now.decided} {people} excluded by decision")


def _of_composites(plan: Planned, now: Planned) -> Iterator[Deviation]:
    for name in dict.fromkeys([*plan.composites, *now.composites]):
        before, after = (", ".join(of.composites.get(name, [])) or "none" for of in (plan, now))
        if before != after:
            there = name in now.composites
            yield Deviation(f"composite {name}: {before} → {after}", dimension=name, rows=there)


def _of_rules(plan: Planned, now: Planned, labels: Labels) -> Iterator[Deviation]:
    applied = {*plan.rules.order, *now.rules.order}
    for setting, said in changes(plan.rules, now.rules, labels):
        if setting is None:
            yield Deviation(said, included=True)
        elif setting.rule == LEFT or setting.rule in applied:
            rule = labels.text("rules", setting.rule)
            about = setting.about
            unit = f" {about.unit}" if isinstance(about, Threshold) and about.unit else ""
            yield Deviation(f"rule “{rule}”: {said}{unit}", included=setting.rule != LEFT)
    for said in writing_changes(plan.rules.writing, now.rules.writing):
        yield Deviation(f"flagged writing: {said}", tables=OF_FLAGGED)


def _of_gold(plan: Planned, now: Planned) -> Iterator[Deviation]:
    """Rows depend on gold scores by the rule that goes by them."""
    if (plan.gold, plan.gold_hash) == (now.gold, now.gold_hash):
        return
    same = plan.gold == now.gold
    said = f"{now.gold}, asked otherwise" if same else f"{plan.gold} → {now.gold}"
    filtered = BY_GOLD in {*plan.rules.order, *now.rules.order}
    yield Deviation(f"gold scores: {said}", included=True, rows=filtered)


def _of_recipes(plan: Planned, now: Planned) -> Iterator[Deviation]:
    for name, recipe in now.recipes.items():
        if name not in plan.recipes:
            yield Deviation(f"recipe {name}: not in the plan", recipe=name)
            continue
        before, after = (
            _flat(each.model_dump(mode="json")) for each in (plan.recipes[name], recipe)
        )
        for key in dict.fromkeys([*before, *after]):
            if before.get(key) != after.get(key) and key.split(".")[0] not in NO_NUMBER:
                said = f"recipe {name}, {key}: {before.get(key, 'none')} → {after.get(key, 'none')}"
                yield Deviation(said, recipe=name, tables=_tables_of(key))
    for name in plan.recipes:
        if name not in now.recipes:
            yield Deviation(f"recipe {name}: planned, and not in this analysis", rows=False)


def _tables_of(key: str) -> tuple[str, ...]:
    """The tables that depend on a setting; none where all do."""
    head = ".".join(key.split(".")[:2])
    return TABLES_OF.get(head) or TABLES_OF.get(head.split(".")[0], ())


def _flat(value: Any, path: str = "") -> dict[str, str]:
    """Each setting with its path: `margins.groups`; a list is one setting."""
    if isinstance(value, Mapping):
        flat: dict[str, str] = {}
        for key, item in value.items():
            flat |= _flat(item, f"{path}.{key}" if path else str(key))
        return flat
    if value is None or value == []:
        return {}
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return {path: ", ".join(value)}
    return {path: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}


# ── A locked plan ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class PlanContent:
    """A locked plan's JSON, read."""

    content: Mapping[str, Any]

    @classmethod
    def from_text(cls, text: str) -> "PlanContent":
        """The plan of `as_text`."""
        return cls(json.loads(text))

    @property
    def planned(self) -> Planned:
        """What it fixes."""
        gold = self.content["gold"]
        return Planned(
            self.content["content_hash"],
            self.content["contrast"],
            Places.model_validate(self.content["places"]),
            QualityRules.model_validate(self.content["rules"]),
            {recipe["name"]: Recipe.model_validate(recipe) for recipe in self.content["recipes"]},
            gold["source"],
            gold["sha256"],
            composites=self.content.get("composites", {}),
            repeats=self.content.get("repeats", USUAL_REPEAT),
        )

    @property
    def preregistration(self) -> Preregistration:
        """What the researchers said beside the settings."""
        return Preregistration.model_validate(self.content["preregistration"])


def as_text(content: Mapping[str, Any]) -> str:
    """A plan's content as text: the same content gives the same bytes, which are hashed."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True, indent=1) + "\n"


def contrast_in_words(a: str | None, b: str | None, reference: tuple[str, str] | None) -> str:
    """The contrast by its names: `zero_shot − fine_tuned, reference Oracle (reference)`."""
    parts = [f"{a} − {b}"] if a is not None else []
    if reference is not None:
        parts.append(f"reference {reference[0]} ({reference[1]})")
    return ", ".join(parts) or "none"


def first_by_raters(recipes: Sequence[Recipe]) -> Recipe | None:
    """The first recipe whose units are raters, else the first."""
    of_raters = [recipe for recipe in recipes if recipe.unit == "participant"]
    return next(iter([*of_raters, *recipes]), None)


def named(recipes: Sequence[Recipe]) -> dict[str, Recipe]:
    """Recipes by name."""
    return {recipe.name: recipe for recipe in recipes}
