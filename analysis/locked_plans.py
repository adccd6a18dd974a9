"""The locked plans of a study: fixed before the first participant, followed but never edited."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Min, Q
from django.utils import timezone
from pydantic import Field

from analysis.deviations import (
    Deviation,
    PlanContent,
    Planned,
    as_text,
    contrast_in_words,
    deviations,
    first_by_raters,
    named,
)
from analysis.manual_decisions import exclusions_in_force
from analysis.models import LockedPlan, RecipeSet, RuleSet
from analysis.recipe import Recipe
from analysis.recipe_sets import current_recipe_set, recipes_of
from analysis.rule_sets import current_rule_set, rules_of
from analysis.versions import software
from judge.queries import gold_judges, gold_source
from survey.definition.labels import Labels
from survey.definition.parts import Part
from survey.definition.settings import USUAL_REPEAT, Settings
from survey.files.csv_text import time_text
from survey.models import BlockResponse, Participant, Study, StudyEvent
from survey.refusals import Conflict
from survey.tidy import counted_sources, definition_of

#: Characters that a note or a reason may have.
LONGEST_NOTE = 5000
#: Of the JSON; another one when keys get another meaning.
FORMAT = 1
#: Of a judge's configuration: where this installation reaches it.
ABOUT_THE_ENDPOINT = ("base_url", "endpoint")


class LockOptions(Part):
    """What is said when a plan is locked."""

    note: str = Field(
        default="", max_length=LONGEST_NOTE, description="stored with the plan, and in its texts"
    )
    reason: str = Field(
        default="",
        max_length=LONGEST_NOTE,
        description="why it takes the place of the plan that is locked",
    )


def locked_plan(study: Study) -> LockedPlan | None:
    """The plan that analyses of the study are compared with."""
    return study.locked_plans.last()


def first_consent(study: Study) -> datetime | None:
    """When the first person who counts agreed to take part; None while there was nobody.

    Experts of a panel freeze what is shown, and are no participants of a plan.
    """
    if study.frozen_at is None:
        return None
    counted = counted_sources()
    if study.withdrawals.filter(source__in=counted).exists():
        return study.frozen_at  # who came first may be gone
    imported = Q(source=Participant.Source.IMPORT)
    people = study.participants.filter(imported | Q(consented_at__isnull=False), source__in=counted)
    if not people.exists():
        return None
    earliest: datetime | None = people.aggregate(first=Min("consented_at"))["first"]
    return earliest or study.frozen_at


@dataclass(frozen=True)
class PlanComparison:
    """A locked plan, and what an analysis does otherwise."""

    plan: LockedPlan
    now: Planned
    deviations: list[Deviation]
    began: datetime | None

    @property
    def as_json(self) -> dict[str, Any]:
        """What a manifest says of it; `code` is the digest of the analysis code at the time."""
        content = PlanContent.from_text(self.plan.content).content
        return {
            "version": self.plan.version,
            "sha256": self.plan.sha256,
            "locked_at": content["locked_at"],
            "first_consent": time_text(self.began.replace(microsecond=0)) if self.began else None,
            "replaced": self.plan.reason,
            "code": content["software"].get("analysis", ""),
            "deviations": [
                {"what": deviation.what, "where": deviation.where} for deviation in self.deviations
            ],
        }


def compared_with_plan(
    study: Study, rule_set: RuleSet, recipe_set: RecipeSet, labels: Labels
) -> PlanComparison | None:
    """What an analysis with these rules and recipes does otherwise than the locked plan, if there
    is one.
    """
    plan = locked_plan(study)
    if plan is None:
        return None
    now = as_it_is(study, rule_set, recipe_set)
    planned = PlanContent.from_text(plan.content).planned
    return PlanComparison(plan, now, deviations(planned, now, labels), first_consent(study))


@transaction.atomic
def lock_plan(study: Study, options: LockOptions, author: User | None) -> LockedPlan:
    """Fix what is planned, as it is now.

    Raises Conflict once a real participant has consented, or without a reason where there is a
    plan.
    """
    # A participant who consents now waits for this lock, or came before it.
    locked = Study.objects.select_for_update().get(pk=study.pk)
    note, reason = options.note.strip(), options.reason.strip()
    before = locked_plan(locked)
    _refuse(locked, before, note, reason)
    now = timezone.now().replace(microsecond=0)
    content = planned_content(locked) | {
        "locked_at": time_text(now),
        "version": before.version + 1 if before else 1,
        "note": note,
        "replaces": {"sha256": before.sha256, "reason": reason} if before else None,
    }
    if before is not None and _same(PlanContent.from_text(before.content).content, content):
        raise Conflict(f"{_named(before)} says the same; nothing was locked")
    text = as_text(content)
    plan = LockedPlan.objects.create(
        study=locked,
        version=content["version"],
        author=author,
        created_at=now,
        content=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )
    detail = {"name": f"version {plan.version}, SHA-256 {plan.sha256[:12]}…"}
    StudyEvent.objects.create(study=locked, author=author, action="plan locked", detail=detail)
    return plan


def _refuse(study: Study, before: LockedPlan | None, note: str, reason: str) -> None:
    began = first_consent(study)
    if began is not None:
        there = f"; {_named(before)} stays" if before else ""
        raise Conflict(
            f"{study} has participants since {_minute(began)}: a plan can be locked only before "
            f"the first one{there}. Nothing was locked"
        )
    if before is not None and not reason:
        raise Conflict(
            f"{_named(before)} is locked. Give a reason to put another in its place before the "
            "first participant"
        )
    if before is None and reason:
        raise Conflict(
            f"{study} has no locked plan that another could replace: leave out the reason"
        )


def _named(plan: LockedPlan) -> str:
    return f"{plan} of {_minute(plan.created_at)} (SHA-256 {plan.sha256[:12]}…)"


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two plans say the same, but for when and why they were locked."""
    aside = {"locked_at", "version", "replaces", "software"}
    return all(one.get(key) == other.get(key) for key in {*one, *other} - aside)


def planned_content(study: Study) -> dict[str, Any]:
    """What a plan fixes, as it is now. Prompts and responses are in it by their SHA-256."""
    settings = Settings.model_validate(study.settings)
    rules, recipes = current_rule_set(study), current_recipe_set(study)
    now = as_it_is(study, rules, recipes)
    return {
        "format": FORMAT,
        "study": str(study),
        "title": study.title,
        "content_hash": study.content_hash,
        "definition": study.definition,
        "translations": study.translations,
        "blocks": _blocks(study),
        "contrast": now.contrast,
        "ways_in": list(settings.ways_in),
        "places": settings.places.model_dump(mode="json"),
        "labels": settings.labels.model_dump(mode="json"),
        **({"composites": settings.composites} if settings.composites else {}),
        **({"repeats": settings.repeats} if settings.repeats != USUAL_REPEAT else {}),
        "preregistration": settings.preregistration.model_dump(mode="json"),
        "rules": now.rules.model_dump(mode="json"),
        "recipes": [recipe.model_dump(mode="json") for recipe in now.recipes.values()],
        "gold": {"source": now.gold, "sha256": now.gold_hash, "judge": _judge(study)},
        "software": software(),
    }


def primary_recipe(study: Study, recipes: Sequence[Recipe]) -> Recipe | None:
    """The recipe of the main analysis: that of the study's file, else the first by raters."""
    chosen = Settings.model_validate(study.settings).preregistration.primary.recipe
    return named(recipes).get(chosen or "") or first_by_raters(recipes)


def as_it_is(study: Study, rule_set: RuleSet, recipe_set: RecipeSet) -> Planned:
    """What a plan would fix, of an analysis with these rules and recipes."""
    definition = definition_of(study)
    settings = Settings.model_validate(study.settings)
    reference = definition.reference
    source = gold_source(study)
    return Planned(
        content_hash=study.content_hash,
        contrast=contrast_in_words(
            definition.condition_a,
            definition.condition_b,
            (reference.model, reference.condition) if reference else None,
        ),
        places=settings.places,
        rules=rules_of(rule_set),
        recipes=named(recipes_of(recipe_set)),
        gold=source.name if source else "none",
        gold_hash=_gold_hash(study),
        decided=sum(d.participant.source in counted_sources() for d in exclusions_in_force(study)),
        composites=settings.composites,
        repeats=settings.repeats,
    )


def _judge(study: Study) -> dict[str, Any] | None:
    """How the judge whose scores are gold is asked; of a jury, each of its judges by name."""
    asked = [
        {key: value for key, value in judge.configuration.items() if key not in ABOUT_THE_ENDPOINT}
        for judge in gold_judges(study)
    ]
    if len(asked) > 1:
        return {str(each["name"]): each for each in asked}
    return asked[0] if asked else None


def _gold_hash(study: Study) -> str:
    """What the scores of the gold judge or jury depend on; files and panels are known by their
    names.
    """
    return "".join(judge.configuration_hash for judge in gold_judges(study))


def _blocks(study: Study) -> list[dict[str, Any]]:
    """Each block with the systems that it shows, by the SHA-256 of what they wrote."""
    blocks: dict[int, dict[str, Any]] = {}
    members = BlockResponse.objects.filter(block__study=study).select_related(
        "block__scenario", "response__system"
    )
    for member in members.order_by("block__position", "position"):
        scenario, response = member.block.scenario, member.response
        shown = f"{scenario.context}\n\n{scenario.prompt}" if scenario.context else scenario.prompt
        block = blocks.setdefault(
            member.block_id,
            {
                "scenario": scenario.name,
                "set": member.block.set_name,
                "prompt_sha256": hashlib.sha256(shown.encode()).hexdigest(),
                "responses": [],
            },
        )
        system = {"model": response.system.model, "condition": response.system.condition}
        block["responses"].append(system | {"sha256": response.text_hash})
    return list(blocks.values())
