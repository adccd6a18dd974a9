"""Faults that the local Prolific has on request."""

import threading
from collections import deque
from dataclasses import dataclass, field
from fnmatch import fnmatch

#: Instead of an answer: nothing is carried out.
BEFORE = {"429": 429, "500": 500, "502": 502, "503": 503}
#: The request is carried out, and the answer is lost.
AFTER = ("500_after", "hang_after", "reset_after")
SILENT = ("hang", "reset")
#: Other answers than the API describes, with status 200: the request is carried out, or it is not.
STRANGE: dict[str, tuple[str, bytes]] = {
    "html": ("text/html", b"<!doctype html><title>Maintenance</title>"),
    "empty_json": ("application/json", b"{}"),
    "empty": ("application/json", b""),
    "other_json": ("application/json", b'{"status": "down for maintenance"}'),
}
STRANGE_BEFORE = {f"{what}_before": answer for what, answer in STRANGE.items()}
#: Pages of a server in between; nothing is carried out.
GATEWAY = {"gateway_302": 302, "gateway_400": 400, "gateway_403": 403, "gateway_404": 404}
OF_EVENTS = ("late", "double", "wrong_signature")
KNOWN = {*BEFORE, *AFTER, *SILENT, *STRANGE, *STRANGE_BEFORE, *GATEWAY}


@dataclass(frozen=True)
class Fault:
    """A fault of the next request that fits, such as `POST studies/`; `*` is any text."""

    what: str
    on: str = "*"


@dataclass
class Faults:
    """The faults to come, in order; each happens once."""

    waiting: deque[Fault] = field(default_factory=deque)
    events: deque[str] = field(default_factory=deque)
    retry_after: str = "0.01"
    hang_seconds: float = 30.0
    late_seconds: float = 0.2
    #: Set when the server ends: who hangs goes on.
    ending: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, *whats: str, on: str = "*") -> None:
        """Let the next requests that fit have these faults. Raises ValueError for unknown ones."""
        if unknown := set(whats) - KNOWN:
            raise ValueError(f"no such fault: {', '.join(sorted(unknown))}")
        with self._lock:
            self.waiting.extend(Fault(what, on) for what in whats)

    def of_request(self, method: str, path: str) -> str:
        """The fault of a request; empty for none."""
        with self._lock:
            for fault in self.waiting:
                if fnmatch(f"{method} {path}", fault.on):
                    self.waiting.remove(fault)
                    return fault.what
        return ""

    def of_event(self) -> str:
        """The fault of the next event; empty for none."""
        with self._lock:
            return self.events.popleft() if self.events else ""
