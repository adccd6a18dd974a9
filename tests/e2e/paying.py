"""An installation whose study people from Prolific have taken, and Prolific with what they sent."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from examples.local_prolific import TOKEN
from examples.local_prolific.server import LocalProlific, local_prolific
from examples.local_prolific.world import Submission
from tests.dashboard.payments.conftest import THERE
from tests.e2e.installation import Installation, running_installation
from tests.prolific import prolific_id
from tests.survey import small_study

WAYS = "\nways_in: [prolific]\nprolific: {completion_code: DONE1, declined_code: NOPE1}\n"
#: The people here, and the submissions as Prolific lists them.
PREPARE = """
from django.contrib.auth.models import User
from django.utils import timezone
from dashboard.accounts.prolific import client_of, connect
from dashboard.prolific.submissions import as_listed
from dashboard.raters.submissions import apply_submissions
from survey.models import Study
from tests.dashboard.paying import came
user = User.objects.get(username="researcher")
Study.objects.update(state="open")
study = Study.objects.get()
connect(user=user, token={token!r})
for name in {names!r}:
    came(study, name)
with client_of(user) as client:
    listed = [as_listed(one, {there!r}) for one in client.submissions({there!r})]
apply_submissions(study=study, submissions=listed, at=timezone.now())
"""
PROMISE = """
from dashboard.prolific.pay_terms import change_terms
from dashboard.prolific.terms import Terms
from survey.models import Study
change_terms(study=Study.objects.get(), terms=Terms({}), author=None)
"""


@contextmanager
def site_to_pay_at(
    folder: Path, names: Sequence[str], **settings: str
) -> Iterator[tuple[LocalProlific, Installation]]:
    """Each of the people has completed the survey, and their submission is read."""
    (folder / "study.yaml").write_text(small_study.YAML + WAYS, encoding="utf-8")
    (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    with local_prolific() as prolific:
        more = {"PROLIFIC_URL": prolific.api_url, **settings}
        with running_installation(folder / "site", worker=True, **more) as site:
            world = prolific.world
            there = {**THERE, "total_available_places": len(names)}
            study = world.create_study(there)["id"]
            world.move_study(study, "PUBLISH")
            for name in names:
                one = Submission(study, prolific_id(name), id=session_of(name))
                world.submissions[one.id] = one
                world.enter_code(one, "DONE1")
            site.manage("load_study", folder)
            prepare = PREPARE.format(token=TOKEN, names=list(names), there=study)
            site.manage_all(("shell", "-c", prepare))
            yield prolific, site


def promise(site: Installation, **terms: int) -> None:
    """Say what is paid, by the fields of `Terms`, in cents."""
    named = ", ".join(f"{name}={cents}" for name, cents in terms.items())
    site.manage_all(("shell", "-c", PROMISE.format(named)))


def session_of(name: str) -> str:
    """The id of a person's submission."""
    return prolific_id(f"session of {name}")


def payments(prolific: LocalProlific) -> Counter[tuple[str, int]]:
    """How often each submission was paid each amount."""
    return Counter((payment.submission, payment.cents) for payment in prolific.world.ledger)


def wait_until(is_true: Callable[[], bool], what: str, seconds: float = 120) -> None:
    """Wait until something is true. Fails, and says for what it waited."""
    until = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < until, f"waited for {what}"
        time.sleep(0.05)
