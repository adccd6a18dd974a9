"""Starting the three servers, each with a data folder and a database of its own."""

import json
import os
import secrets
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from csv import DictReader
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from ruamel.yaml import YAML

from benchmarks.load.player import Player
from benchmarks.load.site import Site, Wrong
from config.processes import ROOT, Process, Processes, command_of, free_port

PLAIN = "plain Django"
#: `set_study … open` would refuse: the example has placeholders, and nobody from Prolific could
#: come to this machine.
OPEN = """
from survey.models import Study
from survey.studies import set_state
set_state(study=Study.objects.get(), state="open")
"""


@dataclass(frozen=True)
class Bench:
    """Where servers are started, and the study they show."""

    stack: ExitStack
    folder: Path
    study: Path
    postgres: str | None
    workers: int

    def blocks_and_responses(self) -> tuple[int, int]:
        """How many blocks the study has, and how many responses are in each."""
        with (self.study / "responses.csv").open(encoding="utf-8-sig", newline="") as lines:
            sizes = Counter((row["scenario"], row.get("set", "")) for row in DictReader(lines))
        if len(set(sizes.values())) != 1:
            raise Wrong("The blocks of this study differ in size; choose another study.")
        return len(sizes), next(iter(sizes.values()))

    def environment(self, name: str) -> dict[str, str]:
        """The environment of a server with a data folder and a database of its own."""
        data = self.folder / name
        data.mkdir()
        return os.environ | {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATA_DIR": str(data),
            "DATABASE_URL": self.stack.enter_context(scratch_database(data, self.postgres)),
            "SECRET_KEY": secrets.token_hex(32),
            "SITE_URL": "http://localhost",
            "ALLOWED_HOSTS": "127.0.0.1",
            "DEBUG": "false",
        }

    def run(self, *arguments: str, environment: dict[str, str]) -> None:
        command = [sys.executable, *arguments]
        subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)

    def serve(self, application: str, environment: dict[str, str]) -> tuple[Process, int]:
        """Start the web command of docker-compose.yml with one of the applications."""
        port = free_port()
        environment |= {
            "GUNICORN_CMD_ARGS": f"--bind 127.0.0.1:{port}",
            "WEB_CONCURRENCY": str(self.workers),
        }
        processes = self.stack.enter_context(Processes(environment, self.folder / "logs"))
        command = [application if part == "config.wsgi" else part for part in command_of("web")]
        server = processes.start(application, command)
        processes.wait_for(server, port=port)
        return server, port


@contextmanager
def scratch_database(data: Path, postgres: str | None) -> Iterator[str]:
    """The URL of a new SQLite file, or of a new database on the PostgreSQL server."""
    if postgres is None:
        yield f"sqlite:///{data}/bench.sqlite3"
        return
    name = f"bench_{data.name}_{secrets.token_hex(4)}"
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield urlsplit(postgres)._replace(path=f"/{name}").geturl()
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def rows(url: str, query: str) -> list[Any]:
    """What a query gives, read past Django."""
    if url.startswith("sqlite:"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
            return file.execute(query).fetchall()
    with psycopg.connect(url) as server:
        return server.execute(query.encode()).fetchall()


def start_fivefold(bench: Bench) -> Site:
    """The product, with the study loaded and open."""
    study = YAML(typ="safe").load(bench.study / "study.yaml")
    environment = bench.environment("fivefold")
    for command in (
        ["migrate"],
        ["collectstatic", "--no-input"],
        ["load_study", str(bench.study.resolve())],
        ["shell", "-c", OPEN],
    ):
        bench.run("manage.py", *command, environment=environment)
    server, port = bench.serve("config.wsgi", environment)
    blocks, responses = bench.blocks_and_responses()
    query = """
        SELECT i.key, p.page, 'r-' || r.public_id || '-' || g.dimension, g.value
        FROM survey_rating g JOIN survey_response r ON r.id = g.response_id
        JOIN survey_presentation p ON p.id = g.presentation_id
        JOIN survey_identity i ON i.participant_id = p.participant_id"""
    return Site(
        name="Fivefold",
        server=server,
        port=port,
        link=f"/s/{study['slug']}/",
        codes=_codes(environment["DATABASE_URL"]),
        blocks=blocks,
        groups=responses * len(study["tasks"][0]["dimensions"]),
        eligible={q["name"]: q["eligible"][0] for q in study.get("screening", [])},
        stored=lambda: rows(environment["DATABASE_URL"], query),
        environment=environment,
    )


def _codes(url: str) -> set[str]:
    """The codes of those who passed the attention checks, and of those who did not."""
    [(settings,)] = rows(url, "SELECT settings FROM survey_study")
    prolific = (json.loads(settings) if isinstance(settings, str) else settings)["prolific"]
    names = ("completion_code", "failed_attention_code")
    return {prolific[name] for name in names if prolific[name] is not None}


def start_plain_django(bench: Bench) -> Site:
    """The reference, with the same texts."""
    environment = bench.environment("plain")
    environment["DJANGO_SETTINGS_MODULE"] = "benchmarks.plain_app.settings"
    responses_csv = str(bench.study.resolve() / "responses.csv")
    bench.run("-m", "benchmarks.plain_app.load", responses_csv, environment=environment)
    server, port = bench.serve("benchmarks.plain_app.wsgi", environment)
    blocks, responses = bench.blocks_and_responses()
    query = """
        SELECT t.person, p.page, 'r-' || g.response_id, g.value
        FROM plain_app_rating g JOIN plain_app_presentation p ON p.id = g.presentation_id
        JOIN plain_app_participant t ON t.id = p.participant_id"""
    return Site(
        name=PLAIN,
        server=server,
        port=port,
        link="/",
        codes={"PLAIN1"},
        blocks=blocks,
        groups=responses,
        stored=lambda: rows(environment["DATABASE_URL"], query),
    )


def start_bare_wsgi(bench: Bench, like: Site) -> Site:
    """A constant page: a rating page of `like`."""
    sample = Player(like, secrets.token_hex(12))
    sample.begin()
    constant = bench.folder / "page.html"
    constant.write_text(sample.html, encoding="utf-8")
    sample.rate()
    sample.finish()
    like.sent += sample.sent
    environment = os.environ | {"BARE_PAGE": str(constant), "BARE_PAGES": str(like.blocks)}
    server, port = bench.serve("benchmarks.bare_app.wsgi", environment)
    return Site(
        name="bare WSGI",
        server=server,
        port=port,
        link="/",
        codes={"BARE1"},
        blocks=like.blocks,
        groups=like.groups,
        counts_pages=False,
    )
