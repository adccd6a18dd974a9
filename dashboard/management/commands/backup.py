"""`manage.py backup FILE`: everything that must not be lost, in one file, while the site runs."""

from pathlib import Path
from typing import Any

from django.core.checks import Tags
from django.core.management.base import CommandParser
from django.utils import timezone

from config.backup.archive import Manifest
from dashboard.management.backups import make_backup
from dashboard.management.interrupting import told_when_interrupted
from survey.management.refusing import RefusingCommand


class Command(RefusingCommand):
    help = (
        "Write a backup to FILE, while the site runs: the database, corpora, zips for sharing. It "
        "is read again and checked. Keep .env with it: the keys are not in it."
    )
    requires_system_checks = (Tags.models,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="a new file")

    def handle(self, *, file: Path, **options: Any) -> None:
        with told_when_interrupted("No backup was made."):
            manifest = make_backup(file, at=timezone.now())
        for note in manifest.notes:
            self.stderr.write(f"Note: {note}")
        size = file.stat().st_size / 1e6
        self.stdout.write(f"{file}: {contents(manifest)}; {size:,.1f} MB, written and checked")


def contents(manifest: Manifest) -> str:
    """How much a backup has, in words."""
    counted = {
        "survey_study": ("study version", "study versions"),
        "survey_participant": ("participant", "participants"),
        "survey_rating": ("rating", "ratings"),
        "corpus_corpus": ("corpus", "corpora"),
    }
    rows = [(manifest.rows.get(table, 0), *names) for table, names in counted.items()]
    return ", ".join(f"{n:,} {one if n == 1 else many}" for n, one, many in rows)
