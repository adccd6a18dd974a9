"""Whether data are those of a newer version of Fivefold."""

from collections.abc import Iterable

from django.db.migrations.loader import MigrationLoader


def newer_migration(applied: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The first applied migration, as app and name, that only a newer version can have made."""
    last = dict(sorted(MigrationLoader(None).disk_migrations))
    return next((one for one in sorted(applied) if one[0] in last and one[1] > last[one[0]]), None)
