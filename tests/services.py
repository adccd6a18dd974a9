"""The programs and servers that the tests need beside Python.

Each is taken from the environment (CHROMIUM, TEST_DATABASE_URL, TEST_REDIS_URL), else from the
machine, else installed where that is allowed (root on Debian or Ubuntu). What is then still
missing stops the run with the command that would install it: nothing is skipped.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from config.processes import Processes, command_of, free_port


class ServiceMissing(Exception):
    """A needed program is not there; the message says how to install it."""


@dataclass(frozen=True)
class Program:
    """A program, where it may be, and the Debian packages that bring it."""

    names: tuple[str, ...]
    packages: tuple[str, ...]
    variable: str = ""
    folders: tuple[str, ...] = ()
    otherwise: str = ""

    def find(self) -> Path | None:
        if self.variable and (named := os.environ.get(self.variable)):
            return Path(named)
        for name in self.names:
            if found := shutil.which(name):
                return Path(found)
            for folder in self.folders:
                if matches := sorted(Path("/").glob(f"{folder}/{name}")):
                    return matches[-1]
        return None

    @property
    def is_best(self) -> bool:
        """Of several names the first is worth installing though another is there."""
        found = self.find()
        named = bool(self.variable and os.environ.get(self.variable))
        return named or (found is not None and found.name == self.names[0])

    def need(self) -> Path:
        """Find the program, or install it where that is allowed."""
        install_missing(self)
        found = self.find()
        if found is None:
            command = f"sudo apt-get install {' '.join(self.packages)}"
            raise ServiceMissing(f"{self.names[0]} is missing: {command}{self.otherwise}")
        return found


#: The shell is Chromium without windows: the same engine for half the computing.
CHROMIUM = Program(
    names=("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"),
    packages=("chromium-headless-shell", "fonts-dejavu-core"),
    variable="CHROMIUM",
    folders=(f"{Path.home()}/.cache/ms-playwright/chromium-*/chrome-linux*".lstrip("/"),),
    otherwise=", or .venv/bin/playwright install chromium, or name one: CHROMIUM=/path/to/it",
)
POSTGRES = Program(
    names=("postgres",),
    packages=("postgresql",),
    folders=("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin"),
    otherwise=", or name an empty database: TEST_DATABASE_URL=postgresql://…",
)
REDIS = Program(
    names=("redis-server",),
    packages=("redis-server",),
    otherwise=", or name a server with 129 databases: TEST_REDIS_URL=redis://…",
)
CADDY = Program(names=("caddy",), packages=("caddy",))


def needed() -> list[Program]:
    """What both shapes need on this machine; named servers may be on another."""
    servers = {"TEST_DATABASE_URL": POSTGRES, "TEST_REDIS_URL": REDIS}
    ours = [program for name, program in servers.items() if not os.environ.get(name)]
    return [CHROMIUM, CADDY, *ours]


def install_missing(*programs: Program) -> None:
    """Install at once, where that is allowed, what is not there."""
    packages = [name for program in programs if not program.is_best for name in program.packages]
    if packages and os.geteuid() == 0 and shutil.which("apt-get"):
        try:
            apt_install(*packages)
        except subprocess.CalledProcessError:
            if not all(program.find() for program in programs):
                raise


def apt_install(*packages: str) -> None:
    print(f"Installing {' '.join(packages)} for the tests", flush=True)
    subprocess.run(["apt-get", "update", "-qq"], check=True)
    install = ["apt-get", "install", "-qq", "--yes", "--no-install-recommends", *packages]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(install, check=True, env=environment, stdout=subprocess.DEVNULL)


@contextmanager
def full_shape() -> Iterator[Mapping[str, str]]:
    """PostgreSQL and Redis, as the settings want them named."""
    with tempfile.TemporaryDirectory(prefix="fivefold-services-") as folder:
        Path(folder).chmod(0o755)
        with Processes(os.environ, logs=Path(folder)) as processes:
            yield {
                "DATABASE_URL": os.environ.get("TEST_DATABASE_URL")
                or start_postgres(processes, Path(folder) / "postgres"),
                "CELERY_BROKER_URL": os.environ.get("TEST_REDIS_URL")
                or start_redis(processes, Path(folder) / "redis"),
            }


def start_postgres(processes: Processes, folder: Path) -> str:
    """A cluster of its own that may forget everything in a power cut. Returns its URL."""
    binaries = POSTGRES.need().resolve().parent
    folder.mkdir()
    user = None
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = "postgres"
        shutil.chown(folder, user)
    initdb = [str(binaries / "initdb"), f"--pgdata={folder}", "--username=fivefold", "--no-sync"]
    locale = ["--auth=trust", "--encoding=UTF8", "--locale=C"]
    subprocess.run([*initdb, *locale], check=True, stdout=subprocess.DEVNULL, user=user, cwd="/")
    port = free_port()
    options = {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": "",
        "max_connections": "400",
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        # Tests undo their rows, so it finds empty tables. Queries of a test with many rows are then
        # planned for empty tables, and take 23 seconds instead of one.
        "autovacuum": "off",
    }
    settings = [f"--{name}={value}" for name, value in options.items()]
    command = [str(binaries / "postgres"), "-D", str(folder), *settings]
    processes.wait_for(processes.start("postgres", command, user=user), port=port)
    return f"postgresql://fivefold@127.0.0.1:{port}/postgres"


def start_redis(processes: Processes, folder: Path) -> str:
    """The very command of docker-compose.yml, on a port and in a folder of its own."""
    REDIS.need()
    folder.mkdir()
    port = free_port()
    own = f"--bind 127.0.0.1 --port {port} --dir {folder} --databases 129".split()
    server = processes.start("redis", [*command_of("redis"), *own])
    processes.wait_for(server, port=port)
    return f"redis://127.0.0.1:{port}/0"
