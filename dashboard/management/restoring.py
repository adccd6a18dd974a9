"""Restoring a backup: everything is staged and checked, then replaced at once, or nothing is."""

import secrets
import shutil
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection, connections
from django.utils import timezone

from config.backup import postgresql, sqlite
from config.backup.archive import DATABASE, PASSWORD, Archive, Manifest, different_table
from config.backup.data_in_use import (
    LOCK,
    database_file,
    is_sqlite,
    named,
    places,
    staged_database,
    token_of_database,
)
from config.backup.placing import abandon, finish, stage
from config.backup.problem import BackupProblem
from config.instance_lock import InUse, chosen_by_serve
from dashboard.management.backups import facts, fingerprints, make_own_backup
from dashboard.management.migrations_known import newer_migration
from survey.models import Study, Withdrawal

NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
#: PostgreSQL notices only after a moment that a process has ended.
SECONDS_TO_LEAVE = 5


@dataclass(frozen=True)
class Restored:
    """What was restored, and what was here before."""

    manifest: Manifest
    #: A backup of what was replaced, if there was anything.
    saved: Path | None
    #: Keys that are not those of the backup.
    other_keys: list[str]
    #: Study and key of those who withdrew here after the backup was made; the key may be empty.
    withdrawn: list[tuple[str, str]]


def restore_backup(file: Path, *, save: bool = True) -> Restored:
    """Replace the data of this installation by those of a backup, completely or not at all.

    What is replaced is saved first, unless `save` is False. Raises BackupProblem; then nothing was
    changed.
    """
    with Archive(file) as archive:
        _check_kind(archive)
        try:
            with LOCK.alone():
                return _restore_alone(archive, save=save)
        except InUse as error:
            address = chosen_by_serve(settings.DATA_DIR / "serve.env").get("SITE_URL")
            where = f" at {address}" if address else ""
            raise BackupProblem(
                f"Fivefold is running on {settings.DATA_DIR}{where}. "
                f"Stop it ({named(error)}), then restore"
            ) from None
        except OSError as error:
            path = f" {error.filename}" if error.filename else ""
            raise BackupProblem(
                f"The backup can't be restored here:{path} {error.strerror or error}"
            ) from None


def _check_kind(archive: Archive) -> None:
    """Raise BackupProblem if this installation can't take such a backup."""
    manifest, ours = archive.manifest, "sqlite" if is_sqlite() else "postgresql"
    if manifest.database != ours:
        raise BackupProblem(
            f"{archive.path} is a backup of {NAMES[manifest.database]}, and this installation uses "
            f"{NAMES[ours]}. Set DATABASE_URL to a database of that kind"
        )
    applied = [(app, name) for app, names in manifest.migrations.items() for name in names]
    if newer := newer_migration(applied):
        raise BackupProblem(
            f"{archive.path} was made by a newer Fivefold: {newer[0]} has {newer[1]}, of which "
            "this one knows nothing. Update Fivefold, then restore"
        )
    if not is_sqlite() and manifest.server > (version := postgresql.server_version()):
        raise BackupProblem(
            f"{archive.path} is from PostgreSQL {manifest.server}, and the server here is "
            f"PostgreSQL {version}. Restore to a server of at least that version"
        )


def _restore_alone(archive: Archive, *, save: bool) -> Restored:
    saved: Path | None = None
    withdrawn: list[tuple[str, str]] = []
    _check_connections()
    _check_space(archive)
    token = 1 + secrets.randbelow(2**31 - 2)
    try:
        stage(places(), token)
        _extract(archive, token)
        _check_database(archive, token)
        if save and _has_studies():
            saved, withdrawn = _save_present(), _withdrawn_since(archive.manifest.made_at)
        _check_connections()
        _replace_database(archive, token)
    except BaseException:
        _complete_or_undo(token, saved)
        raise
    _put_files_in_place(token)
    keys = fingerprints()
    other_keys = [name for name in keys if keys[name] != archive.manifest.keys.get(name)]
    return Restored(archive.manifest, saved, other_keys, withdrawn)


def _put_files_in_place(token: int) -> None:
    try:
        finish(places(), token)
    except OSError as error:
        raise BackupProblem(
            f"The database is restored, but not yet the files beside it: {error}. Mend that; the "
            "next command or start puts them in place"
        ) from None


def _check_connections() -> None:
    """Raise BackupProblem if anybody else is connected to PostgreSQL, from any machine."""
    connections.close_all()
    if is_sqlite():
        return
    until = time.monotonic() + SECONDS_TO_LEAVE
    while (others := postgresql.other_connections()) and time.monotonic() < until:
        time.sleep(0.1)
    if others:
        raise BackupProblem(
            f"Fivefold is running, or another program uses its database (connections: "
            f"{len(others)}, from {', '.join(sorted(set(others)))}). Stop all web processes and "
            "workers, on all machines, then restore"
        )


def _complete_or_undo(token: int, saved: Path | None) -> None:
    """After an interruption: the database says whether it was replaced."""
    if token_of_database() == token:
        _put_files_in_place(token)
        return
    staged_database(token).unlink(missing_ok=True)
    abandon(places(), token)
    if saved:
        saved.unlink()


def _extract(archive: Archive, token: int) -> None:
    """Write all files of a backup to where they wait, and check them."""
    of_data, of_corpora, of_packages = (place.staged(token) / "new" for place in places())
    targets = {"corpora": of_corpora, "packages": of_packages}
    for name in archive.manifest.files:
        folder, _, below = name.partition("/")
        if name == DATABASE:
            archive.extract(name, staged_database(token))
        elif name == PASSWORD:
            archive.extract(name, of_data / name)
        else:
            archive.extract(name, targets[folder] / below)


def _check_database(archive: Archive, token: int) -> None:
    """Raise BackupProblem if the staged database is not what the manifest says."""
    staged, rows = staged_database(token), archive.manifest.rows
    staged_rows = (
        sqlite.check_database(staged, facts).rows if is_sqlite() else postgresql.rows_in(staged)
    )
    if table := different_table(staged_rows, rows):
        raise BackupProblem(f"{archive.path} is damaged: {table} does not have all its rows")


def _replace_database(archive: Archive, token: int) -> None:
    staged = staged_database(token)
    if is_sqlite():
        sqlite.mark(staged, token)
        sqlite.replace_database(staged, database_file())
    else:
        postgresql.replace_database(staged, archive.manifest.rows, token)


def _has_studies() -> bool:
    """Whether there is anything that a restore would lose. Raises BackupProblem."""
    try:
        if Study._meta.db_table not in connection.introspection.table_names():
            return False
        return Study.objects.exists()
    except DatabaseError as error:
        raise BackupProblem(_not_saved(str(error).partition("\n")[0])) from None


def _save_present() -> Path:
    try:
        return make_own_backup("before-restore", at=timezone.now())
    except BackupProblem as problem:
        raise BackupProblem(_not_saved(str(problem))) from None


def _withdrawn_since(at: datetime) -> list[tuple[str, str]]:
    return list(Withdrawal.objects.filter(withdrawn_at__gt=at).values_list("slug", "key"))


def _not_saved(why: str) -> str:
    return (
        f"The present data can't be saved first: {why}. Add --without-backup to replace them anyway"
    )


def _check_space(archive: Archive) -> None:
    """Raise BackupProblem if the files of a backup don't fit beside the present ones."""
    needed = {DATABASE: settings.DATA_DIR, PASSWORD: settings.DATA_DIR}
    needed |= {"corpora": settings.CORPORA_DIR, "packages": settings.PACKAGES_DIR}
    by_disk: dict[int, tuple[Path, int]] = {}
    for name, entry in archive.manifest.files.items():
        folder = needed[name.partition("/")[0]]
        folder.mkdir(parents=True, exist_ok=True)
        disk = folder.stat().st_dev
        by_disk[disk] = (folder, by_disk.get(disk, (folder, 0))[1] + entry.size)
    for folder, size in by_disk.values():
        free = shutil.disk_usage(folder).free
        if size > free:
            raise BackupProblem(
                f"The backup needs {size / 1e6:,.0f} MB in {folder}, and only {free / 1e6:,.0f} MB "
                "are free"
            )
