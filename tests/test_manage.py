"""The command line says in one line what keeps every command from working."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.installation import prepared

pytestmark = [pytest.mark.slow, pytest.mark.embedded]

ROOT = Path(__file__).resolve().parent.parent


def environment(data: Path, database: str = "") -> dict[str, str]:
    return os.environ | {
        "DATA_DIR": str(data),
        "SECRET_KEY": "for tests only",
        "DATABASE_URL": database or f"sqlite:///{data / 'fivefold.sqlite3'}",
        "CELERY_BROKER_URL": "filesystem://localhost",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


def said(*argv: str, data: Path, database: str = "") -> tuple[int, str]:
    """The exit code and the last thing written by `manage.py` with an installation of its own."""
    done = subprocess.run(
        [sys.executable, "manage.py", *argv],
        cwd=ROOT,
        env=environment(data, database),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


EMPTY = "The database is empty: start with `make run`, or run `python manage.py migrate`.\n"
COMMANDS = [
    ["load_study", "examples/empathy"],
    ["set_study", "empathy", "open"],
    ["invite", "empathy"],
    ["simulate", "empathy", "--participants", "1", "--seed", "1"],
    ["judge", "empathy"],
    ["import_ratings", "empathy", "--participants", "no.csv", "--ratings", "no.csv"],
    ["analyze", "empathy", "--no-images", "--out", "{data}/out"],
    ["export", "empathy", "--out", "{data}/out"],
]


#: Every command of standard input, one after the other, for the price of one start.
EACH = """
import json, sys
import manage
ends = []
for argv in json.load(sys.stdin):
    sys.argv = ["manage.py", *argv]
    try:
        manage.main()
        ends.append(None)
    except SystemExit as end:
        ends.append(end.code)
print(json.dumps(ends))
"""


def test_commands_on_a_database_that_was_never_migrated(tmp_path: Path) -> None:
    commands = [[word.format(data=tmp_path) for word in command] for command in COMMANDS]
    done = subprocess.run(
        [sys.executable, "-c", EACH],
        cwd=ROOT,
        env=environment(tmp_path),
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=True,
    )
    ends = dict(zip((name for name, *_ in commands), json.loads(done.stdout), strict=True))
    assert ends == dict.fromkeys(ends, EMPTY.rstrip())
    assert len(ends) == len(COMMANDS)
    assert not (tmp_path / "out").exists()


def test_command_on_a_database_that_was_never_migrated_ends_with_an_error(tmp_path: Path) -> None:
    assert said("set_study", "empathy", "open", data=tmp_path) == (1, EMPTY)


def set_up_but(data: Path, *statements: str) -> None:
    """An installation that is set up, whose database somebody has then changed."""
    shutil.copytree(prepared().folder, data, dirs_exist_ok=True)
    with closing(sqlite3.connect(data / "fivefold.sqlite3")) as database, database:
        for statement in statements:
            database.execute(statement)


def test_command_on_a_database_that_is_behind(tmp_path: Path) -> None:
    set_up_but(
        tmp_path,
        "DROP TABLE survey_study",
        "DELETE FROM django_migrations WHERE app = 'survey'",
    )
    assert said("judge", "empathy", data=tmp_path) == (
        1,
        "The database is behind this version: start with `make run`, or run "
        "`python manage.py migrate`.\n",
    )


def test_command_without_a_database_server(tmp_path: Path) -> None:
    code, text = said(
        "set_study", "x", "open", data=tmp_path, database="postgresql://127.0.0.1:9/x"
    )
    assert code == 1
    assert text.startswith("The database can't be reached: connection failed: ")
    assert text.endswith(". See DATABASE_URL and DATA_DIR.\n")
    assert text.count("\n") == 1


def test_other_database_errors_are_not_hidden(tmp_path: Path) -> None:
    set_up_but(tmp_path, "DROP TABLE survey_study")
    code, text = said("set_study", "x", "open", data=tmp_path)
    assert code == 1
    assert "Traceback" in text and "no such table: survey_study" in text


def test_arguments_that_are_no_text_are_refused(tmp_path: Path) -> None:
    assert said("set_study", "caf\udce9", "open", data=tmp_path) == (
        1,
        "The command line is not UTF-8.\n",
    )
