"""The data folder belongs to one user; other accounts on the machine cannot read it."""

import os
import stat
from fnmatch import fnmatch
from pathlib import Path

#: Group and others: no read, write or folder access.
OTHER_USERS = 0o077
OURS = (
    *("fivefold.sqlite3*", "researcher-password.txt", "serve.env", "celerybeat-schedule*"),
    *("backups", "broker", "cache", "caddy", "corpora", "locale", "logs", "packages", "static"),
    "reached",
)


def keep_private(folder: Path, database: Path | None) -> None:
    """Make files of earlier versions unreadable for other users: the folder, our files in it, and
    the database if it is a file. A folder with other files in it keeps its own permissions.
    """
    entries = list(folder.iterdir())
    ours = [entry for entry in entries if any(fnmatch(entry.name, name) for name in OURS)]
    if len(ours) == len(entries):
        ours.append(folder)
    if database is not None:
        ours += database.parent.glob(f"{database.name}*")  # with SQLite's own files
    for path in ours:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode) or status.st_uid != os.geteuid():
            continue  # owned by another user
        if status.st_mode & OTHER_USERS:
            path.chmod(stat.S_IMODE(status.st_mode) & ~OTHER_USERS)
