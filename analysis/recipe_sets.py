"""The recipes of a study, as versions that are followed, never edited."""

import hashlib
import json
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction

from analysis.models import RecipeSet
from analysis.recipe import Recipe, shipped_recipes
from survey.models import Study


def recipes_of(recipe_set: RecipeSet) -> list[Recipe]:
    """What a stored set says, in the order of its tables."""
    return [Recipe.model_validate_json(text) for text in recipe_set.recipes]


def recipes_in_force(study: Study) -> list[Recipe]:
    """Those of the newest set, or the shipped ones."""
    newest = study.recipe_sets.last()
    return recipes_of(newest) if newest else list(shipped_recipes().values())


def current_recipe_set(study: Study) -> RecipeSet:
    """The newest set; a study that has none gets one with the shipped recipes."""
    newest = study.recipe_sets.last()
    return newest or set_recipes(study=study, recipes=list(shipped_recipes().values()))


@transaction.atomic
def set_recipes(
    *, study: Study, recipes: Sequence[Recipe], author: User | None = None
) -> RecipeSet:
    """Make `recipes` those of the study. The same again change nothing."""
    # One writer at a time, so that versions count up.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    # As text: the order of groups is that of tables, and PostgreSQL keeps no order of keys.
    content = [recipe.model_dump_json() for recipe in recipes]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    newest = study.recipe_sets.last()
    if newest is not None and newest.recipes_hash == digest:
        return newest
    return RecipeSet.objects.create(
        study=study,
        version=newest.version + 1 if newest else 1,
        recipes=content,
        recipes_hash=digest,
        author=author,
    )
