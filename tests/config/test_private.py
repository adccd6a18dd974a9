"""Nobody else on the machine reads what Fivefold writes, or wrote when it was less careful."""

import subprocess
import sys
from pathlib import Path

import pytest

from config.private import keep_private
from tests.test_manage import ROOT, environment


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def open_to_all(tmp_path: Path) -> Path:
    """A data folder as earlier versions made it."""
    folder = tmp_path / "data"
    for made in (folder, folder / "logs"):
        made.mkdir()
        made.chmod(0o755)
    for name in ("fivefold.sqlite3", "fivefold.sqlite3-wal", "logs/web.log"):
        (folder / name).touch()
        (folder / name).chmod(0o644)
    return folder


def test_folder_of_an_earlier_version_is_closed(open_to_all: Path) -> None:
    keep_private(open_to_all, open_to_all / "fivefold.sqlite3")
    closed = [open_to_all, open_to_all / "logs", *open_to_all.glob("fivefold*")]
    assert [mode(path) for path in closed] == [0o700, 0o700, 0o600, 0o600]


def test_folder_with_other_things_stays_open_but_what_is_ours_is_closed(open_to_all: Path) -> None:
    other = open_to_all / "other-service"
    other.mkdir()
    other.chmod(0o755)
    keep_private(open_to_all, open_to_all / "fivefold.sqlite3")
    assert (mode(open_to_all), mode(other)) == (0o755, 0o755)
    assert (mode(open_to_all / "logs"), mode(open_to_all / "fivefold.sqlite3")) == (0o700, 0o600)


def test_database_elsewhere_is_closed_and_what_a_link_leads_to_is_not(open_to_all: Path) -> None:
    elsewhere = open_to_all.parent / "elsewhere.sqlite3"
    strangers = open_to_all.parent / "theirs"
    for path in (elsewhere, strangers):
        path.touch()
        path.chmod(0o644)
    (open_to_all / "static").symlink_to(strangers)
    keep_private(open_to_all, elsewhere)
    assert (mode(elsewhere), mode(strangers)) == (0o600, 0o644)


@pytest.mark.slow
@pytest.mark.embedded
def test_whatever_a_command_writes_is_for_its_user_alone(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0", "auth"],
        cwd=ROOT,
        env=environment(tmp_path / "data"),
        umask=0o022,
        check=True,
    )
    written = [tmp_path / "data", *(tmp_path / "data").rglob("*")]
    assert tmp_path / "data" / "fivefold.sqlite3" in written
    assert [path for path in written if mode(path) & 0o077] == []
