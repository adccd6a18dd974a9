"""An event of Prolific outlives the worker that was killed while it followed it up."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from examples.local_prolific import TOKEN
from examples.local_prolific.people import link_of
from examples.local_prolific.server import LocalProlific, local_prolific
from tests.e2e.installation import PUBLIC, Installation, running_installation
from tests.e2e.studies import WAYS_IN
from tests.survey import small_study

# No database changes when a worker is killed.
pytestmark = pytest.mark.embedded
#: What a researcher does on the pages: connect, create a draft, publish, subscribe.
PUBLISH = f"""
from django.conf import settings
from django.contrib.auth.models import User
from dashboard.accounts.prolific import client_of, connect
from dashboard.prolific.drafts import DraftOptions, draft_of
from dashboard.prolific.steps import create_draft
from dashboard.prolific.subscribing import subscribe
from survey.models import Study
author, study = User.objects.get(), Study.objects.get()
account = connect(user=author, token="{TOKEN}")
options = DraftOptions(name="Warm?", description="Rate.", places=2, reward=150, minutes=10,
    devices=["desktop"], sensitive=False, warning="", review="automatic")
with client_of(author) as client:
    theirs = create_draft(study=study, address=settings.PROLIFIC_URL, author=author,
        account=account.prolific_id, draft=draft_of(study, options), client=client)
    client.move_study(theirs.id, "PUBLISH")
    subscribe(study.recruitments.get(), client, author=author)
"""
#: The time in which no other worker takes the event runs out.
RUN_OUT = """
from datetime import timedelta
from django.utils import timezone
from dashboard.prolific.models import ReceivedEvent
ReceivedEvent.objects.update(claimed_at=timezone.now() - timedelta(hours=1))
"""


@pytest.fixture
def prolific() -> Iterator[LocalProlific]:
    with local_prolific() as server:
        yield server


@pytest.fixture
def site(prolific: LocalProlific, tmp_path: Path) -> Iterator[Installation]:
    """A study that recruits on the local Prolific and gets its events; no worker runs yet."""
    with running_installation(
        tmp_path / "site", worker=False, PROLIFIC_URL=prolific.api_url, SWEEP_SECONDS="0.5"
    ) as running:
        (tmp_path / "study.yaml").write_text(small_study.YAML + WAYS_IN, encoding="utf-8")
        (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
        running.manage_all(
            ("load_study", tmp_path),
            ("set_study", "small", "open"),
            **PUBLIC,
        )
        running.manage_all(("shell", "--no-imports", "-c", PUBLISH))
        yield running


def begin(link: str) -> None:
    """Somebody comes and consents."""
    browser = requests.Session()
    page = browser.get(link, timeout=30)
    form = {"agree": "yes", "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
    assert browser.post(page.url, form, headers={"Referer": page.url}, timeout=30).ok


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_event_is_followed_up_after_its_worker_was_killed(
    site: Installation, prolific: LocalProlific
) -> None:
    [study] = prolific.world.studies
    submission = prolific.world.start(study)
    begin(link_of(prolific.world, submission))
    prolific.world.leave(submission, "RETURNED")
    prolific.hooks.settle()

    def open_events() -> int:
        return int(
            site.query("SELECT COUNT(*) FROM dashboard_receivedevent WHERE resource <> ''")[0][0]
        )

    def held() -> int:
        held_slots = "SELECT COUNT(*) FROM survey_slot WHERE participant_id IS NOT NULL"
        return int(site.query(held_slots)[0][0])

    assert (open_events(), held()) == (2, 1)  # that they came, and that they returned
    asked = f"GET submissions/{submission.id}/"
    prolific.faults.add("hang", "hang", on=asked)
    site.start("worker")
    wait_until(lambda: asked in prolific.log)
    site.kill("worker")
    assert (open_events(), held()) == (2, 1)

    prolific.faults.waiting.clear()
    site.manage_all(("shell", "--no-imports", "-c", RUN_OUT))
    site.start("worker")
    wait_until(lambda: open_events() == 0)
    assert held() == 0
