"""What a study costs at 50,000 participants, compared with 1,000 in the same run.

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
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.load.servers import scratch_database
from tests import services

ROOT = Path(__file__).parent.parent
STUDY = ROOT / "examples" / "empathy"
SIZES = [1000, 50_000]
#: Raters of the two exports whose peak memory is compared.
EXPORTED = [2000, 6000]
TIMES = 7


# ── In a process with a database of its own ──────────────────────────────────────────────────


def build(people: int) -> None:
    import django

    django.setup()
    from benchmarks.crowded.building import crowded_study

    crowded_study(STUDY, people)


def measure(people: int) -> None:
    """Print what each thing takes, as JSON."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.test import Client
    from django.utils import timezone

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

    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.create_superuser("bench"))

    def page(address: str) -> Callable[[], Any]:
        def get() -> None:
            answer = client.get(address)
            assert answer.status_code == 200, answer
            assert answer.getvalue()

        return get

    found: dict[str, Any] = {"people": people, "ratings": Rating.objects.count()}
    found["arrival and consent"] = timed(consent)
    start = time.process_time()
    count_ahead(study.pk)
    found["worker, once"] = 1000 * (time.process_time() - start)
    ratings = f"/api/studies/{study}/ratings/"
    last = Participant.objects.order_by("-id")[max(20, people // 10)].pk
    for name, address in (
        ("order page", f"/studies/{study}/order/"),
        ("certificate", f"/studies/{study}/order/certificate.csv"),
        ("first 1,000 ratings", ratings),
        ("1,000 of the last ratings", f"{ratings}?after={last}.0.0"),
    ):
        found[name] = timed(page(address))
    print(json.dumps(found))


def timed(work: Callable[[], Any]) -> list[float]:
    """Milliseconds of this process's CPU, and by the clock: medians, after one that warms up."""
    work()
    taken = []
    for _ in range(TIMES):
        cpu, clock = time.process_time(), time.perf_counter()
        work()
        taken.append((1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - clock)))
    return [median(each) for each in zip(*taken, strict=True)]


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
    results = []
    for people in sizes:
        with taken_by(people, postgres) as run:
            run("manage.py", "collectstatic", "--no-input")
            results.append(json.loads(run(__file__, "--step", "measure", "--people", str(people))))
    print(f"\n{database}: ms of CPU of the web process (by the clock), medians of {TIMES}")
    print(f"{'people':28}" + "".join(f"{each['people']:>20,}" for each in results))
    print(f"{'ratings':28}" + "".join(f"{each['ratings']:>20,}" for each in results))
    for name, first in results[0].items():
        if isinstance(first, list):
            cells = "".join(f"{each[name][0]:10.1f} ({each[name][1]:6.1f})" for each in results)
            times = results[-1][name][0] / first[0]
            print(f"{name:28}{cells}   × {times:.2f}", flush=True)
    once = "".join(f"{each['worker, once']:>11.0f}{'':9}" for each in results)
    print(f"{'worker counts all, once':28}{once}")


def exported(database: str, postgres: str | None) -> None:
    peaks = []
    for people in EXPORTED:
        with taken_by(people, postgres) as run:
            peaks.append(float(run(__file__, "--step", "export", "--people", str(people))))
    grown = (peaks[1] - peaks[0]) / (EXPORTED[1] - EXPORTED[0]) * 1000
    said = " and ".join(f"{p:.0f} MiB ({n:,} raters)" for p, n in zip(peaks, EXPORTED, strict=True))
    print(f"{database}: manage.py export, peak memory {said}: {grown:.1f} MiB per 1,000 raters")


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
