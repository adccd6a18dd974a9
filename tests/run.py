"""Run the tests on both shapes and lint, all at once: `make test`.

    python -m tests.run            every test
    python -m tests.run --long     the same with more random cases: `make test-long`
    python -m tests.run --quick    what needs no database, server or browser: `make quick`

Shape 1 is SQLite with the broker that needs no server, shape 2 PostgreSQL with Redis. Every test
runs each time on each shape that can change its result. The second shape leaves out tests that
touch neither a database nor a broker, and those marked `embedded` (see pyproject.toml). Each shape
ends with how many tests ran and how many were left out, by reason. The services come from
`services.py`.

While one test waits for a server or a browser, another computes: so everything runs side by side.
The first shape has most of the tests and is shown while it runs; the others are shown when it ends.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryFile

from config.processes import ROOT
from tests import services

CORES = os.cpu_count() or 1
#: Tests with a browser wait more than they compute. The second shape ends long before the first.
AT_ONCE = min(CORES + 1, 8)
AT_ONCE_ON_SECOND = min(max(CORES // 2, 1), 8)
EMBEDDED = {"DATABASE_URL": "", "CELERY_BROKER_URL": ""}
#: The tests start hundreds of processes; without bytecode each would compile all our code again.
LEFT_OUT = {*EMBEDDED, "PYTHONDONTWRITEBYTECODE", "MAKEFLAGS", "MAKELEVEL"}


def main() -> int:
    given = sys.argv[1:]
    if "--quick" in given:  # nothing to wait for
        return subprocess.call(pytest(CORES, "--quiet", *given), env=environment(EMBEDDED))
    try:
        with beside("lint", ["make", "--no-print-directory", "lint"], {}) as lint:
            prepare()
            with (
                services.full_shape() as full,
                beside(
                    "shape 2: PostgreSQL, Redis",
                    pytest(AT_ONCE_ON_SECOND, "--skip-pure", *given),
                    full,
                ) as second,
            ):
                print("\n===== shape 1: SQLite, broker in files =====", flush=True)
                first = subprocess.call(pytest(AT_ONCE, *given), env=environment(EMBEDDED))
    except services.ServiceMissing as error:
        sys.exit(str(error))
    return first or second.returncode or lint.returncode


def pytest(at_once: int, *options: str) -> list[str]:
    return [sys.executable, "-m", "pytest", f"--numprocesses={at_once}", *options]


def prepare() -> None:
    """Install programs, and read all tests meanwhile: Python keeps what it compiles for that. In a
    fresh clone all processes of the runs would compile the same files side by side.
    """
    reading = subprocess.Popen(
        [sys.executable, "-m", "pytest", "--collect-only", "--quiet"],
        cwd=ROOT,
        env=environment(EMBEDDED),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    programs = services.needed()
    services.install_missing(*programs)
    for program in programs:
        print(f"{program.names[0]}: {program.need()}", flush=True)
    reading.wait()  # what it fails at, the run shows


@contextmanager
def beside(
    title: str, command: list[str], shape: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command while something else runs. Waits for it at the end and shows what it said."""
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
