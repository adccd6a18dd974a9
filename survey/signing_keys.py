"""The keys of Prolific's signed links: read once a day, and once more for a key that is new."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from survey.models import SigningKeys
from survey.prolific.signed_links import KeyServerError, fetch_keys, key_of

FRESH = timedelta(days=1)
#: So often the server is asked at most, whatever keys links name.
EVERY = timedelta(minutes=1)

logger = logging.getLogger(__name__)


class NoKeys(Exception):
    """Whether a link is signed can't be said now."""


def key_named(named: str, *, server: str, at: datetime) -> Any:
    """The key with this id; None if Prolific has no such key.

    If the server does not answer, the last known keys count. Raises NoKeys if it then stays open
    whether there is such a key.
    """
    known, _ = SigningKeys.objects.get_or_create(address=server)
    key = key_of(known.keys, named)
    lasts = FRESH if key is not None else EVERY
    if known.read_at is not None and known.read_at > at - lasts:
        return key
    keys = _ask(known, at)
    if keys is not None:
        return key_of(keys, named)
    if key is None:
        raise NoKeys
    return key


def _ask(known: SigningKeys, at: datetime) -> dict[str, Any] | None:
    """The keys that the server gives now; None if it was just asked, or does not answer."""
    may = Q(asked_at=None) | Q(asked_at__lt=at - EVERY)
    mine = SigningKeys.objects.filter(pk=known.pk)
    if not mine.filter(may).update(asked_at=at):
        return None
    try:
        keys = fetch_keys(known.address)
    except KeyServerError as error:
        logger.warning("the keys of signed links were not read: %s", error)
        return None
    mine.update(keys=keys, read_at=at)
    return keys
