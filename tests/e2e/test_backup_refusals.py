"""What can't be backed up or restored: one line says why, and nothing was changed."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from config.processes import ROOT
from tests.e2e.backups import (
    Manifest,
    empty_installation,
    manifest_of,
    spoiled,
    state_of,
    stopped_installation,
    with_file,
)
from tests.e2e.installation import Installation, running_installation
from tests.e2e.studies import open_small

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A stopped installation with a study, a corpus and a zip."""
    folder = tmp_path_factory.mktemp("filled")
    with stopped_installation(folder / "data") as installation:
        open_small(installation, folder, slug="filled")
        (installation.folder / "corpora" / "chats").mkdir(parents=True)
        (installation.folder / "corpora" / "chats" / "raw.jsonl").write_text('{"row": 1}\n' * 99)
        (installation.folder / "packages").mkdir(exist_ok=True)
        (installation.folder / "packages" / "7.zip").write_bytes(os.urandom(3_000_000))
        yield installation


@pytest.fixture(scope="module")
def backup(filled: Installation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("backup") / "good.fivefold"
    filled.manage("backup", file)
    return file


def refused(installation: Installation, *command: str | Path) -> str:
    """The one line with which a command is refused; nothing has changed."""
    before = state_of(installation)
    done = installation.manage(*map(str, command), check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout == ""
    assert state_of(installation) == before
    [line] = done.stderr.splitlines()
    return line.removeprefix("CommandError: ")


# ── Backup ───────────────────────────────────────────────────────────────────────────────────


def test_backup_never_replaces_a_file(filled: Installation, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("there", "link"):
        said = refused(filled, "backup", tmp_path / name)
        assert said == f"{tmp_path / name} exists already. Give the name of a new file"
    assert (tmp_path / "there").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "there"]


def test_backup_says_why_there_is_no_place_for_it(filled: Installation, tmp_path: Path) -> None:
    assert refused(filled, "backup", tmp_path) == (
        f"{tmp_path} is a folder. Give the name of a new file"
    )
    assert refused(filled, "backup", tmp_path / "no" / "b") == (
        f"There is no folder {tmp_path / 'no'}. Make it first"
    )
    assert refused(filled, "backup", "/proc/b") == (
        "/proc can't be written to: No such file or directory"
    )


def test_backup_of_nothing_is_refused(tmp_path: Path) -> None:
    with empty_installation(tmp_path / "data") as empty:
        done = empty.manage("backup", tmp_path / "b", check=False)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "There is no database" in done.stderr or "The database is empty" in done.stderr
        assert not (tmp_path / "b").exists()


def limited(installation: Installation, size: int, *command: str | Path) -> str:
    """Run a command that can write no file of more than `size` bytes, as on a full disk."""
    before = state_of(installation)
    done = subprocess.run(
        [sys.executable, "manage.py", *map(str, command)],
        cwd=ROOT,
        env=installation.environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert state_of(installation) == before
    [line] = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("size", [100_000, 2_500_000])  # of the copy, of the backup itself
def test_full_disk_leaves_nothing_of_a_backup(
    filled: Installation, tmp_path: Path, size: int
) -> None:
    said = limited(filled, size, "backup", tmp_path / "b")
    assert str(tmp_path) in said or "can't be dumped" in said
    assert list(tmp_path.iterdir()) == []


def test_full_disk_restores_nothing(filled: Installation, backup: Path) -> None:
    said = limited(filled, 200_000, "restore", backup)
    assert "File too large" in said


# ── Restore ──────────────────────────────────────────────────────────────────────────────────


def test_file_that_is_no_backup(filled: Installation, tmp_path: Path) -> None:
    file = tmp_path / "file"
    assert refused(filled, "restore", file) == f"There is no file {file}"
    assert refused(filled, "restore", tmp_path) == f"{tmp_path} can't be read: Is a directory"
    for content in (b"", b"SQLite format 3\0" * 99):
        file.write_bytes(content)
        said = f"{file} is no backup of Fivefold, or is cut off"
        assert refused(filled, "restore", file) == said
    with ZipFile(file, "w") as archive:
        archive.writestr("manifest.json", '{"what": "something else"}')
    assert refused(filled, "restore", file) == f"{file} is no backup of Fivefold"
    with ZipFile(file, "w") as archive:
        archive.writestr("ratings.csv", "participant")
    assert refused(filled, "restore", file) == f"{file} is no backup of Fivefold"


def test_backup_that_is_cut_off(filled: Installation, backup: Path, tmp_path: Path) -> None:
    file = tmp_path / "cut"
    file.write_bytes(backup.read_bytes()[:-100])
    assert refused(filled, "restore", file) == f"{file} is no backup of Fivefold, or is cut off"


@pytest.mark.parametrize("part", [0.1, 0.5])
def test_backup_with_a_wrong_byte(
    filled: Installation, backup: Path, tmp_path: Path, part: float
) -> None:
    content = bytearray(backup.read_bytes())
    content[int(part * len(content))] ^= 255
    file = tmp_path / "wrong"
    file.write_bytes(content)
    assert refused(filled, "restore", file).startswith(f"{file} is damaged: ")


CHANGES: dict[str, tuple[Callable[[Manifest], object], str]] = {
    "newer tables": (
        lambda manifest: manifest["migrations"]["survey"].append("9999_from_tomorrow"),
        "was made by a newer Fivefold: survey has 9999_from_tomorrow, of which this one knows "
        "nothing. Update Fivefold, then restore",
    ),
    "newer format": (
        lambda manifest: manifest.update(format=2, made_in="the future"),
        "was made by a newer Fivefold. Update Fivefold, then restore",
    ),
    "rows missing": (
        lambda manifest: manifest["rows"].update(survey_study=9),
        "is damaged: survey_study does not have all its rows",
    ),
    "file missing": (
        with_file("corpora/chats/more.jsonl"),
        "is damaged: its files are not those of its manifest",
    ),
    "no longer its text": (
        lambda manifest: manifest["files"]["corpora/chats/raw.jsonl"].update(sha256="0" * 64),
        "is damaged: corpora/chats/raw.jsonl is not as it was written",
    ),
    "shorter than it was": (
        lambda manifest: manifest["files"]["corpora/chats/raw.jsonl"].update(size=1),
        "is damaged: corpora/chats/raw.jsonl is not as it was written",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_backup_that_does_not_agree_with_itself(
    filled: Installation, backup: Path, tmp_path: Path, name: str
) -> None:
    change, why = CHANGES[name]
    file = spoiled(backup, tmp_path / "spoiled", change=change)
    assert refused(filled, "restore", file) == f"{file} {why}"


@pytest.mark.parametrize(
    "name",
    [
        "../outside",
        "corpora/../../outside",
        "/tmp/outside",
        "corpora//outside",
        "corpora/a\\..\\outside",
        "corpora/.",
        "elsewhere/file",
        "corpora/.restore-1/new/x",
        "serve.env",
    ],
)
def test_file_that_would_be_outside_its_folder(
    filled: Installation, backup: Path, tmp_path: Path, name: str
) -> None:
    file = spoiled(backup, tmp_path / "spoiled", change=with_file(name), more={name: b"x"})
    assert refused(filled, "restore", file) == (
        f"{file} contains {name!r}, which no backup contains"
    )


def test_link_in_a_backup(filled: Installation, backup: Path, tmp_path: Path) -> None:
    name = "corpora/link"
    file = spoiled(
        backup,
        tmp_path / "spoiled",
        change=with_file(name, b"/etc"),
        more={name: b"/etc"},
        link=name,
    )
    assert refused(filled, "restore", file).endswith(f"contains {name!r}, which no backup contains")


def test_file_where_a_folder_is(filled: Installation, backup: Path, tmp_path: Path) -> None:
    name = "corpora/chats/raw.jsonl/x"
    file = spoiled(backup, tmp_path / "spoiled", change=with_file(name), more={name: b"x"})
    assert refused(filled, "restore", file).startswith("The backup can't be restored here: ")


def test_backup_of_the_other_database(filled: Installation, backup: Path, tmp_path: Path) -> None:
    names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
    ours = manifest_of(backup)["database"]
    [other] = set(names) - {ours}
    file = spoiled(backup, tmp_path / "other", change=lambda it: it.update(database=other))
    assert refused(filled, "restore", file) == (
        f"{file} is a backup of {names[other]}, and this installation uses {names[ours]}. "
        "Set DATABASE_URL to a database of that kind"
    )


@pytest.mark.parametrize("service", ["web", "worker"])
def test_running_site_is_not_restored(backup: Path, tmp_path: Path, service: str) -> None:
    with running_installation(tmp_path / "data", worker=service == "worker") as site:
        if service == "worker":
            site.stop("web")
        said = refused(site, "restore", backup)
        assert said.startswith(f"Fivefold is running on {site.folder}. Stop it (the process")
        assert str(site.processes.running[service].child.pid) in said


@pytest.mark.postgresql
def test_database_that_another_machine_uses_is_not_restored(
    filled: Installation, backup: Path
) -> None:
    import psycopg

    with psycopg.connect(filled.environment["DATABASE_URL"]):
        said = refused(filled, "restore", backup)
    assert said.startswith("Fivefold is running, or another program uses its database (connections")


@pytest.mark.embedded  # files of SQLite
def test_damaged_database_is_replaced_only_when_told_so(
    filled: Installation, backup: Path, tmp_path: Path
) -> None:
    with stopped_installation(tmp_path / "data") as broken:
        (broken.folder / "fivefold.sqlite3").write_bytes(b"no database " * 999)
        (broken.folder / "fivefold.sqlite3-wal").write_bytes(b"nor a log " * 999)
        done = broken.manage("restore", backup, check=False)
        [line] = done.stderr.splitlines()
        assert "Add --without-backup to replace them anyway" in line
        broken.manage("restore", backup, "--without-backup")
        assert broken.query("SELECT slug FROM survey_study") == [("filled",)]
