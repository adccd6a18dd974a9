"""Two workers that are killed, and their broker, for runs at an endpoint with every fault."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from config.processes import Processes, command_of, free_port
from tests import services
from tests.e2e.installation import Installation, running_installation
from tests.servers.connections import connected
from tests.servers.faulty_judge import FaultyJudge

WORKERS = ("worker", "worker_2")


class Broker:
    """The broker of one installation: its files, or a Redis server of its own."""

    def __init__(self, folder: Path, redis_port: int | None) -> None:
        self.files = folder / "broker"
        self.port = redis_port
        self.processes = Processes(os.environ, logs=folder / "logs")
        self.folder = folder / "redis"

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0" if self.port else "filesystem://localhost"

    def start(self) -> None:
        if self.port:
            self.folder.mkdir(exist_ok=True)
            own = f"--bind 127.0.0.1 --port {self.port} --dir {self.folder}".split()
            server = self.processes.start("redis", [*command_of("redis"), *own])
            self.processes.wait_for(server, port=self.port)

    def restart(self) -> None:
        """Files need no server that could be restarted."""
        if self.port:
            self.processes.running.pop("redis").stop()
            self.start()

    def empty(self) -> None:
        if self.port:
            with redis.Redis(port=self.port) as client:
                client.flushall()
        for file in self.files.rglob("*"):
            if file.is_file():
                file.unlink(missing_ok=True)


@contextmanager
def installed(folder: Path, broker: Broker, **settings: str) -> Iterator[Installation]:
    """An installation with two workers."""
    with running_installation(
        folder,
        worker=True,
        CELERY_BROKER_URL=broker.url,
        WORKER_PROCESSES="1",
        JUDGE_MODEL="test-model",
        JUDGE_BACKOFF_SECONDS="0.05",
        SWEEP_SECONDS="2",
        WEB_CONCURRENCY="1",  # nobody visits
        **settings,
    ) as running:
        start(running, "worker_2")
        yield running


def start(installation: Installation, worker: str) -> None:
    """Start one of the workers; the first one keeps the timetable, too."""
    command = command_of("worker")
    if worker != "worker":
        command.remove("--beat")
    installation.processes.start(worker, command)


def at_work(installation: Installation, *servers: FaultyJudge) -> str:
    """The worker with more connections to the servers."""
    held = Counter(
        os.getpgid(pid) for one in servers for pid in connected(one.server_port).values()
    )
    running = installation.processes.running
    return max(WORKERS, key=lambda worker: held[running[worker].child.pid])


def kill_one(installation: Installation, table: str, *servers: FaultyJudge) -> set[str]:
    """End the worker that has more to do, at once, and start it anew. What may have been lost: ids
    of attempts in their `table`.
    """
    worker = at_work(installation, *servers)
    installation.kill(worker)
    in_flight = f"SELECT request_id FROM {table} WHERE outcome = 'in_flight'"
    lost = {request for (request,) in installation.query(in_flight)}
    start(installation, worker)
    return lost


@contextmanager
def running_broker(folder: Path) -> Iterator[Broker]:
    """The broker of this shape, for one installation."""
    is_redis = os.environ.get("CELERY_BROKER_URL", "").startswith("redis")
    if is_redis:
        services.REDIS.need()
    broker = Broker(folder, free_port() if is_redis else None)
    with broker.processes:
        broker.start()
        yield broker
