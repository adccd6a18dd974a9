"""Run the tests on both shapes and lint, all at once: `make test`.

    python -m tests.run            what protects every change
    python -m tests.run --long     everything, and more random cases: `make test-long`
    python -m tests.run --quick    what needs no database, server or browser: `make quick`

Shape 1 is SQLite with the broker that needs no server, shape 2 PostgreSQL with Redis. The second
shape runs what these can change: tests that touch the database or a broker, unless they are marked
`embedded` (see pyproject.toml). A new test runs on both. The services come from `services.py`.

Dear tests take turns, and on the second shape all but those that together execute nearly every SQL
statement (see `statements.py`). A commit runs those in one share of the files, and in the file that
was changed last. Its hash decides which share, so a run that failed fails again; a share may wait
for many commits. `--in-turn N` runs share N.

While one test waits for a server or a browser, another computes: so everything runs side by side.
The first shape has most of the tests and is shown while it runs; the others are shown when it ends.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from config.processes import ROOT
from tests import services

CORES = os.cpu_count() or 1
#: Tests with a browser wait more than they compute. The second shape ends long before the first.
AT_ONCE = min(CORES + 1, 8)
AT_ONCE_ON_SECOND = min(max(CORES // 2, 1), 8)
#: Into how many shares the files are dealt whose tests take turns.
SHARES = 30
#: The file that was changed last runs whatever its share, if that was in so many commits. It is one
#: alone, as some files take two minutes.
COMMITS_BACK = 50
EMBEDDED = {"DATABASE_URL": "", "CELERY_BROKER_URL": ""}
#: The tests start hundreds of processes; without bytecode each would compile all our code again.
LEFT_OUT = {*EMBEDDED, "PYTHONDONTWRITEBYTECODE", "MAKEFLAGS", "MAKELEVEL"}


def main() -> int:
    given = sys.argv[1:]
    if "--quick" in given:  # nothing to wait for
        return subprocess.call(pytest(CORES, "--quiet", *given), env=environment(EMBEDDED))
    if "--long" not in given and "--in-turn" not in given:
        given += ["--in-turn", str(share_of_commit())]
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


def share_of_commit() -> int:
    """Which share of the files that take turns this commit runs: the same whenever it is tested."""
    try:
        head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True)
    except (OSError, subprocess.CalledProcessError):  # not a clone
        return 0
    return int(head, 16) % SHARES


def share_of_files(files: Iterable[Path], share: int) -> set[Path]:
    """The files of one share, from 0: every SHARES-th in the order of their names."""
    return set(sorted(files)[share::SHARES])


def changed_last(files: Iterable[Path], clone: Path = ROOT) -> set[Path]:
    """Which of the files a commit changed last: one at most, and none where git has no history."""
    command = ["git", "log", f"-{COMMITS_BACK}", "--name-only", "--format=", "-z"]
    try:
        names = subprocess.check_output(command, cwd=clone, text=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return set()
    wanted = set(files)
    for name in names.split("\0"):  # newest first
        if clone / name in wanted:
            return {clone / name}
    return set()


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
