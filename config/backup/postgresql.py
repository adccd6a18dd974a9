"""A PostgreSQL database: dumped while it is used, checked, and replaced in one transaction."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar

import psycopg
from django.db import connection

from config.backup.problem import BackupProblem

T = TypeVar("T")
Cursor = Any
#: A backup can be restored by a role of another name.
UNOWNED = ("--no-owner", "--no-privileges")
#: How long the restore waits for a table that somebody uses.
LOCK_SECONDS = 10
MARK = re.compile(r"Restored by Fivefold: (\d+)")


@contextmanager
def connected() -> Iterator["psycopg.Connection[Any]"]:
    """A connection of our own to the database of the settings. Raises BackupProblem."""
    parameters = connection.get_connection_params()
    given = {name: value for name, value in parameters.items() if name not in _OF_DJANGO}
    try:
        with psycopg.connect(**given) as own:
            yield own
    except psycopg.OperationalError as error:
        raise BackupProblem(f"The database can't be used: {_first_line(str(error))}") from None


_OF_DJANGO = ("context", "cursor_factory", "prepare_threshold", "client_encoding")


def server_version() -> int:
    """The major version of the server. Raises BackupProblem."""
    with connected() as own:
        return own.info.server_version // 10_000


def copy_database(target: Path, read: Callable[[Cursor], T]) -> T:
    """Dump the database as of one moment, and count the rows in the dump.

    Others may write meanwhile. Returns what `read` reads at this moment. Raises BackupProblem.
    """
    dump = program("pg_dump", server_version())
    with connected() as own:
        own.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        own.read_only = True
        snapshot = own.execute("SELECT pg_export_snapshot()").fetchone()
        assert snapshot is not None
        facts = read(own.cursor())
        options = ["--format=custom", *UNOWNED, f"--file={target}", f"--snapshot={snapshot[0]}"]
        _run([dump, *options, *_where()], "The database can't be dumped")
    return facts


def tables(cursor: Cursor) -> list[str]:
    """Names of all tables."""
    cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    return [name for (name,) in cursor.fetchall()]


def rows_in(dump: Path) -> dict[str, int]:
    """Rows of each table in a dump, which is read to its end. Raises BackupProblem."""
    counts: dict[str, int] = {}
    with _script_of(dump) as script:
        table = ""
        for line in script:
            if table:
                if line == b"\\.\n":
                    table = ""
                else:
                    counts[table] += 1
            elif line.startswith(b"COPY ") and (found := re.match(rb'COPY public\."?(\w+)', line)):
                table = found[1].decode()
                counts[table] = 0
    return counts


def other_connections() -> list[str]:
    """Where other processes that are connected to the database are; empty if there are none."""
    with connected() as own:
        others = own.execute(
            "SELECT coalesce(host(client_addr), 'this machine') FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend'"
            " AND pid <> pg_backend_pid()"
        )
        return sorted(str(place) for (place,) in others)


def mark_of_restore() -> int:
    """The token of the restore that the database came from; 0 if there is none."""
    with connected() as own:
        row = own.execute(
            "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'public'"
        ).fetchone()
    found = MARK.search(str(row[0])) if row else None
    return int(found[1]) if found else 0


def replace_database(dump: Path, rows: Mapping[str, int], token: int) -> None:
    """Replace everything by what a dump has, in one transaction that ends only if the tables have
    as many rows as they should. Raises BackupProblem; then nothing was changed.
    """
    psql = program("psql", server_version())
    options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
    with TemporaryFile() as errors:
        receiver = subprocess.Popen(  # noqa: S603  PostgreSQL's own program
            [psql, *options, *_where()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=_environment(),
        )
        assert receiver.stdin is not None
        try:
            with receiver.stdin as given:
                given.write(_BEGIN.encode())
                with _script_of(dump) as script:
                    shutil.copyfileobj(script, given)
                # Only now, when the dump was read to its end without an error.
                given.write("".join(_end(rows, token)).encode())
        except BrokenPipeError:
            pass  # it says why, below
        except BaseException:
            receiver.kill()  # without COMMIT, the server undoes everything
            raise
        finally:
            receiver.wait()
        if receiver.returncode != 0:
            raise BackupProblem(f"The database can't be replaced: {_error_in(errors)}")


_BEGIN = f"""\
BEGIN;
SET LOCAL lock_timeout = '{LOCK_SECONDS}s';
DROP SCHEMA public CASCADE;
CREATE SCHEMA public;
"""


def _end(rows: Mapping[str, int], token: int) -> Iterator[str]:
    yield "DO $check$ BEGIN\n"
    for table, n in rows.items():
        yield (  # the names are those of the dump
            f'IF (SELECT count(*) FROM public."{table}") <> {n} THEN '  # noqa: S608
            f"RAISE EXCEPTION '{table} has another number of rows than the backup says'; END IF;\n"
        )
    yield "END $check$;\n"
    yield f"COMMENT ON SCHEMA public IS 'Restored by Fivefold: {token}';\nCOMMIT;\n"


@contextmanager
def _script_of(dump: Path) -> Iterator[IO[bytes]]:
    """The dump as a script, line by line. Raises BackupProblem at the end if it can't be read."""
    command = [program("pg_restore", server_version()), "--file=-", *UNOWNED, str(dump)]
    with TemporaryFile() as errors:
        sender = subprocess.Popen(  # noqa: S603  PostgreSQL's own program
            command, stdout=subprocess.PIPE, stderr=errors
        )
        assert sender.stdout is not None
        try:
            with sender.stdout as script:
                yield script
        except BaseException:
            sender.kill()
            raise
        finally:
            sender.wait()
        if sender.returncode != 0:
            raise BackupProblem(f"The dump can't be read: {_error_in(errors)}")


def program(name: str, version: int) -> str:
    """The path of one of PostgreSQL's programs, of the server's version or else a newer one.

    Raises BackupProblem.
    """
    found = _found(name)
    for major in sorted(found):
        if major >= version:
            return found[major]
    install = f"Install the client of the server's version (on Debian: postgresql-client-{version})"
    if not found:
        raise BackupProblem(f"{name} is missing. {install}")
    raise BackupProblem(
        f"{name} is of version {max(found)} and the server of version {version}. {install}"
    )


@cache
def _found(name: str) -> dict[int, str]:
    """The programs of this name on the machine, by major version."""
    installed = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/usr").glob("pgsql-*/bin")]
    # First those of a known version: Debian's on the path chooses one when it is called.
    paths = [str(path / name) for path in installed if (path / name).exists()]
    paths += filter(None, [shutil.which(name)])
    found: dict[int, str] = {}
    for path in paths:
        done = subprocess.run(  # noqa: S603  PostgreSQL's own program
            [path, "--version"], capture_output=True, text=True, check=False
        )
        if version := re.search(r"\(PostgreSQL\) (\d+)", done.stdout):
            found.setdefault(int(version[1]), path)
    return found


def _where() -> list[str]:
    command, _ = _client()
    return ["--no-password", *command[1:]]


def _environment() -> dict[str, str]:
    _, environment = _client()
    return {**os.environ, **environment}


def _client() -> tuple[list[str], dict[str, str]]:
    """How Django starts psql: what it takes, pg_dump takes too."""
    wrapper = connection.client
    command, environment = wrapper.settings_to_cmd_args_env(connection.settings_dict, [])
    return [*command], environment or {}


def _run(command: Sequence[str], what: str) -> None:
    done = subprocess.run(  # noqa: S603  PostgreSQL's own program
        command, stdin=subprocess.DEVNULL, capture_output=True, env=_environment(), check=False
    )
    if done.returncode != 0:
        reason = (
            _first_error(done.stderr) or f"{Path(command[0]).name} ended with {done.returncode}"
        )
        raise BackupProblem(f"{what}: {reason}")


def _error_in(errors: IO[bytes]) -> str:
    errors.seek(0)
    return _first_error(errors.read()) or "its program ended without a reason"


def _first_error(said: bytes) -> str:
    lines = said.decode(errors="replace").splitlines()
    told = [line for line in lines if re.search(r"error|ERROR|FATAL|fatal", line)] or lines
    return _first_line(re.sub(r"^.*?(ERROR|FATAL|error|fatal): *", "", told[0])) if told else ""


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
