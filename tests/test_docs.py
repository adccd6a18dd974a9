"""The documentation knows every key that a study file may have."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from ruamel.yaml import YAML

from analysis.quality_rules import QualityRules
from judge.definition import JudgingDefinition
from survey.definition import StudyDefinition
from survey.definition.settings import Settings

DOCS = (Path(__file__).parents[1] / "docs" / "study-files.md").read_text()


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
