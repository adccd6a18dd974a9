"""Web processes and workers are killed (SIGKILL) while people are paid, and Prolific has faults:
whatever is done was paid, nothing is paid twice, and in the end the ledger is equal.

Each person gets the reward and two bonuses of the same amount, by different orders.
`pytest --long tests/e2e/test_killed_payments.py` pays 150 people under more than 100 kills.
"""

import os
import random
import signal
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests

from dashboard.payments.asking import LEASE
from examples.local_prolific.server import LocalProlific
from tests.dashboard.payments.conftest import REWARD
from tests.e2e.installation import Installation, children_of
from tests.e2e.paying import payments, promise, session_of, site_to_pay_at, wait_until

pytestmark = pytest.mark.e2e

BONUS, CHUNK = 75, 25
FAULTS = ("500", "500_after", "html", "html_before", "reset", "reset_after", "empty", "429")
REQUESTS = ("POST bulk-bonus-payments/*", "POST submissions/*", "GET submissions/*")
#: A token of our API.
GIVE_TOKEN = """
from django.contrib.auth.models import User
from dashboard.accounts.models import ApiToken
from dashboard.accounts.tokens import digest_of
user = User.objects.get(username="researcher")
ApiToken.objects.create(user=user, name="kills", scope="change", digest=digest_of({!r}))
"""
API_TOKEN = "fivefold_only-for-tests-7d1"
STATES = "SELECT kind, state FROM dashboard_submissiondecision"
UNCLEAR = (
    "SELECT id, order_id FROM dashboard_submissiondecision WHERE kind = 'bonus' AND state = 'asked'"
)
FREE = "UPDATE dashboard_paymentorder SET lease_until = NULL WHERE lease_until < '{}+00:00'"
#: A worker that lives renews the lease of its order before each request.
LIVES = timedelta(seconds=3)
#: Prolific has had the time that a payment takes.
LONG_AGO = (
    "UPDATE dashboard_submissiondecision SET asked_at = '2026-01-01 00:00:00+00:00'"
    " WHERE kind = 'bonus' AND state = 'asked'"
)


@dataclass
class Kills:
    """A site whose processes are killed, and how often they were."""

    site: Installation
    prolific: LocalProlific
    seed: int
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def kill(self) -> None:
        """One of the processes, or a service with all of them."""
        what = self.random.choices(("pool", "web", "worker", "site"), (14, 4, 1, 1))[0]
        if what == "worker":
            self.restart("worker")
        elif what == "site":
            self.restart("web")
        else:
            service = "worker" if what == "pool" else "web"
            self._kill_one(service)

    def restart(self, service: str) -> None:
        self.site.kill(service)
        self.counts[service] += 1
        self.site.start(service)

    def _kill_one(self, service: str) -> None:
        if able := children_of(self.site.processes.running[service]):
            with suppress(ProcessLookupError):
                os.kill(self.random.choice(able), signal.SIGKILL)
                self.counts[f"process of {service}"] += 1

    def revive(self) -> None:
        """Start again what ended itself, as `serve` and Docker do: a worker that lost all its
        processes while it started.
        """
        for service, process in list(self.site.processes.running.items()):
            if process.exit_code is not None:
                self.restart(service)

    def wait_for_progress(self) -> None:
        """Until Prolific was asked some more, or it seems that it will not be."""
        until = time.monotonic() + 6
        asked = len(self.prolific.log) + self.random.randint(1, 12)
        wait_until(lambda: len(self.prolific.log) >= asked or time.monotonic() > until, "requests")

    def maybe_a_fault(self) -> None:
        if self.random.random() < 0.5:
            what, on = self.random.choice(FAULTS), self.random.choice(REQUESTS)
            self.prolific.faults.add(what, on=on)

    def let_time_pass(self) -> None:
        """The leases of dead workers end, and orders that rested are due."""
        latest = datetime.now(UTC) + LEASE - LIVES
        self.execute(FREE.format(latest.replace(tzinfo=None)))

    def execute(self, statement: str) -> None:
        """Change the database past our own code: time passes."""
        url = self.site.environment["DATABASE_URL"]
        if url.startswith("sqlite"):
            file = self.site.folder / "fivefold.sqlite3"
            with closing(sqlite3.connect(file, timeout=30, isolation_level=None)) as database:
                database.execute(statement)
            return
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(statement.encode())


class Researcher(threading.Thread):
    """Confirms everything by the API, chunk after chunk, however often the site is not there."""

    def __init__(self, site: Installation, people: int) -> None:
        super().__init__(daemon=True)
        self.url, self.people = f"{site.url}/api/studies/small/payments/", people
        self.confirmed = 0
        self.refusals: list[str] = []

    def ask(self, method: str, path: str, **more: Any) -> requests.Response:
        """The answer, after as many attempts as it takes."""
        headers = {"Authorization": f"Token {API_TOKEN}"}
        until = time.monotonic() + 300
        while True:
            with suppress(requests.RequestException):
                answer = requests.request(
                    method, self.url + path, headers=headers, timeout=30, **more
                )
                if answer.status_code < 500 and answer.status_code != 429:
                    return answer
            assert time.monotonic() < until, f"{method} {path}: the site stays away"
            time.sleep(0.05)

    def run(self) -> None:
        keys: dict[str, list[str]] = {}
        path: str | None = "proposals/?limit=100"
        while path:
            page = self.ask("GET", path).json()
            for line in page["results"]:
                keys.setdefault(line["rule"], []).append(line["key"])
            path = page["next"] and page["next"].removeprefix(self.url)
        for chunk in range(0, self.people, CHUNK):
            for rule, of_rule in keys.items():
                chosen = of_rule[chunk : chunk + CHUNK]
                cents = BONUS * len(chosen) if "bonus" in rule else 0
                sent = {"decisions": chosen, "bonus_cents": cents}
                answer = self.ask("POST", "", json=sent)
                if answer.status_code != 201:  # an earlier attempt was stored, and its answer lost
                    self.refusals.append(answer.text)
                self.confirmed += len(chosen)


def settle_what_prolific_does_not_list(kills: Kills, researcher: Researcher) -> None:
    """The worker is dead and Prolific idle: after its time, a researcher says what was not done."""
    site = kills.site
    site.kill("worker")
    kills.counts["worker"] += 1
    since = time.monotonic() + kills.prolific.world.listing_seconds + 0.5
    wait_until(lambda: time.monotonic() > since, "Prolific to list what it has paid")
    kills.execute(LONG_AGO)
    for decision, order in site.query(UNCLEAR):
        said = {"what": "not_done", "decisions": [decision]}
        researcher.ask("POST", f"{order}/settle/", json=said)
        if kills.random.random() < 0.1:
            kills._kill_one("web")
    site.start("worker")
    kills.let_time_pass()


def check(kills: Kills) -> Counter[tuple[str, str]]:
    """Nothing is done that was not paid, and nothing was paid that was not asked for."""
    states = Counter((str(kind), str(state)) for kind, state in kills.site.query(STATES))
    rewards = sum(one.why == "reward" for one in kills.prolific.world.ledger)
    bonuses = len(kills.prolific.world.ledger) - rewards
    assert states["approve", "done"] <= rewards
    assert states["bonus", "done"] <= bonuses
    assert kills.prolific.world.double_payments == []
    assert max(payments(kills.prolific).values(), default=0) <= 2
    return states


def test_whoever_is_killed_each_is_paid_once(tmp_path: Path, long_run: bool) -> None:
    people, wanted = (150, 110) if long_run else (20, 8)
    names = [f"person{n}" for n in range(people)]
    two = {"WORKER_PROCESSES": "2", "WEB_CONCURRENCY": "2", "SWEEP_SECONDS": "1"}
    with site_to_pay_at(tmp_path, names, **two) as (prolific, site):
        promise(site, reward=REWARD, completed_bonus=BONUS, checks_bonus=BONUS)
        site.manage_all(("shell", "-c", GIVE_TOKEN.format(API_TOKEN)))
        world = prolific.world
        world.listing_seconds, prolific.faults.hang_seconds = 0.3, 0.5

        kills = Kills(site, prolific, seed=46)
        researcher = Researcher(site, people)
        researcher.start()
        rounds = while_paying = 0
        everything = {("approve", "done"): people, ("bonus", "done"): 2 * people}
        while kills.counts.total() < wanted or researcher.is_alive():
            kills.maybe_a_fault()
            kills.wait_for_progress()
            kills.kill()
            kills.revive()
            kills.let_time_pass()
            while_paying += check(kills) != everything
            rounds += 1
            if rounds % 20 == 0:
                settle_what_prolific_does_not_list(kills, researcher)
        assert researcher.confirmed == 3 * people

        until = time.monotonic() + 1800
        while (states := check(kills)) != everything:
            assert time.monotonic() < until, f"{states}, {researcher.refusals}"
            kills.revive()
            kills.let_time_pass()
            kills.wait_for_progress()
            if states["bonus", "asked"]:
                settle_what_prolific_does_not_list(kills, researcher)
        assert payments(prolific) == Counter(
            {(session_of(name), REWARD): 1 for name in names}
            | {(session_of(name), BONUS): 2 for name in names}
        )
        print(
            f"{people} people, {len(world.ledger)} payments, kills: {dict(kills.counts)}, "
            f"{while_paying} of {rounds} rounds while there was something to pay"
        )
