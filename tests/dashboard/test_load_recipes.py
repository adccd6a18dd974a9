"""Recipes of a study folder and of studies that are already there, as `load_study` takes them."""

import json
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError

from analysis.models import RecipeSet
from analysis.recipe import FOLDER, Recipe
from analysis.recipe_sets import recipes_of
from survey.models import Study
from tests.dashboard.loading import run, study_folder
from tests.survey import small_study

EMPATHY = Path(__file__).parents[2] / "examples" / "empathy"
# What files say: the database changes nothing of it.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return study_folder(tmp_path)


def write_recipe(folder: Path, name: str, text: str) -> None:
    (folder / "recipes").mkdir(exist_ok=True)
    (folder / "recipes" / f"{name}.yaml").write_text(text)


def test_study_without_recipes_of_its_own_has_the_shipped_ones(folder: Path) -> None:
    run("load_study", folder)
    assert [recipe.name for recipe in recipes_of(RecipeSet.objects.get())] == ["paper", "sound"]


def test_recipes_of_the_folder_join_the_shipped_ones_or_take_their_place(folder: Path) -> None:
    sound = (FOLDER / "sound.yaml").read_text()
    write_recipe(folder, "careful", sound.replace("name: sound", "name: careful"))
    write_recipe(folder, "sound", sound.replace("resamples: 2000", "resamples: 5000"))
    run("load_study", folder)
    recipes = recipes_of(RecipeSet.objects.get())
    assert [recipe.name for recipe in recipes] == ["paper", "sound", "careful"]
    assert [recipe.bootstrap and recipe.bootstrap.resamples for recipe in recipes] == [
        None,
        5000,
        2000,
    ]


def test_changed_recipe_becomes_another_version_beside_the_same_content(folder: Path) -> None:
    run("load_study", folder)
    sound = (FOLDER / "sound.yaml").read_text()
    write_recipe(folder, "sound", sound.replace("seed: 1", "seed: 2"))
    assert "small@1: content unchanged; updated: recipes" in run("load_study", folder)
    assert [s.version for s in RecipeSet.objects.all()] == [1, 2]
    assert "small@1: unchanged" in run("load_study", folder)


def test_mistakes_in_recipes_are_named_together_with_those_of_the_study(folder: Path) -> None:
    sound = (FOLDER / "sound.yaml").read_text()
    write_recipe(folder, "mine", sound)
    write_recipe(folder, "sound", sound.replace("unit: participant", "unit: person"))
    study = folder / "study.yaml"
    study.write_text(study.read_text() + "colour: blue\n")
    with pytest.raises(CommandError) as refused:
        run("load_study", folder)
    said = str(refused.value).replace(f"{folder}/", "").splitlines()
    assert said[0] == "Nothing was loaded."
    assert [line.split(": ", 1)[0] for line in said[1:]] == [
        "recipes/mine.yaml, line 5, column 1",
        "recipes/sound.yaml, line 9, column 1",
        f"study.yaml, line {len(study.read_text().splitlines())}, column 1",
    ]
    assert "the recipe of this file is called mine" in said[1]
    assert not Study.objects.exists()
    assert not RecipeSet.objects.exists()


def test_recipe_about_a_column_that_nobody_has_is_noticed(folder: Path) -> None:
    file = folder / "recipes" / "mine.yaml"
    file.parent.mkdir()
    file.write_text("name: mine\ntitle: Mine\nunit: participant\nanova: [region, reigon]\n")
    (notice,) = [line for line in run("load_study", folder).splitlines() if "mine.yaml" in line]
    assert notice == (
        f"Notice: {file}, line 4, column 17: anova.1: raters have no column 'reigon', so nobody is "
        "in any of its groups"
    )


def test_answer_that_a_recipe_misspells_is_noticed(folder: Path) -> None:
    groups = "{sex: {column: sex, a: {label: w, values: [Femal]}, b: {label: m, others: true}}}"
    write_recipe(folder, "mine", f"name: mine\ntitle: Mine\nunit: participant\ngroups: {groups}\n")
    (notice,) = [line for line in run("load_study", folder).splitlines() if "mine.yaml" in line]
    assert notice.startswith(f"Notice: {folder / 'recipes' / 'mine.yaml'}, line 4, column ")
    assert notice.endswith(
        "groups.sex.a.values.0: group 'w': 'Femal' is no answer to the question sex: its options "
        "are Female, Male"
    )


def test_answer_that_no_group_of_a_shipped_recipe_knows_is_noticed(folder: Path) -> None:
    path = folder / "study.yaml"
    assert "in no group" not in run("load_study", folder)
    path.write_text(path.read_text().replace("name: sex", "name: gender"))
    notices = [line for line in run("load_study", folder).splitlines() if "in no group" in line]
    assert [notice.split(": ", 2)[2] for notice in notices] == [
        "groups.gender: 'Female' and 'Male', which the question gender offers, are in no group: "
        "the tests do not include people who choose them. Add them to a group, or to left_out, in "
        f"a copy of this file at {folder / 'recipes' / name}.yaml"
        for name in ("paper", "sound")
    ]


def on_a_slider(folder: Path) -> None:
    """Its ratings are from 0 to 100."""
    path = folder / "study.yaml"
    settings = path.read_text().partition("ways_in:")
    dimensions = "[{name: warmth, question: How warm is it?}]"
    slider = f"  - {{kind: slider, left: Not at all, right: Fully, dimensions: {dimensions}}}\n"
    path.write_text(small_study.with_tasks(slider) + "".join(settings[1:]))


def test_shipped_recipes_fit_a_slider_too(folder: Path) -> None:
    on_a_slider(folder)
    said = run("load_study", folder)
    assert "margins." not in said and ".yaml, line" not in said.replace("study.yaml, line", "")


def test_margin_that_means_nothing_on_the_scale_is_refused_with_its_line(folder: Path) -> None:
    run("load_study", folder)
    on_a_slider(folder)
    given = "name: sound\ntitle: Mine\nunit: participant\nmargins: {reference: 5, groups: 0.5}\n"
    write_recipe(folder, "sound", given)
    with pytest.raises(CommandError) as refused:
        run("load_study", folder)
    assert str(refused.value).splitlines()[1:] == [
        f"{folder / 'recipes' / 'sound.yaml'}, line 4, column 25: margins.groups: a margin of 0.5 "
        "on a scale from 0 to 100 is 0.5 % of the scale's length; it has to be 1 to 50 %: set it "
        "in points of this scale, or in percent with given_in: percent"
    ]
    assert Study.objects.get().definition["tasks"][0]["kind"] == "likert"
    write_recipe(folder, "sound", given.replace("0.5", "50"))
    assert "margins" not in run("load_study", folder)


def test_ordinal_model_of_a_slider_is_noticed(folder: Path) -> None:
    on_a_slider(folder)
    models = "mixed_models: {links: [probit]}"
    write_recipe(folder, "mine", f"name: mine\ntitle: Mine\nunit: participant\n{models}\n")
    (notice,) = [line for line in run("load_study", folder).splitlines() if "mine.yaml" in line]
    assert "line 4, column 24: mixed_models.links.0: an ordinal model of a slider has" in notice


def test_stored_recipes_that_were_shipped_for_five_points_follow_a_slider_after_an_upgrade(
    folder: Path,
) -> None:
    run("load_study", folder)
    on_a_slider(folder)
    write_recipe(folder, "mine", "name: mine\ntitle: Mine\nunit: participant\n")
    run("load_study", folder)
    newest = RecipeSet.objects.last()
    assert newest is not None
    now = list(newest.recipes)
    before = [json.loads(text) for text in now]
    before[1] |= {"margins": {"reference": 0.25, "groups": 0.25}}
    before[1] |= {"mixed_models": {"links": ["probit"]}}
    newest.recipes = [json.dumps(recipe) for recipe in before]
    newest.save()
    upgrade = import_module("analysis.migrations.0003_recipes_by_scale").follow_the_scale
    for _ in range(2):  # the second time there is nothing to do
        upgrade(apps, None)
        assert RecipeSet.objects.count() == newest.version + 1
    upgraded = RecipeSet.objects.get(version=newest.version + 1)
    paper, sound, mine = recipes_of(upgraded)
    assert [paper, sound, mine] == [Recipe.model_validate_json(text) for text in now]


def test_stored_recipes_keep_their_tests_within_conditions_of_scenarios_after_an_upgrade(
    folder: Path,
) -> None:
    shipped = (FOLDER / "paper.yaml").read_text()
    write_recipe(folder, "paper", f"{shipped}\nconditions_in_scenarios: true\n")
    run("load_study", folder)
    now = RecipeSet.objects.get()
    before = [json.loads(text) for text in now.recipes]
    for recipe in before:
        del recipe["conditions_in_scenarios"]
    stored = [json.dumps(recipe, ensure_ascii=False, separators=(",", ":")) for recipe in before]
    RecipeSet.objects.update(recipes=stored)
    module = import_module("analysis.migrations.0005_conditions_in_scenarios")
    module.keep_the_tests(apps, None)
    upgraded = RecipeSet.objects.get()
    assert upgraded.recipes[0] == now.recipes[0]
    assert all(recipe.conditions_in_scenarios for recipe in recipes_of(upgraded) if recipe.groups)


def test_recipe_that_could_not_be_chosen_is_refused(folder: Path) -> None:
    write_recipe(folder, "both", "name: both\ntitle: Both\nunit: rating\n")
    with pytest.raises(CommandError) as refused:
        run("load_study", folder)
    assert str(refused.value).replace(f"{folder}/", "").splitlines()[1:] == [
        "recipes/both.yaml, line 1, column 1: name: both stands for paper and sound where a recipe "
        "is chosen: call it something else"
    ]


@pytest.mark.parametrize("ending", ["yml", "YAML"])
def test_recipe_in_a_file_of_another_ending_is_refused(folder: Path, ending: str) -> None:
    write_recipe(folder, "mine", "name: mine\ntitle: Mine\nunit: rating\n")
    file = folder / "recipes" / "mine.yaml"
    file.rename(file.with_suffix(f".{ending}"))
    with pytest.raises(CommandError) as refused:
        run("load_study", folder)
    assert str(refused.value).replace(f"{folder}/", "").splitlines()[1:] == [
        f"recipes/mine.{ending}: recipes are files *.yaml: call it mine.yaml"
    ]
