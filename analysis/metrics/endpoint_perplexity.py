"""Perplexity by an endpoint whose `/completions` returns a prompt's log-probabilities.

With `echo`, OpenAI's API of completions repeats the prompt before what it generates, and `logprobs`
then has the prompt's tokens too. vLLM does so; llama.cpp ignores `echo` and says nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from pandas import DataFrame, Series
from pydantic import BaseModel, FiniteFloat

from analysis.metrics.endpoint import EndpointClient, Indexed, in_order, read
from analysis.not_computed import NotComputed
from survey.batched import batched

#: Texts in one request.
BATCH = 8
#: Sent first: an endpoint that returns its tokens returns those of other prompts.
PROBE = "The doctor asked how I had slept, and I told her."
#: Between the prompt and the response.
BETWEEN = "\n\n"


class _Logprobs(BaseModel):
    """Empty in other forms, such as llama.cpp's for what it generates."""

    tokens: list[str] = []
    token_logprobs: list[FiniteFloat | None] = []


class _EchoedText(Indexed):
    logprobs: _Logprobs | None = None


class _Completions(BaseModel):
    choices: list[_EchoedText]
    model: str | None = None


@dataclass(frozen=True)
class _Token:
    text: str
    #: Natural logarithm of its probability given the tokens before it; None for the first one.
    log_p: float | None


class EndpointPerplexity:
    """Perplexities by an endpoint's `model`: of the response alone, or given its prompt.

    Given the prompt, the model reads the prompt, an empty line and the response, and the tokens
    of the response count: those after the tokens that it has in common with the prompt and the
    empty line alone. So special tokens that the endpoint adds do not count. Alone, all tokens
    count but the first where the endpoint has no probability for it. There is no chat template.

    Raises NotComputed, before anything else is asked, for an endpoint that does not return the
    tokens of a prompt; later for an answer that lacks some. Passes on what `endpoint` raises.
    """

    def __init__(self, endpoint: EndpointClient, model: str, *, given_prompt: bool = False) -> None:
        self._endpoint, self._model, self._given_prompt = endpoint, model, given_prompt
        self._prompts: dict[str, list[_Token]] = {}
        self._answered_by: str | None = None
        self._probe()

    @property
    def settings(self) -> Mapping[str, object]:
        """All that is known here of what the values depend on."""
        return {
            "endpoint": self._endpoint.identity,
            "model": self._model,
            "answered_by": self._answered_by,
            "given_prompt": self._given_prompt,
        }

    def perplexity(self, texts: DataFrame) -> "Series[float]":
        """The value of each text, indexed like `texts`; NaN for a text without characters but
        spaces, and for one whose only token has no probability.
        """
        values = Series(np.nan, index=texts.index, dtype="float64")
        written = texts[texts["text"].str.strip() != ""]
        before = [self._before(prompt) for prompt in written["prompt"]]
        whole = [first + text for first, text in zip(before, written["text"], strict=True)]
        self._read_prompts(before)
        tokens = self._tokens(whole)
        for place, first, read_tokens in zip(written.index, before, tokens, strict=True):
            values[place] = _perplexity(read_tokens, self._prompts.get(first, []))
        return values

    def _before(self, prompt: str) -> str:
        """What the model reads before a response."""
        return f"{prompt}{BETWEEN}" if self._given_prompt else ""

    def _read_prompts(self, prompts: Sequence[str]) -> None:
        new = [each for each in dict.fromkeys(prompts) if each and each not in self._prompts]
        self._prompts |= zip(new, self._tokens(new), strict=True)

    def _tokens(self, texts: Sequence[str]) -> list[list[_Token]]:
        """The tokens of each text, with their log-probabilities."""
        return [tokens for batch in batched(texts, BATCH) for tokens in self._asked(batch)]

    def _asked(self, texts: list[str]) -> list[list[_Token]]:
        body = {"model": self._model, "prompt": texts, "echo": True, "logprobs": 1}
        answer = self._endpoint.post("/completions", body | {"max_tokens": 0, "temperature": 0})
        found = read(answer, _Completions, endpoint=self._endpoint, what="completions")
        choices = in_order(found.choices)
        if len(choices) != len(texts):
            raise self._problem(f"{len(choices)} answers to {len(texts)} texts")
        self._answered_by = self._answered_by or found.model
        if found.model != self._answered_by:
            raise self._problem(f"by {found.model!r} after {self._answered_by!r}: two models")
        return [self._read(choice.logprobs) for choice in choices]

    def _read(self, logprobs: _Logprobs | None) -> list[_Token]:
        if logprobs is None:
            return []
        pairs = zip(logprobs.tokens, logprobs.token_logprobs, strict=False)
        tokens = [_Token(*pair) for pair in pairs]
        if len(logprobs.token_logprobs) != len(logprobs.tokens):
            raise self._problem("another number of log-probabilities than of tokens")
        if without := [each.text for each in tokens[1:] if each.log_p is None]:
            raise self._problem(f"no log-probability for the token {without[0]!r}")
        return tokens

    def _probe(self) -> None:
        """Raise NotComputed if the endpoint does not return just the tokens of PROBE."""
        (tokens,) = self._asked([PROBE])
        returned = _letters("".join(token.text for token in tokens))
        if not returned.endswith(_letters(PROBE)):
            raise NotComputed(
                f"{self._endpoint.identity} does not return the log-probabilities of a prompt's "
                f"tokens for {self._model!r}: it ignores `echo`, as llama.cpp does. Use another "
                "endpoint, such as vLLM's, or import perplexities from a file"
            )

    def _problem(self, what: str) -> NotComputed:
        return NotComputed(f"the tokens of {self._model!r} at {self._endpoint.identity}: {what}")


def _perplexity(tokens: Sequence[_Token], prompt: Sequence[_Token]) -> float:
    pairs = zip(tokens, prompt, strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0].text == pair[1].text, pairs))
    own = [each.log_p for each in tokens[common:] if each.log_p is not None]
    return float(np.exp(-np.mean(own))) if own else np.nan


def _letters(text: str) -> str:
    """Its letters alone: some tokenizers write spaces in their own way."""
    return re.sub("[^a-z]", "", text.lower())
