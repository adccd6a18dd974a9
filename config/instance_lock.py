"""Who uses the data folder: the lock of `manage.py serve`, and the one that all processes share."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from dotenv import dotenv_values


class AlreadyServed(Exception):
    """Another process serves this folder, at `address`."""

    def __init__(self, address: str | None) -> None:
        self.address = address
        super().__init__(f"served at {address}")


@contextmanager
def claimed(file: Path, chosen: dict[str, str]) -> Iterator[IO[str]]:
    """Lock the file's folder for the block, and store values there that the settings read.

    Yields the open file, which has the lock. The lock ends with the process, even after SIGKILL.
    Raises AlreadyServed, OSError.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as claim:
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyServed(dotenv_values(file).get("SITE_URL")) from None
        claim.truncate(0)
        claim.writelines(f"{name}={value}\n" for name, value in chosen.items())
        claim.flush()
        try:
            yield claim
        finally:
            claim.truncate(0)


def chosen_by_serve(file: Path) -> dict[str, str | None]:
    """Values that commands in another shell must use; empty unless a process serves."""
    try:
        with file.open() as claim:
            fcntl.flock(claim, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return dotenv_values(file)
    except OSError:
        return {}
    return {}


class BeingRestored(Exception):
    """A restore is replacing the data: no process may use them meanwhile."""


class InUse(Exception):
    """Other processes use the data; `processes` has their ids, as far as they can be seen."""

    def __init__(self, processes: list[int]) -> None:
        self.processes = processes
        super().__init__(f"used by {processes}")


class UseLock:
    """The lock by which a restore knows that nobody else uses the data.

    Every process of an installation shares it until it ends: web processes, workers and commands.
    Forked processes inherit it. A restore holds it alone.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._open: IO[str] | None = None

    def share(self) -> None:
        """Share the lock until this process ends. Raises BeingRestored, OSError."""
        if self._open is None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self._open = self.file.open("a")
        try:
            fcntl.flock(self._open, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            self._open.close()
            self._open = None
            raise BeingRestored from None

    def fileno(self) -> int:
        """The number of the open file that has the lock; it must be shared."""
        assert self._open is not None, "share it first"
        return self._open.fileno()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock alone for the block, then share it again. Raises InUse."""
        assert self._open is not None, "share it first"
        try:
            fcntl.flock(self._open, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # A failed change of the lock may have lost it.
            fcntl.flock(self._open, fcntl.LOCK_SH)
            raise InUse(self._others()) from None
        try:
            yield
        finally:
            fcntl.flock(self._open, fcntl.LOCK_SH)

    def _others(self) -> list[int]:
        """Processes with the file open: on Linux, those of the same user."""
        mine = Path("/proc/self").resolve().name
        name, others = str(self.file.resolve()), set()
        for link in Path("/proc").glob("[0-9]*/fd/*"):
            with suppress(OSError):  # it has ended, or belongs to another user
                if str(link.readlink()) == name:
                    others.add(link.parts[2])
        return sorted(int(pid) for pid in others - {mine})
