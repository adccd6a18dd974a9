"""The texts of a study that participants read, each with its key. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from survey.definition.language import NAMES
from survey.definition.study import StudyDefinition
from survey.files.yaml_file import KeyPath

#: Keys whose values are not texts.
CHOICES = frozenset(["language", "response_format", "response_labels", "order"])


def visible_texts(
    definition: StudyDefinition, translations: Sequence[StudyDefinition] = ()
) -> Iterator[tuple[KeyPath, str]]:
    """Every text with its key, in each language; a text written once comes once."""
    seen: set[tuple[KeyPath, str]] = set()
    for version in (definition, *translations):
        for path, text in _texts(version.model_dump(mode="json")):
            if (path, text) not in seen:
                seen.add((path, text))
                yield ((*path, version.language) if translations else path), text


def _texts(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in NAMES | CHOICES:
                yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))
