#!/usr/bin/env python
"""Fivefold's command line: `manage.py help` lists the commands."""

import os
import sys

from config.version import VERSION


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    if sys.argv[1:2] == ["version"] or "--version" in sys.argv:  # also of one command
        print(f"Fivefold {VERSION} (Django {django.get_version()})")  # noqa: T201
        return
    if any("\udc80" <= character <= "\udcff" for argument in sys.argv for character in argument):
        sys.exit("The command line is not UTF-8.")  # how Python keeps bytes that are no text
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:  # what is missing, without a traceback
        sys.exit(str(error))
    except DatabaseError:
        reason = what_the_database_lacks()
        if reason is None:
            raise
        sys.exit(reason)


def what_the_database_lacks() -> str | None:
    """Why no command can work with the database; None where it is reached and up to date."""
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        connection.close()  # it may be in the middle of what failed
        connection.ensure_connection()
    except DatabaseError as error:
        first_line = str(error).strip().partition("\n")[0]
        return f"The database can't be reached: {first_line}. See DATABASE_URL and DATA_DIR."
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not waiting:
        return None
    state = "is behind this version" if executor.loader.applied_migrations else "is empty"
    return f"The database {state}: start with `make run`, or run `python manage.py migrate`."


if __name__ == "__main__":
    main()
