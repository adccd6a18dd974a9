"""What a study costs at 50,000 participants, compared with 1,000 in the same run.

Every page, every list of the API, every sweep and a participant's consent. An exclamation mark
means more than MOST times the CPU.

.venv/bin/python benchmarks/participant_scale.py [--people 1000 50000] [--databases sqlite]
"""

import argparse
import json
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from http.client import OK
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.load.servers import scratch_database
from benchmarks.running.tables import reported
from tests import services

ROOT = Path(__file__).parent.parent
STUDY = ROOT / "examples" / "empathy"
SIZES = [1000, 50_000]
#: Raters of the two exports whose peak memory is compared.
EXPORTED = [2000, 6000]
TIMES = 5
#: For fifty times the people, CPU time may be at most this many times as much.
MOST = 3


# ── In a process with a database of its own ──────────────────────────────────────────────────


def build(people: int) -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User

    from benchmarks.crowded.belongings import add_belongings
    from benchmarks.crowded.building import crowded_study, refresh_statistics

    study = crowded_study(STUDY, people)
    add_belongings(study, User.objects.create_superuser("bench"))
    refresh_statistics()


def measure(people: int) -> None:
    """Print what each thing takes, as JSON."""
    import django

    django.setup()
    from unittest.mock import patch

    from django.contrib.auth.models import User
    from django.test import Client
    from django.utils import timezone

    from benchmarks.crowded.asked import sweeps
    from config.celery import app
    from dashboard.api.counting_ahead import count_ahead
    from survey.consent import give_consent
    from survey.models import Participant, Rating, Slot, Study
    from survey.participants import Arrival, arrive

    study = Study.objects.get()
    study.settings["places"]["maximum"] = Slot.objects.count() + 10 * TIMES
    study.save()

    def consent() -> None:
        person = arrive(Arrival(study=study, source="link", at=timezone.now()))
        assert isinstance(person, Participant)
        give_consent(participant=person, at=timezone.now())

    client = Client(HTTP_HOST="localhost", raise_request_exception=False)
    client.force_login(User.objects.get(username="bench"))

    def get(address: str) -> int:
        answer = client.get(address)
        answer.getvalue()  # also of a file that is streamed
        return int(answer.status_code)

    found: dict[str, Any] = {"people": people, "ratings": Rating.objects.count()}
    start = time.process_time()
    count_ahead(study.pk)
    found["worker, once"] = 1000 * (time.process_time() - start)
    pages, left_out = _pages(study, get)
    found |= pages
    ratings = f"/api/studies/{study}/ratings/"
    last = Participant.objects.order_by("-id")[max(20, people // 10)].pk
    found["1,000 of the last ratings"] = timed(partial(get, f"{ratings}?after={last}.0.0"))
    with patch.object(app, "send_task"):
        for name, sweep in sweeps(study).items():
            found[name] = timed(sweep)
    found["arrival and consent"] = timed(consent)
    found["left out"] = left_out
    print(json.dumps(found))


def _pages(study: Any, get: Callable[[str], int]) -> tuple[dict[str, list[float]], dict[str, str]]:
    """What each page takes, and why others are left out."""
    from benchmarks.crowded.asked import pages_of, why_absent, why_exempt

    found, left_out = {}, {}
    wrong: list[str] = []
    for page in pages_of(study):
        if why := why_exempt(page):
            left_out[page.path] = why
        elif (status := get(page.path)) == OK:
            found[page.path] = timed(partial(get, page.path))
        elif why := why_absent(page, status):
            left_out[page.path] = why
        else:
            wrong.append(f"{page.path} ({page.name}) answers {status}")
    if wrong:
        sys.exit("\n".join([*wrong, "Mend them, or say why in benchmarks/crowded/asked.py."]))
    return found, left_out


def timed(work: Callable[[], Any]) -> list[float]:
    """Milliseconds of CPU, and by the clock: medians, after one that warms up."""
    work()
    taken = []
    for _ in range(TIMES):
        cpu, clock = cpu_seconds(), time.perf_counter()
        work()
        taken.append((1000 * (cpu_seconds() - cpu), 1000 * (time.perf_counter() - clock)))
    return [median(each) for each in zip(*taken, strict=True)]


def cpu_seconds() -> float:
    """CPU of this process, and of the process of PostgreSQL that works for it (Linux says)."""
    from django.db import connection

    seconds = time.process_time()
    if connection.vendor == "postgresql":
        server = Path("/proc", str(connection.connection.info.backend_pid), "schedstat")
        seconds += int(server.read_text().split()[0]) / 1e9
    return seconds


# ── One process for each step ────────────────────────────────────────────────────────────────


@contextmanager
def taken_by(people: int, postgres: str | None) -> Iterator[Callable[..., str]]:
    """A database with so many people, and how to run a command on it."""
    with ExitStack() as stack:
        made = stack.enter_context(tempfile.TemporaryDirectory(prefix="fivefold-bench-"))
        folder = Path(made) / "scale"  # part of the database's name
        folder.mkdir()
        environment = os.environ | {
            "DATA_DIR": str(folder),
            "DATABASE_URL": stack.enter_context(scratch_database(folder, postgres)),
            "SECRET_KEY": secrets.token_hex(32),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "API_REQUESTS_PER_MINUTE": "1000000",
            "OUT": str(folder / "out"),
        }

        def run(*command: str) -> str:
            done = subprocess.run(
                [sys.executable, *command],
                check=False,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                sys.exit(f"{people} people: {done.stderr}")
            return done.stdout

        run(__file__, "--step", "build", "--people", str(people))
        yield run


def export(people: int) -> None:
    """Print the most memory in MiB that the command's process had."""
    command = [sys.executable, "manage.py", "export", "empathy", "--out", os.environ["OUT"]]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10)


def compared(sizes: Sequence[int], database: str, postgres: str | None) -> None:
    results: list[dict[str, Any]] = []
    for people in sizes:
        with taken_by(people, postgres) as run:
            run("manage.py", "collectstatic", "--no-input")
            results.append(json.loads(run(__file__, "--step", "measure", "--people", str(people))))
    title = f"{database}: ms of CPU of process and database (by the clock), medians of {TIMES}"
    sizes_of = [f"{each['people']:,} participants" for each in results]
    with reported(title, "", *sizes_of, "times") as add:
        add("ratings", *[f"{each['ratings']:,}" for each in results], "")
        for name, times in sorted(_ratios(results).items(), key=lambda one: -one[1]):
            cells = [f"{each[name][0]:.1f} ({each[name][1]:.1f})" for each in results]
            add(name, *cells, f"{times:.2f}{' !' if times > MOST else ''}")
        add("worker counts all, once", *[f"{each['worker, once']:.0f}" for each in results], "")
    not_measured: dict[str, list[str]] = {}
    for address, why in results[0]["left out"].items():
        not_measured.setdefault(why, []).append(address)
    for why, addresses in not_measured.items():
        print(f"Not measured, {why}: {', '.join(addresses)}")


def _ratios(results: Sequence[dict[str, Any]]) -> dict[str, float]:
    """How much more each thing takes with the most people than with the fewest."""
    first, last = results[0], results[-1]
    common = [name for name in first if isinstance(first[name], list) and name in last]
    return {name: last[name][0] / max(first[name][0], 0.1) for name in common}


def exported(database: str, postgres: str | None) -> None:
    peaks = []
    for people in EXPORTED:
        with taken_by(people, postgres) as run:
            peaks.append(float(run(__file__, "--step", "export", "--people", str(people))))
    grown = (peaks[1] - peaks[0]) / (EXPORTED[1] - EXPORTED[0]) * 1000
    raters = [f"{n:,} raters" for n in EXPORTED]
    with reported(f"{database}: peak memory of manage.py export", *raters, "per 1,000") as add:
        add(*[f"{peak:.0f} MiB" for peak in peaks], f"{grown:.1f} MiB")


STEPS = {"build": build, "measure": measure, "export": export}


def arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=SIZES)
    known = ["sqlite", "postgresql"]
    parser.add_argument("--databases", nargs="+", choices=known, default=known)
    parts = ["pages", "export"]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    parser.add_argument("--step", choices=list(STEPS), help=argparse.SUPPRESS)
    return parser.parse_args(given)


def main() -> None:
    given = arguments(sys.argv[1:])
    if given.step:
        STEPS[given.step](given.people[0])
        return
    with ExitStack() as stack:
        for database in given.databases:
            postgres = None
            if database == "postgresql":
                postgres = stack.enter_context(services.full_shape())["DATABASE_URL"]
            if "pages" in given.parts:
                compared(given.people, database, postgres)
            if "export" in given.parts:
                exported(database, postgres)


if __name__ == "__main__":
    main()
