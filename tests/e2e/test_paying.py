"""A worker that pays is killed (SIGKILL) between a request and its answer: nobody is paid twice."""

from collections import Counter
from pathlib import Path

import pytest

from tests.dashboard.payments.conftest import REWARD
from tests.e2e.installation import Installation
from tests.e2e.paying import payments, promise, session_of, site_to_pay_at, wait_until

pytestmark = pytest.mark.e2e

NAMES = [f"person{number}" for number in range(8)]
#: The lease of a dead worker ends, and an order that rested is due.
TIME_PASSES = """
from dashboard.payments.models import PaymentOrder
PaymentOrder.objects.update(lease_until=None)
"""
NOT_DONE = """
from datetime import timedelta
from django.contrib.auth.models import User
from django.utils import timezone
from dashboard.accounts.prolific import client_of
from dashboard.payments.models import SubmissionDecision
from dashboard.payments.settling import check_not_done, settle
user = User.objects.get(username="researcher")
asked = list(SubmissionDecision.objects.filter(state="asked").select_related("submission", "order"))
with client_of(user) as client:
    check_not_done(asked, client, at=timezone.now() + timedelta(hours=1))
settle(order=asked[0].order, decisions=asked, what="not_done", author=user, at=timezone.now())
"""
STATES = "SELECT state FROM dashboard_submissiondecision"


def states(site: Installation) -> Counter[str]:
    return Counter(str(state) for (state,) in site.query(STATES))


def kill_and_go_on(site: Installation) -> None:
    """End the worker at once; another one starts, and the lease ends."""
    site.kill("worker")
    site.manage_all(("shell", "-c", TIME_PASSES))
    site.start("worker")


def each(cents: int) -> Counter[tuple[str, int]]:
    return Counter((session_of(name), cents) for name in NAMES)


def test_killed_worker_pays_nobody_twice_and_loses_nothing(tmp_path: Path) -> None:
    few = {"WORKER_PROCESSES": "1", "WEB_CONCURRENCY": "1", "SWEEP_SECONDS": "0.5"}
    with site_to_pay_at(tmp_path, NAMES, **few) as (prolific, site):
        promise(site, reward=REWARD, completed_bonus=75)

        # Carried out, and the answer never comes: first the approvals, then the bonuses.
        prolific.faults.add("hang_after", on="POST submissions/bulk-approve/")
        prolific.faults.add("hang_after", on="POST bulk-bonus-payments/*")
        site.manage("pay", "small", "--confirm", str(75 * len(NAMES)), "--as", "researcher")
        wait_until(lambda: payments(prolific) == each(REWARD), "the rewards")
        assert states(site) == {"asked": 8, "waiting": 8}
        kill_and_go_on(site)
        both = each(REWARD) + each(75)
        wait_until(lambda: payments(prolific) == both, "the bonuses")
        assert states(site) == {"done": 8, "asked": 8}
        kill_and_go_on(site)
        wait_until(lambda: states(site) == {"done": 16}, "Prolific's record to settle it")

        # Not carried out, and that is not known: it stays so until a researcher looks.
        promise(site, reward=REWARD, checks_bonus=30)
        prolific.faults.add("hang", on="POST bulk-bonus-payments/*")
        asked = sum("/pay/" in line for line in prolific.log)
        site.manage("pay", "small", "--confirm", str(30 * len(NAMES)), "--as", "researcher")
        wait_until(lambda: sum("/pay/" in line for line in prolific.log) > asked, "the request")
        kill_and_go_on(site)
        looks = len(prolific.log)
        wait_until(lambda: len(prolific.log) >= looks + 8, "the next worker to look")
        site.manage_all(("shell", "-c", TIME_PASSES))
        wait_until(lambda: len(prolific.log) >= looks + 16, "it to look once more")
        assert states(site) == {"done": 16, "asked": 8}
        assert payments(prolific) == both, "nothing was paid, and nothing is repeated by itself"
        site.manage_all(("shell", "-c", NOT_DONE))
        wait_until(lambda: states(site) == {"done": 24}, "the payment that was asked for again")

        assert payments(prolific) == both + each(30)
        assert prolific.world.double_payments == []
