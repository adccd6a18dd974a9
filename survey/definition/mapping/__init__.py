"""Mapping files: where the tables of other tools have what our columns ask for. Pure."""

from survey.definition.mapping.mapped_table import MappedTable
from survey.definition.mapping.schema import FileName
from survey.definition.mapping.study_map import Known, StudyMap

__all__ = ["FileName", "Known", "MappedTable", "StudyMap"]
