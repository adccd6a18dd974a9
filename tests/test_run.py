"""What `make test` runs of the files that take turns."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from config.processes import ROOT
from tests.run import (
    COMMITS_BACK,
    EMBEDDED,
    SHARES,
    changed_last,
    environment,
    share_of_files,
)

#: How often each test of a run is in one of the shares, which is one line at the end.
COUNT_SHARES = """
import json, sys
from collections import Counter
import pytest
from tests.conftest import not_their_turn
from tests.run import SHARES

class CountShares:
    def pytest_collection_finish(self, session):
        times = Counter()
        for session.config.option.in_turn in range(SHARES):
            waiting = not_their_turn(session.items, session.config)
            times.update(item.nodeid for item in session.items if item not in waiting)
        names = [item.nodeid for item in session.items]
        print(json.dumps({name: times[name] for name in names}))

sys.exit(pytest.main(["--collect-only", "-qq", "-n0", *sys.argv[1:]], [CountShares()]))
"""


def test_each_file_is_in_one_share() -> None:
    files = {Path(f"test_{n}.py") for n in range(2 * SHARES + 1)}
    shares = [share_of_files(files, share) for share in range(SHARES)]
    assert Counter(file for share in shares for file in share) == Counter(files)
    assert {len(share) for share in shares} == {2, 3}


@pytest.mark.slow
def test_file_that_a_commit_changed_last_is_found(tmp_path: Path) -> None:
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
    assert changed_last(files, tmp_path) == {files[1]}
    assert changed_last(files[2:], tmp_path) == {files[-1]}
    for number in range(COMMITS_BACK - 1):
        commit("notes.md", str(number))
    assert changed_last(files, tmp_path) == {files[1]}


@pytest.mark.long
@pytest.mark.parametrize("shape", [(), ("--skip-pure",)], ids=["first shape", "second shape"])
def test_each_test_is_in_one_share_or_always_runs(shape: tuple[str, ...]) -> None:
    counted = subprocess.run(
        [sys.executable, "-c", COUNT_SHARES, *shape],
        cwd=ROOT,
        env=environment(EMBEDDED),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    times = json.loads(next(line for line in counted.stdout.splitlines() if line[:1] == "{"))
    assert len(times) > 1000
    assert {*times.values()} == {1, SHARES}
