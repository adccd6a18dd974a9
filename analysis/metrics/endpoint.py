"""What metrics ask of an endpoint with an OpenAI-compatible API, and how they read its answers."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from analysis.not_computed import NotComputed

Answer = TypeVar("Answer", bound=BaseModel)


class Indexed(BaseModel):
    """A part of an answer; `index` says to which of the texts that were sent it belongs."""

    index: int | None = None


Part = TypeVar("Part", bound=Indexed)


class EndpointClient(Protocol):
    """An endpoint at the address `identity`, such as `judge.patient.PatientClient`."""

    @property
    def identity(self) -> str: ...

    def post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """What it answers to `body`; raises judge.exchange.ExchangeFailed where it does not."""
        ...


def read(
    answer: Mapping[str, Any], form: type[Answer], *, endpoint: EndpointClient, what: str
) -> Answer:
    """An answer in its form. Raises NotComputed, which names the endpoint, for another one."""
    try:
        return form.model_validate(answer)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise NotComputed(
            f"{endpoint.identity} answered without {what} ({place}: {first['msg']})"
        ) from None


def in_order(parts: Sequence[Part]) -> list[Part]:
    """The parts in the order of their texts, each once; as they stand where none has an index."""
    by_index = {each.index: each for each in parts if each.index is not None}
    return [by_index[each] for each in sorted(by_index)] or list(parts)
