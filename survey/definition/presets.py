"""Standard questions about the participant, which a study can ask by name.

Sex is worded as on Prolific; race has the categories of the US standards of 2024 (OMB SPD 15)
without the Hispanic one, which is a question of its own here; employment follows Prolific,
education common practice. Every answer is optional: a question without "Prefer not to answer" can
be left empty.
"""

from collections.abc import Mapping
from typing import Any

from survey.files.suggestions import did_you_mean

#: The name for all of them.
ALL = "default"
#: What may be said of a standard question without writing it out.
OF_STANDARD = {"name", "source", "column", "options"}

_ENGLISH: dict[str, dict[str, Any]] = {
    "age": {
        "kind": "integer",
        "question": "How old are you?",
        "hint": "In whole years. Leave this empty if you prefer not to answer.",
        "minimum": 18,
        "maximum": 110,
    },
    "sex": {
        "kind": "single",
        "question": "What is your sex, as recorded on legal or official documents?",
        "options": ["Female", "Male", "Prefer not to answer"],
    },
    "gender": {
        "kind": "single",
        "question": "Which of these best describes your gender?",
        "options": ["Woman", "Man", "Non-binary", "Another gender", "Prefer not to answer"],
    },
    "race": {
        "kind": "multiple",
        "question": "What is your race?",
        "hint": "Select all that apply, or none if you prefer not to answer.",
        "options": [
            "American Indian or Alaska Native",
            "Asian",
            "Black or African American",
            "Middle Eastern or North African",
            "Native Hawaiian or Pacific Islander",
            "White",
            "Another race",
            "Two or more races",
        ],
        "several": "Two or more races",
    },
    "hispanic": {
        "kind": "single",
        "question": "Are you of Hispanic, Latino or Spanish origin?",
        "options": ["Yes", "No", "Prefer not to answer"],
    },
    "education": {
        "kind": "single",
        "question": "What is the highest degree or level of school that you have completed?",
        "options": [
            "Less than high school",
            "High school diploma or GED",
            "Some college, but no degree",
            "Associate degree",
            "Bachelor's degree",
            "Master's degree",
            "Professional degree, such as MD or JD",
            "Doctorate",
            "Prefer not to answer",
        ],
    },
    "employment": {
        "kind": "single",
        "question": "Which of these best describes your employment at present?",
        "options": [
            "Working full-time",
            "Working part-time",
            "Starting a new job within the next month",
            "Unemployed and looking for work",
            "Not in paid work, such as homemaker, retired or disabled",
            "Student",
            "Other",
            "Prefer not to answer",
        ],
    },
    "state": {
        "kind": "us_state",
        "question": "In which state do you currently live?",
        "hint": "Leave this empty if you live outside the United States or prefer not to answer.",
    },
}
_CHINESE: dict[str, dict[str, Any]] = {
    "age": {"question": "您多大年龄？", "hint": "请填写周岁。如果不愿回答，可以留空。"},
    "sex": {
        "question": "您的法定证件上登记的性别是什么？",
        "options": ["女", "男", "不愿回答"],
    },
    "gender": {
        "question": "以下哪一项最符合您的性别认同？",
        "options": ["女性", "男性", "非二元性别", "其他性别", "不愿回答"],
    },
    "race": {
        "question": "您属于哪个种族？",
        "hint": "可以多选；如果不愿回答，可以不选。",
        "options": [
            "美洲印第安人或阿拉斯加原住民",
            "亚裔",
            "黑人或非裔美国人",
            "中东或北非裔",
            "夏威夷原住民或太平洋岛民",
            "白人",
            "其他种族",
            "两个或更多种族",
        ],
        "several": "两个或更多种族",
    },
    "hispanic": {
        "question": "您是西班牙裔或拉丁裔吗？",
        "options": ["是", "否", "不愿回答"],
    },
    "education": {
        "question": "您已完成的最高学历是什么？",
        "options": [
            "高中以下",
            "高中毕业或同等学历",
            "上过大学但没有学位",
            "专科学位",
            "学士学位",
            "硕士学位",
            "专业学位（如医学博士、法学博士）",
            "博士学位",
            "不愿回答",
        ],
    },
    "employment": {
        "question": "以下哪一项最符合您目前的就业状况？",
        "options": [
            "全职工作",
            "兼职工作",
            "一个月内将开始新工作",
            "失业，正在找工作",
            "没有从事有酬工作（如料理家务、退休、因残障无法工作）",
            "学生",
            "其他",
            "不愿回答",
        ],
    },
    "state": {
        "question": "您目前居住在美国的哪个州？",
        "hint": "如果您不住在美国，或不愿回答，可以留空。",
    },
}
_TRANSLATED = {"en": {}, "zh-hans": _CHINESE}


def with_presets(written: Any, language: str) -> Any:
    """The questions of a file, with the wording of those given by name only, or by name and source.

    Raises ValueError for an unknown name, or if there is no wording in `language`.
    """
    if written == ALL:
        written = list(_ENGLISH)
    if not isinstance(written, list) or not any(map(_is_standard, written)):
        return written
    if language not in _TRANSLATED:
        known = ", ".join(_TRANSLATED)
        raise ValueError(f"standard questions exist in {known}; write them out in {language!r}")
    return [_written_out(item, language) if _is_standard(item) else item for item in written]


def _is_standard(item: Any) -> bool:
    """Whether a question is given by its name, or by that and where its answers come from."""
    if isinstance(item, str):
        return True
    return isinstance(item, Mapping) and {"name", "source"} <= set(item) <= OF_STANDARD


def _written_out(item: str | Mapping[str, Any], language: str) -> dict[str, Any]:
    if isinstance(item, str):
        return _preset(item, language)
    return _preset(str(item["name"]), language) | dict(item)


def _preset(name: str, language: str) -> dict[str, Any]:
    if name not in _ENGLISH:
        known = ", ".join(_ENGLISH)
        near = did_you_mean(name, list(_ENGLISH))
        raise ValueError(f"there is no standard question {name!r}; choose one of {known}{near}")
    return {"name": name, **_ENGLISH[name], **_TRANSLATED[language].get(name, {})}
