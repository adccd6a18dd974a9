"""Which tests of the second shape never take turns: those that execute its SQL statements.

    python -m tests.statements    writes their names to `statements.txt`, in minutes

Run it when tests or queries are new. As a plugin of pytest it records what each test executes, and
chooses tests until all statements are executed by one of them, the cheapest for its new ones first.
Statements that only dear tests execute wait for their turn.
"""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.db.backends.signals import connection_created

from config.processes import ROOT
from tests import services
from tests.run import environment

CHOSEN = Path(__file__).with_suffix(".txt")
#: A test that runs for longer than this for each of its new statements is not chosen: with a
#: second, twice the time would execute one statement in twenty more.
SECONDS_PER_STATEMENT = 0.2
#: What the fastest test costs beside its own time.
START_SECONDS = 0.05


@cache
def chosen() -> frozenset[str]:
    """The names of the tests, as pytest has them."""
    return frozenset(CHOSEN.read_text(encoding="utf-8").splitlines())


def main() -> int:
    services.install_missing(*services.needed())
    with services.full_shape() as full:
        command = [sys.executable, "-m", "pytest", "-n0", "-p", "tests.statements", "--skip-pure"]
        return subprocess.call(command, cwd=ROOT, env=environment(full))


# ── Recording ─────────────────────────────────────────────────────────────────────────────────────

_executed: set[str] = set()
_of_tests: dict[str, tuple[float, set[str]]] = {}


def without_values(statement: str) -> str:
    """A statement however many values and rows it is about, whatever its savepoint is called."""
    placeholders = re.sub(r"%s(, ?%s)+", "%s", re.sub(r"\d+", "0", statement))
    return re.sub(r"\(%s\)(, ?\(%s\))+", "(%s)", placeholders)


def _record(
    execute: Callable[..., Any], statement: Any, values: Any, many: bool, context: Any
) -> Any:
    _executed.add(without_values(str(statement)))
    return execute(statement, values, many, context)


def _listen(connection: Any, **_: Any) -> None:
    if _record not in connection.execute_wrappers:
        connection.execute_wrappers.append(_record)


def pytest_configure() -> None:
    connection_created.connect(_listen)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    _executed.clear()
    began = time.perf_counter()
    ended = yield
    _of_tests[item.nodeid] = time.perf_counter() - began, set(_executed)
    return ended


def pytest_sessionfinish(exitstatus: int) -> None:
    if exitstatus == pytest.ExitCode.OK:
        names = choose(_of_tests)
        CHOSEN.write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")


# ── Choosing ──────────────────────────────────────────────────────────────────────────────────────


def choose(tests: Mapping[str, tuple[float, set[str]]]) -> list[str]:
    """Tests that together execute every statement but the dearest (greedy set cover).

    `tests` has the seconds and the statements of each.
    """
    left = set().union(*(statements for _, statements in tests.values()))
    names = []
    while left:
        seconds, name = min(
            ((of + START_SECONDS) / max(len(statements & left), 1e-9), name)
            for name, (of, statements) in tests.items()
        )
        if seconds > SECONDS_PER_STATEMENT:
            break
        left -= tests[name][1]
        names.append(name)
    return names


if __name__ == "__main__":
    sys.exit(main())
