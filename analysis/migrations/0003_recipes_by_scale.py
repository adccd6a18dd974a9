"""Recipes that were shipped for five points, in studies of sliders and of more than ten points.

Their margins were in points and their mixed models ordinal; since then both follow from the scale.
A set of recipes is never edited: the study gets the next version, as if its folder were loaded
again. Margins and models that a study has chosen for itself stay as they are.
"""

import hashlib
import json
from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

MOST_CATEGORIES = 10
SHIPPED = {
    "margins": {"reference": 0.25, "groups": 0.25},
    "mixed_models": {"links": ["probit"]},
}
BY_SCALE = {
    "margins": {"given_in": "percent", "reference": 6.25, "groups": 6.25},
    "mixed_models": {"links": None},
}


def follow_the_scale(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    sets = apps.get_model("analysis", "RecipeSet").objects
    for study in apps.get_model("survey", "Study").objects.all():
        newest = sets.filter(study=study).order_by("version").last()
        if newest is None or not _has_many_points(study.definition):
            continue
        recipes = [_by_scale(text) for text in newest.recipes]
        if recipes == newest.recipes:
            continue
        sets.create(
            study=study,
            version=newest.version + 1,
            recipes=recipes,
            recipes_hash=hashlib.sha256(json.dumps(recipes).encode()).hexdigest(),
            author=newest.author,
        )


def _has_many_points(definition: dict[str, Any]) -> bool:
    return any(
        task["kind"] == "slider"
        or (task["kind"] == "likert" and len(task["scale"]) > MOST_CATEGORIES)
        for task in definition["tasks"]
    )


def _by_scale(text: str) -> str:
    """A recipe without the values that were shipped."""
    recipe = json.loads(text)
    if any(recipe[key] != shipped for key, shipped in SHIPPED.items()):
        return text
    return json.dumps(recipe | BY_SCALE, ensure_ascii=False, separators=(",", ":"))


class Migration(migrations.Migration):
    dependencies = [("analysis", "0002_manual_decision"), ("survey", "0001_initial")]

    operations = [migrations.RunPython(follow_the_scale, migrations.RunPython.noop)]
