"""One study file, several languages: a text may be a mapping from language to text."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import StringConstraints

#: A language as Django names it: `en`, `zh-hans`.
LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[a-z0-9]{2,8})*$")]

Path = tuple[str | int, ...]


def languages_of(plain: Mapping[str, Any]) -> list[str]:
    """The languages that a file names, the main one first; `en` where it names none."""
    named = plain.get("language", "en")
    return list(named) if isinstance(named, list) else [named]


def in_language(value: Any, language: str, languages: Sequence[str]) -> Any:
    """`value` with each mapping from languages to texts replaced by its text in `language`."""
    if isinstance(value, Mapping):
        if _is_translated(value, languages):
            return value.get(language)
        return {key: in_language(item, language, languages) for key, item in value.items()}
    if isinstance(value, list):
        return [in_language(item, language, languages) for item in value]
    return value


def untranslated(value: Any, languages: Sequence[str], path: Path = ()) -> list[tuple[Path, str]]:
    """Where a text lacks one of the languages: its path, and which."""
    if isinstance(value, Mapping):
        if _is_translated(value, languages):
            return [(path, language) for language in languages if language not in value]
        items: list[tuple[str | int, Any]] = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return []
    return [gap for key, item in items for gap in untranslated(item, languages, (*path, key))]


def _is_translated(value: Mapping[str, Any], languages: Sequence[str]) -> bool:
    return bool(value) and set(value) <= set(languages)
