"""How much memory a process can have on this machine, or in its container or job."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
GROUPS = Path("/sys/fs/cgroup")


class _Names(NamedTuple):
    """Of the files of a control group: its limit, what it uses, and in its statistics the file
    cache that gives way.
    """

    limit: str
    used: str
    cache: str


_VERSION_1 = _Names("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_VERSION_2 = _Names("memory.max", "memory.current", "inactive_file")


def free_memory(proc: Path = PROC, groups: Path = GROUPS) -> int | None:
    """Bytes that this process can have: what is free on the machine, and no more than its control
    groups allow (of a container, a service or a job of a cluster). None if that is unknown here.
    """
    known = [_of_machine(proc), *_of_groups(proc, groups)]
    return min((free for free in known if free is not None), default=None)


def _of_machine(proc: Path) -> int | None:
    try:
        lines = dict(line.split(":", 1) for line in _text(proc / "meminfo").splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):  # another system than Linux
        return None


def _of_groups(proc: Path, groups: Path) -> Iterator[int | None]:
    """Of the group of this process and of those that it is in. In a container, its path may be that
    on the machine around it, of which only the root is there.
    """
    try:
        lines = _text(proc / "self" / "cgroup").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root, names = (groups / "memory", _VERSION_1) if controllers else (groups, _VERSION_2)
        own = root / path.lstrip("/")
        for group in (own, *own.parents):
            if group.is_relative_to(root):
                yield _of_group(group, names)


def _of_group(group: Path, names: _Names) -> int | None:
    try:
        limit = int(_text(group / names.limit))  # "max" where there is none
        stat = dict(line.split() for line in _text(group / "memory.stat").splitlines())
        return limit - int(_text(group / names.used)) + int(stat[names.cache])
    except (OSError, KeyError, ValueError):
        return None


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
