"""Whether Prolific is the real one; every page of researchers says so if it is not."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from survey.prolific.links import is_local

REAL_HOST = "api.prolific.com"


def prolific_stand_in() -> str:
    """The address of what stands in for Prolific's API; empty for the real one."""
    address: str = settings.PROLIFIC_URL
    return "" if urlsplit(address).hostname == REAL_HOST else address


def prolific_is_local() -> bool:
    """Whether it is on this machine: then it sends nobody from elsewhere, and pays nobody."""
    return is_local(settings.PROLIFIC_URL)


def stand_in(request: HttpRequest) -> dict[str, str]:
    """For all templates."""
    return {"prolific_stand_in": prolific_stand_in()}
