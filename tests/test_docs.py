"""The documentation knows every key that a study file may have."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from django.core.management import get_commands, load_command_class
from pydantic import BaseModel
from ruamel.yaml import YAML

from analysis.quality_rules import QualityRules
from judge.definition import JudgingDefinition
from survey.definition import StudyDefinition
from survey.definition.settings import Settings

ROOT = Path(__file__).parents[1]
DOCS = (ROOT / "docs" / "study-files.md").read_text()


def keys_of(schema: type[BaseModel]) -> Iterator[str]:
    for name, field in schema.model_fields.items():
        yield name
        yield from keys_inside(field.annotation)


def keys_inside(annotation: Any) -> Iterator[str]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from keys_of(annotation)
    for part in get_args(annotation):
        yield from keys_inside(part)


@pytest.mark.parametrize("schema", [StudyDefinition, Settings, JudgingDefinition, QualityRules])
def test_every_key_is_documented(schema: type[BaseModel]) -> None:
    undocumented = sorted(
        {key for key in keys_of(schema) if not any(mark in DOCS for mark in marks(key))}
    )
    assert undocumented == []


def marks(key: str) -> list[str]:
    """How a key stands in the text: as `key`, `key: …`, or inside `{…}` and `[…]`."""
    return [f"`{key}`", f"`{key}:", f"{{{key}}}", f"{{{key},", f", {key}}}"]


def test_the_filter_that_holds_without_a_section_is_documented() -> None:
    section = re.search(r"(?m)^    quality:\n(?:      .+\n)+", DOCS)
    assert section
    written = YAML(typ="safe").load(section[0])["quality"]
    assert written == QualityRules().model_dump(mode="json")


#: `manage judge my-slug --wait`, in the text or in a block; a quoted shell command ends it.
WRITTEN = re.compile(r"(?<![\w/-])manage(?:\.py)? ([a-z_]+)((?: +[^`|;&\n]*)?)")


@pytest.mark.parametrize(
    "document", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda d: d.name
)
def test_commands_in_the_text_exist_with_their_options(document: Path) -> None:
    apps = get_commands()
    for name, rest in WRITTEN.findall(document.read_text().replace("\\\n", " ")):
        if name not in apps and not rest.strip():
            continue  # prose
        command = load_command_class(str(apps[name]), name)
        known = command.create_parser("manage.py", name)._option_string_actions
        assert set(re.findall(r"(?<!\S)--[a-z-]+", rest)) <= set(known), name
