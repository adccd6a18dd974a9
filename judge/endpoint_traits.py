"""What a model at an endpoint does not accept of requests: set in the environment, or found out."""

from datetime import datetime
from typing import Any

from judge.endpoints import EndpointHere
from judge.exchange import ExchangeFailed
from judge.models import Endpoint, EndpointTrait
from judge.storable import storable
from judge.traits import Trait, is_part_of


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


def was_found_since(endpoint: Endpoint, model: str, at: datetime) -> bool:
    """Whether a trait was found since then."""
    found = EndpointTrait.objects.filter(endpoint=endpoint, model=model)
    return found.filter(found_at__gte=at).exists()
