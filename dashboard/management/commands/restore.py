"""`manage.py restore FILE`: replaces all data by those of a backup, while nothing runs."""

import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.checks import Tags
from django.core.management.base import CommandParser

from dashboard.management.commands.backup import contents
from dashboard.management.interrupting import told_when_interrupted
from dashboard.management.restoring import Restored, restore_backup
from survey.management.refusing import RefusingCommand

LOST = {
    "SECRET_KEY": "participants' private links, sessions and second factors do not work",
    "PROLIFIC_TOKEN_KEY": "stored Prolific tokens can't be read",
}


class Command(RefusingCommand):
    help = (
        "Replace all data of this installation by those of a backup: completely, or not at all. "
        "Stop Fivefold first. What is replaced is saved in DATA_DIR/backups."
    )
    requires_system_checks = (Tags.models,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, metavar="FILE", help="made by `backup`; - reads standard input"
        )
        parser.add_argument(
            "--without-backup",
            action="store_true",
            help="do not save what is replaced: it is lost, or can't be read",
        )

    def handle(self, *, file: Path, without_backup: bool, **options: Any) -> None:
        either = "Either everything was restored or nothing: run it again."
        with told_when_interrupted(either), given(file) as path:
            restored = restore_backup(path, save=not without_backup)
        self.report(restored)

    def report(self, restored: Restored) -> None:
        manifest = restored.manifest
        made = f"{manifest.made_at:%Y-%m-%d %H:%M:%S} UTC"
        self.stdout.write(f"Restored the backup of {made}: {contents(manifest)}")
        if restored.saved:
            self.stdout.write(f"What was here before is saved in {restored.saved}")
        for note in manifest.notes:
            self.stderr.write(f"Note: {note}")
        for key in restored.other_keys:
            self.stderr.write(
                f"Note: {key} is another one than when the backup was made: {LOST[key]}. "
                "Put the .env of that time in its place"
            )
        if restored.withdrawn:
            self.stderr.write(
                f"Note: {len(restored.withdrawn)} people withdrew after the backup was made, and "
                "are in it again. Delete them again, after the start:"
            )
        for slug, key in restored.withdrawn:
            person = shlex.quote(key) if key else "PERSON  # came by the open link"
            self.stderr.write(f"  manage.py withdraw {slug} --yes {person}")
        self.stdout.write("Now start Fivefold. A start updates a database of an earlier version.")


@contextmanager
def given(file: Path) -> Iterator[Path]:
    """The file; standard input is read to its end first, because a zip is not read in order."""
    if str(file) != "-":
        yield file
        return
    with tempfile.NamedTemporaryFile(suffix=" (standard input)") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        yield Path(copy.name)
