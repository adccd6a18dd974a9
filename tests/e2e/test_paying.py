"""A worker that pays is killed (SIGKILL) between a request and its answer: nobody is paid twice."""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from examples.local_prolific import TOKEN
from examples.local_prolific.server import LocalProlific, local_prolific
from examples.local_prolific.world import Submission
from tests.dashboard.payments.conftest import REWARD, THERE
from tests.e2e.installation import Installation, running_installation
from tests.prolific import prolific_id
from tests.survey import small_study

pytestmark = pytest.mark.e2e

NAMES = [f"person{number}" for number in range(8)]
WAYS = "\nways_in: [prolific]\nprolific: {completion_code: DONE1, declined_code: NOPE1}\n"
#: People who took the survey, and the submissions as Prolific lists them.
PREPARE = f"""
from django.contrib.auth.models import User
from django.utils import timezone
from dashboard.accounts.prolific import client_of, connect
from dashboard.prolific.submissions import as_listed
from dashboard.raters.submissions import apply_submissions
from survey.models import Study
from tests.dashboard.paying import came
study, user = Study.objects.get(), User.objects.get(username="researcher")
Study.objects.update(state="open")
connect(user=user, token={TOKEN!r})
for name in {NAMES!r}:
    came(Study.objects.get(), name)
with client_of(user) as client:
    listed = [as_listed(one, "STUDY") for one in client.submissions("STUDY")]
apply_submissions(study=study, submissions=listed, at=timezone.now())
"""
PROMISE = """
from dashboard.prolific.pay_terms import change_terms
from dashboard.prolific.terms import Terms
from survey.models import Study
change_terms(study=Study.objects.get(), terms=Terms({}), author=None)
"""
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


def wait_until(is_true: Callable[[], bool], what: str, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < until, f"waited for {what}"
        time.sleep(0.05)


def states(site: Installation) -> Counter[str]:
    return Counter(str(state) for (state,) in site.query(STATES))


def kill_and_go_on(site: Installation) -> None:
    """End the worker at once; another one starts, and the lease ends."""
    site.kill("worker")
    site.manage_all(("shell", "-c", TIME_PASSES))
    site.start("worker")


def payments(prolific: LocalProlific) -> Counter[tuple[str, int]]:
    return Counter((payment.submission, payment.cents) for payment in prolific.world.ledger)


def each(cents: int) -> Counter[tuple[str, int]]:
    return Counter((prolific_id(f"session of {name}"), cents) for name in NAMES)


def test_killed_worker_pays_nobody_twice_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(small_study.YAML + WAYS, encoding="utf-8")
    (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    with (
        local_prolific() as prolific,
        running_installation(
            tmp_path / "site",
            worker=True,
            WORKER_PROCESSES="1",
            WEB_CONCURRENCY="1",
            SWEEP_SECONDS="0.5",
            PROLIFIC_URL=prolific.api_url,
        ) as site,
    ):
        world = prolific.world
        study = world.create_study(THERE)["id"]
        world.move_study(study, "PUBLISH")
        for name in NAMES:
            one = Submission(study, prolific_id(name), id=prolific_id(f"session of {name}"))
            world.submissions[one.id] = one
            world.enter_code(one, "DONE1")
        site.manage("load_study", tmp_path)
        site.manage_all(("shell", "-c", PREPARE.replace("STUDY", study)))
        site.manage_all(("shell", "-c", PROMISE.format(f"reward={REWARD}, completed_bonus=75")))

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
        site.manage_all(("shell", "-c", PROMISE.format(f"reward={REWARD}, checks_bonus=30")))
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
        assert world.double_payments == []
