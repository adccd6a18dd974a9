"""Whole participants through three servers in turn: what does a page of Fivefold cost?

Compares Fivefold with a plain Django app that stores the same rows (`plain_app`) and with a bare
WSGI function that answers a constant page (`bare_app`). README.md beside this file says what is
measured and how. Linux only: CPU time is read from /proc.
"""

import argparse
import os
import random
import re
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from csv import DictReader
from dataclasses import dataclass, field
from html import unescape
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode, urlsplit

import psycopg
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # this file is run by its name

from config.processes import Process, ProcessError, Processes, command_of, free_port  # noqa: E402

RADIO = re.compile(r'<input type="radio" name="([^"]+)"[^>]*? value="([^"]*)"( checked)?')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
PROGRESS = re.compile(r">Page (\d+) of (\d+)<")
CODE = re.compile(r'id="completion-code">([^<]+)<')
PLAIN = "plain Django"
TARGET = 1.3
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")

#: What was chosen in one radio group: person, page, name of the group, value.
Rating = tuple[str, int, str, int]


class Wrong(Exception):
    """A page or a stored rating is not what it must be."""


# ── The three servers ────────────────────────────────────────────────────────────────────────
@dataclass
class Site:
    """A running server, how to take part there, and what it must show and store."""

    name: str
    server: Process
    port: int
    link: str
    code: str
    blocks: int
    groups: int  # radio groups on a rating page
    counts_pages: bool = True
    stored: Callable[[], list[Rating]] | None = None  # None: it stores nothing
    sent: list[Rating] = field(default_factory=list)

    def cpu_seconds(self) -> float:
        """User and system time of the server's processes so far."""
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                values = stat.read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):  # some process that has just ended
                continue
            if int(values[2]) == self.server.child.pid:  # a group is named for its first process
                ticks += int(values[11]) + int(values[12])
        return ticks / TICKS_PER_SECOND

    def check_stored(self) -> None:
        """Every rating sent is stored exactly once, and nothing else is. Raises Wrong."""
        if self.stored is None:
            return
        sent, stored = Counter(self.sent), Counter(self.stored())
        lost, strange = (sent - stored).total(), (stored - sent).total()
        print(
            f"{self.name:13}{sent.total()} ratings sent, {lost} lost, {strange} stored but not sent"
        )
        if lost or strange:
            raise Wrong(f"{self.name} did not store what was sent")


@dataclass(frozen=True)
class Bench:
    """Where servers are started, and the study they show."""

    stack: ExitStack
    folder: Path
    study: Path
    postgres: str | None
    workers: int

    def blocks_and_responses(self) -> tuple[int, int]:
        """How many blocks the study has, and how many responses are in each."""
        with (self.study / "responses.csv").open(encoding="utf-8-sig", newline="") as lines:
            sizes = Counter((row["scenario"], row.get("set", "")) for row in DictReader(lines))
        if len(set(sizes.values())) != 1:
            raise Wrong("The blocks of this study differ in size; choose another study.")
        return len(sizes), next(iter(sizes.values()))

    def environment(self, name: str) -> dict[str, str]:
        """The environment of a server with a data folder and a database of its own."""
        data = self.folder / name
        data.mkdir()
        return os.environ | {
            "DATA_DIR": str(data),
            "DATABASE_URL": self.stack.enter_context(scratch_database(data, self.postgres)),
            "SECRET_KEY": secrets.token_hex(32),
            "SITE_URL": "http://localhost",
            "ALLOWED_HOSTS": "127.0.0.1",
            "DEBUG": "false",
        }

    def run(self, *arguments: str, environment: dict[str, str]) -> None:
        command = [sys.executable, *arguments]
        subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)

    def serve(self, application: str, environment: dict[str, str]) -> tuple[Process, int]:
        """Start the web command of docker-compose.yml with one of the applications."""
        port = free_port()
        environment |= {
            "GUNICORN_CMD_ARGS": f"--bind 127.0.0.1:{port}",
            "WEB_CONCURRENCY": str(self.workers),
        }
        processes = self.stack.enter_context(Processes(environment, self.folder / "logs"))
        command = [application if part == "config.wsgi" else part for part in command_of("web")]
        server = processes.start(application, command)
        processes.wait_for(server, port=port)
        return server, port


@contextmanager
def scratch_database(data: Path, postgres: str | None) -> Iterator[str]:
    """The URL of a new SQLite file, or of a new database on the PostgreSQL server."""
    if postgres is None:
        yield f"sqlite:///{data}/bench.sqlite3"
        return
    name = f"bench_{data.name}_{secrets.token_hex(4)}"
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield urlsplit(postgres)._replace(path=f"/{name}").geturl()
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def rows(url: str, query: str) -> list[Any]:
    """What a query gives, read past Django."""
    if url.startswith("sqlite:"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
            return file.execute(query).fetchall()
    with psycopg.connect(url) as server:
        return server.execute(query.encode()).fetchall()


def start_fivefold(bench: Bench) -> Site:
    """The product, with the study loaded and open."""
    study = YAML(typ="safe").load(bench.study / "study.yaml")
    environment = bench.environment("fivefold")
    for command in (
        ["migrate"],
        ["collectstatic", "--no-input"],
        ["load_study", str(bench.study.resolve())],
        ["set_study", study["slug"], "open"],
    ):
        bench.run("manage.py", *command, environment=environment)
    server, port = bench.serve("config.wsgi", environment)
    blocks, responses = bench.blocks_and_responses()
    query = """
        SELECT i.key, p.page, 'r-' || r.public_id || '-' || g.dimension, g.value
        FROM survey_rating g JOIN survey_response r ON r.id = g.response_id
        JOIN survey_presentation p ON p.id = g.presentation_id
        JOIN survey_identity i ON i.participant_id = p.participant_id"""
    return Site(
        name="Fivefold",
        server=server,
        port=port,
        link=f"/s/{study['slug']}/",
        code=study["prolific"]["completion_code"],
        blocks=blocks,
        groups=responses * len(study["tasks"][0]["dimensions"]),
        stored=lambda: rows(environment["DATABASE_URL"], query),
    )


def start_plain_django(bench: Bench) -> Site:
    """The reference, with the same texts."""
    environment = bench.environment("plain")
    environment["DJANGO_SETTINGS_MODULE"] = "benchmarks.plain_app.settings"
    responses_csv = str(bench.study.resolve() / "responses.csv")
    bench.run("-m", "benchmarks.plain_app.load", responses_csv, environment=environment)
    server, port = bench.serve("benchmarks.plain_app.wsgi", environment)
    blocks, responses = bench.blocks_and_responses()
    query = """
        SELECT t.person, p.page, 'r-' || g.response_id, g.value
        FROM plain_app_rating g JOIN plain_app_presentation p ON p.id = g.presentation_id
        JOIN plain_app_participant t ON t.id = p.participant_id"""
    return Site(
        name=PLAIN,
        server=server,
        port=port,
        link="/",
        code="PLAIN1",
        blocks=blocks,
        groups=responses,
        stored=lambda: rows(environment["DATABASE_URL"], query),
    )


def start_bare_wsgi(bench: Bench, like: Site) -> Site:
    """A constant page: a rating page of `like`."""
    sample = Player(like, secrets.token_hex(12))
    sample.begin()
    constant = bench.folder / "page.html"
    constant.write_text(sample.html, encoding="utf-8")
    sample.rate()
    sample.finish()
    like.sent += sample.sent
    environment = os.environ | {"BARE_PAGE": str(constant), "BARE_PAGES": str(like.blocks)}
    server, port = bench.serve("benchmarks.bare_app.wsgi", environment)
    return Site(
        name="bare WSGI",
        server=server,
        port=port,
        link="/",
        code="BARE1",
        blocks=like.blocks,
        groups=like.groups,
        counts_pages=False,
    )


# ── Participants ─────────────────────────────────────────────────────────────────────────────
class Player:
    """One participant: gets a page, checks it, answers it, follows the redirect."""

    def __init__(self, site: Site, person: str) -> None:
        self.site, self.person = site, person
        self.cookies: dict[str, str] = {}
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
        if code[1] != self.site.code or (self.site.counts_pages and self.number != self.total):
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
        headers = {"Cookie": "; ".join(f"{name}={text}" for name, text in self.cookies.items())}
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
        if rating and len(groups) != self.site.groups:
            raise Wrong(f"{self.site.name}: {len(groups)} questions on {self.address}")
        chosen = {name: random.choice(values) for name, values in groups.items()}
        others = {"csrfmiddlewaretoken": token[1]} if (token := TOKEN.search(self.html)) else {}
        if 'name="agree"' in self.html:
            others["agree"] = "yes"
        began = time.perf_counter()
        status, location = self._ask("POST", self.address, chosen | others)
        took = time.perf_counter() - began
        if status != 302:
            raise Wrong(f"{self.site.name}: {self.address} did not take its answers ({status})")
        self.answered += 1
        if rating:
            self.rated += 1
            self.seconds.append(self.shown_in + took)
            self.sent += [
                (self.person, self.number, name, int(value)) for name, value in chosen.items()
            ]
        self._get(location)


# ── Rounds ───────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Round:
    """What some participants at one site cost."""

    cpu: float  # ms of server CPU per page, from the first rating page to the last
    whole_cpu: float  # the same from the link to the code
    pages_per_second: float
    seconds: list[float]


def play(site: Site, *, participants: int, at_once: int) -> Round:
    """Send participants through a site, `at_once` at a time, stage by stage."""
    players = [Player(site, secrets.token_hex(12)) for _ in range(participants)]
    cpu, pages, clock = [site.cpu_seconds()], [0], [time.perf_counter()]
    with ThreadPoolExecutor(at_once) as pool:
        for stage in (Player.begin, Player.rate, Player.finish):
            list(pool.map(stage, players))
            cpu.append(site.cpu_seconds())
            pages.append(sum(player.answered for player in players))
            clock.append(time.perf_counter())
    for player in players:
        site.sent += player.sent
    return Round(
        cpu=1000 * (cpu[2] - cpu[1]) / (pages[2] - pages[1]),
        whole_cpu=1000 * (cpu[3] - cpu[0]) / pages[3],
        pages_per_second=(pages[2] - pages[1]) / (clock[2] - clock[1]),
        seconds=[second for player in players for second in player.seconds],
    )


def spread(values: list[float]) -> str:
    """Median and range."""
    return f"{median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def report(rounds: dict[str, list[Round]]) -> float:
    """Print the tables. Returns the median ratio of Fivefold to the plain Django app."""
    print(
        "\nServer CPU in ms a page: median (range) of the rounds. Times in ms a page: percentiles."
    )
    print(
        f"{'':13}{'pages/s':>9}{'p50':>8}{'p95':>8}{'p99':>8}   CPU, rating pages    whole survey"
    )
    for name, played in rounds.items():
        cuts = quantiles([1000 * second for one in played for second in one.seconds], n=100)
        print(
            f"{name:13}{median(one.pages_per_second for one in played):9.1f}"
            f"{cuts[49]:8.1f}{cuts[94]:8.1f}{cuts[98]:8.1f}"
            f"   {spread([one.cpu for one in played]):21}"
            f"{spread([one.whole_cpu for one in played])}"
        )
    print("\nFivefold's CPU a page as a multiple of the other's in the same round")
    ours = rounds["Fivefold"]
    for name, theirs in rounds.items():
        if name != "Fivefold":
            pairs = list(zip(ours, theirs, strict=True))
            rating = [our.cpu / their.cpu for our, their in pairs]
            whole = [our.whole_cpu / their.whole_cpu for our, their in pairs]
            print(f"{name:13}{'':36}{spread(rating):21}{spread(whole)}")
    return median(our.cpu / their.cpu for our, their in zip(ours, rounds[PLAIN], strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", type=Path, default=ROOT / "examples" / "empathy")
    parser.add_argument("--participants", type=int, default=8, help="of each round and server")
    parser.add_argument("--at-once", type=int, default=4, help="participants at the same time")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--workers", type=int, default=1, help="worker processes of each server")
    parser.add_argument("--postgres", help="URL of a server where two databases may be made")
    parser.add_argument(
        "--assert-ratio", type=float, help="fail above this multiple of plain Django"
    )
    options = parser.parse_args()
    if not Path("/proc/self/stat").exists():
        sys.exit("CPU time is read from /proc, so this benchmark needs Linux.")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fivefold-bench-")))
        bench = Bench(stack, folder, options.study, options.postgres, options.workers)
        ours = start_fivefold(bench)
        sites = [start_bare_wsgi(bench, like=ours), start_plain_django(bench), ours]
        rounds: dict[str, list[Round]] = {site.name: [] for site in sites}
        for number in range(options.rounds + 1):
            for site in sites:
                played = play(site, participants=options.participants, at_once=options.at_once)
                if number:  # the first round warms up
                    rounds[site.name].append(played)
        ratio = report(rounds)
        print(f"Target: at most {TARGET} × plain Django on rating pages. Measured: {ratio:.2f}\n")
        for site in sites:
            site.check_stored()
    if options.assert_ratio and ratio > options.assert_ratio:
        sys.exit(f"{ratio:.2f} is above the asserted ratio of {options.assert_ratio}")


if __name__ == "__main__":
    try:
        main()
    except (Wrong, ProcessError) as error:
        sys.exit(f"Failed: {error}")
