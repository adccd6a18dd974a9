"""Check in a fresh clone that `make run` does what the README says.

    python3 tests/first_run.py

`.ci/run` calls it. It uses the standard library alone: `make run` has yet to install anything.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, build_opener

ROOT = Path(__file__).resolve().parent.parent
#: For everything that `make run` installs from the network, and for the simulated raters.
MINUTES = 30
RATERS = 40
PRINTED = re.compile(r"^ *(Participants|Dashboard|User|Password) +(\S+)", re.MULTILINE)
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
Found = TypeVar("Found")


class Failed(Exception):
    """`make run` does not do what it should."""


class Site:
    """`make run` on a free port, in a process group of its own as in a terminal."""

    def __init__(self, output: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.output = output
        self.before = processes_here()
        self.began = time.monotonic()
        with output.open("wb") as file:
            self.process = subprocess.Popen(
                ["make", "run", f"PORT={port}"],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_for(self, what: str, look: Callable[[], Found | None]) -> Found:
        """Look every second until something is found. Raises Failed if that takes too long."""
        why = ""
        while True:
            try:
                if found := look():
                    break
            except OSError as error:  # of which urllib's are a kind
                why = f": {error}"
            if self.process.poll() is not None:
                raise Failed(f"`make run` ended before there was {what}")
            if time.monotonic() - self.began > 60 * MINUTES:
                raise Failed(f"{MINUTES} minutes after `make run` there was not yet {what}{why}")
            time.sleep(1)
        print(f"first run: {what} after {time.monotonic() - self.began:.0f} s", flush=True)
        return found

    def printed(self) -> dict[str, str] | None:
        """What a newcomer reads in the terminal, once all of it is there."""
        found = dict(PRINTED.findall(self.output.read_text("utf-8", "replace")))
        return found if len(found) == 4 else None

    def interrupt(self) -> None:
        """Press Ctrl-C. Raises Failed unless everything ends."""
        os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(timeout=120)
        except subprocess.TimeoutExpired:
            raise Failed("`make run` still runs 120 s after Ctrl-C") from None
        deadline = time.monotonic() + 20
        while left := processes_here() - self.before:
            if time.monotonic() > deadline:
                raise Failed(f"Ctrl-C left processes: {sorted(left)}")
            time.sleep(0.2)
        print("first run: Ctrl-C stopped everything", flush=True)

    def kill(self) -> None:
        """End what still runs; the guards of its processes end those."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Visitor:
    """A browser with cookies and without scripts."""

    def __init__(self) -> None:
        self.opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def open(self, url: str, **sent: str) -> tuple[str, str]:
        """The address that it ends at and the page. Raises OSError unless it is answered well."""
        data = urlencode(sent).encode() if sent else None
        with self.opener.open(url, data, timeout=60) as answer:
            return answer.url, answer.read().decode()

    def log_in(self, dashboard: str, name: str, password: str) -> str:
        """The page behind the login. Raises Failed if the password is refused."""
        url, page = self.open(dashboard)
        token = TOKEN.search(page)
        if token is None:
            raise Failed(f"{url} is no login form")
        form = {"csrfmiddlewaretoken": token[1], "username": name, "password": password}
        url, page = self.open(url, next="/", **form)
        if "/login/" in url:
            raise Failed(f"The printed password does not open {dashboard}")
        return page

    def json(self, url: str) -> Any:
        return json.loads(self.open(url)[1])


def processes_here() -> set[tuple[int, str]]:
    """The processes that work in this folder, with their command lines, where /proc shows them."""
    found = set()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if (place / "cwd").resolve(strict=True).is_relative_to(ROOT):
                command = (place / "cmdline").read_text().replace("\0", " ")
                found.add((int(place.name), command))
        except OSError:
            continue  # it has just ended, or belongs to another user
    return found


def check(site: Site) -> None:
    printed = site.wait_for("a link for participants and a login", site.printed)
    site.wait_for("the first page", lambda: Visitor().open(printed["Participants"]))
    researcher = Visitor()
    login = (printed["Dashboard"], printed["User"], printed["Password"])
    site.wait_for("the dashboard by the printed password", lambda: researcher.log_in(*login))
    api = urljoin(printed["Dashboard"], "/api/studies/")

    def results() -> bool:
        """Whether all simulated raters have come to an end and are in the newest analysis."""
        for study in researcher.json(api)["results"]:
            of_study = urljoin(api, f"{study['slug']}/")
            sources = researcher.json(f"{of_study}counts/")["sources"]
            people = [counts for counts in sources if counts["source"] == "simulated"]
            if [(counts["arrived"], counts["active"]) for counts in people] == [(RATERS, 0)]:
                left_out = people[0]["declined"] + people[0]["screened_out"]
                raters = researcher.json(f"{of_study}raters/?include=simulated")["results"]
                wins = researcher.json(f"{of_study}wins/?include=simulated")["wins"]
                return len(raters) == RATERS - left_out and len(wins) > 0
        return False

    site.wait_for(f"results of {RATERS} simulated raters", results)


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # by way of `finally`
    with tempfile.TemporaryDirectory(prefix="fivefold-first-run-") as folder:
        site = Site(Path(folder) / "make-run.log")
        try:
            check(site)
            site.interrupt()
        except Failed as error:
            for log in (site.output, *sorted((ROOT / "data" / "logs").glob("*.log"))):
                print(f"\n===== {log.name} =====\n{log.read_text('utf-8', 'replace')[-20_000:]}")
            print(f"\nfirst run failed: {error}", flush=True)
            return 1
        finally:
            site.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
