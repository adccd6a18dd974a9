"""Events that Prolific sends (webhooks): signature, age, content. Pure.

Source: docs.prolific.com/api-reference/webhooks. An event only says that something has changed:
what is true is read from the API.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

SUBMISSION_CHANGED, STUDY_CHANGED = "submission.status.change", "study.status.change"
#: What we subscribe to.
EVENT_TYPES = (SUBMISSION_CHANGED, STUDY_CHANGED)
SIGNATURE = "X-Prolific-Request-Signature"
TIMESTAMP = "X-Prolific-Request-Timestamp"
EVENT_ID = "X-Event-ID"
#: Between Prolific's clock and ours; older requests may be repeated by others.
MOST_SECONDS = 300
#: Events have less than 1 kB.
LARGEST_BYTES = 16 * 1024


class EventRefused(Exception):
    """A request that is no event of Prolific, with the HTTP status that says so."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


class _Body(BaseModel):
    """The part of an event that we use. It also names a participant, whom we do not read."""

    model_config = ConfigDict(extra="ignore")

    event_type: str = Field(pattern=r"^[A-Za-z0-9._-]{1,60}$")
    resource_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")


@dataclass(frozen=True)
class ProlificEvent:
    """That a submission or a study, `resource`, has changed."""

    id: str
    event_type: str
    resource: str


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Base64 of the HMAC-SHA256 of timestamp and body."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def read_event(
    body: bytes, *, secret: str, signed: str, timestamp: str, event_id: str, now: float
) -> ProlificEvent:
    """The event of a request: the values of its three headers, and its body as it was sent.

    `now` is in seconds since 1970. Raises EventRefused.
    """
    if not hmac.compare_digest(signature(secret, timestamp, body).encode(), signed.encode()):
        raise EventRefused(401, "The signature does not belong to this event.")
    try:
        age = abs(now - float(timestamp))
    except ValueError:
        raise EventRefused(400, f"{TIMESTAMP} is no number of seconds.") from None
    if not age <= MOST_SECONDS:
        raise EventRefused(401, f"{TIMESTAMP} differs by more than {MOST_SECONDS} s from now.")
    if not 0 < len(event_id) <= 200 or not event_id.isascii() or not event_id.isprintable():
        raise EventRefused(400, f"{EVENT_ID} is missing or no id.")
    try:
        content = _Body.model_validate_json(body)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise EventRefused(400, f"The body is no event{place and f': {place}'}.") from None
    return ProlificEvent(event_id, content.event_type, content.resource_id)
