"""Run the tests on both shapes, and lint, side by side: `make test`.

    python -m tests.run            what protects every change
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
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile

from config.processes import ROOT
from tests import services

CORES = os.cpu_count() or 1
#: Processes of each shape. One has no more than cores plus one: now and then a test waits for a
#: browser or a server. The second has fewer tests, and takes as long with a third of the processes.
FIRST, SECOND = min(CORES + 1, 8), max(1, min(CORES, 8) // 2)
EMBEDDED = {"DATABASE_URL": "", "CELERY_BROKER_URL": ""}
#: The tests start hundreds of processes; without bytecode each would compile all our code again.
LEFT_OUT = {*EMBEDDED, "PYTHONDONTWRITEBYTECODE", "MAKEFLAGS", "MAKELEVEL"}


def main() -> int:
    given = sys.argv[1:]
    if "--quick" in given:  # nothing to wait for
        options = ["--quiet", *given]
        return subprocess.call(pytest(CORES, *options), env=environment(EMBEDDED))
    try:
        for program in (services.CHROMIUM, services.CADDY):
            print(f"{program.names[0]}: {program.need()}")
        with services.full_shape() as full:
            beside = {
                "lint": (["make", "--no-print-directory", "lint"], {}),
                "shape 2: PostgreSQL, Redis": (pytest(SECOND, "--skip-pure", *given), full),
            }
            with ExitStack() as running:
                others = [
                    running.enter_context(side_by_side(title, command, shape))
                    for title, (command, shape) in beside.items()
                ]
                print("\n===== shape 1: SQLite, broker in files =====", flush=True)
                first = subprocess.call(pytest(FIRST, *given), env=environment(EMBEDDED))
    except services.ServiceMissing as error:
        sys.exit(str(error))
    return first or next((other.returncode for other in others if other.returncode), 0)


def pytest(processes: int, *options: str) -> list[str]:
    return [sys.executable, "-m", "pytest", f"--numprocesses={processes}", *options]


@contextmanager
def side_by_side(
    title: str, command: list[str], shape: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command while others run; waits for its end, then shows what it said."""
    with TemporaryFile() as said:
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(shape),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        ) as running:
            yield running
        print(f"\n===== {title} =====", flush=True)
        said.seek(0)
        print(said.read().decode(errors="replace"), flush=True)


def environment(shape: Mapping[str, str]) -> dict[str, str]:
    given = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    return given | {name: value for name, value in shape.items() if value}


if __name__ == "__main__":
    sys.exit(main())
