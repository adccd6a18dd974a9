"""Events that the local Prolific sends: signed as Prolific's are, and faulty where asked.

Signature: base64 of HMAC-SHA256 of timestamp and body (docs.prolific.com, “Verifying”).
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from examples.local_prolific.faults import Faults

SECONDS = 10


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """What the header X-Prolific-Request-Signature says."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


@dataclass
class Webhooks:
    """Subscriptions, and the events that wait to be delivered, in a thread of its own."""

    faults: Faults
    secret: str = ""
    subscriptions: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Status of each delivery, 0 without an answer.
    delivered: list[tuple[str, int]] = field(default_factory=list)
    _sending: list[threading.Thread] = field(default_factory=list)

    def subscribe(self, kind: str, target: str) -> tuple[dict[str, Any], str]:
        """The subscription, and the secret that confirms it; until then it gets no events."""
        secret, id_ = secrets.token_hex(8), secrets.token_hex(12)
        shown = {"id": id_, "event_type": kind, "target_url": target, "is_enabled": True}
        self.subscriptions[id_] = {**shown, "secret": secret, "confirmed": False}
        return shown, secret

    def listed(self) -> list[dict[str, Any]]:
        """All subscriptions, without their secrets."""
        hidden = ("secret", "confirmed")
        return [
            {name: value for name, value in known.items() if name not in hidden}
            for known in self.subscriptions.values()
        ]

    def confirm(self, id_: str, secret: str) -> bool:
        """Whether the secret is the one that was sent."""
        known = self.subscriptions.get(id_)
        if known is None or not hmac.compare_digest(known["secret"], secret):
            return False
        known["confirmed"] = True
        return True

    def notify(self, kind: str, body: dict[str, Any]) -> None:
        """Deliver an event to everyone who asked for its kind."""
        content = json.dumps({"event_type": kind, **body}).encode()
        for known in list(self.subscriptions.values()):
            if known["confirmed"] and known["event_type"] == kind:
                sender = threading.Thread(target=self._deliver, args=(known["target_url"], content))
                self._sending.append(sender)
                sender.start()

    def settle(self) -> None:
        """Wait until every event so far is delivered, or has failed."""
        while self._sending:
            self._sending.pop().join()

    def _deliver(self, target: str, body: bytes) -> None:
        fault = self.faults.of_event()
        if fault == "late":
            time.sleep(self.faults.late_seconds)
        timestamp, event = str(int(time.time())), secrets.token_hex(12)
        signed = signature(
            "another" if fault == "wrong_signature" else self.secret, timestamp, body
        )
        headers = {
            "X-Prolific-Request-Signature": signed,
            "X-Prolific-Request-Timestamp": timestamp,
            "X-Event-ID": event,
        }
        for _ in range(2 if fault == "double" else 1):
            self._post(target, body, headers)

    def _post(self, target: str, body: bytes, headers: dict[str, str]) -> None:
        request = Request(target, body, {"Content-Type": "application/json", **headers})
        status = 0
        try:
            with urlopen(request, timeout=SECONDS) as answer:
                status = answer.status
        except HTTPError as error:
            status = error.code
        except OSError:
            pass
        self.delivered.append((target, status))
