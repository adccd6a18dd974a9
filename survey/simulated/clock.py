"""A simulated rater's clock, signed so that nobody else can set a time.

Every request of a simulated rater has the header `X-Simulated`: their ID, their time, the seed of
their orders, and whether they come from the local Prolific. It is valid for ten minutes, and only
for participants of source `simulated`. Web processes read it, so this module imports only Django.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.core.signing import BadSignature, SignatureExpired, TimestampSigner

HEADER = "X-Simulated"
#: How long a header is valid: a request may be repeated, and clocks differ.
VALID = timedelta(minutes=10)


class ClockError(ValueError):
    """A header that was not signed with this server's SIMULATION_KEY, or too long ago."""


@dataclass(frozen=True)
class SimulatedClock:
    """The content of a valid header."""

    person: str
    at: datetime
    order_seed: int
    from_prolific: bool = False


def sign(*, person: str, at: datetime, order_seed: int, from_prolific: bool = False) -> str:
    """The header's value. Raises ValueError for a time without a zone."""
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone")
    # with microseconds, so the stored time equals the planned time
    content = {
        "person": person,
        "at": at.astimezone(UTC).isoformat(),
        "order_seed": order_seed,
        "from_prolific": from_prolific,
    }
    return _signer().sign_object(content)


def read(header: str) -> SimulatedClock:
    """The clock in a header's value. Raises ClockError unless it was just signed with our key."""
    try:
        content = _signer().unsign_object(header, max_age=VALID)
    except SignatureExpired:
        raise ClockError("signed too long ago: do both machines have the same time?") from None
    except BadSignature:
        raise ClockError("not signed with this server's SIMULATION_KEY") from None
    return SimulatedClock(
        person=content["person"],
        at=datetime.fromisoformat(content["at"]),
        order_seed=content["order_seed"],
        from_prolific=content["from_prolific"],
    )


def _signer() -> TimestampSigner:
    return TimestampSigner(key=settings.SIMULATION_KEY, salt="survey.simulated.clock")
