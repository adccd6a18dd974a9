"""METEOR: words matched with the reference, exactly, by their stem, or as synonyms.

A. Lavie & A. Agarwal (2007), METEOR: An automatic metric for MT evaluation with high levels of
correlation with human judgments. Computed by nltk. Synonyms need WordNet, which is never
downloaded: without a local folder there are none, and the name says so.
"""

import re
from functools import cache, partial
from typing import Any

from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings, of_pairs
from analysis.metrics.wordnet import wordnet_of
from analysis.metrics.words import not_split
from survey.definition.text_language import base
from survey.definition.word_edges import UNSPACED

_UNSPACED = re.compile(f"[{UNSPACED}]")
PARAMETERS = {"alpha": 0.9, "beta": 3.0, "gamma": 0.5}


class _NoSynonyms:
    """Stands where nltk expects WordNet."""

    def synsets(self, word: str) -> list[Any]:
        return []


class _Stems:
    """nltk's Porter stemmer, each word once. Words of other languages than English stay."""

    def __init__(self, language: str) -> None:
        from nltk.stem.porter import PorterStemmer

        self.stem = cache(PorterStemmer().stem) if language == "en" else str


@cache
def _stems(language: str) -> _Stems:
    return _Stems(language)


def tokens(text: str, language: str) -> list[str]:
    """Words and punctuation marks, by nltk's `wordpunct_tokenize`; in other languages than English,
    a character of a script without spaces is a token.
    """
    from nltk.tokenize import wordpunct_tokenize

    spaced = text if base(language) == "en" else _UNSPACED.sub(r" \g<0> ", text)
    return list(wordpunct_tokenize(spaced))


def meteor(text: str, reference: str, language: str, wordnet: Any = None) -> float:
    """METEOR of one text, from 0 to 1; 0 where no token matches. Synonyms are those of `wordnet`,
    a reader of nltk's, of English words; none without it.
    """
    from nltk.translate.meteor_score import single_meteor_score

    stems = _stems("en" if base(language) == "en" else "")
    score = single_meteor_score(
        tokens(reference, language),
        tokens(text, language),
        stemmer=stems,
        wordnet=wordnet or _NoSynonyms(),
        **PARAMETERS,
    )
    return float(score)


def _exact_and_stem(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    return of_pairs(texts, meteor)


def _with_synonyms(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    assert settings.wordnet
    return of_pairs(texts, partial(meteor, wordnet=wordnet_of(settings.wordnet).reader))


def _chosen(settings: MetricSettings) -> dict[str, object]:
    return {"matches": "exact + stem", "stemmer": "Porter", "tokens": "wordpunct", **PARAMETERS}


def _chosen_with_synonyms(settings: MetricSettings) -> dict[str, object]:
    assert settings.wordnet
    return _chosen(settings) | {
        "matches": "exact + stem + synonyms",
        "wordnet_sha256": wordnet_of(settings.wordnet).digest,
    }


_MEANING = (
    "Words matched with the reference ({}): F-score that weighs recall nine times as much as "
    "precision, less for matches in another order; from 0 to 1"
)
METEOR = Metric(
    name="meteor",
    meaning=_MEANING.format("exactly or by their stem"),
    higher="more alike",
    of_texts=_exact_and_stem,
    chosen=_chosen,
    not_for=not_split,
    package="nltk",
    needs_reference=True,
)
METEOR_SYNONYMS = Metric(
    name="meteor_synonyms",
    meaning=_MEANING.format("exactly, by their stem or as synonyms in WordNet"),
    higher="more alike",
    of_texts=_with_synonyms,
    chosen=_chosen_with_synonyms,
    not_for=lambda language, settings: "" if language == "en" else "WordNet is English",
    package="nltk",
    needs_reference=True,
    needs="wordnet",
)
