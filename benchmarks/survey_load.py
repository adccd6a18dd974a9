"""Whole participants through three servers in turn: what does a page of Fivefold cost?

Compares Fivefold with a plain Django app that stores the same rows (`plain_app`) and with a bare
WSGI function that answers a constant page (`bare_app`). README.md beside this file says what is
measured and how. Linux only: CPU time is read from /proc.
"""

import argparse
import secrets
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from subprocess import CalledProcessError

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # this file is run by its name

from benchmarks.load.player import Player
from benchmarks.load.servers import (
    PLAIN,
    Bench,
    start_bare_wsgi,
    start_fivefold,
    start_plain_django,
)
from benchmarks.load.site import Site, Wrong
from benchmarks.running.tables import reported
from config.processes import ROOT, ProcessError

TARGET = 1.3


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


COLUMNS = ("server", "pages/s", "p50", "p95", "p99", "CPU, rating pages", "CPU, whole survey")


def report(rounds: dict[str, list[Round]], database: str) -> float:
    """Print the tables. Returns the median ratio of Fivefold to the plain Django app."""
    title = f"{database}, a page in ms: percentiles, and median CPU (range) of the rounds"
    with reported(title, *COLUMNS) as add:
        for name, played in rounds.items():
            cuts = quantiles([1000 * second for one in played for second in one.seconds], n=100)
            add(
                name,
                f"{median(one.pages_per_second for one in played):.0f}",
                *(f"{cuts[at]:.1f}" for at in (49, 94, 98)),
                spread([one.cpu for one in played]),
                spread([one.whole_cpu for one in played]),
            )
    ours = rounds["Fivefold"]
    title = f"{database}, Fivefold's CPU a page as a multiple of the other's in the same round"
    with reported(title, "server", "rating pages", "whole survey") as add:
        for name, theirs in rounds.items():
            if name != "Fivefold":
                pairs = list(zip(ours, theirs, strict=True))
                rating = [our.cpu / their.cpu for our, their in pairs]
                whole = [our.whole_cpu / their.whole_cpu for our, their in pairs]
                add(name, spread(rating), spread(whole))
    return median(our.cpu / their.cpu for our, their in zip(ours, rounds[PLAIN], strict=True))


def positive(text: str) -> int:
    """A whole number from 1 on, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", type=Path, default=ROOT / "examples" / "empathy")
    parser.add_argument("--participants", type=positive, default=8, help="of each round and server")
    parser.add_argument("--at-once", type=positive, default=4, help="participants at the same time")
    parser.add_argument("--rounds", type=positive, default=7)
    parser.add_argument(
        "--workers", type=positive, default=1, help="worker processes of each server"
    )
    parser.add_argument("--postgres", help="URL of a server where two databases may be made")
    parser.add_argument(
        "--assert-ratio", type=float, help="fail above this multiple of plain Django"
    )
    options = parser.parse_args()
    for name in ("study.yaml", "responses.csv"):
        if not (options.study / name).is_file():
            parser.error(f"{options.study / name} does not exist")
    if not Path("/proc/self/stat").exists():
        sys.exit("CPU time is read from /proc, so this benchmark needs Linux.")
    database = "PostgreSQL" if options.postgres else "SQLite"
    print(
        f"{options.rounds} rounds of {options.participants} participants at each server, "
        f"{options.at_once} at a time, {database} …",
        flush=True,
    )
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
        ratio = report(rounds, database)
        print(f"Target: at most {TARGET} × plain Django on rating pages. Measured: {ratio:.2f}\n")
        for site in sites:
            site.check_stored()
    if options.assert_ratio and ratio > options.assert_ratio:
        sys.exit(f"{ratio:.2f} is above the asserted ratio of {options.assert_ratio}")


if __name__ == "__main__":
    try:
        main()
    except (Wrong, ProcessError, CalledProcessError, psycopg.OperationalError) as error:
        sys.exit(f"Failed: {error}")
