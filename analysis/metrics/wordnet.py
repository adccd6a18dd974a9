"""WordNet from a local folder, by nltk's reader. Nothing is downloaded."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from analysis.not_computed import NotComputed

_KINDS = ("adj", "adv", "noun", "verb")
#: What the reader opens to find synonyms.
FILES = (
    "lexnames",
    *(f"{part}.{kind}" for part in ("index", "data") for kind in _KINDS),
    *(f"{kind}.exc" for kind in _KINDS),
)


@dataclass(frozen=True)
class WordNet:
    """nltk's reader of a folder, and the SHA-256 of the files."""

    reader: Any
    digest: str


def wordnet_of(folder: Path) -> WordNet:
    """Read a folder once. Raises NotComputed, naming the folder, if it has no WordNet."""
    return _read(folder.resolve())


@cache
def _read(folder: Path) -> WordNet:
    if missing := [name for name in FILES if not (folder / name).is_file()]:
        raise NotComputed(f"{folder} has no WordNet database: {missing[0]} is missing")
    return WordNet(_reader(folder), _digest(folder))


def _reader(folder: Path) -> Any:
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader, WordNetError

    class EnglishWordNet(WordNetCorpusReader):  # type: ignore[misc]  # nltk has no types
        """Without other languages, for which nltk wants a second WordNet in its own folders."""

        def map_wn(self, version: str = "wordnet") -> Mapping[str, str]:
            return {}

    if str(folder) not in nltk.data.path:  # nltk opens files below these alone
        nltk.data.path.append(str(folder))
    try:
        reader = EnglishWordNet(str(folder), omw_reader=_NoOtherLanguages())
        reader.synsets("be")
    except (WordNetError, AssertionError, LookupError, OSError, StopIteration, ValueError) as error:
        message = f"{folder} has no WordNet database that nltk can read: {error}"
        raise NotComputed(message) from error
    return reader


class _NoOtherLanguages:
    """Keeps the reader from a warning about them."""


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in FILES:
        digest.update(name.encode() + b"\0" + (folder / name).read_bytes())
    return digest.hexdigest()
