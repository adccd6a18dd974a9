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
#: Other answers than the API describes.
STRANGE = ("html", "empty_json")
OF_EVENTS = ("late", "double", "wrong_signature")
KNOWN = {*BEFORE, *AFTER, *SILENT, *STRANGE}


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
