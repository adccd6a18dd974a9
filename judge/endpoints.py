"""This installation's endpoints: addresses and keys from the environment."""

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from judge.configuration import JudgeConfiguration
from judge.definition import DEFAULT_ENDPOINT
from judge.prompts import FORMATS
from judge.traits import Trait, traits_of
from survey.refusals import Conflict


class JudgeNotReady(Conflict):
    """A judge can't be used with this installation's settings; the message says what to change."""


@dataclass(frozen=True)
class EndpointHere:
    """An endpoint from the environment. Its key is sent only to its address."""

    name: str
    base_url: str
    api_key: str
    #: The model for judges without one.
    model: str
    #: Maximum number of requests in flight, over all judges, studies and workers.
    concurrency: int
    stand_in: bool
    #: What its models do not accept of a request, if that is set; empty: it is found out.
    stated_traits: str = ""

    def variable(self, name: str) -> str:
        """The environment's name of one of its values."""
        return variable_of(self.name, name)

    @property
    def traits(self) -> frozenset[Trait] | None:
        """What its models do not accept; None if that is to be found out. Raises JudgeNotReady."""
        try:
            return traits_of(self.stated_traits)
        except ValueError as problem:
            raise JudgeNotReady(f"{self.variable('TRAITS')}: {problem}") from None

    @property
    def identity(self) -> str:
        """Its address; for the stand-in one fixed name, whatever its port."""
        return "stand-in" if self.stand_in else self.base_url.rstrip("/")


def variable_of(endpoint: str, name: str) -> str:
    """The environment's name of one of an endpoint's values, such as BASE_URL."""
    return f"JUDGE_{name}" if endpoint == DEFAULT_ENDPOINT else f"JUDGE_{endpoint.upper()}_{name}"


def _not_set_up(name: str) -> str:
    """That the environment lacks an endpoint, and what would give it."""
    is_default = name == DEFAULT_ENDPOINT
    return (
        f"the endpoint {name!r} is not set up here: "
        f"{'' if is_default else 'add it to JUDGE_ENDPOINTS and '}set "
        f"{variable_of(name, 'BASE_URL')} and {variable_of(name, 'API_KEY')}"
    )


def endpoint_here(name: str) -> EndpointHere:
    """The endpoint called `name`. Raises JudgeNotReady if the environment lacks it, or its address
    contains a password or a key.

    An installation with a stand-in uses it for endpoints that are not set up.
    """
    named = settings.JUDGE_ENDPOINTS.get(name)
    if named is None and name != DEFAULT_ENDPOINT and not settings.JUDGE_STAND_IN:
        raise JudgeNotReady(_not_set_up(name))
    here = _default() if named is None else EndpointHere(name=name, **named, stand_in=False)
    _ = here.traits
    if sign := next((sign for sign in "@?" if sign in here.base_url), ""):
        raise JudgeNotReady(
            f"{here.variable('BASE_URL')} must have no {sign} in it: addresses are stored and "
            f"shown, so a password has no place in one. {here.variable('API_KEY')} is kept secret"
        )
    return here


def stand_in_here() -> EndpointHere:
    """The stand-in that runs here, also beside endpoints with a key. Raises JudgeNotReady."""
    if settings.JUDGE_STAND_IN:
        return _default()
    if not settings.JUDGE_STAND_IN_URL:
        raise JudgeNotReady("no stand-in runs here: `make run` starts one")
    return EndpointHere(
        name=DEFAULT_ENDPOINT,
        base_url=settings.JUDGE_STAND_IN_URL,
        api_key="stand-in",
        model="stand-in",
        concurrency=settings.JUDGE_CONCURRENCY,
        stand_in=True,
    )


def endpoint_of(configuration: JudgeConfiguration) -> EndpointHere:
    """The endpoint here that a judge is asked at. One that was made for the stand-in stays there
    while it runs, until somebody asks for its scores anew. Raises JudgeNotReady.
    """
    if configuration.stand_in and settings.JUDGE_STAND_IN_URL:
        return stand_in_here()
    return endpoint_here(configuration.endpoint)


def endpoint_if_set_up(find: Callable[[], EndpointHere]) -> EndpointHere | None:
    """What `find` gives; None if that endpoint is no longer set up here."""
    try:
        return find()
    except JudgeNotReady:
        return None


def concurrency_at(here: EndpointHere | None) -> int:
    """The number of requests in flight at an endpoint; None: one that is no longer set up."""
    return here.concurrency if here else settings.JUDGE_CONCURRENCY


@checks.register
def check_traits(**_: Any) -> list[checks.CheckMessage]:
    """Django's check of the traits in the environment. The site starts all the same: judges at such
    an endpoint say why they can't be asked.
    """
    stated = {DEFAULT_ENDPOINT: settings.JUDGE_TRAITS}
    stated |= {
        name: each.get("stated_traits", "") for name, each in settings.JUDGE_ENDPOINTS.items()
    }
    found: list[checks.CheckMessage] = []
    for name, traits in stated.items():
        try:
            traits_of(traits)
        except ValueError as problem:
            message = f"{variable_of(name, 'TRAITS')}: {problem}"
            found.append(checks.Warning(message, id="judge.W001"))
    return found


def _default() -> EndpointHere:
    return EndpointHere(
        name=DEFAULT_ENDPOINT,
        base_url=settings.JUDGE_BASE_URL,
        api_key=settings.JUDGE_API_KEY,
        model=settings.JUDGE_MODEL,
        concurrency=settings.JUDGE_CONCURRENCY,
        stand_in=settings.JUDGE_STAND_IN,
        stated_traits=settings.JUDGE_TRAITS,
    )


def check_endpoint(configuration: JudgeConfiguration) -> EndpointHere:
    """The endpoint here for a judge with this configuration.

    Raises JudgeNotReady if the address or the prompt's wording differs: a key belongs only to its
    address in the environment, and another wording makes another judge.
    """
    here = endpoint_of(configuration)
    if configuration.base_url != here.identity:
        raise JudgeNotReady(
            f"this judge is asked at {configuration.base_url}, but this worker is set up for "
            f"{here.identity}; `manage.py judge` moves it there as a new version"
        )
    if configuration.prompt_format not in FORMATS:
        raise JudgeNotReady(
            "this judge was asked in the words of another release of Fivefold; `manage.py judge` "
            "asks in those of this one, as a new version"
        )
    if configuration.examples is not None and not configuration.drawn:
        raise JudgeNotReady(
            f"it has no examples yet: {configuration.examples.source} has too few ratings; when it "
            "has enough, `manage.py judge` or Score draws them"
        )
    _check(here)
    return here


def ready_endpoint(name: str) -> EndpointHere:
    """The endpoint called `name`, for requests that are no judge's. Raises JudgeNotReady if it
    cannot be asked, and for the stand-in, which answers judges alone.
    """
    here = endpoint_here(name)
    if here.stand_in:
        raise JudgeNotReady(f"{_not_set_up(name)}. The stand-in answers judges' questions alone")
    _check(here)
    return here


def _check(here: EndpointHere) -> None:
    """Raise JudgeNotReady if the address is none, or the key is missing or none."""
    host = _host_of(here.base_url)
    if not host:
        raise JudgeNotReady(
            f"{here.variable('BASE_URL')} {here.base_url!r} is not an http(s) address"
        )
    if not here.api_key and not _is_local(host):
        raise JudgeNotReady(
            f"{here.variable('API_KEY')} is missing: {host} needs a key. Set it in the "
            "environment or in .env, for this command and for the worker"
        )
    if not (here.api_key.isascii() and here.api_key.isprintable()) or " " in here.api_key:
        raise JudgeNotReady(
            f"{here.variable('API_KEY')} has characters that no key has; was it copied whole?"
        )


def _host_of(address: str) -> str:
    """The host of an http(s) address; empty for other text."""
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises if it is not a number
    except ValueError:
        return ""
    is_http = parts.scheme in ("http", "https") and address.isprintable()
    return parts.hostname or "" if is_http else ""


def _is_local(host: str) -> bool:
    """Whether a host is on this machine or its network, where servers often need no key."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal"))
