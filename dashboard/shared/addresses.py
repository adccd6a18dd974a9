"""What the address of a page needs, by its name, as its view says: for the navigation."""

from collections.abc import Iterator
from functools import cache

from django.urls import URLResolver, get_resolver

from dashboard.shared.access import needs_of
from dashboard.shared.roles import Needs


@cache
def declared() -> dict[str, Needs]:
    """What the views of all addresses of researchers need, by the name of the address."""
    return dict(_declared(get_resolver("dashboard.urls"), ""))


def _declared(resolver: URLResolver, space: str) -> Iterator[tuple[str, Needs]]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _declared(pattern, f"{pattern.namespace}:" if pattern.namespace else space)
        elif (rule := needs_of(pattern.callback)) is not None:
            yield f"{space}{pattern.name}", rule
