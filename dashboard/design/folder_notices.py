"""What `load_study` points out in a study folder that it loads."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from analysis.quality_rules import SECTIONS, QualityRules
from analysis.recipe import FOLDER, Recipe, Scale
from analysis.recipe_warnings import Columns, warnings, warnings_of_shipped
from survey.definition import ResponseRow, StudyDefinition
from survey.files.yaml_file import YamlFile
from survey.rendering.maths import unshown
from survey.tidy import participant_columns


def unshown_formulas(rows: Iterable[ResponseRow], file: str) -> Iterator[str]:
    """How many responses have LaTeX that raters see as its source, and the first of it."""
    found = [(row.line, formula) for row in rows for formula in islice(unshown(row.text), 1)]
    if found:
        (line, formula), n = found[0], len(found)
        responses = f"{n} response{'s' if n > 1 else ''}"
        yield (
            f"{file}:{line}: LaTeX of {responses} can't be shown as a formula and stays as "
            f"written, such as {formula!r}"
        )


def default_rules(yaml: YamlFile, rules: QualityRules) -> Iterator[str]:
    """Which of the applied `rules` exclude raters though study.yaml does not name them."""
    given = yaml.section("quality") or {}
    by_default = [name for name in rules.order if SECTIONS[name] not in given]
    if "order" in given or not by_default:
        return
    excluded = "; ".join(f"{rules.rule(name).in_words()} (`{name}`)" for name in by_default)
    says = "has no order" if given else "is missing"
    yield str(
        yaml.problem(
            ("quality",),
            f"{says}, so default rules exclude raters {excluded}. Write those that you want into "
            "quality.order, with your thresholds; order: [] excludes nobody. See "
            "docs/study-files.md#quality",
        )
    )


def warnings_of_recipes(
    folder: Path, recipes: Iterable[Recipe], definition: StudyDefinition, scenarios: set[str]
) -> Iterator[str]:
    """What hardly fits the study in its own recipes; of the shipped ones, which are for any study,
    the study's answers that no group knows.
    """
    scale, columns = scale_of(definition), _questions_of_columns(definition)
    for recipe in recipes:
        file = folder / f"{recipe.name}.yaml"
        if file.exists():
            yaml = YamlFile.read(file)
            for path, warning in warnings(recipe, columns, scale, scenarios):
                yield str(yaml.problem(path, warning))
        elif own := list(warnings_of_shipped(recipe, columns)):
            yaml = YamlFile.read(FOLDER / file.name)
            for path, warning in own:
                yield str(yaml.problem(path, f"{warning}, in a copy of this file at {file}"))


def scale_of(definition: StudyDefinition) -> Scale | None:
    """The scale of the study's ratings, where it asks for some."""
    return Scale.of(definition.rating) if definition.rating else None


def _questions_of_columns(definition: StudyDefinition) -> Columns:
    """The columns of raters, each with the question that it has answers to, if any."""
    asked = {question.name: question for question in definition.screening}
    about = {question.name: question for question in definition.demographics}
    return dict.fromkeys(participant_columns(definition)) | asked | about
