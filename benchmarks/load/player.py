"""One participant over HTTP: light, so that the server has the machine to itself."""

import json
import random
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from html import unescape
from http.client import HTTPConnection
from urllib.parse import urlencode

from benchmarks.load.site import Rating, Site, Wrong

RADIO = re.compile(r'<input type="radio" name="([^"]+)"[^>]*? value="([^"]*)"( checked)?')
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)"[^>]*? value="([^"]*)"')
PROGRESS = re.compile(r">Page (\d+) of (\d+)<")
RESPONSE = re.compile(r'data-response="(\w+)"')
CODE = re.compile(r'id="completion-code">([^<]+)<')


class Player:
    """One participant: gets a page, checks it, answers it, follows the redirect."""

    def __init__(self, site: Site, person: str) -> None:
        self.site, self.person = site, person
        self.cookies: dict[str, str] = {}
        self.headers: dict[str, str] = {}
        self.html = ""
        self.shown_in = 0.0  # seconds that the open page took to come
        self.number = self.total = 0  # as the open page says
        self.answered = self.rated = 0
        self.seconds: list[float] = []  # of each rating page: its GET and its POST
        self.sent: list[Rating] = []

    def begin(self) -> None:
        """From the link to the first rating page."""
        with self._connected():
            self._get(f"{self.site.link}?PROLIFIC_PID={self.person}")
            while not self._is_rating():
                self._answer()

    def rate(self) -> None:
        """From the first rating page until the last one is answered."""
        with self._connected():
            while self.rated < self.site.blocks:
                self._answer()

    def finish(self) -> None:
        """To the completion code."""
        with self._connected():
            while not (code := CODE.search(self.html)):
                self._answer()
        if code[1] not in self.site.codes or (self.site.counts_pages and self.number != self.total):
            raise Wrong(f"{self.site.name}: code {code[1]} after page {self.number}/{self.total}")

    @contextmanager
    def _connected(self) -> Iterator[None]:
        self.connection = HTTPConnection("127.0.0.1", self.site.port, timeout=60)
        with closing(self.connection):
            yield

    def _is_rating(self) -> bool:
        return 'name="r-' in self.html

    def _ask(
        self, method: str, address: str, form: dict[str, str] | None = None
    ) -> tuple[int, str]:
        """Send a request. Returns the status, and where a redirect leads."""
        cookies = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        headers = self.headers | {"Cookie": cookies}
        body = None
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode(form)
        self.connection.request(method, address, body, headers)
        reply = self.connection.getresponse()
        for cookie in reply.headers.get_all("Set-Cookie", []):
            name, _, text = cookie.partition(";")[0].partition("=")
            self.cookies[name] = text
        self.html = reply.read().decode()
        return reply.status, reply.headers.get("Location", "")

    def _get(self, address: str) -> None:
        began = time.perf_counter()
        status, location = self._ask("GET", address)
        if status == 302:
            self._get(location)
            return
        self.shown_in = time.perf_counter() - began
        if status != 200:
            raise Wrong(f"{self.site.name}: {address} answered {status}")
        self.address = address
        progress = PROGRESS.search(self.html)
        if self.site.counts_pages and progress:
            number, total = int(progress[1]), int(progress[2])
            if number != self.number + 1 or self.total not in (0, total):
                raise Wrong(f"{self.site.name}: {progress[0]} after page {self.number}")
            self.number, self.total = number, total

    def _answer(self) -> None:
        """Fill in the open page and go on."""
        groups: dict[str, list[str]] = {}
        for name, value, checked in RADIO.findall(self.html):
            if checked:
                raise Wrong(f"{self.site.name}: {name} is chosen already on {self.address}")
            groups.setdefault(name, []).append(unescape(value))
        rating = self._is_rating()
        rated = [name for name in groups if name.startswith("r-")]  # a check may stand among them
        if rating and len(rated) != self.site.groups:
            raise Wrong(f"{self.site.name}: {len(rated)} ratings asked on {self.address}")
        chosen = {
            name: self.site.eligible.get(name) or random.choice(values)
            for name, values in groups.items()
        }
        others = {name: unescape(value) for name, value in HIDDEN.findall(self.html)}
        if 'name="agree"' in self.html:
            others["agree"] = "yes"
        if 'name="paradata"' in self.html:
            others["paradata"] = self._measured()
        began = time.perf_counter()
        status, location = self._ask("POST", self.address, chosen | others)
        took = time.perf_counter() - began
        if status != 302:
            raise Wrong(f"{self.site.name}: {self.address} did not take its answers ({status})")
        self.answered += 1
        if rating:
            self.rated += 1
            self.seconds.append(self.shown_in + took)
            self.sent += [(self.person, self.number, name, int(chosen[name])) for name in rated]
        self._get(location)

    def _measured(self) -> str:
        """What a page's script sends with the answers."""
        times = {"visible": 61.25, "hidden": 3.5, "first": 12.5, "last": 60.125}
        responses = dict.fromkeys(RESPONSE.findall(self.html), 4.321)
        return json.dumps({**times, "changes": 1, "responses": responses})
