"""Processes are started from docker-compose.yml, watched, and leave nothing behind."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from config.processes import (
    ROOT,
    Process,
    ProcessError,
    Processes,
    command_of,
    is_free,
)

HERE = Path(sys.executable).parent

# A parent deaf to SIGTERM, and its child, which says on which port it takes one visitor. They live
# longer than anybody waits for their end.
DEAF_FAMILY = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
CHILD = "import socket, time; s = socket.create_server(('127.0.0.1', 0)); "
CHILD += "print(s.getsockname()[1], flush=True); visitor = s.accept(); time.sleep(300)"
subprocess.Popen([sys.executable, "-c", CHILD])
time.sleep(300)
"""


def test_command_is_that_of_the_compose_file_with_our_own_programs() -> None:
    assert command_of("worker")[:4] == [str(HERE / "celery"), "--app", "config", "worker"]
    assert command_of("web")[:2] == [str(HERE / "gunicorn"), "config.wsgi"]
    assert command_of("redis")[0] == "redis-server"


@pytest.fixture
def door() -> Iterator[socket.socket]:
    """A port that nobody else can get, and where nobody listens yet."""
    with socket.socket() as ours:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ours.bind(("127.0.0.1", 0))
        yield ours


def test_port_is_free_until_somebody_listens(door: socket.socket) -> None:
    host, port = door.getsockname()
    assert is_free(host, port)
    door.listen()
    assert not is_free(host, port)


def wait_for_line(process: Process) -> str:
    while True:
        for line in process.new_lines():
            return line
        with suppress(subprocess.TimeoutExpired):
            process.child.wait(timeout=0.01)


@pytest.mark.slow
def test_stop_ends_the_whole_family_even_if_deaf(tmp_path: Path) -> None:
    process = Process.start(
        "deaf", [sys.executable, "-c", DEAF_FAMILY], environment=os.environ, logs=tmp_path
    )
    port = int(wait_for_line(process))
    with socket.create_connection(("127.0.0.1", port), timeout=60) as visitor:
        process.stop(seconds=0.1)
        assert process.exit_code == -signal.SIGKILL
        assert visitor.recv(1) == b""  # the line went dead: the child is gone


def test_process_that_ends_early_is_named_with_its_last_words(
    door: socket.socket, tmp_path: Path
) -> None:
    with Processes(os.environ, logs=tmp_path) as processes:
        process = processes.start("brief", [sys.executable, "-c", "print('why'); exit(3)"])
        with pytest.raises(ProcessError, match=r"(?s)brief ended with 3.*why"):
            processes.wait_for(process, port=door.getsockname()[1])


def test_lines_are_read_whole_and_once(tmp_path: Path) -> None:
    process = Process.start(
        "talker",
        [sys.executable, "-c", "print('a\\nb\\nc', end='')"],
        environment={},
        logs=tmp_path,
    )
    process.child.wait()
    assert process.new_lines() == ["a", "b"]
    assert process.new_lines() == []
    process.stop()


def test_log_of_the_last_start_is_kept(tmp_path: Path) -> None:
    for word in ("first", "second"):
        process = Process.start(
            "talker", [sys.executable, "-c", f"print('{word}')"], environment={}, logs=tmp_path
        )
        process.child.wait()
        process.stop()
    assert (tmp_path / "talker.log").read_text() == "second\n"
    assert (tmp_path / "talker.previous.log").read_text() == "first\n"


# Starts a script as a child, passes on the first line that it says, and waits to be killed.
PARENT = """
import os, sys, time
from pathlib import Path
from config.processes import Process
process = Process.start("child", [sys.executable, "-c", sys.argv[1]],
                        environment=os.environ, logs=Path(sys.argv[2]))
while not (lines := process.new_lines()):
    time.sleep(0.01)
print(lines[0], flush=True)
time.sleep(60)
"""


@pytest.mark.e2e
def test_killed_parent_takes_its_children_with_it(tmp_path: Path) -> None:
    ends = "lambda *_: sys.exit(print('asked to end', flush=True))"
    family = DEAF_FAMILY.replace("signal.SIG_IGN", ends)  # deaf ones take 10 s
    argv = [sys.executable, "-c", PARENT, family, str(tmp_path)]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        port = int(parent.stdout.readline())
        with socket.create_connection(("127.0.0.1", port), timeout=60) as visitor:
            parent.kill()
            assert visitor.recv(1) == b""  # the line went dead: the grandchild is gone, too
    assert (tmp_path / "child.log").read_text().endswith("\nasked to end\n")
