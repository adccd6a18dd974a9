"""A server that ends is started again, sooner or later by how often it did."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from config.processes import Process, ProcessError
from config.supervision import Supervised

pytestmark = pytest.mark.slow  # starts and kills processes

# Says on which port a child of its own takes one visitor, and ends if it is told to by a file.
FAMILY = """
import subprocess, sys, time
CHILD = "import socket, time; s = socket.create_server(('127.0.0.1', 0)); "
CHILD += "print(s.getsockname()[1], flush=True); visitor = s.accept(); time.sleep(300)"
subprocess.Popen([sys.executable, "-S", "-c", CHILD])
time.sleep(300)
"""


class Clock:
    """Goes on when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


Start = Callable[..., Supervised]


@pytest.fixture
def start(tmp_path: Path, clock: Clock) -> Iterator[Start]:
    with ExitStack() as stack:

        def started(*argv: str) -> Supervised:
            process = Process.start("server", [*argv], environment=os.environ, logs=tmp_path)
            stack.callback(process.stop, seconds=0)
            return Supervised(process, clock)

        yield started


def ended(server: Supervised) -> Supervised:
    server.process.child.wait(timeout=60)
    return server


def test_running_server_is_left_alone(start: Start, clock: Clock) -> None:
    server = start("sleep", "60")
    first = server.process.child.pid
    clock.now = 1000
    assert (server.tend(), server.process.child.pid) == ("", first)


def test_killed_server_takes_its_children_with_it_and_starts_again(
    start: Start, clock: Clock
) -> None:
    server = start(sys.executable, "-S", "-c", FAMILY)
    ports: list[str] = []
    while not ports:
        ports = server.process.new_lines()
    with socket.create_connection(("127.0.0.1", int(ports[0])), timeout=60) as visitor:
        os.kill(server.process.child.pid, signal.SIGKILL)
        news = ended(server).tend()
        assert visitor.recv(1) == b""  # the line went dead: the child is gone
    assert news == (
        "server ended unexpectedly (killed by SIGKILL). It will be restarted in 1 s. "
        f"See {server.process.log}"
    )
    clock.now = 0.9
    assert (server.tend(), server.process.exit_code) == ("", -signal.SIGKILL)
    clock.now = 1.0
    assert (server.tend(), server.process.exit_code) == ("", None)


def test_log_holds_what_every_start_said_and_how_it_ended(start: Start, clock: Clock) -> None:
    server = start("sh", "-c", "echo words of $$; kill -TERM $$")
    for clock.now in (0, 1, 2, 4):
        ended(server).tend()
    ended(server)
    kinds = [line.partition(" ")[0] for line in server.process.log.read_text().splitlines()]
    assert kinds[::2] == ["words"] * 3 and len(kinds) == 5
    assert server.process.log.read_text().count("killed by SIGTERM") == 2
    told = [line for line in server.process.new_lines() if line.startswith("words")]
    assert len(set(told)) == 3


def test_pause_doubles_up_to_a_minute_and_a_minute_of_health_ends_that(
    start: Start, clock: Clock
) -> None:
    server = start("sh", "-c", "kill -KILL $$")
    pauses = []
    for _ in range(8):
        news = ended(server).tend()
        pauses.append(news.partition(" restarted in ")[2].partition(" s.")[0])
        clock.now += float(pauses[-1])
        assert server.tend() == ""
    assert pauses == ["1", "2", "4", "8", "16", "32", "60", "60"]
    clock.now += 60
    assert "restarted in 1 s" in ended(server).tend()


def test_server_that_fails_at_its_very_first_start_is_an_error(start: Start, clock: Clock) -> None:
    server = start("sh", "-c", "echo the port is taken; exit 3")
    clock.now = 59
    with pytest.raises(ProcessError, match=r"(?s)^server ended with 3\. .*the port is taken"):
        ended(server).tend()


def test_server_that_fails_after_a_while_is_started_again(start: Start, clock: Clock) -> None:
    server = start("false")
    clock.now = 60
    assert ended(server).tend().startswith("server ended unexpectedly (exit code 1). ")
    clock.now = 61
    server.tend()
    clock.now = 62  # at once, but not at the first start
    assert "restarted in 2 s" in ended(server).tend()


def test_start_that_the_machine_refuses_is_tried_again(start: Start, clock: Clock) -> None:
    server = start("sh", "-c", "kill -KILL $$")
    ended(server).tend()
    server.process.argv = ["/no/such/program"]
    clock.now = 1
    assert server.tend().startswith(
        "server could not be started (No such file or directory). It will be restarted in 2 s. "
    )
    server.process.argv = ["sleep", "60"]
    clock.now = 3
    assert (server.tend(), server.process.exit_code) == ("", None)


def test_stopping_in_a_pause_touches_nobody(start: Start) -> None:
    server = start("sh", "-c", "kill -KILL $$")
    ended(server).tend()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as stranger:
        # The number of a group that is gone may be given to another one.
        server.process.child.pid = stranger.pid
        server.process.stop()
        assert stranger.poll() is None
        stranger.kill()
