"""Files of a restore: staged beside their places, then put there together with the database.

The database decides. It has the token of the restore from the moment it is replaced, which is one
step. Staged files with its token are put in place, also after a kill; staged files with another
token belong to a restore that never got so far, and are removed.
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

STAGED = ".restore-"
#: Never part of a backup: the lock, staged files, and corpora that are being written.
NOT_OURS = (".in-use", f"{STAGED}*", ".new-*")


@dataclass(frozen=True)
class RestoredFolder:
    """A folder of which a restore replaces the entries with these names."""

    folder: Path
    names: tuple[str, ...] = ("*",)

    def entries(self) -> list[Path]:
        """What is in it now, and a restore would replace."""
        if not self.folder.is_dir():
            return []
        return sorted(
            entry
            for entry in self.folder.iterdir()
            if any(fnmatch(entry.name, name) for name in self.names)
            and not any(fnmatch(entry.name, name) for name in NOT_OURS)
        )

    def staged(self, token: int) -> Path:
        """Where the files of a restore wait."""
        return self.folder / f"{STAGED}{token}"


def stage(places: Sequence[RestoredFolder], token: int) -> None:
    """Make the folders for the files of a restore. Raises OSError."""
    for place in places:
        (place.staged(token) / "new").mkdir(parents=True)


def finish(places: Sequence[RestoredFolder], token: int) -> None:
    """Put the staged files in their places; repeated after a kill, it goes on. Raises OSError."""
    for place in places:
        staged = place.staged(token)
        if not staged.is_dir():
            continue  # done before
        new, old, placing = staged / "new", staged / "old", staged / "placing"
        if new.is_dir():  # so nothing new is in its place yet
            old.mkdir(exist_ok=True)
            for entry in place.entries():
                entry.rename(old / entry.name)
            _sync(place.folder, old)
            new.rename(placing)
        for entry in sorted(placing.iterdir()) if placing.is_dir() else ():
            entry.rename(place.folder / entry.name)
        _sync(place.folder, staged)
        shutil.rmtree(staged)


def abandon(places: Sequence[RestoredFolder], token: int) -> None:
    """Remove the staged files of a restore that replaced nothing."""
    for place in places:
        shutil.rmtree(place.staged(token), ignore_errors=True)


def unfinished(places: Sequence[RestoredFolder]) -> list[int]:
    """Tokens of restores that were killed, or that run now."""
    tokens = {
        int(path.name.removeprefix(STAGED))
        for place in places
        for path in place.folder.glob(f"{STAGED}[0-9]*")
        if path.name.removeprefix(STAGED).isdecimal()
    }
    return sorted(tokens)


def _sync(*folders: Path) -> None:
    for folder in folders:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
