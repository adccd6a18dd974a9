"""Which of PostgreSQL's programs makes a backup: never one older than the server."""

import pytest

from config.backup.postgresql import program
from config.backup.problem import BackupProblem


def test_missing_program_is_said_with_what_to_install() -> None:
    with pytest.raises(BackupProblem) as problem:
        program("pg_dump_of_nobody", 17)
    assert str(problem.value) == (
        "pg_dump_of_nobody is missing. Install the client of the server's version "
        "(on Debian: postgresql-client-17)"
    )


@pytest.mark.postgresql
def test_program_is_not_older_than_the_server() -> None:
    assert program("pg_dump", 9).endswith("pg_dump")
    with pytest.raises(BackupProblem) as problem:
        program("pg_dump", 99)
    assert "and the server of version 99. Install the client" in str(problem.value)
