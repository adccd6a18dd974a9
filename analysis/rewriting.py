"""Texts rewritten by a language model, for perturbations."""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from analysis.perturbations import Perturbation
from judge.endpoints import ready_endpoint
from judge.exchange import JudgeRequest
from judge.patient import PatientClient
from judge.seeds import own_seed

#: A model may think first, or repeat the tags of the prompt.
_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_TAGS = re.compile(r"\A\s*<text>\s*(.*?)\s*(?:</text>)?\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Rewriter:
    """A language model that rewrites one text at a time."""

    client: PatientClient
    model: str
    seed: int

    def of(self, perturbation: Perturbation, text: str, about: str) -> tuple[str, dict[str, Any]]:
        """The rewritten text, empty if there is none, and how it was made. Raises
        ExchangeFailed.
        """
        prompt = perturbation.prompt(text)
        seed = own_seed(self.seed, about=[about], dimension=perturbation.name, replicate=0)
        reply = self.client.ask(
            JudgeRequest(
                id=str(uuid4()),
                model=self.model,
                messages=[{"role": "user", "content": prompt}],
                temperature=0.0,
                max_tokens=None,
                seed=seed,
            )
        )
        rewritten = "" if reply.cut_off else _without_tags(reply.text)
        return rewritten, {
            "by": self.model,
            "endpoint": self.client.identity,
            "answered_by": reply.model,
            "temperature": 0.0,
            "seed": seed,
            "prompt_sha256": hashlib.sha256(prompt.encode()).hexdigest(),
            "response_id": reply.provenance.get("response_id"),
        }


def _without_tags(answer: str) -> str:
    text = _THINKING.sub("", answer).strip()
    tagged = _TAGS.match(text)
    return tagged[1].strip() if tagged else text


@contextmanager
def rewriter(
    endpoint: str,
    model: str,
    *,
    seed: int,
    while_waiting: Callable[[], None],
    before_request: Callable[[], None],
) -> Iterator[Rewriter]:
    """The model at an endpoint of judges, by name. Raises JudgeNotReady and ValueError."""
    if not endpoint or not model:
        missing = "model" if endpoint else "endpoint"
        raise ValueError(f"rewriting needs an endpoint and a model: name the {missing}, too")
    client = PatientClient(
        ready_endpoint(endpoint),
        model_source="the model that rewrites",
        while_waiting=while_waiting,
        before_request=before_request,
    )
    with closing(client):
        yield Rewriter(client, model, seed)
