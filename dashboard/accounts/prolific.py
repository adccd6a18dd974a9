"""A researcher's account at Prolific: connect it, ask with it, disconnect it.

The token is stored encrypted with PROLIFIC_TOKEN_KEY, and is never shown or logged.
"""

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from dashboard.accounts.models import ProlificAccount
from dashboard.shared.log import record
from survey.refusals import RefusalKind, RequestRefused

if TYPE_CHECKING:  # it loads `requests`, which few requests of web processes need
    from survey.prolific.client import ProlificClient

#: All that one page asks Prolific for ends in this time: pages have DATABASE_SECONDS (15) for
#: their own data, and a browser does not wait for ever.
PAGE_SECONDS = 10.0


class NotConnected(RequestRefused):
    """There is no account to ask with; the text says why."""

    kind = RefusalKind.CONFLICT


def account_of(user: User) -> ProlificAccount | None:
    """The researcher's account at Prolific, if one is connected."""
    return ProlificAccount.objects.filter(user=user).first()


def connect(*, user: User, token: str) -> ProlificAccount:
    """Ask Prolific whose token it is, and store it in place of an earlier one.

    Raises ProlificError and changes nothing if Prolific does not accept it or does not answer.
    """
    from survey.prolific.client import ProlificClient
    from survey.prolific.tokens import encrypted

    address = settings.PROLIFIC_URL
    with ProlificClient(token, base_url=address, seconds=PAGE_SECONDS) as client:
        who = client.who_am_i()
    account, _ = ProlificAccount.objects.update_or_create(
        user=user,
        defaults={
            "encrypted_token": encrypted(token, key=settings.PROLIFIC_TOKEN_KEY),
            "address": address,
            "prolific_id": who.id,
            "email": who.email,
            "connected_at": timezone.now(),
        },
    )
    record(None, user, "prolific account connected")
    return account


def disconnect(*, user: User) -> None:
    """Delete the token here; on Prolific it stays until it is deleted there."""
    n, _ = ProlificAccount.objects.filter(user=user).delete()
    if n:
        record(None, user, "prolific account disconnected")


def client_of(user: User, *, seconds: float = PAGE_SECONDS) -> "ProlificClient":
    """A client with the researcher's token, to be used in a `with` block. Raises NotConnected."""
    from survey.prolific.client import ProlificClient
    from survey.prolific.tokens import TokenLost, decrypted

    account = account_of(user)
    if account is None:
        raise NotConnected("Your account is not connected to Prolific.")
    if account.address != settings.PROLIFIC_URL:
        raise NotConnected(
            f"Your token was verified at {account.address}, and Prolific is now at "
            f"{settings.PROLIFIC_URL}: connect your account again."
        )
    try:
        token = decrypted(account.encrypted_token, key=settings.PROLIFIC_TOKEN_KEY)
    except TokenLost:
        raise NotConnected(
            "Your token was encrypted with another PROLIFIC_TOKEN_KEY and can't be read any more: "
            "connect your account again."
        ) from None
    return ProlificClient(token, base_url=account.address, seconds=seconds)
