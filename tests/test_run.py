"""What `make test` runs of the files that take turns."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from config.processes import ROOT
from tests.run import (
    CHANGED_LAST,
    COMMITS_BACK,
    EMBEDDED,
    SHARES,
    changed_last,
    environment,
    share_of_files,
)


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


def test_files_that_commits_changed_last_are_found(tmp_path: Path) -> None:
    whose = {f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")}
    whose |= {f"GIT_{who}_EMAIL": "ada@x.org" for who in ("AUTHOR", "COMMITTER")}

    def git(*arguments: str) -> None:
        command = ["git", *arguments]
        subprocess.run(command, cwd=tmp_path, env=os.environ | whose, check=True)

    def commit(name: str, text: str) -> None:
        (tmp_path / name).write_text(text, encoding="utf-8")
        git("add", name)
        git("commit", "--no-gpg-sign", "--message", name)

    files = [tmp_path / f"test_{name}.py" for name in ("long_ago", *"abcdefg", "größe")]
    assert changed_last(files, tmp_path) == set()
    git("init")
    assert changed_last(files, tmp_path) == set()
    for file in files:
        commit(file.name, "")
    commit("notes.md", "")
    commit("test_a.py", "changed")
    assert changed_last(files, tmp_path) == {files[1], *files[-CHANGED_LAST + 1 :]}
    for number in range(COMMITS_BACK - 1):
        commit("notes.md", str(number))
    assert changed_last(files, tmp_path) == {files[1]}


@pytest.mark.long
@pytest.mark.parametrize("shape", [(), ("--skip-pure",)], ids=["first shape", "second shape"])
def test_shares_together_hold_every_test(shape: tuple[str, ...]) -> None:
    whole = collected(*shape)
    shares = [collected(*shape, f"--in-turn={share}") for share in range(SHARES)]
    times = Counter(test for share in shares for test in share)
    assert set(times) == whole
    assert 1 in times.values() and {*times.values()} <= {1, SHARES}  # in its turn, or always
