"""A study folder as a whole: each app checks its own section, this puts them together."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings as django_settings
from django.db import transaction

from analysis.labels import known_names
from analysis.quality_rules import BY_GOLD, QualityRules
from analysis.recipe import Recipe, read_recipes
from analysis.recipe_sets import set_recipes
from analysis.rule_sets import set_rules
from dashboard.design.folder_notices import (
    default_rules,
    scale_of,
    unshown_formulas,
    warnings_of_recipes,
)
from dashboard.importing.mapping import known_before
from dashboard.overview.opening import refused, warnings_of_filter
from judge.configure import configure_judging, retire_judges
from judge.definition import JudgingDefinition
from judge.spending import still_counted
from judge.traces import notices_of
from survey.assignment import CheckRange, have_room
from survey.definition import (
    ResponseRow,
    StudyDefinition,
    composites,
    labels,
    model_facts,
    read_responses,
)
from survey.definition.findings import StudyFinding
from survey.definition.language import in_language, languages_of, renamed, untranslated
from survey.definition.mapping import StudyMap
from survey.definition.opening import against_opening
from survey.definition.pages import page_problems, pages_of_each
from survey.definition.responses import responses_in
from survey.definition.settings import Settings
from survey.definition.training import TrainingKeys
from survey.definition.training_table import read_training_table
from survey.files.problems import DefinitionError, Problem, read_bytes
from survey.files.yaml_file import KeyPath, YamlFile
from survey.loading import load_study
from survey.models import Study
from survey.tidy import columns_about_people

SETTINGS_KEYS = tuple(Settings.model_fields)
OTHER_SECTIONS = ("judging", "quality")


@dataclass(frozen=True)
class StudyFolder:
    """Everything in a study folder, checked."""

    definition: StudyDefinition
    translations: list[StudyDefinition]
    settings: Settings
    judging: JudgingDefinition
    quality: QualityRules
    recipes: list[Recipe]
    rows: list[ResponseRow]
    notices: list[str]
    yaml: YamlFile
    responses: Path


def read_folder(
    folder: Path, responses: Path | None = None, map_file: Path | None = None
) -> StudyFolder:
    """Read and check `folder`, its responses from `responses` if given, where `map_file` says if
    given.

    Raises DefinitionError with every problem of study.yaml and the recipes, or else of the
    responses.
    """
    if not folder.is_dir():
        raise DefinitionError([Problem(str(folder), 0, 0, "is not a folder")])
    yaml = YamlFile.read(folder / "study.yaml")
    chosen = {key: yaml.section(key) for key in SETTINGS_KEYS if key in yaml.root}
    problems: list[Problem] = []
    notices: list[str] = []
    definitions = _definitions(yaml, folder, problems, notices)
    settings = yaml.collect(Settings, chosen, problems)
    judging, quality = _judging_and_quality(yaml, problems)
    recipes: dict[str, Recipe] = {}
    try:
        recipes = read_recipes(folder / "recipes")
    except DefinitionError as error:
        problems += error.problems
    if not definitions or settings is None or judging is None or quality is None or not recipes:
        raise DefinitionError(problems)
    definition, *translations = definitions
    if "judging" in yaml.root:
        problems += [
            yaml.problem(("judging", *path), message)
            for path, message in judging.contradictions(definition)
        ]
    responses = responses or responses_in(folder)
    study_map = _read_map(map_file, definition, settings) if map_file else None
    rows, said = read_responses(responses, definition, study_map)
    notices += said
    problems += _problems_of_margins(folder / "recipes", recipes.values(), definition)
    scenarios = Counter(scenario for scenario, _ in {row.block for row in rows})
    pages = pages_of_each(definition, list(Counter(row.block for row in rows).values()))
    problems += _problems_of_counts(yaml, definition, list(scenarios.values()), pages)
    problems += [yaml.problem(path, said) for path, said in page_problems(definition, rows)]
    known = known_names(
        definition,
        models=list(dict.fromkeys(row.model for row in rows)),
        scenarios=list(dict.fromkeys(row.scenario for row in rows)),
        sets=list(dict.fromkeys(row.set_name for row in rows)),
        recipes=recipes.values(),
        composites=settings.composites,
    )
    problems += _problems_of_settings(yaml, settings, definition, known, list(recipes))
    if problems:
        raise DefinitionError(problems)
    notices += notices_of(((f"{responses}:{row.line}", row.text) for row in rows), what="responses")
    prompts = {row.scenario: (f"{responses}:{row.line}", row.prompt) for row in reversed(rows)}
    notices += notices_of(prompts.values(), what="prompts")
    if definition.latex:
        notices += unshown_formulas(rows, str(responses))
    notices += default_rules(yaml, quality.applied(rated=definition.rating is not None))
    has_gold = bool(judging.judges)  # other sources are chosen once it is loaded
    for warning in warnings_of_filter(quality, definition, rows, has_gold=has_gold):
        notices.append(str(yaml.problem(warning.key, warning.text)))
    notices += warnings_of_recipes(
        folder / "recipes", recipes.values(), definition, {row.scenario for row in rows}
    )
    return StudyFolder(
        definition,
        translations,
        settings,
        judging,
        quality,
        list(recipes.values()),
        rows,
        notices,
        yaml,
        responses,
    )


def _problems_of_settings(
    yaml: YamlFile,
    settings: Settings,
    definition: StudyDefinition,
    known: Mapping[str, Mapping[str, str]],
    recipes: list[str],
) -> Iterator[Problem]:
    """What settings say that does not fit the study; `known` are its names by what they name."""
    rated = (
        [dimension.name for dimension in definition.rating.dimensions] if definition.rating else []
    )
    named = {"dimensions": known["dimensions"], "models": known["models"], "recipes": recipes}
    asked = [name for name in known["dimensions"] if name not in settings.composites]
    sections: dict[str, Iterable[tuple[KeyPath, str]]] = {
        "composites": composites.problems(settings.composites, rated),
        "labels": labels.problems(settings.labels, known),
        "models": model_facts.problems(settings.models, known["models"]),
        "preregistration": settings.preregistration.problems(**named),
        "datasheet": settings.datasheet.problems(asked),
        "share": settings.share.problems(columns_about_people(definition)),
    }
    for section, found in sections.items():
        for path, message in found:
            yield yaml.problem((section, *path), message)
    if settings.repeats == "mean" and definition.rating is None:
        message = "ranks and choices have no mean: write first or last"
        yield yaml.problem(("repeats",), message)


def _judging_and_quality(
    yaml: YamlFile, problems: list[Problem]
) -> tuple[JudgingDefinition | None, QualityRules | None]:
    """Who scores the responses, and which raters count. The rule that goes by gold scores is no
    default of a study without a judge.
    """
    given = {name: yaml.section(name) for name in OTHER_SECTIONS}
    sections = {name: {} if section is None else section for name, section in given.items()}
    judging = yaml.collect(JudgingDefinition, sections["judging"], problems, under=("judging",))
    quality = yaml.collect(QualityRules, sections["quality"], problems, under=("quality",))
    if judging and quality and not judging.judges and "order" not in quality.model_fields_set:
        quality = quality.without(BY_GOLD)
    return judging, quality


def _read_map(path: Path, definition: StudyDefinition, settings: Settings) -> StudyMap:
    """A mapping file that says something of the responses. Raises DefinitionError."""
    known = known_before(definition, some_models={*settings.models, *settings.labels.models})
    study_map = StudyMap(read_bytes(path), file=str(path), known=known)
    says_something = study_map.values or study_map.systems
    if "responses" not in study_map.sections and not says_something:
        message = "says nothing of the responses; add a section responses"
        raise DefinitionError([Problem(str(path), 0, 0, message)])
    return study_map


def before_opening(folder: StudyFolder, study: Study) -> tuple[list[str], list[str]]:
    """Problems of the folder before its study opens: first those that prevent opening, then the
    others, each with its place.

    Nothing prevents opening if the study is already open or real people have begun.
    """
    findings = against_opening(
        folder.definition,
        Settings.model_validate(study.settings),
        rows=folder.rows,
        translations=folder.translations,
        begun=study.frozen_at is not None or study.doing == Study.State.OPEN,
    )
    harm = refused(findings)
    rest = [finding for finding in findings if finding not in harm]
    return [_with_place(folder, f) for f in harm], [_with_place(folder, f) for f in rest]


def _with_place(folder: StudyFolder, finding: StudyFinding) -> str:
    said = f"{finding.rule}: {finding.text}"
    if finding.line:
        return str(Problem(str(folder.responses), finding.line, 0, said))
    if not finding.key:
        return said
    # a text that is the same in all languages has no key for each
    return str(folder.yaml.problem(finding.key, said, quote=finding.quote))


def _problems_of_margins(
    folder: Path, recipes: Iterable[Recipe], definition: StudyDefinition
) -> Iterator[Problem]:
    """Margins of the study's own recipes that mean nothing on its scale; those of the shipped ones
    are a share of any scale.
    """
    for recipe in recipes:
        for name, problem in recipe.margins.problems(scale_of(definition)):
            yaml = YamlFile.read(folder / f"{recipe.name}.yaml")
            yield yaml.problem(("margins", name), problem)


def _definitions(
    yaml: YamlFile, folder: Path, problems: list[Problem], notices: list[str]
) -> list[StudyDefinition]:
    """The study in each of its languages, the main one first; nothing if any has a problem."""
    plain = yaml.plain(without=SETTINGS_KEYS + OTHER_SECTIONS)
    training = plain.get("training")
    if isinstance(training, dict) and isinstance(training.get("items"), str):
        return _with_training_file(yaml, folder, plain, problems, notices)
    return _definitions_of(yaml, plain, problems)


def _with_training_file(
    yaml: YamlFile,
    folder: Path,
    plain: dict[str, Any],
    problems: list[Problem],
    notices: list[str],
) -> list[StudyDefinition]:
    """The study whose training items are in a file next to study.yaml."""
    others = dict(plain["training"])
    name = others.pop("items")
    key = ("training", "items")
    definitions = _definitions_of(yaml, {**plain, "training": None}, problems)
    if len(definitions) > 1:
        message = "a file has items in one language; write them here, in each language"
        problems.append(yaml.problem(key, message))
    elif Path(name).name != name:
        problems.append(yaml.problem(key, "name a file in this folder, such as training.csv"))
    elif definitions and yaml.collect(TrainingKeys, others, problems, under=("training",)):
        try:
            table = read_training_table(folder / name)
            training = table.checked(others, definitions[0].rating)
            notices += table.notices
        except DefinitionError as error:
            problems += error.problems
        else:
            return [definitions[0].model_copy(update={"training": training})]
    return []


def _definitions_of(
    yaml: YamlFile, plain: dict[str, Any], problems: list[Problem]
) -> list[StudyDefinition]:
    try:
        languages = languages_of(plain)
    except ValueError as error:
        problems.append(yaml.problem(("language",), str(error)))
        return []
    language_problems: list[Problem] = []
    for language in languages:
        if language not in dict(django_settings.LANGUAGES):
            known = ", ".join(code for code, _ in django_settings.LANGUAGES)
            message = f"the pages are not translated into {language!r}; there are {known}"
            language_problems.append(yaml.problem(("language",), message))
    language_problems += [
        yaml.problem(path, message) for path, message in untranslated(plain, languages)
    ]
    definitions = []
    if not language_problems:
        for code in languages:
            value = in_language(plain, code, languages) | {"language": code}
            also = SETTINGS_KEYS + OTHER_SECTIONS
            definitions.append(yaml.collect(StudyDefinition, value, language_problems, also=also))
    problems += dict.fromkeys(language_problems)  # each once, though every language has it
    complete = (
        [definition for definition in definitions if definition] if not language_problems else []
    )
    for translation in complete[1:]:
        path = renamed(complete[0].model_dump(), translation.model_dump())
        if path is not None:
            problems.append(yaml.problem(path, "is a name, the same in every language"))
    return complete


def _problems_of_counts(
    yaml: YamlFile, definition: StudyDefinition, blocks_of_scenarios: list[int], pages: int
) -> list[Problem]:
    """What does not fit the numbers of blocks in the responses, and of a participant's pages."""
    problems = []
    blocks = sum(blocks_of_scenarios)
    shown = definition.blocks_per_participant or blocks
    if shown > blocks:
        message = f"the study has {blocks} blocks"
        problems.append(yaml.problem(("blocks_per_participant",), message))
    shown = min(shown, blocks)
    order = definition.order
    if order.blocks == "balanced" and order.scenarios_together:
        sizes = set(blocks_of_scenarios)
        if len(sizes) > 1 or shown % min(sizes):
            message = (
                "blocks of a scenario can be kept together in a balanced order where all scenarios "
                "have equally many blocks and a participant sees whole scenarios; choose random"
            )
            problems.append(yaml.problem(("order", "blocks"), message))
    for index, check in enumerate(definition.attention_checks):
        if check.range[1] > pages:
            key = "in_blocks" if check.kind == "in_block" else "after_blocks"
            kind = "pages of blocks" if definition.spread_over_pages else "blocks"
            message = f"a participant sees {pages} {kind}"
            problems.append(yaml.problem(("attention_checks", index, key), message))
    ranges = [
        CheckRange(check.name, *check.range, in_block=check.kind == "in_block")
        for check in definition.attention_checks
    ]
    if not have_room(ranges):
        message = "checks inside blocks need a block each; widen their ranges"
        problems.append(yaml.problem(("attention_checks",), message))
    return problems


@dataclass(frozen=True)
class LoadedFolder:
    """The study, what loading its content did, and which other sections changed.

    `outcome` is `created`, `replaced` or `unchanged`; `updated` is empty but where the content is
    unchanged.
    """

    study: Study
    outcome: str
    updated: list[str]


@transaction.atomic
def load_folder(folder: StudyFolder) -> LoadedFolder:
    """Write a checked folder: study, judge and rules, all or nothing."""
    versions = Study.objects.filter(slug=folder.definition.slug).order_by("-version")
    # Everybody locks in this order: the study, its judging, then calls. Workers start at judging.
    with still_counted(versions.select_for_update().first()):
        loaded = load_study(
            definition=folder.definition,
            translations=folder.translations,
            settings=folder.settings,
            rows=folder.rows,
        )
    study = loaded.study
    rules, recipes = study.rule_sets.last(), study.recipe_sets.last()
    updates = {"settings": loaded.outcome == "settings"}
    if folder.definition.rating is not None:
        updates["judges"] = configure_judging(study, folder.judging)
    else:
        retire_judges(study)  # a draft may have had ratings
    updates["filter rules"] = set_rules(study=study, rules=folder.quality) != rules
    updates["recipes"] = set_recipes(study=study, recipes=folder.recipes) != recipes
    if loaded.outcome not in ("settings", "unchanged"):
        return LoadedFolder(study, loaded.outcome, [])
    updated = [what for what, is_new in updates.items() if is_new]
    return LoadedFolder(study, "unchanged", updated)
