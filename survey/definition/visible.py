"""The texts of a study that participants read, each with its key. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

from survey.definition.language import NAMES
from survey.definition.parts import Part
from survey.definition.study import StudyDefinition
from survey.files.yaml_file import KeyPath


def visible_texts(
    definition: StudyDefinition, translations: Sequence[StudyDefinition] = ()
) -> Iterator[tuple[KeyPath, str]]:
    """Every text with its key, in each language; a text written once comes once."""
    seen: set[tuple[KeyPath, str]] = set()
    for version in (definition, *translations):
        for path, text in _texts(version):
            if (path, text) not in seen:
                seen.add((path, text))
                yield ((*path, version.language) if translations else path), text


def _texts(value: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Part):
        for key, about in type(value).model_fields.items():
            if key not in (*NAMES, "language") and not _is_choice(about.annotation):
                yield from _texts(getattr(value, key), (*path, key))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))


def _is_choice(annotation: object) -> bool:
    """Whether a key takes one of a few words, which participants do not read."""
    is_union = get_origin(annotation) in (Union, UnionType)
    types = get_args(annotation) if is_union else (annotation,)
    return all(get_origin(one) is Literal for one in types if one is not NoneType)
