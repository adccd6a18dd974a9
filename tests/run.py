"""Run the tests on both shapes, and lint beside them: `make test`.

    python -m tests.run            what protects every change: ten minutes on two cores
    python -m tests.run --long     and more random cases: `make test-long`
    python -m tests.run --quick    what needs no database, server or browser: `make quick`

Shape 1 is SQLite with the broker that needs no server, shape 2 PostgreSQL with Redis. The second
shape runs what these can change: tests that touch the database or a broker, unless they are marked
`embedded` (see pyproject.toml). A new test runs on both. The services come from `services.py`.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryFile

from config.processes import ROOT
from tests import services

#: One more than there are cores: now and then a test waits for a browser or a server. With three
#: times as many as cores the whole takes a fifth longer than with twice as many.
AT_ONCE = min((os.cpu_count() or 1) + 1, 8)
PYTEST = [sys.executable, "-m", "pytest", f"--numprocesses={AT_ONCE}"]
EMBEDDED = {"DATABASE_URL": "", "CELERY_BROKER_URL": ""}
#: The tests start hundreds of processes; without bytecode each would compile all our code again.
LEFT_OUT = {*EMBEDDED, "PYTHONDONTWRITEBYTECODE", "MAKEFLAGS", "MAKELEVEL"}


def main() -> int:
    given = sys.argv[1:]
    if "--quick" in given:  # nothing to wait for
        return run("quick", EMBEDDED, ["--quiet", f"--numprocesses={os.cpu_count() or 1}", *given])
    try:
        for program in (services.CHROMIUM, services.CADDY):
            print(f"{program.names[0]}: {program.need()}")
        with lint_beside() as lint:
            first = run("shape 1: SQLite, broker in files", EMBEDDED, given)
        with services.full_shape() as full:
            second = run("shape 2: PostgreSQL, Redis", full, ["--skip-pure", *given])
    except services.ServiceMissing as error:
        sys.exit(str(error))
    return first or second or lint.returncode


@contextmanager
def lint_beside() -> Iterator[subprocess.Popen[bytes]]:
    """`make lint` while tests run: for minutes it uses one core alone. Shows what it said."""
    with TemporaryFile() as said:
        with subprocess.Popen(
            ["make", "--no-print-directory", "lint"],
            cwd=ROOT,
            env=environment({}),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        ) as lint:
            yield lint
        print("\n===== lint =====", flush=True)
        said.seek(0)
        print(said.read().decode(errors="replace"), flush=True)


def run(title: str, shape: Mapping[str, str], options: list[str]) -> int:
    print(f"\n===== {title} =====", flush=True)
    return subprocess.call([*PYTEST, *options], env=environment(shape))


def environment(shape: Mapping[str, str]) -> dict[str, str]:
    given = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    return given | {name: value for name, value in shape.items() if value}


if __name__ == "__main__":
    sys.exit(main())
