"""`manage.py serve`: the whole of Fivefold on this machine, until Ctrl-C. `make run` calls it."""

import os
import secrets
import socket
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.urls import reverse

from config.backup.data_in_use import LOCK
from config.instance_lock import AlreadyServed, claimed
from config.private import keep_private
from config.processes import ROOT, command_of, free_port, is_free
from config.serving import FirstJob, Server, Site, become_supervisor, stopped_by_signals
from config.version import VERSION
from dashboard.design import first_start
from dashboard.management.migrations_known import newer_migration
from dashboard.management.public_address import PublicAddress
from dashboard.overview.reachability import INSIDE, OUTSIDE
from dashboard.shared.fieldwork import state_meaning
from examples.local_prolific import TOKEN
from survey.interface import INTERFACE, in_words
from survey.queries import studies_with_changed_pages

#: The local Prolific answers at a port that depends on the site's: tokens belong to an address.
PORTS_FROM_SITE = 10
REACHED = {
    OUTSIDE: "Reached from outside: participants can reach the site, too.",
    INSIDE: "Reached from the network of this machine. Whether others reach it is still open: "
    "switch off Wi-Fi on your phone, and open the link again.",
}


class Command(BaseCommand):
    help = "Start the site, a worker and, without a judge's key, a stand-in judge."
    local_prolific: int | None = None

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
        parser.add_argument("--port", default=os.environ.get("PORT", "8000"))
        parser.add_argument(
            "--public",
            metavar="NAME",
            default=os.environ.get("PUBLIC", ""),
            help="the host name at which participants reach this machine, such as "
            "survey.example.org: serve it with HTTPS",
        )

        parser.add_argument(
            "--prolific",
            metavar="local",
            default=os.environ.get("PROLIFIC", ""),
            help="`local` starts a Prolific on this machine, which pays nobody",
        )

    def handle(self, *, host: str, port: str, public: str, prolific: str, **options: Any) -> None:
        self.host, self.port = host, port_number(port)
        if prolific:
            self.local_prolific = port_of_local_prolific(prolific, self.port, public)
        self.public = PublicAddress.read(public) if public else None
        self.password_file = settings.DATA_DIR / "researcher-password.txt"
        with stopped_by_signals():
            try:
                chosen = self.chosen()
                with claimed(settings.DATA_DIR / "serve.env", chosen) as claim:
                    site = self.site(chosen, self.prepare())
                    connection.close()
                    become_supervisor(site, claim, LOCK)
            except AlreadyServed as error:
                raise CommandError(
                    f"Fivefold runs already on {settings.DATA_DIR}, at {error.address}"
                ) from None
            except DatabaseError as error:
                raise CommandError(f"The database can't be used: {error}") from error
            except OSError as error:
                raise CommandError(f"{settings.DATA_DIR} can't be used: {error}") from error
            except KeyboardInterrupt:
                self.say("Stopped.")

    def chosen(self) -> dict[str, str]:
        """What commands in other shells must go by too."""
        chosen = {"SITE_URL": os.environ.get("SITE_URL") or site_url(self.host, self.port)}
        if self.public:
            chosen = {"SITE_URL": self.public.url, "BEHIND_PROXY": "true"}
        chosen["JUDGE_STAND_IN_URL"] = f"http://127.0.0.1:{free_port()}/v1"
        if self.local_prolific:
            chosen["PROLIFIC_URL"] = f"http://127.0.0.1:{self.local_prolific}/api/v1"
        return chosen

    def prepare(self) -> str | None:
        """Make everything ready that the processes need. Returns the password, while it is ours."""
        if not is_free(self.host, self.port):
            raise CommandError(
                f"Port {self.port} is taken. Choose another: make run PORT={self.port + 1}"
            )
        if self.local_prolific and not is_free("127.0.0.1", self.local_prolific):
            raise CommandError(
                f"Port {self.local_prolific} is taken, which the local Prolific needs. Choose "
                f"another: make run PROLIFIC=local PORT={self.port + 1}"
            )
        if self.public:
            self.public.check()
        self.say("Preparing the database and the static files …")
        is_file = connection.vendor == "sqlite"
        keep_private(settings.DATA_DIR, Path(connection.settings_dict["NAME"]) if is_file else None)
        refuse_newer_database()
        call_command("migrate", verbosity=0, interactive=False, stdout=self.stdout)
        call_command("collectstatic", verbosity=0, interactive=False)
        for study, people, seen in studies_with_changed_pages():
            new = in_words(range(seen + 1, INTERFACE + 1))
            self.say(
                f"The pages of {study}, which is {study.state}, look different from now on: this "
                f"release changes them, and {people} people took part before. Their ratings stay; "
                f"the report says that raters saw two versions. New: {new}."
            )
        password = first_start.researcher_password(kept_in=self.password_file)
        if not self.public:  # nobody is to meet an example at a public address
            first_start.load_example(ROOT / "examples" / first_start.EXAMPLE)
        return password

    def site(self, chosen: dict[str, str], password: str | None) -> Site:
        """What runs from now on, and what is said of it."""
        address = f"[{self.host}]" if ":" in self.host else self.host
        token = secrets.token_urlsafe(12) if self.public else ""
        site = Site(
            data=str(settings.DATA_DIR),
            port=self.port,
            environment={
                **chosen,
                "GUNICORN_CMD_ARGS": f"--bind {address}:{self.port}",
                "WEB_CONCURRENCY": os.environ.get("WEB_CONCURRENCY", "2"),
                "REACHABLE_TOKEN": token,
            },
            servers=self.servers(chosen),
            links=[self.links(chosen["SITE_URL"], password)],
            jobs=self.first_jobs(chosen["SITE_URL"]),
        )
        if self.public:
            self.add_public(site, self.public, token)
        return site

    def servers(self, chosen: dict[str, str]) -> list[Server]:
        python = [sys.executable, "-m"]
        stand_in_port = str(urlsplit(chosen["JUDGE_STAND_IN_URL"]).port)
        servers = [
            Server("web", command_of("web")),
            Server("stand-in-judge", [*python, "judge.standin", "--port", stand_in_port]),
        ]
        if self.local_prolific:
            command = [*python, "examples.local_prolific", "--port", str(self.local_prolific)]
            servers.append(Server("local-prolific", command))
        return [*servers, Server("worker", command_of("worker"))]

    def add_public(self, site: Site, public: PublicAddress, token: str) -> None:
        """The proxy, and the link by which a phone shows that it reaches the site."""
        folder = settings.DATA_DIR / "caddy"
        folder.mkdir(mode=0o700, exist_ok=True)
        site.proxy, site.proxy_port = Server("proxy", public.command()), public.port
        told = public.environment(web=f"{self.host}:{self.port}", folder=folder)
        site.proxy_environment = dict(told)
        settings.REACHED_FILE.unlink(missing_ok=True)
        site.reached_file, site.reached = str(settings.REACHED_FILE), REACHED
        site.links.append(
            f"""\
Is the site reachable from outside? Switch off Wi-Fi on your phone, and open this link:

  {public.url}{reverse("reachable", args=[token])}
"""
        )

    def first_jobs(self, site: str) -> list[FirstJob]:
        """What fills the example, while the site is already up, unless an earlier start did.

        Nothing of it costs money: whatever endpoints are set up, the stand-in judges.
        """
        if self.public or not first_start.needs_raters():
            return []
        manage = [sys.executable, str(ROOT / "manage.py")]
        example = first_start.EXAMPLE
        raters = f"{example} --participants {first_start.RATERS} --seed 1 --server {site}".split()
        gold = [*manage, "judge", example, "--stand-in"]
        judge = FirstJob("judge", "queueing the example's gold scores, by the stand-in", gold)
        return [
            *([] if first_start.was_really_judged() else [judge]),
            FirstJob(
                "simulate", "simulated raters take the example", [*manage, "simulate", *raters]
            ),
        ]

    def links(self, site: str, password: str | None) -> str:
        """What is printed once the site is up."""
        kept = f"{password}   (kept in {self.password_file})" if password else "as you have set it"
        judge = (
            "a stand-in on this machine, named so at its scores; set JUDGE_API_KEY for a real one"
            if settings.JUDGE_STAND_IN or not settings.JUDGE_API_KEY
            else f"{settings.JUDGE_MODEL} at {settings.JUDGE_BASE_URL}, once you ask it"
        )
        participants = f"{site}/s/…   (each study's link stands on its page Overview)"
        example = first_start.participants_get()
        if example is not None and not self.public:
            state = "" if example.is_rehearsing else f"{example.doing.capitalize()}. "
            participants = f"{site}/s/{example.slug}/\n{' ' * 16}{state}{state_meaning(example)}"
        prolific = ""
        if self.local_prolific:
            prolific = (
                f"\n  Prolific      http://127.0.0.1:{self.local_prolific}/   "
                f"(a stand-in, nobody is paid; connect with the token {TOKEN})"
            )
        return f"""
Fivefold {VERSION} is running. Ctrl-C stops it.

  Participants  {participants}
  Dashboard     {site}/
  User          {first_start.USERNAME}
  Password      {kept}
  Judge         {judge}{prolific}
  Logs          {settings.DATA_DIR / "logs"}
"""

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def port_number(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise CommandError(f"{text!r} is no port: PORT takes a number from 1 to 65535")
    return int(text)


def port_of_local_prolific(prolific: str, port: int, public: str) -> int:
    """Raises CommandError if no local Prolific is asked for, or none can be used."""
    if prolific != "local":
        raise CommandError(f"PROLIFIC={prolific}: give `local`, or nothing for the real Prolific")
    if public:
        raise CommandError("PUBLIC and PROLIFIC=local exclude each other: a local one pays nobody")
    if os.environ.get("PROLIFIC_URL"):
        raise CommandError(
            "PROLIFIC=local and PROLIFIC_URL exclude each other: remove PROLIFIC_URL from .env or "
            "the environment"
        )
    return port + PORTS_FROM_SITE


def site_url(host: str, port: int) -> str:
    """The address to open: a wildcard or loopback address is given a name."""
    names = {"127.0.0.1": "localhost", "::1": "localhost"}
    everywhere = {"0.0.0.0", "::", ""}  # noqa: S104  the user's own choice
    name = socket.gethostname() if host in everywhere else names.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


def refuse_newer_database() -> None:
    """Going on with tables that this version does not know could harm what is in them."""
    if newer := newer_migration(MigrationLoader(connection).applied_migrations):
        raise CommandError(
            f"The database is that of a newer Fivefold: {newer[0]} has {newer[1]}, of which this "
            "one knows nothing. Update Fivefold, or choose another folder: make run DATA_DIR=…"
        )
