"""Vectors of texts that need no model: hashed words and characters, and how long the text is."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from analysis.metrics.metric import Matrix
from analysis.metrics.words import words

#: Places for words and for sequences of characters. A power of two, as hashing is fastest with.
PLACES = 512
#: A text of about this many words has a length of 1, near that of its other parts.
WORDS_OF_ONE = 50


class NgramVectors:
    """A vector of 2 × 512 + 2 numbers for each text, whatever other texts there are.

    Words and pairs of words, and sequences of 3 to 5 characters inside words, are hashed with a
    sign to 512 places each (scikit-learn's HashingVectorizer) and have length 1; two more numbers
    are ln(1 + words) and ln(1 + characters), divided so that they are near 1 for usual texts. Case
    and spaces do not count. Nothing is learned from texts, so no held-out text can leak into it.
    """

    @property
    def settings(self) -> Mapping[str, object]:
        """All that the vectors depend on."""
        return {
            "vectors": "hashed n-grams",
            "words": [1, 2],
            "characters": [3, 5],
            "places": PLACES,
            "length": ["ln(1 + words)", "ln(1 + characters)"],
            "package": f"scikit-learn {version('scikit-learn')}",
        }

    @cached_property
    def _vectorizers(self) -> list[Any]:
        from sklearn.feature_extraction.text import HashingVectorizer

        return [
            HashingVectorizer(
                n_features=PLACES, tokenizer=words, token_pattern=None, ngram_range=(1, 2)
            ),
            HashingVectorizer(n_features=PLACES, analyzer="char_wb", ngram_range=(3, 5)),
        ]

    def sentence(self, texts: Sequence[str]) -> Matrix:
        """A row for each text (n × 1,026)."""
        lower = [text.lower() for text in texts]
        parts = [vectorizer.transform(lower).toarray() for vectorizer in self._vectorizers]
        lengths = [
            [np.log1p(len(words(text))), np.log1p(len("".join(text.split())))] for text in lower
        ]
        one = [np.log1p(WORDS_OF_ONE), np.log1p(5 * WORDS_OF_ONE)]
        return np.hstack([*parts, np.array(lengths).reshape(len(texts), 2) / one])
