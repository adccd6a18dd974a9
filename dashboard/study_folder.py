"""A study folder as a whole: each app checks its own section, this puts them together."""

from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from analysis.definition import QualityRules
from analysis.rules import set_rules
from judge.configure import configure_judge
from judge.definition import JudgeDefinition
from survey.definition import (
    DefinitionError,
    Problem,
    ResponseRow,
    StudyDefinition,
    YamlFile,
    read_responses,
)
from survey.definition.settings import Settings
from survey.loading import Loaded, load_study

SETTINGS_KEYS = tuple(Settings.model_fields)
OTHER_SECTIONS = ("judge", "quality")


@dataclass(frozen=True)
class StudyFolder:
    """Everything in a study folder, checked."""

    definition: StudyDefinition
    settings: Settings
    judge: JudgeDefinition
    quality: QualityRules
    rows: list[ResponseRow]
    notices: list[str]


def read_folder(folder: Path, responses: Path | None = None) -> StudyFolder:
    """Read and check `folder`, its responses from `responses` if given.

    Raises DefinitionError with every problem of study.yaml, or else of the responses.
    """
    if not folder.is_dir():
        raise DefinitionError([Problem(str(folder), 0, 0, "is not a folder")])
    yaml = YamlFile.read(folder / "study.yaml")
    plain = yaml.plain(without=SETTINGS_KEYS + OTHER_SECTIONS)
    chosen = {key: yaml.section(key) for key in SETTINGS_KEYS if key in yaml.root}
    problems: list[Problem] = []
    definition = yaml.collect(StudyDefinition, plain, problems)
    settings = yaml.collect(Settings, chosen, problems)
    judge = yaml.collect(JudgeDefinition, yaml.section("judge") or {}, problems, under=("judge",))
    quality = yaml.collect(
        QualityRules, yaml.section("quality") or {}, problems, under=("quality",)
    )
    if definition is None or settings is None or judge is None or quality is None:
        raise DefinitionError(problems)
    rows, notices = read_responses(responses or folder / "responses.csv", definition)
    blocks = len({row.block for row in rows})
    for index, check in enumerate(definition.attention_checks):
        if check.after_blocks[1] > blocks:
            path = ("attention_checks", index, "after_blocks")
            problems.append(yaml.problem(path, f"the study has {blocks} blocks"))
    if problems:
        raise DefinitionError(problems)
    return StudyFolder(definition, settings, judge, quality, rows, notices)


@transaction.atomic
def load_folder(folder: StudyFolder) -> Loaded:
    """Write a checked folder: study, judge and rules, all or nothing."""
    loaded = load_study(definition=folder.definition, settings=folder.settings, rows=folder.rows)
    configure_judge(loaded.study, folder.judge)
    set_rules(study=loaded.study, rules=folder.quality)
    return loaded
