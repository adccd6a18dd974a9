"""A trained scorer as it is kept: numbers in JSON, nothing that runs when it is read."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas import DataFrame
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from analysis.metrics.metric import SentenceEmbedder
from analysis.not_computed import NotComputed

#: Settings of vectors that do not change them: versions of what computes them.
VERSIONS = ("package", "onnxruntime", "tokenizers")


class FittedHead(BaseModel):
    """Of one dimension. `half_width` is half the prediction interval; None with too few texts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: list[FiniteFloat] = Field(min_length=1)
    intercept: FiniteFloat
    penalty: FiniteFloat | None
    half_width: FiniteFloat | None
    texts: int


class FittedScorer(BaseModel):
    """Scores texts on each of its dimensions.

    `low` and `high` are the ends of the scale, which no score leaves. `vectors` are the settings of
    the embedder that it was trained with. `fingerprint` is the SHA-256 of data, vectors, settings
    and software: equal fingerprints give equal scores.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    head: str
    confidence: float = Field(gt=0, lt=1)
    low: FiniteFloat
    high: FiniteFloat
    vectors: dict[str, Any]
    dimensions: dict[str, FittedHead] = Field(min_length=1)
    fingerprint: str
    trained_on: dict[str, Any]

    def scores(self, texts: Sequence[str], embedder: SentenceEmbedder) -> DataFrame:
        """A row for each text (at least one) and dimension, in their order: `text` (from 0),
        `dimension`, `score`, `low` and `high` (NaN where there is no interval).

        Raises NotComputed where the embedder is not the one of the training.
        """
        self.check(embedder)
        vectors = embedder.sentence(texts)
        n = len(next(iter(self.dimensions.values())).weights)
        if vectors.shape[1] != n:
            raise NotComputed(f"the scorer takes vectors of {n} numbers, not {vectors.shape[1]}")
        parts = []
        for name, head in self.dimensions.items():
            value = vectors @ np.array(head.weights) + head.intercept
            half = np.nan if head.half_width is None else head.half_width
            inside = {
                column: np.clip(each, self.low, self.high)
                for column, each in (
                    ("score", value),
                    ("low", value - half),
                    ("high", value + half),
                )
            }
            parts.append(DataFrame({"text": range(len(texts)), "dimension": name} | inside))
        return pd.concat(parts).sort_values("text", kind="stable", ignore_index=True)

    def check(self, embedder: SentenceEmbedder) -> None:
        """Raise NotComputed where an embedder is not the one of the training."""
        here, there = (_lasting(each) for each in (embedder.settings, self.vectors))
        if here != there:
            raise NotComputed(
                f"the scorer was trained on other vectors ({_short(there)}) than those given "
                f"({_short(here)}): give it the same, or train it again"
            )

    def as_json(self) -> str:
        """The scorer as a file has it."""
        return self.model_dump_json(indent=1) + "\n"


def read_scorer(content: str | bytes, name: str) -> FittedScorer:
    """The scorer in a file called `name`. Raises NotComputed, in one line, for anything else."""
    try:
        scorer = FittedScorer.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise NotComputed(f"{name} is no scorer: {where}: {first['msg']}") from None
    if len({len(head.weights) for head in scorer.dimensions.values()}) > 1:
        raise NotComputed(f"{name} is no scorer: its dimensions have different numbers of weights")
    return scorer


def _lasting(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON gives them back, without versions."""
    kept = {name: value for name, value in settings.items() if name not in VERSIONS}
    back: dict[str, Any] = json.loads(json.dumps(kept))
    return back


def _short(settings: Mapping[str, Any]) -> str:
    names = ("vectors", "model", "answered_by", "model_sha256")
    return ", ".join(str(settings[name])[:40] for name in names if name in settings) or "unknown"
