"""What a metric is, and what a study may choose for metrics.

A metric gives each text one number. It takes a DataFrame with one row for each response:

| column | content |
|---|---|
| `response` | its name, unique |
| `text` | the response |
| `prompt` | what it answers |
| `reference` | the reference text of its scenario, or None |
| `language` | a tag such as `en` or `zh-Hans` |
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
from pandas import DataFrame, Series

from analysis.metric_labels import LABELS
from analysis.metrics.lexicon import Lexicon, shipped_lexicons
from analysis.not_computed import NotComputed
from survey.definition.text_language import base

COLUMNS = ("response", "text", "prompt", "reference", "language")
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TokenVectors:
    """The vectors of a text's tokens (n × d); `special` marks those that a model adds."""

    vectors: npt.NDArray[np.floating]
    special: npt.NDArray[np.bool_]


class SentenceEmbedder(Protocol):
    """Gives a text one vector. `settings` say all that its vectors depend on.

    `score` asks for some texts at a time, and for a reference again with later ones: an embedder
    whose calls cost time or money keeps its vectors.
    """

    @property
    def settings(self) -> Mapping[str, object]: ...

    def sentence(self, texts: Sequence[str]) -> Matrix:
        """A row for each text, in their order."""
        ...


class TokenEmbedder(Protocol):
    """Gives each token of a text a vector."""

    @property
    def settings(self) -> Mapping[str, object]: ...

    def tokens(self, text: str) -> TokenVectors: ...


class PerplexitySource(Protocol):
    """Gives texts their perplexity. `settings` say all that it depends on."""

    @property
    def settings(self) -> Mapping[str, object]: ...

    def perplexity(self, texts: DataFrame) -> "Series[float]":
        """A value (float64, NaN where there is none) for each row, indexed like the rows."""
        ...


class Embedder(SentenceEmbedder, TokenEmbedder, Protocol):
    """Does both."""


@dataclass(frozen=True)
class MetricSettings:
    """What a study may choose. `wordnet` is a folder with the files of a WordNet database.

    `lexicons` are by language, and `phrases` what counts as a stock phrase.
    """

    phrases: tuple[str, ...] = ()
    wordnet: Path | None = None
    sentence_model: SentenceEmbedder | None = None
    token_model: TokenEmbedder | None = None
    perplexity_source: PerplexitySource | None = None
    lexicons: Mapping[str, Lexicon] = field(default_factory=shipped_lexicons)


@dataclass(frozen=True)
class Metric:
    """A metric: what it is called, what it means, and how it is computed.

    `of_texts` gives a value (float64) for each row, indexed like the rows; NaN where there is none.
    `of_corpus` gives all texts of a group one value. `higher` says what a higher value means.
    `needs` names a field of `MetricSettings` that must be given. Where `of_all` is true, a value
    depends on the other texts, too. `not_for` says why texts in a language (`zh`) have no value;
    empty where they have one.
    """

    name: str
    meaning: str
    higher: str
    of_texts: Callable[[DataFrame, MetricSettings], "Series[float]"]
    chosen: Callable[[MetricSettings], Mapping[str, object]]
    package: str = ""
    needs_reference: bool = False
    needs: str = ""
    of_all: bool = False
    of_corpus: Callable[[DataFrame], float] | None = None
    not_for: "Callable[[str, MetricSettings], str]" = lambda language, settings: ""

    @property
    def label(self) -> str:
        """Its name for people."""
        return LABELS[self.name]

    @property
    def version(self) -> str:
        """Of the package; empty for code of ours."""
        return version(self.package) if self.package else ""

    def recorded(self, settings: MetricSettings) -> dict[str, object]:
        """Package, version and settings: with the texts they determine every value."""
        self.check(settings)
        return {
            "package": self.package,
            "version": self.version,
            "settings": dict(self.chosen(settings)),
        }

    def of_measured(self, texts: DataFrame, settings: MetricSettings) -> "Series[float]":
        """`of_texts`, and NaN for texts in a language that it does not measure."""
        measured = texts[self.measures(texts, settings)]
        if measured.empty:
            return Series(np.nan, index=texts.index, dtype="float64")
        return self.of_texts(measured, settings).reindex(texts.index)

    def measures(self, texts: DataFrame, settings: MetricSettings) -> "Series[bool]":
        """Whether it measures the language of each row."""
        is_measured = [not self.not_for(base(each), settings) for each in texts["language"]]
        return Series(is_measured, index=texts.index, dtype=bool)

    def check(self, settings: MetricSettings) -> None:
        """Raise NotComputed if what it needs is not given."""
        if self.needs and not getattr(settings, self.needs):
            raise NotComputed(f"{self.name} needs {self.needs}, which is not given")


def of_each(texts: DataFrame, measure: Callable[[str, str], float]) -> "Series[float]":
    """`measure` of each text and its language."""
    values = [measure(*row) for row in zip(texts["text"], texts["language"], strict=True)]
    return Series(values, index=texts.index, dtype="float64")


def of_pairs(texts: DataFrame, measure: Callable[[str, str, str], float]) -> "Series[float]":
    """`measure` of each text, its reference and its language; NaN without a reference."""
    rows = zip(texts["text"], texts["reference"], texts["language"], strict=True)
    values = [
        measure(text, reference, language) if isinstance(reference, str) else np.nan
        for text, reference, language in rows
    ]
    return Series(values, index=texts.index, dtype="float64")


def chosen_lexicons(settings: MetricSettings) -> dict[str, object]:
    """The lexicon of each language, by its digest."""
    return {"lexicons": {name: one.digest for name, one in settings.lexicons.items()}}


def without_lexicon(language: str, settings: MetricSettings) -> str:
    """Why texts in a language have no markers and imperatives; empty where they have."""
    return "" if language in settings.lexicons else "there is no list of its words"
