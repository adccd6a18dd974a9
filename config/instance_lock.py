"""The lock of a running `manage.py serve`, with its address and its stand-ins."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dotenv import dotenv_values


class AlreadyServed(Exception):
    """Another process serves this folder, at `address`."""

    def __init__(self, address: str | None) -> None:
        self.address = address
        super().__init__(f"served at {address}")


@contextmanager
def claimed(file: Path, chosen: dict[str, str]) -> Iterator[None]:
    """Lock the file's folder for the block, and store values there that the settings read.

    The lock ends with the process, even after SIGKILL. Raises AlreadyServed, OSError.
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
            yield
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
