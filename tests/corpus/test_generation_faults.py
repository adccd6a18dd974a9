"""Texts of four endpoints that fail in every way, by two workers that are killed three times."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path

import pytest

from corpus.models import GenerationAttempt
from tests.corpus import raw_corpora
from tests.e2e.installation import Installation
from tests.judge.killed_workers import Broker, installed, kill_one, running_broker
from tests.servers.faulty_judge import Entry, faulty_judge
from tests.servers.judge_faults import Plan

# tests/judge/test_fault_run.py has the faults of the same queue of calls on PostgreSQL.
pytestmark = [pytest.mark.e2e, pytest.mark.embedded]

FAULTS = [
    "rate_limit",
    "server_error",
    "bad_gateway",
    "hang",
    "reset",
    "truncated",
    "empty",
    "html",
]
ENDPOINTS = ("one", "two", "three", "four")
FILE = """
template: "Patient: {prompt}"
sampling: {seed: 1}
conditions: {zero_shot: {}}
models:
""" + "".join(f"  - {{name: Model {name}, endpoint: {name}}}\n" for name in ENDPOINTS)
WAKE = """
from config.celery import wake
from corpus.models import Generator
for generator in Generator.objects.all():
    for _ in range(3):  # more than one worker fetches beforehand
        wake("corpus.generate", generator.pk)
"""
PLACES = Decimal("1e-10")
ATTEMPTS = "SELECT request_id, outcome, cost, cost_is_estimate FROM corpus_generationattempt"
STATES = "SELECT state FROM corpus_generation"
ASKED_AFTER_AN_ANSWER = """
    SELECT later.id FROM corpus_generationattempt answer
    JOIN corpus_generationattempt later
        ON later.call_id = answer.call_id AND later.number > answer.number
    WHERE answer.outcome = 'answered'
"""


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    with running_broker(tmp_path) as broker:
        yield broker


def test_faults_and_kills_lose_no_text_and_no_money(
    broker: Broker, tmp_path: Path, long_run: bool
) -> None:
    n = 250 if long_run else 40
    plan = Plan(shares=dict.fromkeys(FAULTS, 0.04), latency_seconds=0.05, seed=3)
    with ExitStack() as stack:
        servers = [stack.enter_context(faulty_judge(plan)) for _ in ENDPOINTS]
        addresses = {
            f"JUDGE_{name.upper()}_BASE_URL": server.base_url
            for name, server in zip(ENDPOINTS, servers, strict=True)
        }
        installation = stack.enter_context(
            installed(
                tmp_path,
                broker,
                JUDGE_ENDPOINTS=",".join(ENDPOINTS),
                JUDGE_CONCURRENCY="3",
                JUDGE_TIMEOUT_SECONDS="2",
                JUDGE_LEASE_SECONDS="6",
                **addresses,
            )
        )
        begin(installation, tmp_path, n)
        lost: set[str] = set()
        for share, trouble in ((0.2, None), (0.5, broker.restart), (0.8, broker.empty)):
            servers[0].wait_for(int(share * n), seconds=300)
            if trouble:
                trouble()
            lost |= kill_one(installation, "corpus_generationattempt", *servers)
        ended = installation.manage("corpus", "generate", "s", "--wait", check=False)
        states = Counter(state for (state,) in installation.query(STATES))
        assert states.total() == 4 * n
        assert set(states) <= {"answered", "failed"}, ended.stderr
        check(installation, [entry for server in servers for entry in server.log], lost)

        for server in servers:
            server.plan = Plan()
        done = installation.manage("corpus", "generate", "s", "--wait")
        assert f"{4 * n} of {4 * n} texts" in done.stdout, "what failed is asked anew"
        assert installation.query(ASKED_AFTER_AN_ANSWER) == []
        said = installation.manage("corpus", "responses", "s", "--out", tmp_path / "study")
        assert f"responses.csv: {4 * n} rows" in said.stdout
        requests = sum(len(server.log) for server in servers)
        print(f"{requests} requests for {4 * n} texts, {len(lost)} in flight at a kill, {states}")


def begin(installation: Installation, folder: Path, n: int) -> None:
    """Queue the texts of `n` scenarios and wake both workers."""
    raw_corpora.haleas(folder, n)
    (folder / "generation.yaml").write_text(FILE)
    installation.manage_all(
        ("corpus", "import", folder / "haleas.csv", "--name", "c", "--preset", "haleas"),
        ("corpus", "filter", "c"),
        ("corpus", "sample", "c", "--name", "s", "--first", str(n)),
        ("corpus", "generate", "s", folder / "generation.yaml"),
        ("shell", "--verbosity", "0", "-c", WAKE),
    )


def check(installation: Installation, log: list[Entry], lost: set[str]) -> None:
    """The servers' logs and our attempts tell the same story, and the same money."""
    rows = installation.query(ATTEMPTS)
    received = {entry.request_id: entry for entry in log}
    assert len(received) == len(log), "no attempt was sent twice"
    assert set(received) <= {row[0] for row in rows}, "nothing was sent that is not on record"
    assert "in_flight" not in {row[1] for row in rows}
    unknown = {request for request, outcome, *_ in rows if outcome == "unknown"}
    assert lost, "the kills came between two requests"
    assert unknown <= lost, "nothing is unknown but what was in flight at a kill"
    charged = {entry.request_id: Decimal(str(entry.cost)) for entry in log}
    known, possibly = Decimal(0), Decimal(0)
    for request, outcome, cost, is_estimate in rows:
        if is_estimate:
            assert outcome in GenerationAttempt.POSSIBLY_PAID
            possibly += charged.get(request, Decimal(0))
        else:
            paid = charged.get(request, Decimal(0))
            assert Decimal(str(cost)).quantize(PLACES) == paid.quantize(PLACES)
            known += paid
    assert known + possibly == sum(charged.values())
    assert known > 0 and possibly > 0
    assert installation.query(ASKED_AFTER_AN_ANSWER) == []
