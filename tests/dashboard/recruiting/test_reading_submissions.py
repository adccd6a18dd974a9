"""Submissions are read from Prolific: on the page, and by a worker."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dashboard.prolific.models import Recruitment
from dashboard.prolific.polling import read_submissions_of, recruitments_to_read
from examples.local_prolific.people import send
from examples.local_prolific.server import LocalProlific
from survey.models import Participant, Study
from tests.dashboard.reading import text_of
from tests.dashboard.recruiting.conftest import (
    ADDRESS,
    PUBLIC,
    Post,
    cost,
)
from tests.prolific import arrival

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]


def arrives_by(study: Study, link: str) -> Participant:
    """Somebody who comes by the link that Prolific opens for them."""
    Client().get(link.removeprefix(PUBLIC))
    return Participant.objects.filter(study=study).latest("pk")


def test_submissions_are_read_and_compared_with_who_came(
    post: Post, page: Client, prolific: LocalProlific, drafted: str, study: Study
) -> None:
    post("publish", cost=cost(prolific))
    came: list[Participant] = []

    def take(link: str) -> str | None:
        came.append(arrives_by(study, link))
        return None if len(came) == 1 else "WRONG9"

    send(prolific.world, drafted, 2, take)
    send(prolific.world, drafted, 1, lambda _: "DONE1")  # never comes
    Client().get(f"/s/small/{arrival('forged', session='none')}")
    forged = Participant.objects.latest("pk")
    shown = text_of(page.post(f"{ADDRESS}submissions/", follow=True))
    assert f"Marked as returned: {came[0].pseudonym}." in shown
    for said in ("Here, not on Prolific (1)", "On Prolific, not here (1)", "WRONG9: never had"):
        assert said in shown
    assert forged.pseudonym in shown and came[1].pseudonym in shown
    for one in prolific.world.submissions.values():
        assert one.participant not in shown
    assert [event.detail["returned"] for event in study.events.filter(action="submissions")] == [1]


def test_submissions_that_can_not_be_read_change_nothing(
    post: Post, page: Client, prolific: LocalProlific, drafted: str, study: Study
) -> None:
    prolific.faults.retry_after = "60"
    prolific.faults.add("429", on="GET submissions/*")
    shown = text_of(page.post(f"{ADDRESS}submissions/", follow=True))
    assert "Prolific is too busy" in shown
    assert "Nothing was changed." in shown
    Recruitment.objects.all().delete()
    shown = text_of(page.post(f"{ADDRESS}submissions/", follow=True))
    assert "There is no study on Prolific yet." in shown


def test_worker_frees_slots_every_ten_minutes_and_asks_once_a_turn(
    post: Post, prolific: LocalProlific, drafted: str, study: Study, researcher: User
) -> None:
    post("publish", cost=cost(prolific))
    came: list[Participant] = []

    def take(link: str) -> None:
        came.append(arrives_by(study, link))

    send(prolific.world, drafted, 1, take)
    now = timezone.now()
    [mine] = recruitments_to_read(at=now)
    applied = read_submissions_of(mine, at=now)
    assert applied is not None
    assert applied.returned == [came[0].pseudonym]
    assert (recruitments_to_read(at=now), read_submissions_of(mine, at=now)) == ([], None)
    assert recruitments_to_read(at=now + timedelta(minutes=11)) == [mine]
    Study.objects.update(state="closed")
    assert recruitments_to_read(at=now + timedelta(minutes=11)) == []


def test_worker_that_can_not_read_says_why_and_waits_for_its_next_turn(
    post: Post, prolific: LocalProlific, drafted: str, caplog: pytest.LogCaptureFixture
) -> None:
    now = timezone.now()
    [mine] = recruitments_to_read(at=now)
    prolific.world.tokens.clear()
    assert read_submissions_of(mine, at=now) is None
    assert "small@1: submissions were not read: Prolific answered 401" in caplog.text
    assert recruitments_to_read(at=now) == []
    asked = len(prolific.log)
    User.objects.update(is_active=False)
    assert read_submissions_of(mine, at=now + timedelta(minutes=11)) is None
    User.objects.update(is_active=True, is_superuser=False)  # and so without a role
    assert read_submissions_of(mine, at=now + timedelta(minutes=22)) is None
    assert len(prolific.log) == asked
