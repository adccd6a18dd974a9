"""What a study is, read from its files. Pure: text in, checked values or problems out."""

from survey.definition.responses import ResponseRow, read_responses
from survey.definition.study import StudyDefinition

__all__ = ["ResponseRow", "StudyDefinition", "read_responses"]
