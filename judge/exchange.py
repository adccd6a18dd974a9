"""What goes to an endpoint and what comes back, whichever client carries it. Pure."""

from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Reply:
    """A completion, as the endpoint wrote it."""

    text: str
    #: Whether the endpoint stopped it for its length.
    cut_off: bool
    model: str
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
