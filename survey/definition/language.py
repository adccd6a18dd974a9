"""One study file, several languages: a text may be a mapping from language to text."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import StringConstraints

from survey.definition.parts import refuse_repeats

#: The form and the longest length of a language's tag as Django writes it: `en`, `zh-hans`.
TAG, LONGEST_TAG = r"^[a-z]{2,3}(-[a-z0-9]{2,8})*$", 20
LanguageCode = Annotated[str, StringConstraints(pattern=TAG, max_length=LONGEST_TAG)]

Path = tuple[str | int, ...]


def languages_of(plain: Mapping[str, Any]) -> list[str]:
    """The languages of a file, the main one first; `en` if it has none.

    Raises ValueError for anything but a language or a list of different languages.
    """
    named = plain.get("language", "en")
    languages = named if isinstance(named, list) else [named]
    if not languages or not all(isinstance(language, str) for language in languages):
        raise ValueError("give a language (en), or a list of them, the main one first ([en, fr])")
    refuse_repeats("language", languages)
    return languages


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
    """The problems of translated texts, each with its path."""
    if isinstance(value, Mapping):
        if _is_translated(value, languages):
            lacking = [
                (path, f"the text in {n!r} is missing") for n in languages if not value.get(n)
            ]
            strangers = [
                ((*path, key), "not one of the study's languages; they are listed under `language`")
                for key in value
                if key not in languages
            ]
            return lacking + strangers
        items: list[tuple[str | int, Any]] = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return []
    return [gap for key, item in items for gap in untranslated(item, languages, (*path, key))]


def _is_translated(value: Mapping[str, Any], languages: Sequence[str]) -> bool:
    """Whether a mapping is one text in several languages. Sets can also be called `en`, but their
    values are lists.
    """
    return any(key in languages for key in value) and all(
        text is None or isinstance(text, str) for text in value.values()
    )


#: Keys whose values are names, the same in every language.
NAMES = frozenset(
    [
        *("slug", "kind", "name", "dimension", "source", "column"),
        *("conditions", "condition_a", "condition_b", "reference", "sets"),
    ]
)


def renamed(main: Any, translated: Any, path: Path = ()) -> Path | None:
    """The path of a name that a translation changes as if it were a text, if any."""
    items: list[tuple[str | int, Any]] = []
    if isinstance(main, Mapping):
        items = list(main.items())
    elif isinstance(main, list):
        items = list(enumerate(main))
    for key, value in items:
        if key in NAMES and translated[key] != value:
            return (*path, key)
        changed = renamed(value, translated[key], (*path, key))
        if changed is not None:
            return changed
    return None
