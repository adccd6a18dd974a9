"""The data of this installation: every process says that it uses them, and a killed restore is
completed or undone before anybody reads them.
"""

from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from config.backup import postgresql, sqlite
from config.backup.archive import PASSWORD
from config.backup.placing import STAGED, RestoredFolder, abandon, finish, unfinished
from config.backup.problem import BackupProblem
from config.instance_lock import BeingRestored, InUse, UseLock

#: In the folder of corpora, because all containers of docker-compose.yml share it.
LOCK = UseLock(settings.CORPORA_DIR / ".in-use")


def use_data() -> None:
    """Say until this process ends that it uses the data. Raises ImproperlyConfigured while they are
    being restored.
    """
    try:
        LOCK.share()
        if unfinished(places()):
            with LOCK.alone():
                recover()
    except BeingRestored:
        raise ImproperlyConfigured(
            "A restore is replacing the data. Start again when it has ended."
        ) from None
    except InUse as error:
        raise ImproperlyConfigured(
            f"A restore was interrupted. Stop {named(error)} that use the data; "
            "then the next start completes or undoes it."
        ) from None
    except BackupProblem as problem:
        raise ImproperlyConfigured(
            f"A restore was interrupted, and can't be completed or undone yet: {problem}"
        ) from None
    except OSError as error:
        raise ImproperlyConfigured(f"DATA_DIR can't be written to: {error}") from None


def recover() -> None:
    """Complete the restore whose database is in place; remove what others staged.

    Raises BackupProblem, OSError.
    """
    current = token_of_database()
    for token in unfinished(places()):
        if token == current:
            finish(places(), token)
        else:
            staged_database(token).unlink(missing_ok=True)
            abandon(places(), token)


def named(error: InUse) -> str:
    """The processes that use the data, for a message."""
    if not error.processes:
        return "all web processes, workers and commands"
    ids = ", ".join(map(str, error.processes))
    return f"the processes {ids}" if len(error.processes) > 1 else f"the process {ids}"


def places() -> list[RestoredFolder]:
    """The folders that are restored with the database."""
    return [
        RestoredFolder(settings.DATA_DIR, (PASSWORD,)),
        RestoredFolder(settings.CORPORA_DIR),
        RestoredFolder(settings.PACKAGES_DIR),
    ]


def is_sqlite() -> bool:
    return connection.vendor == "sqlite"


def database_file() -> Path:
    """The database, where it is a file."""
    return Path(connection.settings_dict["NAME"])


def staged_database(token: int) -> Path:
    """Where the database of a restore waits: beside the one that it replaces, or as a dump."""
    if is_sqlite():
        return database_file().with_name(f"{STAGED}{token}.sqlite3")
    return places()[0].staged(token) / "database.dump"


def token_of_database() -> int:
    """The token of the restore that the database came from. Raises BackupProblem."""
    if is_sqlite():
        return sqlite.token_of(database_file())
    return postgresql.mark_of_restore()
