"""A SQLite database: copied while it is used, checked, and replaced."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeVar

from config.backup.problem import BackupProblem

T = TypeVar("T")
Cursor = Any
#: Where the header of the file has `user_version`: a restore marks its database there.
USER_VERSION = slice(60, 64)
FILES_OF_SQLITE = ("-wal", "-shm", "-journal")


def copy_database(source: Path, target: Path, read: Callable[[Cursor], T]) -> T:
    """Copy the database as of one commit, with SQLite's online backup, and check the copy.

    Others may write meanwhile. Returns what `read` reads from the copy. Raises BackupProblem.
    """
    if not source.is_file():
        raise BackupProblem(f"There is no database at {source} yet")
    try:
        with closing(_connect(source, "rw")) as database:
            database.execute("PRAGMA schema_version")  # whether it is a database at all
            try:
                with closing(sqlite3.connect(target)) as copy:
                    # All pages in one step: with several, every write would begin the copy anew.
                    database.backup(copy, pages=-1)
                    copy.execute("PRAGMA journal_mode=DELETE")
            except sqlite3.Error as error:
                raise BackupProblem(
                    f"The database can't be copied to {target.parent}: {error}"
                ) from None
    except sqlite3.Error as error:
        raise BackupProblem(f"The database {source} can't be read: {error}") from None
    return check_database(target, read)


def check_database(path: Path, read: Callable[[Cursor], T]) -> T:
    """Check every page, index and foreign key of a database that nobody uses.

    Returns what `read` reads from it. Raises BackupProblem.
    """
    try:
        with closing(_connect(path, "ro")) as database:
            if (found := database.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
                raise BackupProblem(f"The database is damaged: {' '.join(found.split())}")
            if broken := database.execute("PRAGMA foreign_key_check").fetchone():
                table, row, parent, _ = broken
                raise BackupProblem(
                    f"The database is damaged: row {row} of {table} refers to a row of {parent} "
                    "that does not exist"
                )
            return read(database.cursor())
    except sqlite3.Error as error:
        raise BackupProblem(f"The database is damaged: {error}") from None


def tables(cursor: Cursor) -> list[str]:
    """Names of all tables."""
    cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return [name for (name,) in cursor.fetchall() if not name.startswith("sqlite_")]


def mark(path: Path, token: int) -> None:
    """Store the token of a restore in a database that nobody uses, and write it to the disk."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version={token}")
    with path.open("rb") as file:
        os.fsync(file.fileno())


def token_of(path: Path) -> int:
    """The token of the restore that a database came from; 0 if there is none."""
    try:
        with path.open("rb") as file:
            return int.from_bytes(file.read(100)[USER_VERSION], "big")
    except OSError:
        return 0


def replace_database(new: Path, path: Path) -> None:
    """Put a database in the place of another one, which nobody may use. Both are on one disk.

    Raises BackupProblem if somebody does use it, and OSError. Then the old one is unchanged.
    """
    if path.exists():
        _close(path)
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _close(path: Path) -> None:
    """Bring all that was committed into the file itself: a log left beside it would be applied to
    the database that takes its place.
    """
    try:
        with closing(_connect(path, "rw", timeout=1)) as database:
            [mode] = database.execute("PRAGMA journal_mode=DELETE").fetchone()
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise BackupProblem(f"The database {path} can't be replaced: {error}") from None
        mode = "wal"
    except sqlite3.DatabaseError:
        mode = "damaged"  # nothing can be read from it, so its log is of no use either
    if mode == "wal":
        raise BackupProblem(f"Another process uses {path}. Stop it first")
    for suffix in FILES_OF_SQLITE:
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").unlink()


def _connect(path: Path, mode: str, timeout: float = 30) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=timeout)
