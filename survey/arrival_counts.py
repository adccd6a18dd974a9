"""Counting arrivals: those that were refused, by reason, and new ones, by address."""

from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet
from django.utils.crypto import salted_hmac

from survey.models import AddressArrivals, RefusedArrivals, Study
from survey.models.arrivals import interval_of

#: The time in which new participants from one address are limited.
HOUR = timedelta(hours=1)


def count_refusal(study: Study, reason: str, *, at: datetime) -> None:
    """Count one refused arrival. Nothing about the person is stored."""
    _add_one(RefusedArrivals, study=study, reason=reason, start=interval_of(at))


def hash_of_address(study: Study, address: str) -> str:
    """What arrivals at a study from `address` are counted under."""
    return salted_hmac(f"arrivals {study.slug}", address, algorithm="sha256").hexdigest()


def seconds_to_wait(address: str, *, at: datetime) -> int:
    """After how many seconds a new participant is admitted from an address; 0: now.

    `address` is a `hash_of_address`; empty if arrivals are not limited.
    """
    most = settings.NEW_PARTICIPANTS_PER_ADDRESS
    if not address or not most:
        return 0
    recent = list(_last_hour(address, at).order_by("start").values_list("start", "n"))
    left = sum(n for _, n in recent)
    wait = 0
    for start, n in recent:
        if left < most:
            break
        left -= n
        wait = ceil((start + HOUR - at).total_seconds())
    return wait


def count_new_participant(address: str, *, at: datetime) -> None:
    """Count a new participant from an address, if such are limited."""
    if address and settings.NEW_PARTICIPANTS_PER_ADDRESS:
        _add_one(AddressArrivals, address=address, start=interval_of(at))


def forget_old_addresses(*, at: datetime) -> None:
    """Delete what no limit needs any more."""
    AddressArrivals.objects.filter(start__lte=at - HOUR).delete()


def _last_hour(address: str, at: datetime) -> QuerySet[AddressArrivals]:
    return AddressArrivals.objects.filter(address=address, start__gt=at - HOUR)


def _add_one(table: type[RefusedArrivals] | type[AddressArrivals], **key: Any) -> None:
    """Add 1 to the row with this key, which is made if there is none."""
    rows = table.objects.filter(**key)
    if not rows.update(n=F("n") + 1):
        # Conflicts are ignored: another request may have made it just now.
        rows.bulk_create([table(**key)], ignore_conflicts=True)  # type: ignore[list-item]
        rows.update(n=F("n") + 1)
