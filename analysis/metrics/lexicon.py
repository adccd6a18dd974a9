"""Lists of words of one language that markers and imperatives are found by: files to edit."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType

import regex
from pydantic import Field

from analysis.metrics.phrases import pattern_of, plain
from survey.definition.parts import Part, Text
from survey.definition.word_edges import UNSPACED
from survey.files.problems import DefinitionError, Problem
from survey.files.yaml_file import YamlFile

FOLDER = Path(__file__).parent / "lexicons"


class LexiconError(DefinitionError, ValueError):
    """A lexicon that can't be used: file, line and key of each problem."""


class LexiconFile(Part):
    """What a file has."""

    prescriptive: list[Text] = Field(min_length=1)
    affective: list[Text] = Field(min_length=1)
    imperative_lead_ins: list[Text] = Field(min_length=1)
    imperative_openers: list[Text] = Field(min_length=1)


@dataclass(frozen=True)
class Lexicon:
    """The lists of one language. `digest` is the SHA-256 of their file."""

    language: str
    lists: LexiconFile = field(repr=False)
    digest: str

    @cached_property
    def prescriptive(self) -> "regex.Pattern[str]":
        """Matches a phrase of advice, such as "you should"."""
        return pattern_of(self.lists.prescriptive)

    @cached_property
    def affective(self) -> "regex.Pattern[str]":
        """Matches a phrase about feelings, such as "I understand"."""
        return pattern_of(self.lists.affective)

    @cached_property
    def imperative(self) -> "regex.Pattern[str]":
        """Matches the beginning of an imperative sentence: lead-ins, then an opener."""
        lead_in = pattern_of(self.lists.imperative_lead_ins).pattern
        opener = pattern_of(self.lists.imperative_openers).pattern
        between = rf"[^\w\p{{M}}{UNSPACED}]*"
        return regex.compile(rf"(?V1)[\W\d]*(?:(?:{lead_in}){between})*(?:{opener})")


def read_lexicon(path: Path) -> Lexicon:
    """Read a YAML file of lists, which has the name of its language.

    Raises LexiconError, a ValueError, for a file that can't be read, an unknown or missing key, and
    an entry that is empty or repeated.
    """
    try:
        file = YamlFile.read(path)
        lists = file.check(LexiconFile, file.plain())
    except DefinitionError as error:
        raise LexiconError(error.problems) from None
    if repeated := [problem for key in LexiconFile.model_fields for problem in _repeats(file, key)]:
        raise LexiconError(repeated)
    return Lexicon(path.stem, lists, hashlib.sha256(path.read_bytes()).hexdigest())


def _repeats(file: YamlFile, key: str) -> list[Problem]:
    entries = [plain(entry) for entry in file.section(key)]
    return [
        file.problem((key, place), f"{entry!r} is repeated")
        for place, entry in enumerate(entries)
        if entry in entries[:place]
    ]


@cache
def shipped_lexicons() -> Mapping[str, Lexicon]:
    """Those in `lexicons/`, by language."""
    paths = sorted(FOLDER.glob("*.yaml"))
    return MappingProxyType({path.stem: read_lexicon(path) for path in paths})
