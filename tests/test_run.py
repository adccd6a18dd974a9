"""Every test runs each time, on each shape that can change its result."""

import subprocess
import sys
from pathlib import Path

import pytest

from config.processes import ROOT
from tests.run import EMBEDDED, environment

pytestmark = pytest.mark.slow

TESTS = """
import pytest

def test_pure() -> None: ...

@pytest.mark.django_db
def test_that_stores() -> None: ...

@pytest.mark.embedded
@pytest.mark.django_db
def test_of_a_page() -> None: ...

@pytest.mark.postgresql
def test_of_a_connection() -> None: ...

@pytest.mark.long
def test_with_many_more_cases() -> None: ...
"""
SKIPPED = """
def test_today() -> None:
    pytest.skip("not today")
"""


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            (),
            "Tests: 5 collected, 1 left out: long, 1 left out: only for PostgreSQL; 3 ran",
        ),
        (
            ("--long", "--numprocesses=2"),
            "Tests: 5 collected, 1 left out: only for PostgreSQL; 4 ran",
        ),
        (
            ("--skip-pure", "--numprocesses=2"),
            "Tests: 5 collected, 1 left out: embedded, 2 left out: no database, "
            "1 left out: only for PostgreSQL; 1 ran",
        ),
        (
            ("--skip-pure", "-k", "pure or stores"),
            "Tests: 2 collected, 1 left out: no database; 1 ran",
        ),
    ],
    ids=["first shape", "more cases", "second shape", "some by name"],
)
def test_run_says_how_many_tests_it_left_out_and_why(
    tmp_path: Path, options: tuple[str, ...], line: str
) -> None:
    run = run_tests(tmp_path, TESTS, *options)
    assert line in run.stdout.splitlines()
    assert run.returncode == 0, run.stdout


def test_run_with_a_skipped_test_fails(tmp_path: Path) -> None:
    run = run_tests(tmp_path, TESTS + SKIPPED, "-k", "pure or today")
    assert run.returncode == 1
    assert "The run fails: tests were skipped" in run.stdout


def run_tests(folder: Path, tests: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a file of tests by the rules of these tests here."""
    file = folder / "test_written.py"
    file.write_text(tests, encoding="utf-8")
    rules = ["-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder)]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *rules, *options, str(file)],
        cwd=ROOT,
        env=environment(EMBEDDED),
        capture_output=True,
        text=True,
        check=False,
    )
