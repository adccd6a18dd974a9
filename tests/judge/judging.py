"""Judges for tests, and what became of their calls."""

import json
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from judge.configure import configure_judge
from judge.definition import JudgeDefinition
from judge.models import Attempt, Judge
from judge.queries import Progress, progress
from survey.definition import YamlFile, read_responses
from survey.definition.study import StudyDefinition
from survey.loading import load_study
from survey.models import Study
from tests.survey.small_study import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
TIDE_RESPONSES = ROOT.parent / "shared" / "tide" / "responses.csv"
TIDE_YAML = ROOT / "examples" / "tide" / "study.yaml"


def describe(study: Study, **definition: Any) -> Judge:
    """The judge that a study's file would describe so."""
    return configure_judge(study, JudgeDefinition(**definition))


def load_published_study() -> Study:
    """The published study: 6 scenarios, 102 distinct responses."""
    yaml = YamlFile.read(TIDE_YAML)
    keys = set(StudyDefinition.model_fields)
    plain = {key: value for key, value in yaml.plain().items() if key in keys}
    definition = yaml.check(StudyDefinition, plain)
    rows, _ = read_responses(TIDE_RESPONSES, definition)
    return load_study(definition=definition, settings=SETTINGS, rows=rows).study


def counts(judge: Judge) -> dict[str, int]:
    """A judge's calls by state, without the states that no call is in."""
    now: Progress = progress(judge)
    states = ("answered", "failed", "waiting", "running")
    return {state: getattr(now, state) for state in states if getattr(now, state)}


def outcomes(judge: Judge) -> dict[str, int]:
    """How many attempts ended how."""
    found = Attempt.objects.filter(call__judge=judge).values_list("outcome", flat=True)
    return dict(Counter(found))


def server_log(base_url: str) -> list[dict[str, Any]]:
    """What a faulty judge in another process received."""
    with urlopen(base_url.removesuffix("/v1") + "/log") as response:
        entries: list[dict[str, Any]] = json.load(response)
    return entries
