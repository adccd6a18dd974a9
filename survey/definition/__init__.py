"""What a study is, read from its files. Pure: text in, checked values or problems out."""

from survey.definition.problems import DefinitionError, Problem
from survey.definition.responses import ResponseRow, read_responses
from survey.definition.study import StudyDefinition
from survey.definition.yaml_file import YamlFile

__all__ = [
    "DefinitionError",
    "Problem",
    "ResponseRow",
    "StudyDefinition",
    "YamlFile",
    "read_responses",
]
