"""What `serve` chose counts for other shells while it runs, and no longer; who uses the data."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config.instance_lock import AlreadyServed, InUse, UseLock, chosen_by_serve, claimed
from config.processes import ROOT

CHOSEN = {"SITE_URL": "http://localhost:8123"}


def test_choice_is_read_while_somebody_serves(tmp_path: Path) -> None:
    file = tmp_path / "new" / "serve.env"
    assert chosen_by_serve(file) == {}
    with claimed(file, CHOSEN):
        assert chosen_by_serve(file) == CHOSEN
    assert chosen_by_serve(file) == {}


def test_what_a_killed_serve_left_behind_is_not_believed(tmp_path: Path) -> None:
    file = tmp_path / "serve.env"
    file.write_text("SITE_URL=http://localhost:8123\n")
    assert chosen_by_serve(file) == {}


def test_a_folder_is_served_once(tmp_path: Path) -> None:
    file = tmp_path / "serve.env"
    with claimed(file, CHOSEN):
        with pytest.raises(AlreadyServed) as refused, claimed(file, {"SITE_URL": "elsewhere"}):
            pass
        assert refused.value.address == "http://localhost:8123"
        assert chosen_by_serve(file) == CHOSEN


#: Shares the lock of the file that is its argument until its input ends; says whether it can.
SHARING = """
import sys
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from config.instance_lock import BeingRestored, UseLock
lock = UseLock(Path(sys.argv[1]))
try:
    lock.share()
except BeingRestored:
    print("being restored", flush=True)
else:
    print("shared", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another(file: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that shares the lock, or finds that it can't."""
    process = subprocess.Popen(
        [sys.executable, "-c", SHARING, str(file)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_restore_is_alone_or_knows_who_is_there(tmp_path: Path) -> None:
    lock = UseLock(tmp_path / "new" / ".in-use")
    lock.share()
    with another(lock.file) as process:
        assert said(process) == "shared"
        with pytest.raises(InUse) as refused, lock.alone():
            pass
        assert refused.value.processes == [process.pid]
        process.communicate()
    with lock.alone(), another(lock.file) as process:
        assert said(process) == "being restored"
    with another(lock.file) as process:
        assert said(process) == "shared"


def test_killed_process_no_longer_uses_the_data(tmp_path: Path) -> None:
    lock = UseLock(tmp_path / ".in-use")
    lock.share()
    with another(lock.file) as process:
        assert said(process) == "shared"
        process.kill()
        process.wait()
        with lock.alone():
            pass
