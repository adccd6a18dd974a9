"""What goes to an endpoint and what comes back, whichever client carries it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Any

from judge.prompts import Message


@dataclass(frozen=True)
class Request:
    """One question to a judge; `id` is sent along, so that a server's log can be joined."""

    id: str
    model: str
    messages: list[Message]
    temperature: float | None
    max_tokens: int | None
    seed: int | None
    #: What the answer is held to; None where the endpoint can't.
    schema: dict[str, Any] | None = None
    #: Sent along as they are.
    options: Mapping[str, Any] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        """The request's JSON, to the letter."""
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
        return body | dict(self.options)


@dataclass(frozen=True)
class Reply:
    """A completion, as the endpoint wrote it."""

    text: str
    #: Whether the endpoint stopped it for its length.
    cut_off: bool
    model: str
    #: US dollars, where the endpoint says so.
    cost: Decimal | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    provenance: dict[str, Any] = field(default_factory=dict)


class Scope(Enum):
    """How far a failure reaches."""

    #: It may pass: the same request is sent again later.
    PASSING = "passing"
    #: The endpoint will not accept this request.
    REQUEST = "request"
    #: The endpoint would accept no request of this judge.
    JUDGE = "judge"


class ExchangeFailed(Exception):
    """No completion came back. The message is for people; `body` is what was sent instead."""

    def __init__(
        self,
        message: str,
        *,
        outcome: str,
        scope: Scope = Scope.PASSING,
        status: int | None = None,
        body: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        #: A value of `Attempt.Outcome`.
        self.outcome = outcome
        self.scope = scope
        self.status = status
        self.body = body
        #: Seconds the endpoint asked to wait.
        self.retry_after = retry_after
