"""Recipes that were stored before tests within each condition of each scenario became an option.

They made these tests, so they say so now: the same data and recipes give the same tables.
"""

import hashlib
import json

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

OPTION = "conditions_in_scenarios"


def keep_the_tests(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for recipe_set in apps.get_model("analysis", "RecipeSet").objects.all():
        recipes = [_with_option(text) for text in recipe_set.recipes]
        if recipes != recipe_set.recipes:
            recipe_set.recipes = recipes
            recipe_set.recipes_hash = hashlib.sha256(json.dumps(recipes).encode()).hexdigest()
            recipe_set.save()


def _with_option(text: str) -> str:
    recipe = json.loads(text)
    if OPTION in recipe or not recipe.get("groups"):
        return text
    with_option = {}
    for key, value in recipe.items():
        if key == "adjust_over":  # where the option stands in recipes that are stored now
            with_option[OPTION] = True
        with_option[key] = value
    return json.dumps(with_option, ensure_ascii=False, separators=(",", ":"))


class Migration(migrations.Migration):
    dependencies = [("analysis", "0004_for_pages")]

    operations = [migrations.RunPython(keep_the_tests, migrations.RunPython.noop)]
