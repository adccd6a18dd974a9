"""The parts of addresses that the dashboard's pages take."""

from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter

from survey.queries import STUDY_NAME


class StudyName(StringConverter):
    """`slug` or `slug@version`; anything else is not found without a look at the database."""

    regex = STUDY_NAME.pattern


class JudgeKey(StringConverter):
    """A version of a judge, such as `llama@2`."""

    regex = r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}@[1-9][0-9]{0,8}"


class NumberConverter(IntConverter):
    """A number that a database can look for; a longer one is not found."""

    regex = "[0-9]{1,18}"


register_converter(StudyName, "study")
register_converter(JudgeKey, "judge")
register_converter(NumberConverter, "number")
