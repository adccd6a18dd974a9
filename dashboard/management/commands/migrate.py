"""`manage.py migrate`: Django's, after a backup of data that have people."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from config.backup.problem import BackupProblem
from dashboard.management.backups import before_update


class Command(migrate.Command):
    help = f"{migrate.Command.help} Data that have people are backed up first."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--without-backup", action="store_true", help="make no backup before the change"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if changes_tables(options) and not options["without_backup"]:
            try:
                saved = before_update(at=timezone.now())
            except BackupProblem as problem:
                raise CommandError(
                    f"No backup could be made before the update: {problem}. Nothing was changed. "
                    "Make one yourself, then run `manage.py migrate --without-backup`"
                ) from None
            if saved:
                self.stdout.write(f"The data before this update are saved in {saved}")
        super().handle(*args, **options)


def changes_tables(options: dict[str, Any]) -> bool:
    """Whether Django may change the database of the installation."""
    if options["plan"] or options["check_unapplied"] or options["database"] != DEFAULT_DB_ALIAS:
        return False
    if options["app_label"]:
        return True
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
