"""306 calls, as many as in the published study, at an endpoint that fails in every way. The
processes are real: two workers, killed three times, and a broker that is restarted and emptied.

Its gold scores equal what the endpoint thinks of each response, computed here: so they are the
same on every shape.
"""

import csv
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from statistics import fmean

import pytest

from judge.models import Attempt
from judge.seeds import own_seed
from tests.analysis import published_study
from tests.e2e.installation import Installation
from tests.judge.judging import ROOT
from tests.judge.killed_workers import Broker, installed, kill_one, running_broker
from tests.servers.faulty_judge import Entry, faulty_judge
from tests.servers.judge_faults import Plan, opinion

pytestmark = pytest.mark.e2e

FAULTS = [
    "rate_limit",
    "server_error",
    "bad_gateway",
    "hang",
    "reset",
    "truncated",
    "refusal",
    "words",
    "out_of_range",
    "prose",
    "garbage",
]
PLACES = Decimal("1e-10")
WAKE = """
from config.celery import wake
from judge.models import Judge
for judge in Judge.objects.all():
    for _ in range(8):  # more than one worker fetches beforehand
        wake("judge.run", judge.pk)
"""


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    with running_broker(tmp_path) as broker:
        yield broker


def begin(installation: Installation) -> None:
    """Load a study of the published shape, queue its calls and wake both workers."""
    study = (ROOT / "examples" / "tide" / "study.yaml").read_text(encoding="utf-8")
    (installation.folder / "study.yaml").write_text(study, encoding="utf-8")
    published_study.write_responses(installation.folder)
    installation.manage_all(
        ("load_study", installation.folder),
        ("judge", "tide"),
        ("shell", "--verbosity", "0", "-c", WAKE),
    )


def test_faults_and_kills_lose_no_answer_no_money_and_no_account(
    broker: Broker, tmp_path: Path
) -> None:
    plan = Plan(shares=dict.fromkeys(FAULTS, 0.05), latency_seconds=0.05, seed=3)
    times = {"JUDGE_TIMEOUT_SECONDS": "2", "JUDGE_LEASE_SECONDS": "6"}
    with (
        faulty_judge(plan) as server,
        installed(tmp_path, broker, JUDGE_BASE_URL=server.base_url, **times) as installation,
    ):
        begin(installation)
        lost: set[str] = set()
        for requests, trouble in ((60, None), (140, broker.restart), (230, broker.empty)):
            server.wait_for(requests, seconds=300)
            if trouble:
                trouble()
            lost |= kill_one(installation, "judge_attempt", server)
        ended = installation.manage("judge", "tide", "--retry", "--wait", check=False)
        states = Counter(state for (state,) in installation.query(STATES))
        assert set(states) == {"answered", "failed"}, ended.stderr
        assert states.total() == 306
        assert f"{states['answered']} of 306 calls answered" in ended.stdout

        assert len(server.log) >= 500
        check_attempts(installation, server.log, lost)
        check_money(installation, server.log)
        assert gold_of(installation) == expected_gold(answered_replicates(installation))
        print(f"{len(server.log)} requests, {dict(states)}, {len(lost)} in flight at a kill")

        server.plan = Plan()
        done = installation.manage("judge", "tide", "--retry", "--wait")
        assert "306 of 306 calls answered" in done.stdout, "what failed is asked anew"
        assert installation.query(ASKED_AFTER_AN_ANSWER) == []
        texts = {row["response"] for row in published_study.responses()}
        assert gold_of(installation) == expected_gold({text: [1, 2, 3] for text in texts})


def check_attempts(installation: Installation, log: list[Entry], lost: set[str]) -> None:
    """The server's log and our attempts tell the same story."""
    attempts = dict(installation.query(ATTEMPTS))
    received = {entry.request_id: entry for entry in log}
    assert len(received) == len(log), "no attempt was sent twice"
    assert set(received) <= set(attempts), "nothing was sent that is not on record"
    assert "in_flight" not in attempts.values()
    unknown = {request for request, outcome in attempts.items() if outcome == "unknown"}
    assert lost, "the kills came between two requests"
    assert unknown <= lost, "nothing is unknown but what was in flight at a kill"
    never_arrived = attempts.keys() - received.keys()
    assert {attempts[request] for request in never_arrived} <= {
        "unknown",
        "timeout",
        "not_connected",
        "broken_off",  # sent on a kept connection that the server was just closing
    }
    committed = {request for request, outcome in attempts.items() if outcome != "unknown"}
    assert len(committed) + len(unknown) == len(received) + len(never_arrived)
    # On a busy machine any answer may come too late.
    late = {request for request, outcome in attempts.items() if outcome == "timeout"}
    for request in (committed & received.keys()) - late:
        what = received[request].what
        assert attempts[request] == OUTCOME_OF[what], what
    scores: dict[str, int] = dict(installation.query(SCORES))
    given = {e.request_id: e.score for e in log if e.scores and not e.is_probe}
    assert scores == {request: given[request] for request in given.keys() - unknown - late}


def check_money(installation: Installation, log: list[Entry]) -> None:
    """What the server charged is on record: to the last digit, or as possibly paid."""
    charged = {entry.request_id: Decimal(str(entry.cost)) for entry in log}
    known, possibly = Decimal(0), Decimal(0)
    for request, outcome, cost, is_estimate in installation.query(COSTS):
        if is_estimate:
            assert outcome in Attempt.POSSIBLY_PAID
            assert cost is None or cost > 0, "its money is reserved, if anybody knows how much"
            possibly += charged.get(request, Decimal(0))
        else:
            assert Decimal(str(cost)).quantize(PLACES) == charged[request].quantize(PLACES)
            known += charged[request]
    assert known + possibly == sum(charged.values())
    assert known > 0 and possibly > 0


ATTEMPTS = "SELECT request_id, outcome FROM judge_attempt"
COSTS = "SELECT request_id, outcome, cost, cost_is_estimate FROM judge_attempt"
STATES = "SELECT state FROM judge_call WHERE response_id IS NOT NULL"
SCORES = """
    SELECT a.request_id, s.value FROM judge_attempt a JOIN judge_score s ON s.call_id = a.call_id
    WHERE a.outcome = 'answered'
"""
REPLICATES = """
    SELECT r.text, c.replicate FROM judge_call c JOIN survey_response r ON r.id = c.response_id
    WHERE c.state = 'answered'
"""
ASKED_AFTER_AN_ANSWER = """
    SELECT later.id FROM judge_attempt answer
    JOIN judge_attempt later ON later.call_id = answer.call_id AND later.number > answer.number
    WHERE answer.outcome = 'answered'
"""
#: What we must have made of what the server did.
OUTCOME_OF = {
    "answer": "answered",
    "rate_limit": "http_error",
    "server_error": "http_error",
    "bad_gateway": "http_error",
    "reset": "broken_off",
    "truncated": "garbled",
    "refusal": "refused",
    "words": "unusable",
    "out_of_range": "unusable",
    "prose": "answered",
    "garbage": "unusable",
}


def answered_replicates(installation: Installation) -> dict[str, list[int]]:
    """The replicates that were answered, by the text of the response."""
    found = defaultdict(list)
    for text, replicate in installation.query(REPLICATES):
        found[text].append(replicate)
    return found


def expected_gold(replicates: dict[str, list[int]]) -> dict[tuple[str, ...], float]:
    """Cell → the mean of what the server thinks of its response, from the file alone."""
    gold = {}
    for row in published_study.responses():
        text = hashlib.sha256(row["response"].encode()).hexdigest()
        about = ["response", row["scenario"], row["model"], row["condition"], text]
        seeds = [
            own_seed(1, about=about, dimension="empathy", replicate=replicate)
            for replicate in replicates.get(row["response"], [])
        ]
        if seeds:
            scores = [opinion(row["response"], seed, SCALE) for seed in seeds]
            gold[cell(row)] = round(fmean(scores), 9)
    return gold


SCALE = (1, 2, 3, 4, 5)


def gold_of(installation: Installation) -> dict[tuple[str, ...], float]:
    """Cell → gold score, as the product exports them."""
    folder = installation.folder / "exported"
    installation.manage("export", "tide", "--out", folder)
    with (folder / "gold.csv").open(encoding="utf-8") as file:
        return {cell(row): round(float(row["gold"]), 9) for row in csv.DictReader(file)}


def cell(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("scenario", "set", "model", "condition"))
