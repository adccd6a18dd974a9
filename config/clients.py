"""Where a request comes from: for everything that counts or limits by address."""

from ipaddress import IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """Where a request comes from, as told by our own proxy where there is one.

    The proxy adds the last address of the header; the client may have written the others. None
    if the text is no address.
    """
    address: str = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        address = request.META.get("HTTP_X_FORWARDED_FOR", address).rpartition(",")[2]
    try:
        read = ip_address(address.strip().partition("%")[0])
    except ValueError:
        return None
    if isinstance(read, IPv6Address) and read.ipv4_mapped:  # by a socket of both kinds
        read = read.ipv4_mapped
    return str(read)


def counted_address(request: HttpRequest) -> str | None:
    """The address that requests are counted for: of IPv6, the network (/64) of one connection."""
    address = client_address(request)
    if address is None or ":" not in address:
        return address
    return str(IPv6Network((address, 64), strict=False).network_address)


def is_of_this_machine(request: HttpRequest) -> bool:
    """Whether a request comes from the machine that serves it."""
    address = client_address(request)
    return address is not None and ip_address(address).is_loopback
