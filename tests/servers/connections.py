"""Which processes of this machine hold connections to a server on it. Linux only."""

from contextlib import suppress
from pathlib import Path

ESTABLISHED = "01"


def connected(port: int) -> dict[int, int]:
    """The processes with a connection to `port`, by the local ports of their connections."""
    ends: dict[str, int] = {}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, *_, inode = line.split()[:10]
        if state == ESTABLISHED and int(remote.rpartition(":")[2], 16) == port:
            ends[f"socket:[{inode}]"] = int(local.rpartition(":")[2], 16)
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is not ours to look at
            for descriptor in (process / "fd").iterdir():
                with suppress(OSError):
                    if (target := str(descriptor.readlink())) in ends:
                        found[ends[target]] = int(process.name)
    return found
