"""Run the tests on both shapes: `make test`. With --quick, what needs no service: `make quick`.

Shape 1 is SQLite with the broker that needs no server, shape 2 PostgreSQL with Redis. Tests that
touch neither database nor broker run on the first alone. The services come from `services.py`.
"""

import os
import subprocess
import sys
from collections.abc import Mapping

from tests import services

#: Twice as many as there are cores: half of their time tests wait for a browser or a server.
AT_ONCE = min(2 * (os.cpu_count() or 1), 8)
PYTEST = [sys.executable, "-m", "pytest", f"--numprocesses={AT_ONCE}"]
EMBEDDED = {"DATABASE_URL": "", "CELERY_BROKER_URL": ""}
#: The tests start hundreds of processes; without bytecode each would compile all our code again.
LEFT_OUT = {*EMBEDDED, "PYTHONDONTWRITEBYTECODE"}


def main() -> int:
    if "--quick" in sys.argv[1:]:
        return run("quick: SQLite", EMBEDDED, ["--quiet", "-m", "not e2e and not slow"])
    try:
        for program in (services.CHROMIUM, services.CADDY):
            print(f"{program.names[0]}: {program.need()}")
        with services.full_shape() as full:
            first = run("shape 1: SQLite, broker in files", EMBEDDED, [])
            second = run("shape 2: PostgreSQL, Redis", full, ["--skip-pure"])
    except services.ServiceMissing as error:
        sys.exit(str(error))
    return first or second


def run(title: str, shape: Mapping[str, str], options: list[str]) -> int:
    print(f"\n===== {title} =====", flush=True)
    given = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    chosen = {name: value for name, value in shape.items() if value}
    return subprocess.call([*PYTEST, *options, *sys.argv[2:]], env={**given, **chosen})


if __name__ == "__main__":
    sys.exit(main())
