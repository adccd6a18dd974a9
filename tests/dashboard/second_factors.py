"""A clock that tests move, and what an authenticator app shows at its time."""

from dataclasses import dataclass

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from allauth.mfa.utils import decrypt
from django.contrib.auth.models import User


@dataclass
class Clock:
    """What `time.time` says. It stands still, so that no code ends between its making and use."""

    now: float

    def __call__(self) -> float:
        return self.now


def code_for(secret: str) -> str:
    [counter] = yield_hotp_counters_from_time()
    code: str = format_hotp_value(hotp_value(secret, counter))
    return code


def set_up_app(user: User) -> None:
    TOTP.activate(user, generate_totp_secret())
    RecoveryCodes.activate(user)


def code_of(user: User) -> str:
    """What the user's app shows now."""
    app = Authenticator.objects.get(user=user, type=Authenticator.Type.TOTP)
    return code_for(decrypt(app.data["secret"]))


def wrong_code_of(user: User) -> str:
    """Six digits that the app does not show now."""
    return f"{(int(code_of(user)) + 1) % 10**6:06}"


def recovery_codes_of(user: User) -> list[str]:
    """The codes that are left."""
    codes = Authenticator.objects.get(user=user, type=Authenticator.Type.RECOVERY_CODES)
    left: list[str] = RecoveryCodes(codes).get_unused_codes()
    return left
