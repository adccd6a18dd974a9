"""Prolific's events: subscribed, checked, stored once, and followed up by what Prolific says."""

import json
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from dashboard.accounts.prolific import client_of
from dashboard.overview.events import events
from dashboard.prolific import polling, receiving
from dashboard.prolific.following_up import (
    CLAIM_TIME,
    events_to_follow_up,
    follow_up_all,
    remove_old_events,
)
from dashboard.prolific.models import EventSubscription, ReceivedEvent, Recruitment
from dashboard.prolific.steps import StepRefused
from dashboard.prolific.subscribing import subscribe
from examples.local_prolific.people import link_of
from examples.local_prolific.server import LocalProlific
from examples.local_prolific.world import Submission
from survey.models import Participant, Slot, Study
from survey.prolific.events import LARGEST_BYTES, MOST_SECONDS, signature
from tests.dashboard.reading import text_of
from tests.dashboard.recruiting.conftest import ADDRESS, DRAFT, PUBLIC, Post, cost
from tests.prolific import prolific_id

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]
EVENTS = f"{ADDRESS}events/"
Send = Callable[..., HttpResponse]


@pytest.fixture
def published(post: Post, prolific: LocalProlific, drafted: str) -> str:
    """The id of the study on Prolific, which sends its events here."""
    post("publish", cost=cost(prolific))
    return drafted


@pytest.fixture
def send(published: str, prolific: LocalProlific) -> Send:
    """Send an event as Prolific would, or not quite."""

    def deliver(
        body: object,
        *,
        event: str = "e1",
        secret: str = prolific.hooks.secret,
        age: float = 0,
        key: str = EventSubscription.objects.get().key,
        **headers: str,
    ) -> HttpResponse:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = str(int(time.time() - age))
        signed = {
            "X-Prolific-Request-Signature": signature(secret, sent, content),
            "X-Prolific-Request-Timestamp": sent,
            "X-Event-ID": event,
            **headers,
        }
        answer = Client(enforce_csrf_checks=True).post(
            reverse("prolific-events", args=[key]),
            content,
            content_type="application/json",
            headers={name: value for name, value in signed.items() if value},
        )
        assert isinstance(answer, HttpResponse)
        return answer

    return deliver


def changed(submission: Submission, status: str = "") -> dict[str, str]:
    return {
        "event_type": "submission.status.change",
        "resource_id": submission.id,
        "participant_id": submission.participant,
        "status": status or submission.status,
    }


def comes(prolific: LocalProlific, study: str, participant: str | None = None) -> Submission:
    """Somebody takes a place on Prolific, comes here and consents."""
    submission = prolific.world.start(study, participant)
    browser = Client()
    link = link_of(prolific.world, submission)
    browser.get(link.replace(PUBLIC, ""), follow=True)
    browser.post("/s/small/consent/", {"agree": "yes"})
    return submission


def follow_all() -> None:
    follow_up_all(now=timezone.now)


def person() -> Participant:
    return Participant.objects.get()


def held() -> int:
    return Slot.objects.exclude(participant=None).count()


# ── Subscribing ──────────────────────────────────────────────────────────────────────────────


def test_published_study_is_subscribed_once_and_says_so(
    published: str, prolific: LocalProlific, page: Client, study: Study
) -> None:
    subscription = EventSubscription.objects.get()
    target = f"{PUBLIC}/prolific/events/{subscription.key}/"
    there = list(prolific.hooks.subscriptions.values())
    assert {(one["event_type"], one["target_url"], one["confirmed"]) for one in there} == {
        ("submission.status.change", target, True),
        ("study.status.change", target, True),
    }
    assert prolific.hooks.secret not in subscription.encrypted_secret
    assert "Prolific sends an event here when something changes" in text_of(page.get(ADDRESS))
    assert events([study])[0].what == "Subscribed to events of Prolific"


def test_subscribing_again_replaces_what_is_there_and_keeps_the_secret_of_the_workspace(
    published: str, prolific: LocalProlific, page: Client
) -> None:
    secret = prolific.hooks.secret
    page.post(EVENTS, {"events": "on"})
    assert len(prolific.hooks.subscriptions) == 2
    assert prolific.hooks.secret == secret
    shown = text_of(page.post(EVENTS, {"events": "off"}, follow=True))
    assert "Submissions are read every ten minutes." in shown
    assert prolific.hooks.subscriptions == {}
    assert not EventSubscription.objects.exists()


def test_study_is_published_even_if_events_can_not_be_subscribed(
    post: Post, prolific: LocalProlific, drafted: str, page: Client
) -> None:
    prolific.faults.add("reset_after", on="POST hooks/subscriptions/")
    shown = post("publish", cost=cost(prolific))
    assert "The study is published on Prolific." in shown
    assert "Events are not subscribed: No answer from Prolific" in shown
    assert prolific.world.study(drafted)["status"] == "ACTIVE"
    assert "Submissions are read every ten minutes." in text_of(page.get(ADDRESS))
    page.post(EVENTS, {"events": "on"})  # finds and replaces the one whose answer was lost
    assert [one["confirmed"] for one in prolific.hooks.subscriptions.values()] == [True, True]


def test_site_that_prolific_can_not_reach_is_named(
    published: str, prolific: LocalProlific, settings: Settings, researcher: User
) -> None:
    settings.SITE_URL = "http://localhost:8000"
    recruitment = Recruitment.objects.get()
    with client_of(researcher) as client:
        subscribe(recruitment, client, author=researcher)  # the stand-in is on this machine, too
        asked = len(prolific.log)
        settings.PROLIFIC_URL = "https://api.prolific.com/api/v1"
        with pytest.raises(StepRefused, match="can't send events to http://localhost:8000, which"):
            subscribe(recruitment, client, author=researcher)
    assert len(prolific.log) == asked


# ── Receiving ────────────────────────────────────────────────────────────────────────────────


def test_signed_event_is_stored_once_without_the_participant(
    send: Send, prolific: LocalProlific, published: str
) -> None:
    submission = prolific.world.start(published)
    assert [send(changed(submission)).status_code for _ in range(2)] == [200, 200]
    stored = ReceivedEvent.objects.get()
    assert (stored.event_id, stored.resource) == ("e1", submission.id)
    assert submission.participant not in str(vars(stored))
    assert send(changed(submission), event="e2").cookies == {}


@pytest.mark.parametrize(
    ("wrong", "status", "said"),
    [
        ({"secret": "another"}, 401, "signature"),
        ({"X-Prolific-Request-Signature": ""}, 401, "signature"),
        ({"X-Prolific-Request-Signature": "ü"}, 401, "signature"),
        ({"age": MOST_SECONDS + 5}, 401, "differs by more than 300 s"),
        ({"age": -MOST_SECONDS - 5}, 401, "differs by more than 300 s"),
        ({"X-Prolific-Request-Timestamp": ""}, 401, "signature"),
        ({"event": ""}, 400, "X-Event-ID is missing"),
        ({"event": "x" * 201}, 400, "X-Event-ID is missing or no id"),
        ({"body": b"no json"}, 400, "The body is no event."),
        ({"body": b""}, 400, "The body is no event."),
        ({"body": b"[1]"}, 400, "The body is no event."),
        ({"body": {"event_type": "x"}}, 400, "resource_id"),
        ({"body": {"event_type": "x", "resource_id": "a b"}}, 400, "resource_id"),
        ({"body": {"event_type": "a\x00b", "resource_id": "a"}}, 400, "event_type"),
        ({"body": b" " * (LARGEST_BYTES + 1)}, 413, "at most 16384 bytes"),
        ({"key": "unknown"}, 404, "no subscription"),
    ],
)
def test_request_that_is_no_event_gets_one_line_and_changes_nothing(
    send: Send,
    caplog: pytest.LogCaptureFixture,
    wrong: dict[str, Any],
    status: int,
    said: str,
) -> None:
    submission = Submission("study", "participant-of-the-event")
    answer = send(**{"body": changed(submission), **wrong})
    assert answer.status_code == status
    assert said in answer.json()["detail"]  # type: ignore[attr-defined]  # the test client's
    assert not ReceivedEvent.objects.exists()
    assert submission.id not in caplog.text
    assert submission.participant not in caplog.text


def test_address_of_events_takes_nothing_but_events(send: Send) -> None:
    key = EventSubscription.objects.get().key
    assert Client().get(reverse("prolific-events", args=[key])).status_code == 405


def test_too_many_requests_are_told_when_to_come_again(
    send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving.EventsOfWorkspace, "rate", "2/min")
    answers = [send(b"{}", secret="another") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [401, 401, 429]
    assert int(answers[2].headers["Retry-After"]) > 0


# ── Following up ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", ["RETURNED", "TIMED-OUT"])
def test_slot_is_free_at_once_when_a_submission_is_left(
    send: Send, prolific: LocalProlific, published: str, status: str
) -> None:
    submission = comes(prolific, published)
    comes(prolific, published)
    assert held() == 2
    prolific.world.leave(submission, status)
    send(changed(submission))
    follow_all()
    assert held() == 1
    event = ReceivedEvent.objects.get()
    assert event.followed_up_at is not None
    assert event.resource == ""


def test_events_out_of_order_end_in_what_prolific_says_now(
    send: Send, prolific: LocalProlific, published: str
) -> None:
    submission = comes(prolific, published)
    prolific.world.leave(submission, "RETURNED")
    for number, status in enumerate(["RETURNED", "ACTIVE", "AWAITING_REVIEW", "RETURNED"]):
        send(changed(submission, status), event=f"e{number}")
        follow_all()
        assert (person().returned_at is not None, held()) == (True, 0)
    asked = prolific.log.count(f"GET submissions/{submission.id}/")
    for number in range(10, 15):
        send(changed(submission), event=f"e{number}")
    follow_all()
    assert prolific.log.count(f"GET submissions/{submission.id}/") == asked + 1


def test_returned_submission_of_a_person_with_an_active_one_frees_nothing(
    send: Send, prolific: LocalProlific, published: str
) -> None:
    first = comes(prolific, published)
    prolific.world.leave(first, "RETURNED")
    again = Submission(published, first.participant)
    prolific.world.submissions[again.id] = again
    person().submissions.create(session_id=again.id, prolific_study_id=published, is_theirs=True)
    send(changed(first))
    follow_all()
    assert (person().returned_at, held()) == (None, 1)


@pytest.mark.parametrize("known", [True, False])
def test_event_of_somebody_else_changes_nothing(
    send: Send, prolific: LocalProlific, published: str, known: bool
) -> None:
    comes(prolific, published)
    other = Submission("another study", prolific_id("stranger"), status="RETURNED")
    if known:  # a forged link had its id
        prolific.world.submissions[other.id] = other
        person().submissions.create(session_id=other.id)
    send(changed(other))
    follow_all()
    assert (person().returned_at, held()) == (None, 1)
    assert ReceivedEvent.objects.exclude(followed_up_at=None).count() == 1


def test_event_of_the_study_has_its_submissions_read(
    send: Send, prolific: LocalProlific, published: str
) -> None:
    submission = comes(prolific, published)
    prolific.world.leave(submission, "RETURNED")
    send({"event_type": "study.status.change", "resource_id": published, "status": "PAUSED"})
    follow_all()
    assert held() == 0


def test_event_waits_while_prolific_does_not_answer_and_names_nobody_in_the_log(
    send: Send, prolific: LocalProlific, published: str, caplog: pytest.LogCaptureFixture
) -> None:
    submission = comes(prolific, published)
    prolific.world.leave(submission, "RETURNED")
    tokens, prolific.world.tokens = prolific.world.tokens, {}
    send(changed(submission))
    follow_all()
    assert held() == 1
    assert "small@1: an event is not followed up yet: Prolific answered 401" in caplog.text
    assert submission.id not in caplog.text
    prolific.world.tokens = tokens
    now = timezone.now()
    assert events_to_follow_up(at=now) == []
    follow_up_all(now=lambda: now + CLAIM_TIME + timedelta(seconds=1))
    assert held() == 0


def test_prolific_that_answers_nobody_is_asked_once_a_turn(
    send: Send, prolific: LocalProlific, published: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "SECONDS", 0.1)
    for number in range(3):
        send(changed(comes(prolific, published)), event=f"e{number}")
    before = len(prolific.log)
    prolific.faults.add("503", on="GET submissions/*/")
    follow_all()
    assert len(prolific.log) == before + 1
    follow_all()  # the others
    assert ReceivedEvent.objects.exclude(resource="").count() == 1


def test_followed_up_events_are_forgotten_after_two_days(
    send: Send, prolific: LocalProlific, published: str
) -> None:
    send(changed(prolific.world.start(published)))
    remove_old_events(at=timezone.now())
    assert ReceivedEvent.objects.count() == 1
    remove_old_events(at=timezone.now() + timedelta(days=2, minutes=1))
    assert not ReceivedEvent.objects.exists()


def test_faulty_deliveries_of_prolific_itself_do_no_harm(
    post: Post, prolific: LocalProlific, live_server: LiveServer, settings: Settings
) -> None:
    settings.SITE_URL = live_server.url
    post("create", **DRAFT)
    post("publish", cost=cost(prolific))
    [study] = prolific.world.studies
    prolific.faults.events.extend(["double", "wrong_signature", "late"])
    submissions = [prolific.world.start(study) for _ in range(3)]
    prolific.hooks.settle()
    # one twice, one refused, one late
    assert sorted(status for _, status in prolific.hooks.delivered) == [200, 200, 200, 401]
    stored = set(ReceivedEvent.objects.values_list("resource", flat=True))
    assert len(stored & {one.id for one in submissions}) == 2
