"""A whole installation of its own: the commands of docker-compose.yml, started as processes."""

import fcntl
import json
import os
import secrets
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from config.processes import ROOT, Process, Processes, command_of, free_port
from tests import services

PASSWORD = "only-for-tests-9f2c"
#: Where the world could open the site: nobody from Prolific may be led to a study on this machine.
PUBLIC = {"SITE_URL": "https://ratings.lakeside.edu"}
#: Several commands of manage.py, one after the other, for the price of one start.
ALL = """
import json, sys
import django
django.setup()
from django.core.management import call_command
for command in json.load(sys.stdin):
    call_command(*command)
"""


@dataclass
class Installation:
    """A running site. `processes.running` holds "web" and "worker"."""

    folder: Path
    port: int
    processes: Processes

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return dict(self.processes.environment)

    @property
    def researcher(self) -> tuple[str, str]:
        return "researcher", PASSWORD

    def manage(
        self, command: str, *arguments: str | Path, check: bool = True, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as an operator would; `check=False` for one that is to fail.

        Django has checked the settings at `setup`: once more takes half as long as the command.
        """
        done = subprocess.run(
            [sys.executable, "manage.py", str(command), "--skip-checks", *map(str, arguments)],
            cwd=ROOT,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if check:
            assert done.returncode == 0, f"{command} {arguments}: {done.stdout}{done.stderr}"
        return done

    def manage_all(self, *commands: Sequence[str | Path], **environment: str) -> None:
        """Run commands that prepare what is tested, one after the other in one process."""
        done = subprocess.run(
            [sys.executable, "-c", ALL],
            cwd=ROOT,
            env={**self.environment, **environment},
            input=json.dumps([[str(argument) for argument in command] for command in commands]),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{commands}: {done.stdout}{done.stderr}"

    def query(self, statement: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of the database, read past our own code. Parameters stand as %s."""
        url = self.environment["DATABASE_URL"]
        if url.startswith("sqlite"):
            with closing(sqlite3.connect(self.folder / "fivefold.sqlite3")) as database:
                return database.execute(statement.replace("%s", "?"), parameters).fetchall()
        with psycopg.connect(url) as connection:
            return connection.execute(statement.encode(), parameters).fetchall()

    def is_locked(self, table: str) -> bool:
        """Whether another process keeps others from writing rows of a table (for a second)."""
        url = self.environment["DATABASE_URL"]
        try:
            if url.startswith("sqlite"):
                with closing(sqlite3.connect(self.folder / "fivefold.sqlite3", timeout=1)) as file:
                    file.execute("BEGIN IMMEDIATE")
            else:
                rows = sql.SQL("SELECT 1 FROM {} FOR UPDATE").format(sql.Identifier(table))
                with psycopg.connect(url, options="-c lock_timeout=1s") as connection:
                    connection.execute(rows)
        except (sqlite3.OperationalError, psycopg.errors.LockNotAvailable):
            return True
        return False

    def start(self, service: str) -> Process:
        """Start a service that is not running; the web is waited for."""
        process = self.processes.start(service, command_of(service))
        if service == "web":
            self.processes.wait_for(process, port=self.port)
        return process

    def stop(self, service: str) -> None:
        """End a service as an operator would (SIGTERM)."""
        self.processes.running.pop(service).stop()

    def kill(self, service: str) -> None:
        """End a service and all its children at once (SIGKILL)."""
        process = self.processes.running.pop(service)
        process.kill()
        process.stop()


def children_of(process: Process) -> list[int]:
    """The processes that a service has started."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.child.pid)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return [int(pid) for pid in listed.stdout.split()]


def new_installation(folder: Path, database_url: str, **settings: str) -> Installation:
    """An installation that is neither set up nor started, with further settings."""
    port = free_port()
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
        "DATA_DIR": str(folder),
        "DATABASE_URL": database_url,
        "CELERY_BROKER_URL": own_broker(),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SECRET_KEY": secrets.token_urlsafe(40),
        "SIMULATION_KEY": secrets.token_urlsafe(40),
        "JUDGE_API_KEY": "",  # no test ever spends money, whatever .env holds
        "EMAIL_HOST": "",  # nor sends e-mail
        "PROLIFIC_URL": "https://api.prolific.com/api/v1",  # whatever .env holds
        "SITE_URL": f"http://localhost:{port}",
        "GUNICORN_CMD_ARGS": f"--bind 127.0.0.1:{port}",
        "WEB_CONCURRENCY": "2",
        "WORKER_PROCESSES": "2",
        "CELERY_SKIP_CHECKS": "1",  # as in `manage`
        **settings,
    }
    return Installation(folder, port, Processes(environment, logs=folder / "logs"))


@contextmanager
def place_for_prepared() -> Iterator[Mapping[str, str]]:
    """Where the processes of a run of pytest find what one of them makes, as they are told."""
    with (
        TemporaryDirectory(prefix="fivefold-prepared-") as folder,
        own_database(Path(folder) / "data") as database_url,
    ):
        yield {"PREPARED_FOLDER": folder, "PREPARED_DATABASE_URL": database_url}


@cache
def prepared() -> Installation:
    """Set up, with a researcher, and never started: each that is started is a copy.

    The first process of a run that wants it makes it, and the others wait for that.
    """
    place = Path(os.environ["PREPARED_FOLDER"])
    installation = new_installation(place / "data", os.environ["PREPARED_DATABASE_URL"])
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "made").exists():
            installation.folder.mkdir(exist_ok=True)
            set_up(installation)
            (place / "made").touch()
    return installation


def set_up(installation: Installation) -> None:
    subprocess.run(command_of("setup"), cwd=ROOT, env=installation.environment, check=True)
    name, password = installation.researcher
    account = ("createsuperuser", "--no-input", "--username", name, "--email", "r@x.org")
    static = ("collectstatic", "--no-input")
    installation.manage_all(static, account, DJANGO_SUPERUSER_PASSWORD=password)


@contextmanager
def running_installation(
    folder: Path, *, worker: bool = True, **settings: str
) -> Iterator[Installation]:
    """Start an installation that is set up, with further settings; take it down afterwards.

    Its shape is that of this run: PostgreSQL and Redis where the environment names them. A worker
    analyses whatever study has answers, which takes as long as all pages of a survey in a browser:
    start it where a test is about what it does.
    """
    shutil.copytree(prepared().folder, folder, dirs_exist_ok=True)
    with own_database(folder, like=prepared()) as database_url:
        installation = new_installation(folder, database_url, **settings)
        with installation.processes as processes:
            if worker:
                installation.start("worker")
            installation.start("web")
            yield installation
            processes.stop(seconds=0.5)  # nobody needs what a worker would still finish


@contextmanager
def proxy_before(installation: Installation, folder: Path) -> Iterator[Path]:
    """The proxy of docker-compose.yml at the installation's SITE_URL. Yields its certificate."""
    assert services.CADDY.find(), "No Caddy: `make test` installs it"
    site = installation.environment["SITE_URL"]
    environment = {
        "PATH": os.environ["PATH"],
        "XDG_DATA_HOME": str(folder),  # where Caddy's own authority keeps its keys
        "XDG_CONFIG_HOME": str(folder),
        "CADDY_ADMIN": f"localhost:{free_port()}",
        "HTTP_PORT": str(free_port()),
        "SITE_URL": site,
        "WEB": f"localhost:{installation.port}",
    }
    *command, caddyfile = command_of("proxy")
    assert caddyfile == "/etc/caddy/Caddyfile"
    with Processes(environment, logs=folder) as processes:
        process = processes.start("proxy", [*command, "deploy/Caddyfile"])
        processes.wait_for(process, port=int(site.rpartition(":")[2]))
        yield folder / "caddy/pki/authorities/local/root.crt"


@contextmanager
def own_database(folder: Path, *, like: Installation | None = None) -> Iterator[str]:
    """The URL of a database: a file in the folder, or one beside that which the environment names.

    It is empty, or as that of an installation that nobody uses (and whose folder was copied).
    """
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        yield f"sqlite:///{folder / 'fivefold.sqlite3'}"
        return
    name = f"e2e_{secrets.token_hex(6)}"
    template = urlsplit(like.environment["DATABASE_URL"]).path[1:] if like else "template1"
    with psycopg.connect(server, autocommit=True) as connection:
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        connection.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
        try:
            yield urlsplit(server)._replace(path=f"/{name}").geturl()
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
            connection.execute(drop.format(sql.Identifier(name)))


_broker_numbers = count()


def own_broker() -> str:
    """A broker that nobody else listens to: files, or a numbered database of the Redis server."""
    server = os.environ.get("CELERY_BROKER_URL", "")
    if not server.startswith("redis"):
        return "filesystem://localhost"
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    number = 1 + 16 * worker + next(_broker_numbers)  # see `start_redis` for how many there are
    return urlsplit(server)._replace(path=f"/{number}").geturl()
