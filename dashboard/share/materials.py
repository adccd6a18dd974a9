"""A study as files that others may have: study.yaml without what is private, and responses.csv
where the study shares its texts. `load_study` reads both together.
"""

from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from analysis.quality_rules import QualityRules
from judge.definition import NO_JUDGE
from judge.models import Judging
from survey.definition.responses import LANGUAGE
from survey.definition.settings import Settings
from survey.files.csv_text import csv_lines
from survey.models import Study
from survey.tidy import definition_of, response_rows

#: Sections that may change while a study runs and that others may read: a new one is private until
#: it is named here. Of the recruiting site only what decides which ending people see is public, and
#: of the datasheet all but who answers for it.
PUBLIC = (
    "ways_in", "places", "withdrawal_key_days", "labels", "composites", "repeats", "models",
    "preregistration", "share", LANGUAGE,
)  # fmt: skip
OF_PROLIFIC = ("failed_attention_from",)
NOT_OF_DATASHEET = ("completed_by", "contact")
NOT_OF_JUDGING = ("budget",)
LEFT_OUT = (
    "# Left out: completion codes and all else about the recruiting site, budgets, and who answers",
    "# for the datasheet.",
)
NOT_SHARED = "[not shared]"
#: What `ResponseRow` calls them. The last is there if a response has one.
COLUMNS = {
    "scenario": "scenario", "set": "set_name", "prompt": "prompt", "context": "context",
    "model": "model", "condition": "condition", "response": "text", LANGUAGE: "language",
}  # fmt: skip
#: Texts that older YAML takes for true and false.
TRUTHS = {"y", "yes", "n", "no", "true", "false", "on", "off"}


def write_materials(study: Study, rules: QualityRules, folder: Path) -> None:
    """Write study.yaml and, where the study shares them, responses.csv into `folder`."""
    (folder / "study.yaml").write_text(study_yaml(study, rules), encoding="utf-8")
    if Settings.model_validate(study.settings).share.responses:
        rows = response_rows(study)
        columns = [name for name in COLUMNS if name != LANGUAGE or any(r.language for r in rows)]
        with (folder / "responses.csv").open("w", encoding="utf-8", newline="") as file:
            cells = ([getattr(row, COLUMNS[name]) for name in columns] for row in rows)
            file.writelines(csv_lines(columns, cells))


def study_yaml(study: Study, rules: QualityRules) -> str:
    """The study's file without what is private; `rules` are its section `quality`."""
    settings = Settings.model_validate(study.settings)
    content = {
        **_given(_content(study, texts=settings.share.responses)),
        **_settings(settings),
        **_judging(study),
        "quality": rules.model_dump(mode="json"),
    }
    yaml, text = YAML(), StringIO()
    yaml.width = 100
    yaml.dump(_readable(content), text)
    head = [f"# The study {study}, written by Fivefold.", *LEFT_OUT]
    if not settings.share.responses:
        head += [
            f"# The texts of prompts and responses are not shared: here they are {NOT_SHARED}."
        ]
    return "\n".join([*head, "", text.getvalue()])


def _content(study: Study, *, texts: bool) -> dict[str, Any]:
    """What participants see, in all languages."""
    main = definition_of(study)
    by_language = {main.language: study.definition, **study.translations}
    content: dict[str, Any] = _in_languages(by_language)
    content["language"] = list(by_language) if study.translations else main.language
    if main.training is not None and not texts:
        content["training"] = content["training"] | {
            "items": [_without_texts(item) for item in content["training"]["items"]]
        }
    return content


def _in_languages(values: Mapping[str, Any]) -> Any:
    """One value from those in each language: texts that differ by their language."""
    first, *others = values.values()
    if all(other == first for other in others):
        return first
    if isinstance(first, dict):
        keys = dict.fromkeys(key for value in values.values() for key in value)
        return {
            key: _in_languages({language: value.get(key) for language, value in values.items()})
            for key in keys
        }
    if isinstance(first, list):
        return [
            _in_languages({language: value[place] for language, value in values.items()})
            for place in range(len(first))
        ]
    return dict(values)


def _without_texts(item: dict[str, Any]) -> dict[str, Any]:
    """A training item without its prompt, context and responses, and why these are rated so."""
    context = {"context": NOT_SHARED} if item.get("context") else {}
    responses = [{**given, "text": NOT_SHARED, "why": None} for given in item["responses"]]
    return {**item, "prompt": NOT_SHARED, **context, "responses": responses}


def _settings(settings: Settings) -> dict[str, Any]:
    dumped = settings.model_dump(mode="json", exclude_defaults=True)
    prolific, datasheet = dumped.get("prolific") or {}, dumped.get("datasheet") or {}
    shared = {key: dumped[key] for key in PUBLIC if key in dumped}
    shared["prolific"] = {key: prolific[key] for key in OF_PROLIFIC if key in prolific}
    shared["datasheet"] = {k: said for k, said in datasheet.items() if k not in NOT_OF_DATASHEET}
    return {key: value for key, value in shared.items() if value != {}}


def _judging(study: Study) -> dict[str, Any]:
    judging = Judging.objects.filter(study=study).first()
    if judging is None or definition_of(study).rating is None:
        return {}
    dumped = judging.read_definition().model_dump(mode="json", exclude_defaults=True)
    given = {key: value for key, value in dumped.items() if key not in NOT_OF_JUDGING}
    if given == {"judges": []}:
        return {"judging": NO_JUDGE}
    return {"judging": given} if given else {}


def _given(value: Any) -> Any:
    """What participants see, without keys that are not given."""
    if isinstance(value, dict):
        given = {key: _given(item) for key, item in value.items()}
        return {key: item for key, item in given.items() if item is not None and item != []}
    if isinstance(value, list):
        return [_given(item) for item in value]
    return value


def _readable(value: Any) -> Any:
    """Texts of several lines as such, and none that a program could take for true or false."""
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_readable(item) for item in value]
    if isinstance(value, str) and "\n" in value:
        return LiteralScalarString(value)
    if isinstance(value, str) and value.casefold() in TRUTHS:
        return DoubleQuotedScalarString(value)
    return value
