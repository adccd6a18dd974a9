"""The memory that a process can have, of machines as Linux describes them."""

from pathlib import Path

import pytest

from analysis.free_memory import free_memory

GIB = 2**30
FREE = 6 * GIB
UNLIMITED_1 = "9223372036854771712"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A machine of which 6 GiB are free."""
    own = tmp_path / "proc" / "self"
    own.mkdir(parents=True)
    text = f"MemTotal:  {8 * GIB // 1024} kB\nMemAvailable:  {FREE // 1024} kB\n"
    (own.parent / "meminfo").write_text(text)
    return own.parent


def is_in(proc: Path, *lines: str) -> None:
    (proc / "self" / "cgroup").write_text("".join(f"{line}\n" for line in lines))


def version_1(group: Path, limit: str) -> None:
    """A group that uses 3 GiB, 1 of which is cache of files."""
    group.mkdir(parents=True, exist_ok=True)
    (group / "memory.limit_in_bytes").write_text(limit)
    (group / "memory.usage_in_bytes").write_text(str(3 * GIB))
    (group / "memory.stat").write_text(f"cache 1\ntotal_inactive_file {GIB}\n")


def version_2(group: Path, limit: str) -> None:
    """The same in version 2."""
    group.mkdir(parents=True, exist_ok=True)
    (group / "memory.max").write_text(limit)
    (group / "memory.current").write_text(str(3 * GIB))
    (group / "memory.stat").write_text(f"anon 1\ninactive_file {GIB}\n")


def test_machine_without_groups_has_what_is_free(proc: Path, tmp_path: Path) -> None:
    assert free_memory(proc, tmp_path / "none") == FREE


def test_container_has_what_its_limit_leaves(proc: Path, tmp_path: Path) -> None:
    is_in(proc, "0::/")
    version_2(tmp_path / "groups", str(4 * GIB))
    assert free_memory(proc, tmp_path / "groups") == 2 * GIB


def test_container_without_a_limit_has_what_the_machine_has(proc: Path, tmp_path: Path) -> None:
    is_in(proc, "0::/")
    version_2(tmp_path / "groups", "max")
    assert free_memory(proc, tmp_path / "groups") == FREE


def test_limits_of_a_service_and_of_the_groups_around_it_count(proc: Path, tmp_path: Path) -> None:
    groups = tmp_path / "groups"
    is_in(proc, "0::/system.slice/site.service")
    version_2(groups / "system.slice" / "site.service", str(7 * GIB))
    assert free_memory(proc, groups) == 5 * GIB
    version_2(groups / "system.slice", str(5 * GIB))
    assert free_memory(proc, groups) == 3 * GIB


def test_groups_of_version_1_count(proc: Path, tmp_path: Path) -> None:
    groups = tmp_path / "groups"
    is_in(proc, "5:cpu,cpuacct:/job", "4:memory:/job", "0::/job")
    version_1(groups / "memory" / "job", UNLIMITED_1)
    assert free_memory(proc, groups) == FREE
    version_1(groups / "memory" / "job", str(4 * GIB))
    assert free_memory(proc, groups) == 2 * GIB


def test_container_of_version_1_sees_its_own_group_as_the_root(proc: Path, tmp_path: Path) -> None:
    is_in(proc, "4:memory:/docker/0123")
    version_1(tmp_path / "groups" / "memory", str(4 * GIB))
    assert free_memory(proc, tmp_path / "groups") == 2 * GIB


def test_other_systems_than_linux_do_not_say(tmp_path: Path) -> None:
    assert free_memory(tmp_path / "none", tmp_path / "none") is None
