"""Arriving, consenting or declining, and which version somebody takes."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from survey.consent import consent_hash, give_consent
from survey.models import Browser, Identity, Participant, Presentation, Study
from survey.participants import Arrival, NotAdmitted, arrive
from survey.simulated import clock
from survey.studies import StateError, set_state
from tests.prolific import arrival, prolific_id
from tests.survey import small_study
from tests.survey.visiting import LAST_PAGE, LINK, begin, reopen, take


def test_consent_needs_its_box_ticked(study: Study, client: Client) -> None:
    client.get(LINK)
    reply = client.post("/s/small/consent/", {})
    assert reply.status_code == 422
    assert b"Tick the box" in reply.content
    assert Participant.objects.get().status == "arrived"


def test_nothing_is_ticked_beforehand_and_the_warning_comes_first(db: None, client: Client) -> None:
    warning = "texts:\n  warning: Some texts are about **death**."
    small_study.load(yaml=small_study.YAML.replace("texts:", warning))
    html = client.get(LINK, follow=True).content.decode()
    assert '<input type="checkbox" id="agree" name="agree" value="yes">' in html
    warned = html.index("Some texts are about <strong>death</strong>.")
    assert warned < html.index("You will read short replies.") < html.index("I am 18 or older")


def test_consent_is_stored_with_its_version_text_language_and_time(
    study: Study, client: Client
) -> None:
    before = timezone.now()
    participant = begin(client)
    definition = small_study.definition()
    assert participant.study.version == 1
    assert participant.consent_hash == consent_hash(definition)
    assert participant.language == "en"
    assert participant.consented_at is not None
    assert before < participant.consented_at < timezone.now()


def test_another_text_has_another_hash() -> None:
    texts = [
        small_study.YAML,
        small_study.YAML.replace("short replies", "long replies"),
        small_study.YAML.replace("I am 18", "I am 21"),
        small_study.YAML.replace("texts:", "texts:\n  warning: Careful."),
        small_study.CHINESE,
    ]
    assert len({consent_hash(small_study.definition(text)) for text in texts}) == len(texts)


def test_agreeing_twice_is_agreeing_once(study: Study, client: Client) -> None:
    first = begin(client)
    reply = client.post("/s/small/consent/", {"agree": "yes"})
    assert reply.headers["Location"] == "/s/small/page/1/"
    second = Participant.objects.get()
    assert (second.consented_at, second.slot) == (first.consented_at, first.slot)
    assert second.presentations.count() == 4


def test_declining_after_agreeing_stops_nothing_by_itself(study: Study, client: Client) -> None:
    begin(client)
    reply = client.post("/s/small/consent/", {"decline": "yes"})
    assert reply.headers["Location"] == "/s/small/page/1/"
    assert Participant.objects.get().status == "in_progress"


def test_text_that_changed_while_it_was_read_is_shown_again(study: Study, client: Client) -> None:
    Study.objects.update(state="draft")
    client.force_login(User.objects.create_superuser("ada"))
    html = client.get("/s/small/?preview", follow=True).content.decode()
    read = html.split('name="text" value="')[1].split('"')[0]
    Participant.objects.update(
        study=small_study.load(yaml=small_study.YAML.replace("short", "long"), state="draft")
    )
    reply = client.post("/s/small/consent/", {"agree": "yes", "text": read})
    assert reply.status_code == 422
    assert b"This text has changed since you opened it." in reply.content
    assert b"long replies" in reply.content
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
    assert b"paused" in client.get(LINK).content  # at once, without reading again
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
    assert b"Page 3 of 7" in reopen(Client()).content
    Client().get(f"/s/small/{arrival('new1')}")
    assert Participant.objects.latest("pk").study == newer


def test_somebody_who_only_arrived_takes_the_newest_version(study: Study, client: Client) -> None:
    client.get(LINK)
    Study.objects.update(state="closed")
    newer = small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"))
    participant = begin(client)
    assert participant.study == newer
    assert Participant.objects.count() == 1


def test_somebody_who_only_arrived_stays_where_the_newest_version_takes_nobody(
    study: Study, client: Client
) -> None:
    client.get(LINK)
    small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"), state="paused")
    assert client.get(LINK).headers["Location"] == "/s/small/consent/"
    assert begin(client).study == study


# ── Who they are ─────────────────────────────────────────────────────────────────────────────


def test_who_they_are_is_stored_apart_from_answers_and_with_their_source(
    study: Study, client: Client
) -> None:
    participant = begin(client)
    identity = Identity.objects.get()
    assert (identity.kind, identity.key) == ("prolific", prolific_id("abc123"))
    submission = participant.submissions.get()
    assert submission.prolific_study_id == prolific_id("st1")
    assert submission.session_id == prolific_id("se1")
    assert participant.source == "prolific"
    assert prolific_id("abc123") not in participant.pseudonym


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
def test_person_who_arrives_several_times_at_once_is_one(study: Study) -> None:
    people = set()

    def come() -> None:
        arrival = Arrival(
            study=study, source="prolific", at=timezone.now(), kind="prolific", key="abc123"
        )
        who = arrive(arrival)
        people.add(who.participant_id if isinstance(who, Browser) else who.pk)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda act: act(), [elsewhere(come)] * 8)) == {"done"}
    assert list(Participant.objects.values_list("pk", flat=True)) == list(people)
    assert len(people) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("state", ["draft", "paused", "closed"])
def test_consent_is_refused_when_the_study_stops_before_it_counts(
    study: Study, client: Client, state: str
) -> None:
    client.get(LINK)
    participant = Participant.objects.get()
    consent = elsewhere(lambda: give_consent(participant=participant, at=timezone.now()))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            set_state(study=study, state=state)
            outcome = pool.submit(consent)
            wait_until_held_up(outcome)
        assert outcome.result() == f"small@1 is {state}"
    study.refresh_from_db()
    participant.refresh_from_db()
    assert (study.state, study.frozen_at, participant.status) == (state, None, "arrived")
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
