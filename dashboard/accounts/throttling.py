"""Guessing is slowed down: the database counts what failed, for all web processes.

There are three limits (`config/settings.py`): of a name at an address, of an address, and of an
account's second factor at any address, which only people who know the password come to.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.core.exceptions import ValidationError
from django.db.models import QuerySet, Sum
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

Credentials = dict[str, Any]
#: The key of credentials that are a second factor: the account's name.
ACCOUNT = "account"


def password_of(user: User) -> Credentials:
    """What failures of an account's password are counted for."""
    return {"username": user.get_username()}


def second_factor_of(user: User) -> Credentials:
    """What failures of an account's second factor are counted for.

    The name has a secret part, so nobody can block an account's second factor by the login form.
    """
    name = user.get_username()
    secret = salted_hmac("second factor", name).hexdigest()[:16]
    return {"username": f"{name}, second factor {secret}", ACCOUNT: name}


class FailureLimits(AxesDatabaseHandler):  # type: ignore[misc]  # axes has no types
    """Counts of failures in the last five minutes (`AXES_COOLOFF_TIME`), each with its limit."""

    def limits(
        self, request: HttpRequest, credentials: Credentials | None
    ) -> Iterator[tuple[QuerySet[AccessAttempt], int]]:
        recent = AccessAttempt.objects.filter(attempt_time__gt=get_cool_off_threshold(request))
        address = request.axes_ip_address  # type: ignore[attr-defined]  # set by axes
        named = recent.filter(username=get_client_username(request, credentials))
        is_second_factor = ACCOUNT in (credentials or {})
        yield (
            named if is_second_factor else named.filter(ip_address=address),
            settings.AXES_FAILURE_LIMIT,
        )
        if address:
            yield recent.filter(ip_address=address), settings.ADDRESS_FAILURE_LIMIT

    def get_failures(self, request: HttpRequest, credentials: Credentials | None = None) -> int:
        """Failures as axes compares them with AXES_FAILURE_LIMIT, those of an address in
        proportion to its higher limit.
        """
        return max(
            _failures(attempts) * settings.AXES_FAILURE_LIMIT // limit
            for attempts, limit in self.limits(request, credentials)
        )

    def locked_until(self, request: HttpRequest, credentials: Credentials) -> datetime | None:
        """When the next attempt is admitted, if it is not now: attempts are forgotten one by one,
        until those left are below each limit.
        """
        ends = []
        for attempts, limit in self.limits(request, credentials):
            left = _failures(attempts)
            for attempt in attempts.order_by("attempt_time"):
                if left < limit:
                    break
                left -= attempt.failures_since_start
                ends.append(attempt.attempt_time + settings.AXES_COOLOFF_TIME)
        return max(ends, default=None)

    def is_address(self, request: HttpRequest, credentials: Credentials) -> bool:
        """Whether the whole address has to wait."""
        return any(
            _failures(attempts) >= limit
            for attempts, limit in self.limits(request, credentials)
            if limit == settings.ADDRESS_FAILURE_LIMIT
        )


def _failures(attempts: QuerySet[AccessAttempt]) -> int:
    return int(attempts.aggregate(total=Sum("failures_since_start"))["total"] or 0)


@contextmanager
def counted(request: HttpRequest, credentials: Credentials) -> Iterator[None]:
    """A guess beyond the login's own page: refused after too many failures, and counted if it
    raises ValidationError.

    Raises ValidationError if it is refused; axes then answers with the page of `locked_out`.
    """
    if not AxesProxyHandler.is_allowed(request, credentials):
        request.axes_locked_out = True  # type: ignore[attr-defined]  # read by axes
        request.axes_credentials = credentials  # type: ignore[attr-defined]  # read by axes
        raise ValidationError("Too many failed attempts. Try again later.")
    try:
        yield
    except ValidationError:
        user_login_failed.send(sender=__name__, credentials=credentials, request=request)
        raise
    if ACCOUNT in credentials:  # of passwords, a login deletes them
        AccessAttempt.objects.filter(username=credentials["username"]).delete()
