"""A server under load, and what it must have stored."""

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config.processes import Process

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")

#: What was chosen in one radio group: person, page, name of the group, value.
Rating = tuple[str, int, str, int]


class Wrong(Exception):
    """A page or a stored rating is not what it must be."""


def cpu_seconds(process: Process) -> float:
    """User and system time so far of a process and those that it started."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            values = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):  # some process that has just ended
            continue
        if int(values[2]) == process.child.pid:  # a group is named for its first process
            ticks += int(values[11]) + int(values[12])
    return ticks / TICKS_PER_SECOND


@dataclass
class Site:
    """A running server, how to take part there, and what it must show and store."""

    name: str
    server: Process
    port: int
    link: str
    codes: set[str]  # of those who passed the attention checks, and of those who did not
    blocks: int
    groups: int  # ratings asked on a rating page
    counts_pages: bool = True
    eligible: Mapping[str, str] = field(default_factory=dict)  # answers to screening questions
    stored: Callable[[], list[Rating]] | None = None  # None: it stores nothing
    sent: list[Rating] = field(default_factory=list)
    environment: Mapping[str, str] = field(default_factory=dict)  # of commands beside the server

    def cpu_seconds(self) -> float:
        """User and system time of the server's processes so far."""
        return cpu_seconds(self.server)

    def check_stored(self) -> None:
        """Every rating sent is stored exactly once, and nothing else is. Raises Wrong."""
        if self.stored is None:
            return
        sent, stored = Counter(self.sent), Counter(self.stored())
        lost, strange = (sent - stored).total(), (stored - sent).total()
        print(
            f"{self.name:13}{sent.total()} ratings sent, {lost} lost, {strange} stored but not sent"
        )
        if lost or strange:
            raise Wrong(f"{self.name} did not store what was sent")
