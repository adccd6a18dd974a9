"""A simulated rater's clock, signed so that nobody else can set a time.

Every request of a simulated rater has the header `X-Simulated`: their ID, their time, and the seed
of their orders. It is valid only for participants of source `simulated`. Web processes read it, so
this module imports only Django.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.core.signing import BadSignature, Signer

HEADER = "X-Simulated"


class ClockError(ValueError):
    """A header that was not signed with this server's SIMULATION_KEY."""


@dataclass(frozen=True)
class SimulatedClock:
    """The content of a valid header."""

    person: str
    at: datetime
    order_seed: int


def sign(*, person: str, at: datetime, order_seed: int) -> str:
    """The header's value. Raises ValueError for a time without a zone."""
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone")
    # with microseconds, so the stored time equals the planned time
    content = {"person": person, "at": at.astimezone(UTC).isoformat(), "order_seed": order_seed}
    return _signer().sign_object(content)


def read(header: str) -> SimulatedClock:
    """The clock in a header's value. Raises ClockError unless it was signed with our key."""
    try:
        content = _signer().unsign_object(header)
    except BadSignature:
        raise ClockError("not signed with this server's SIMULATION_KEY") from None
    return SimulatedClock(
        person=content["person"],
        at=datetime.fromisoformat(content["at"]),
        order_seed=content["order_seed"],
    )


def _signer() -> Signer:
    return Signer(key=settings.SIMULATION_KEY, salt="survey.simulated.clock")
