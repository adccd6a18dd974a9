"""Tokens of the API: creating, using and revoking them."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed

from dashboard.accounts.models import ApiToken
from dashboard.shared.log import record
from survey.refusals import RefusalKind, RequestRefused

#: Tools that look for leaked secrets know them by how they begin.
BEGINNING = "fivefold_"


def create_token(
    *,
    user: User,
    name: str,
    scope: ApiToken.Scope = ApiToken.Scope.READ,
    studies: Sequence[str] = (),
    expires_at: datetime | None,
) -> str:
    """A new token of an account. It is returned once and stored nowhere."""
    key = BEGINNING + secrets.token_urlsafe(32)
    ApiToken.objects.create(
        user=user,
        name=name,
        scope=scope,
        studies=list(studies),
        expires_at=expires_at,
        digest=digest_of(key),
    )
    record(None, user, "token created", name=name)
    return key


class NoToken(RequestRefused):
    """The account has no such token."""

    kind = RefusalKind.NOT_FOUND


def revoke_token(*, user: User, token: int) -> None:
    """Delete a token of an account. Raises NoToken."""
    row = ApiToken.objects.filter(user=user, pk=token).first()
    if row is None:
        raise NoToken("You have no such token.")
    row.delete()
    record(None, user, "token revoked", name=row.name)


def digest_of(key: str) -> str:
    """The hash by which a token is found: tokens are random, so it needs no salt."""
    return hashlib.sha256(key.encode()).hexdigest()


class TokenAuthentication(authentication.TokenAuthentication):
    """The framework's `Authorization: Token …`, with our tokens."""

    def authenticate_credentials(self, key: str) -> tuple[User, ApiToken]:
        """Raises AuthenticationFailed for unknown and expired tokens and for inactive accounts."""
        rows = ApiToken.objects.select_related("user")
        token = rows.filter(digest=digest_of(key)).first()
        if token is None:
            raise AuthenticationFailed("Invalid token.")
        if token.is_expired:
            raise AuthenticationFailed(f"The token {token.name} has expired. Create another one.")
        if not token.user.is_active:
            raise AuthenticationFailed("User inactive or deleted.")
        today = timezone.now().date()
        if token.last_used_on != today:  # one write a day
            ApiToken.objects.filter(pk=token.pk).update(last_used_on=today)
        return token.user, token
