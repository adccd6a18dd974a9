"""A simulated rater over HTTP who may leave midway, with a clock of their own."""

import random
import time
from datetime import datetime
from html import unescape
from urllib.parse import quote

from benchmarks.load.player import CODE, HIDDEN, RADIO, Player
from benchmarks.load.site import Site, Wrong
from survey.simulated import clock

LAST_REDIRECT = 5


class Walker(Player):
    """Answers the first choice of everything, until the code or until `leaves_after` blocks."""

    def __init__(self, site: Site, person: str, *, at: datetime, leaves_after: int | None) -> None:
        super().__init__(site, person)
        self.at = at
        self.leaves_after = leaves_after
        self.began_at: float | None = None
        self.code = ""
        self.asked: list[float] = []  # seconds of each request
        self.consenting = 0.0

    def walk(self) -> "Walker":
        """From the link to the code of an ending, or away."""
        seed = random.Random(self.person).getrandbits(62)
        self.headers[clock.HEADER] = clock.sign(person=self.person, at=self.at, order_seed=seed)
        with self._connected():
            self._follow("GET", f"{self.site.link}?PROLIFIC_PID={quote(self.person)}&version=1")
            while not self.code:
                rating = self._is_rating()
                if rating and self.rated == self.leaves_after:
                    break
                self._send()
                self.rated += rating
        return self

    def _follow(self, method: str, address: str, form: dict[str, str] | None = None) -> None:
        """Send a request and take in the page that it leads to."""
        for _ in range(LAST_REDIRECT):
            began = time.perf_counter()
            status, location = self._ask(method, address, form)
            self.asked.append(time.perf_counter() - began)
            if status != 302:
                break
            method, address, form = "GET", location, None
        if status not in (200, 403):
            raise Wrong(f"{self.person}: {address} answered {status}")
        self.address = address
        code = CODE.search(self.html)
        if code is None and status == 403:
            raise Wrong(f"{self.person}: {address} refused without a code")
        self.code = code[1] if code else ""

    def _send(self) -> None:
        answers = {name: unescape(value) for name, value, _ in reversed(RADIO.findall(self.html))}
        answers |= {name: unescape(value) for name, value in HIDDEN.findall(self.html)}
        consents = 'name="agree"' in self.html
        if consents:
            answers["agree"] = "yes"
        before = len(self.asked)
        self._follow("POST", self.address, answers)
        if consents:
            self.consenting = self.asked[before]
            if not self.code:
                self.began_at = time.perf_counter()
