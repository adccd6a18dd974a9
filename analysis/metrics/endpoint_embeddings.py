"""Sentence vectors from the `/embeddings` of an OpenAI-compatible endpoint."""

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import BaseModel, FiniteFloat

from analysis.metrics.endpoint import EndpointClient, Indexed, in_order, read
from analysis.metrics.metric import Matrix
from analysis.not_computed import NotComputed
from survey.batched import batched

#: Texts in one request: the default limit of text-embeddings-inference; others take more.
BATCH = 32
#: Embedded first, to learn what the endpoint answers before anything is computed.
PROBE = "How was your day?"


class _Embedding(Indexed):
    embedding: list[FiniteFloat]


class _Embeddings(BaseModel):
    data: list[_Embedding]
    model: str | None = None


class EndpointEmbedder:
    """Gives a text the vector that an endpoint's `model` has for it. Each text is sent once.

    Raises NotComputed for an answer without a vector for each text, for vectors of different
    lengths or of length 0, and for answers by different models; passes on what `endpoint` raises.
    """

    def __init__(self, endpoint: EndpointClient, model: str) -> None:
        self._endpoint, self._model = endpoint, model
        self._vectors: dict[str, Matrix] = {}
        #: As the endpoint calls it; some answer with their only model, whatever is asked for.
        self._answered_by: str | None = None
        self._dimensions = 0
        self.sentence([PROBE])

    @property
    def settings(self) -> Mapping[str, object]:
        """All that is known here of what the vectors depend on."""
        return {
            "endpoint": self._endpoint.identity,
            "model": self._model,
            "answered_by": self._answered_by,
            "dimensions": self._dimensions,
        }

    def sentence(self, texts: Sequence[str]) -> Matrix:
        """A row for each text (n × d), as the endpoint answered it."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        for batch in batched(new, BATCH):
            self._vectors |= zip(batch, self._asked(batch), strict=True)
        return np.array([self._vectors[text] for text in texts])

    def _asked(self, texts: list[str]) -> list[Matrix]:
        answer = self._endpoint.post("/embeddings", {"model": self._model, "input": texts})
        found = read(answer, _Embeddings, endpoint=self._endpoint, what="embeddings")
        data = in_order(found.data)
        if len(data) != len(texts):
            raise self._problem(f"{len(data)} vectors for {len(texts)} texts")
        vectors = [np.array(each.embedding, dtype="float64") for each in data]
        if not self._dimensions:
            self._dimensions, self._answered_by = len(vectors[0]), found.model
        for vector in vectors:
            if len(vector) != self._dimensions:
                raise self._problem(
                    f"a vector of {len(vector)} dimensions after one of {self._dimensions}"
                )
            if not vector.any():
                raise self._problem("a vector of zeros")
        if found.model != self._answered_by:
            raise self._problem(f"by {found.model!r} after {self._answered_by!r}: two models")
        return vectors

    def _problem(self, what: str) -> NotComputed:
        return NotComputed(
            f"the embeddings of {self._model!r} at {self._endpoint.identity}: {what}"
        )
