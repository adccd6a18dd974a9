"""Backups of an installation: its database, corpora, zips for sharing, and first password.

Everything else in the data folder is made anew by a start. `.env` is not in a backup: the keys and
the database together give what is encrypted.
"""

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.crypto import salted_hmac

from config.backup import postgresql, sqlite
from config.backup.archive import (
    DATABASE,
    PASSWORD,
    Archive,
    ArchiveWriter,
    Manifest,
    different_table,
)
from config.backup.data_in_use import database_file, is_sqlite
from config.backup.placing import RestoredFolder
from config.backup.problem import BackupProblem
from corpus.filters import CORPUS, RAW
from survey.models import Participant

#: A backup whose corpora change while they are copied is made again, so often at most.
TRIES = 3
WORKING = ".fivefold-backup-"
#: Keys without which parts of the database can't be used.
KEYS = ("SECRET_KEY", "PROLIFIC_TOKEN_KEY")


@dataclass(frozen=True)
class DatabaseFacts:
    """What a database says of itself, as of one moment."""

    rows: dict[str, int]
    migrations: dict[str, list[str]]
    #: SHA-256 that files must have, by their name in the backup.
    corpora: dict[str, str]


def make_backup(file: Path, *, at: datetime) -> Manifest:
    """Write a backup to a new file, read it again, and compare. The site may run meanwhile.

    It has every answer that was acknowledged before. Raises BackupProblem; then there is no file.
    """
    folder = file.parent
    if file.is_dir():
        raise BackupProblem(f"{file} is a folder. Give the name of a new file")
    if file.exists() or file.is_symlink():
        raise BackupProblem(f"{file} exists already. Give the name of a new file")
    if not folder.is_dir():
        raise BackupProblem(f"There is no folder {folder}. Make it first")
    try:
        with _working_folder(folder) as work:
            manifest = _written(work, at)
            with Archive(work / "backup") as archive:
                archive.verify()
            _publish(work / "backup", file)
    except FileExistsError:
        raise BackupProblem(f"{file} exists already. Give the name of a new file") from None
    except OSError as error:
        raise BackupProblem(f"{folder} can't be written to: {error.strerror or error}") from None
    return manifest


def before_update(*, at: datetime) -> Path | None:
    """Make a backup in DATA_DIR if there are participants, test people aside.

    Raises BackupProblem.
    """
    if Participant._meta.db_table not in connection.introspection.table_names():
        return None
    if not Participant.objects.exclude(source__in=Participant.TEST_SOURCES).exists():
        return None
    return make_own_backup("before-update", at=at)


def make_own_backup(why: str, *, at: datetime) -> Path:
    """Make a backup in the data folder. Raises BackupProblem."""
    folder = settings.DATA_DIR / "backups"
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise BackupProblem(f"{folder} can't be written to: {error.strerror}") from None
    file: Path = folder / f"{why}-{at:%Y-%m-%d-%H%M%S}.fivefold"
    make_backup(file, at=at)
    return file


def fingerprints() -> dict[str, str]:
    """Which keys these are, without giving them away."""
    return {
        name: salted_hmac("config.backup", name, secret=getattr(settings, name)).hexdigest()[:16]
        for name in KEYS
    }


def facts(cursor: Any) -> DatabaseFacts:
    """Read what a backup of this database has to contain."""
    tables = sqlite.tables(cursor) if is_sqlite() else postgresql.tables(cursor)
    if "django_migrations" not in tables:
        raise BackupProblem("The database is empty: it has no tables of Fivefold")
    rows = {}
    for table in sorted(tables):
        cursor.execute(f'SELECT count(*) FROM "{table}"')  # noqa: S608  names from the database
        [rows[table]] = cursor.fetchone()
    cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
    migrations: dict[str, list[str]] = {}
    for app, name in cursor.fetchall():
        migrations.setdefault(app, []).append(name)
    return DatabaseFacts(
        rows, migrations, _files_of_corpora(cursor) if "corpus_corpus" in tables else {}
    )


def _files_of_corpora(cursor: Any) -> dict[str, str]:
    cursor.execute("SELECT name, source, filtered FROM corpus_corpus")
    files = {}
    for name, source, filtered in cursor.fetchall():
        files[f"corpora/{name}/{RAW}"] = _json(source)["dialogues_sha256"]
        if _json(filtered):
            files[f"corpora/{name}/{CORPUS}"] = _json(filtered)["sha256"]
    return files


def _json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _written(work: Path, at: datetime) -> Manifest:
    """Write `backup` into a folder, with corpora as the database knows them if that can be."""
    for number in range(1, TRIES + 1):
        manifest, different = _write(work, at)
        if not different or number == TRIES:
            break
        for name in ("backup", "copy"):
            (work / name).unlink()
    return manifest


def _write(work: Path, at: datetime) -> tuple[Manifest, list[str]]:
    # The database first: files of its rows are there before the rows are.
    copy = work / "copy"
    if is_sqlite():
        known = sqlite.copy_database(database_file(), copy, facts)
    else:
        known = postgresql.copy_database(copy, facts)
        if table := different_table(postgresql.rows_in(copy), known.rows):
            raise BackupProblem(f"The dump does not have all rows of {table}. Try again")
    manifest = Manifest(
        made_at=at,
        database="sqlite" if is_sqlite() else "postgresql",
        server=0 if is_sqlite() else postgresql.server_version(),
        migrations=known.migrations,
        rows=known.rows,
        keys=fingerprints(),
    )
    with ArchiveWriter(work / "backup", manifest) as archive:
        archive.add(DATABASE, copy, compress=is_sqlite())
        for name, path in _files():
            try:
                archive.add(name, path)
            except FileNotFoundError:
                continue  # its row is older than it: an expired zip, a withdrawal
        different = [
            name
            for name, digest in known.corpora.items()
            if name not in manifest.files or manifest.files[name].sha256 != digest
        ]
        manifest.notes += [
            f"{name} is not the file that the database knows: import or filter this corpus again"
            for name in different
        ]
    return manifest, different


def _files() -> Iterator[tuple[str, Path]]:
    """All files of a backup beside the database, by their names in it."""
    if (password := settings.DATA_DIR / PASSWORD).is_file():
        yield PASSWORD, password
    for entry in RestoredFolder(settings.CORPORA_DIR).entries():
        yield from _below(entry, "corpora")
    for entry in RestoredFolder(settings.PACKAGES_DIR, ("*.zip",)).entries():
        yield from _below(entry, "packages")


def _below(entry: Path, folder: str) -> Iterator[tuple[str, Path]]:
    if entry.is_dir():
        for inner in sorted(entry.iterdir()):
            yield from _below(inner, f"{folder}/{entry.name}")
    elif entry.is_file():
        yield f"{folder}/{entry.name}", entry


@contextmanager
def _working_folder(folder: Path) -> Iterator[Path]:
    """A folder in `folder` that is removed at the end, or by the next backup after a kill."""
    for left in folder.glob(f"{WORKING}*"):
        _remove_abandoned(left)
    work = Path(tempfile.mkdtemp(prefix=WORKING, dir=folder))
    try:
        with (work / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _remove_abandoned(work: Path) -> None:
    try:
        with (work / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(work, ignore_errors=True)
    except OSError:
        return  # another backup is being made there, or it is not ours


def _publish(made: Path, file: Path) -> None:
    """Give a finished file its name, unless there is one of this name. Raises OSError."""
    with made.open("rb") as written:
        os.fsync(written.fileno())
    try:
        file.hardlink_to(made)
    except FileExistsError:
        raise
    except OSError:  # a disk without links
        if file.exists():
            raise FileExistsError from None
        made.rename(file)
    descriptor = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
