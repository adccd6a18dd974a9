"""What a model at an endpoint does not accept of requests: set in the environment, or found out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from judge.endpoints import EndpointHere
from judge.exchange import ExchangeFailed
from judge.models import Endpoint, EndpointTrait
from judge.traits import INSTEAD, REFUSED, Trait, is_part_of
from survey.storable import storable


def traits_at(endpoint: Endpoint, model: str, here: EndpointHere) -> frozenset[Trait]:
    """What a model at an `endpoint`, which is set up `here`, does not accept."""
    stated = here.traits
    if stated is not None:
        return stated
    found = EndpointTrait.objects.filter(endpoint=endpoint, model=model)
    known = set(Trait)
    return frozenset(Trait(name) for name in found.values_list("trait", flat=True) if name in known)


def note_trait(
    endpoint: Endpoint,
    model: str,
    here: EndpointHere | None,
    failure: ExchangeFailed,
    body: dict[str, Any],
) -> bool:
    """Remember the trait that a `failure` of a request with this body shows, if it shows one: true,
    and the request is to be sent again, without what was refused. The endpoint is no longer set up
    if `here` is None.
    """
    trait = failure.trait
    if trait is None or not is_part_of(trait, body):
        return False
    stated = here.traits if here else None
    if stated is not None and trait not in stated:
        return False
    EndpointTrait.objects.get_or_create(
        endpoint=endpoint, model=model, trait=trait, defaults={"said": storable(str(failure))}
    )
    return True


@dataclass(frozen=True)
class NotAccepted:
    """A part of requests that an endpoint does not accept."""

    trait: Trait
    #: Its words; empty where it is set in the environment.
    said: str

    @property
    def refused(self) -> str:
        return REFUSED[self.trait]

    @property
    def instead(self) -> str:
        return INSTEAD[self.trait]

    def __str__(self) -> str:
        return f"{self.instead} ({self.said})" if self.said else self.instead


def not_accepted(endpoint: Endpoint, model: str, here: EndpointHere | None) -> list[NotAccepted]:
    """What a model at an endpoint does not accept, with its words; nothing if it is no longer set
    up.
    """
    traits = traits_at(endpoint, model, here) if here else frozenset()
    found = EndpointTrait.objects.filter(endpoint=endpoint, model=model)
    said = dict(found.values_list("trait", "said"))
    return [NotAccepted(trait, said.get(trait, "")) for trait in sorted(traits)]


def was_found_since(endpoint: Endpoint, model: str, at: datetime) -> bool:
    """Whether a trait was found since then."""
    found = EndpointTrait.objects.filter(endpoint=endpoint, model=model)
    return found.filter(found_at__gte=at).exists()
