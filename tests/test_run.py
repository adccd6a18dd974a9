"""What `make test` runs of the files that take turns."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from config.processes import ROOT
from tests.run import EMBEDDED, SHARES, environment, share_of_files


def collected(*options: str) -> set[str]:
    """The tests of a run, by name."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-n0", *options]
    said = subprocess.run(
        command, cwd=ROOT, env=environment(EMBEDDED), capture_output=True, text=True, check=True
    )
    return {line for line in said.stdout.splitlines() if "::" in line}


def test_each_file_is_in_one_share() -> None:
    files = {Path(f"test_{n}.py") for n in range(2 * SHARES + 1)}
    shares = [share_of_files(files, share) for share in range(SHARES)]
    assert Counter(file for share in shares for file in share) == Counter(files)
    assert {len(share) for share in shares} == {2, 3}


@pytest.mark.long
@pytest.mark.parametrize("shape", [(), ("--skip-pure",)], ids=["first shape", "second shape"])
def test_shares_together_hold_every_test(shape: tuple[str, ...]) -> None:
    whole = collected(*shape)
    shares = [collected(*shape, f"--in-turn={share}") for share in range(SHARES)]
    times = Counter(test for share in shares for test in share)
    assert set(times) == whole
    assert 1 in times.values() and {*times.values()} <= {1, SHARES}  # in its turn, or always
