"""Arriving, consenting or declining, and which version somebody takes."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from survey.models import Participant, Presentation, Study
from survey.participants import NotAdmitted, give_consent
from survey.simulated import clock
from survey.studies import StateError, set_state
from tests.survey import small_study
from tests.survey.visiting import LAST_PAGE, LINK, begin, take


def test_consent_needs_its_box_ticked(study: Study, client: Client) -> None:
    client.get(LINK)
    reply = client.post("/s/small/consent/", {})
    assert reply.status_code == 422
    assert b"Tick the box" in reply.content
    assert Participant.objects.get().status == "arrived"


def test_declining_ends_with_its_own_code(study: Study, client: Client) -> None:
    client.get(LINK)
    reply = client.post("/s/small/consent/", {"decline": "yes"}, follow=True)
    assert b"NOPE1" in reply.content
    assert b"DONE1" not in reply.content
    assert Participant.objects.get().status == "declined"
    assert client.get("/s/small/page/1/").headers["Location"] == "/s/small/end/"


def test_first_real_consent_freezes_the_study(study: Study, client: Client) -> None:
    begin(client)
    study.refresh_from_db()
    assert study.frozen_at is not None


@pytest.mark.parametrize("state", ["draft", "paused", "closed"])
def test_nobody_new_enters_a_study_that_is_not_open(
    study: Study, client: Client, state: str
) -> None:
    Study.objects.update(state=state)
    reply = client.get(LINK)
    assert reply.status_code == 403
    assert not Participant.objects.exists()


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_started_people_finish_when_a_study_stops(study: Study, client: Client, state: str) -> None:
    begin(client)
    Study.objects.update(state=state)
    take(client, range(1, LAST_PAGE))
    reply = client.post(f"/s/small/page/{LAST_PAGE}/", {}, follow=True)
    assert b"DONE1" in reply.content


def test_somebody_who_only_read_the_information_does_not_begin_a_paused_study(
    study: Study, client: Client
) -> None:
    client.get(LINK)
    Study.objects.update(state="paused")
    reply = client.post("/s/small/consent/", {"agree": "yes"})
    assert reply.status_code == 403
    assert Participant.objects.get().status == "arrived"


def test_orders_differ_between_participants_and_repeat_with_the_seed(
    study: Study,
) -> None:
    def orders(person: str, seed: int) -> list[object]:
        at = datetime(2026, 1, 5, tzinfo=UTC)
        headers = {clock.HEADER: clock.sign(person=person, at=at, order_seed=seed)}
        client = Client(headers=headers)
        client.get(f"/s/small/?PROLIFIC_PID={person}")
        client.post("/s/small/consent/", {"agree": "yes"})
        shown = Presentation.objects.filter(participant__identity__key=person)
        return list(shown.order_by("position").values_list("block_id", "response_order"))

    assert orders("SIM1", 1) == orders("SIM2", 1)
    assert orders("SIM3", 2) != orders("SIM1", 1)


def test_a_new_version_is_for_new_people_and_the_old_one_for_its_own(
    study: Study, client: Client
) -> None:
    begin(client)
    take(client, range(1, 3))
    newer = small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"))
    assert newer.version == 2
    assert Client().get(LINK).headers["Location"] == "/s/small/page/3/"
    Client().get("/s/small/?PROLIFIC_PID=new1")
    assert Participant.objects.latest("pk").study == newer


def test_somebody_who_only_arrived_takes_the_newest_version(study: Study, client: Client) -> None:
    client.get(LINK)
    Study.objects.update(state="closed")
    newer = small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"))
    participant = begin(client)
    assert participant.study == newer
    assert Participant.objects.count() == 1


# ── At the same moment ───────────────────────────────────────────────────────────────────────


def elsewhere(act: Callable[[], object]) -> Callable[[], str]:
    """The act, for a thread: over a connection of its own. Says what it was refused for."""

    def done() -> str:
        try:
            act()
        except (NotAdmitted, StateError) as refusal:
            return str(refusal)
        finally:
            connection.close()
        return "done"

    return done


def wait_until_held_up(act: Future[str]) -> None:
    """Until the other connection waits for this one's. SQLite lets nobody begin meanwhile."""
    waits = (
        "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    )
    while connection.vendor == "postgresql" and not act.done():
        with connection.cursor() as cursor:
            cursor.execute(waits)
            if cursor.fetchone():
                return


@pytest.mark.django_db(transaction=True)
def test_consent_is_refused_when_the_study_becomes_a_draft_before_it_counts(
    study: Study, client: Client
) -> None:
    client.get(LINK)
    participant = Participant.objects.get()
    consent = elsewhere(lambda: give_consent(participant=participant, at=timezone.now()))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            set_state(study=study, state="draft")
            outcome = pool.submit(consent)
            wait_until_held_up(outcome)
        assert outcome.result() == "small@1 is draft"
    study.refresh_from_db()
    participant.refresh_from_db()
    assert (study.state, study.frozen_at, participant.status) == ("draft", None, "arrived")
    assert not participant.presentations.exists()


@pytest.mark.django_db(transaction=True)
def test_study_stays_open_when_somebody_consents_before_it_becomes_a_draft(
    study: Study, client: Client
) -> None:
    client.get(LINK)
    participant = Participant.objects.get()
    to_draft = elsewhere(lambda: set_state(study=study, state="draft"))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            give_consent(participant=participant, at=timezone.now())
            outcome = pool.submit(to_draft)
            wait_until_held_up(outcome)
        assert "has participants and can't go back to draft" in outcome.result()
    study.refresh_from_db()
    participant.refresh_from_db()
    assert (study.state, participant.status) == ("open", "in_progress")
