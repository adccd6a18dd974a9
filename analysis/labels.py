"""What people read for each name of a study, from its definition, its settings and the rules."""

from collections.abc import Collection, Iterable

from analysis.quality_rules import STEP_LABELS
from analysis.recipe import Recipe
from survey.definition import StudyDefinition
from survey.definition.labels import Known, Labels, usual_of
from survey.definition.settings import Settings
from survey.models import Study
from survey.tidy import definition_of, dimensions_of, participant_columns


def labels_of(study: Study) -> Labels:
    """The labels in force: those that its folder gives, and the usual ones of all other names."""
    definition = definition_of(study)
    settings = Settings.model_validate(study.settings)
    blocks = list(study.blocks.values_list("scenario__name", "set_name"))
    known = known_names(
        definition,
        models=study.systems.values_list("model", flat=True),
        scenarios=[scenario for scenario, _ in blocks],
        sets=[set_name for _, set_name in blocks],
        composites=settings.composites,
    )
    contrast = definition.condition_a, definition.condition_b
    return Labels.of(settings.labels, known, contrast)


def known_names(
    definition: StudyDefinition,
    *,
    models: Collection[str],
    scenarios: Collection[str],
    sets: Collection[str],
    recipes: Iterable[Recipe] = (),
    composites: Collection[str] = (),
) -> Known:
    """Every name of a study that may have a label, with what it is called otherwise."""
    compared = [task.dimension for task in definition.comparing]
    about_raters = [*participant_columns(definition)]
    for recipe in recipes:
        columns = (group.column for group in recipe.groups.values())
        about_raters += [*recipe.groups, *columns, *recipe.anova]
    return {
        "conditions": usual_of(definition.conditions),
        "models": usual_of(models),
        "dimensions": usual_of([*dimensions_of(definition), *compared, *composites]),
        "scenarios": usual_of(scenarios),
        "sets": usual_of(sets),
        "characteristics": usual_of(about_raters),
        "rules": STEP_LABELS,
    }
