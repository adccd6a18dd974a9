"""A study folder that can be spoiled, and commands as their users type them."""

from io import StringIO
from pathlib import Path

from django.core.management import call_command

from analysis.recipe import shipped_recipes
from tests.survey import small_study

#: Those of a new study without what takes longest, for tests that read none of its numbers.
QUICK_RECIPES = [
    recipe.model_copy(update={"mixed_models": None, "bootstrap": None})
    for recipe in shipped_recipes().values()
]


def run(*args: object) -> str:
    out = StringIO()
    call_command(*map(str, args), stdout=out)
    return out.getvalue()


def study_folder(folder: Path) -> Path:
    """The small study with two ways in, in a folder that there is."""
    (folder / "study.yaml").write_text(
        small_study.YAML
        + "ways_in: [prolific, invitation]\nprolific: {completion_code: K7PQ2XWM}\n"
    )
    (folder / "responses.csv").write_text(small_study.CSV)
    return folder
