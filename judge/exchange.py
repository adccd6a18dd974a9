"""Requests to an endpoint and its answers, for any client. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Any

from judge.completions import ReadCompletion
from judge.prompts import Message
from judge.traits import Trait, adapted
from survey.refusals import RefusalKind, RequestRefused


@dataclass(frozen=True)
class JudgeRequest:
    """One question to a judge; `id` is sent too, so a server's log can be matched."""

    id: str
    model: str
    messages: list[Message]
    temperature: float | None
    max_tokens: int | None
    seed: int | None
    #: The JSON schema for the answer; None if the endpoint does not support it.
    schema: dict[str, Any] | None = None
    #: Sent unchanged.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: What the endpoint does not accept: something else is sent instead.
    traits: frozenset[Trait] = frozenset()

    def body(self) -> dict[str, Any]:
        """The request's exact JSON."""
        given = {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
        }
        body: dict[str, Any] = {"model": self.model, "messages": self.messages}
        body |= {name: value for name, value in given.items() if value is not None}
        if self.schema is not None:
            schema = {"name": "answer", "strict": True, "schema": self.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return adapted(body | dict(self.options), sorted(self.traits))


@dataclass(frozen=True)
class Tokens:
    """What an answer is billed for. `completion` includes reasoning, `prompt` what was cached."""

    prompt: int
    completion: int
    cached: int = 0


@dataclass(frozen=True)
class Reply:
    """A completion from an endpoint."""

    #: What the model wrote, as received.
    text: str
    #: The same, read.
    said: ReadCompletion
    model: str
    #: US dollars, if the endpoint reports them.
    cost: Decimal | None = None
    tokens: Tokens | None = None
    provenance: dict[str, Any] = field(default_factory=dict)


class Scope(Enum):
    """The scope of a failure."""

    #: Temporary: the same request is sent again later.
    TEMPORARY = "temporary"
    #: The endpoint will not accept this request.
    REQUEST = "request"
    #: The endpoint would accept no request of this judge.
    JUDGE = "judge"


class ExchangeFailed(RequestRefused):
    """No completion was received. The message is for people; `body` is the endpoint's answer."""

    kind = RefusalKind.LATER

    def __init__(
        self,
        message: str,
        *,
        outcome: str,
        scope: Scope = Scope.TEMPORARY,
        status: int | None = None,
        body: str = "",
        retry_after: float | None = None,
        trait: Trait | None = None,
    ) -> None:
        super().__init__(message)
        #: A value of `Attempt.Outcome`.
        self.outcome = outcome
        self.scope = scope
        self.status = status
        self.body = body
        #: Seconds that the endpoint asked to wait.
        self.retry_after = retry_after
        #: What the endpoint seems not to accept of a request that has it.
        self.trait = trait
