"""Test people, who are researchers or simulated, and the version of the study that they take."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from survey.models import Invitation, Participant, Study
from survey.queries import study_for_arrivals
from survey.simulated import clock
from tests.prolific import arrival
from tests.survey import small_study
from tests.survey.visiting import LAST_PAGE, begin, take

pytestmark = pytest.mark.django_db


def test_preview_is_for_researchers_and_admitted_in_draft(study: Study, client: Client) -> None:
    Study.objects.update(state="draft")
    assert client.get("/s/small/?preview").status_code == 400
    client.force_login(User.objects.create_superuser("ada"))
    assert b"Test run (preview)" in client.get("/s/small/?preview", follow=True).content
    participant = begin(client, "/s/small/?preview")
    assert participant.source == "preview"
    take(client, range(1, LAST_PAGE))
    reply = client.post(f"/s/small/page/{LAST_PAGE}/", {}, follow=True)
    assert b"Test run (preview)" in reply.content
    study.refresh_from_db()
    assert study.frozen_at is None


def simulated_headers(at: datetime, person: str = "SIM1") -> dict[str, str]:
    return {clock.HEADER: clock.sign(person=person, at=at, order_seed=5)}


def test_simulated_rater_carries_its_own_clock(study: Study, client: Client) -> None:
    Study.objects.update(state="draft")
    at = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    client.get("/s/small/?PROLIFIC_PID=SIM1", headers=simulated_headers(at))
    later = at + timedelta(minutes=3)
    client.post("/s/small/consent/", {"agree": "yes"}, headers=simulated_headers(later))
    participant = Participant.objects.get()
    assert participant.source == "simulated"
    assert participant.order_seed == 5
    assert (participant.arrived_at, participant.started_at) == (at, later)


def test_a_simulated_clock_counts_for_nobody_else(study: Study, client: Client) -> None:
    begin(client)
    headers = simulated_headers(datetime(2026, 1, 5, tzinfo=UTC), person="abc123")
    assert client.post("/s/small/page/1/", {}, headers=headers).status_code == 403
    assert client.get(f"/s/small/{arrival('other')}", headers=headers).status_code == 403
    forged = {clock.HEADER: "x" + headers[clock.HEADER]}
    assert client.get(f"/s/small/{arrival('abc123')}", headers=forged).status_code == 403


@pytest.fixture
def draft(study: Study) -> Study:
    """A second version in draft; the first is open, and people take it."""
    begin(Client())
    return small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"), state="draft")


@pytest.fixture
def researcher(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


def simulated(person: str = "SIM1") -> Client:
    return Client(headers=simulated_headers(datetime(2026, 1, 5, 9, 0, tzinfo=UTC), person))


VERSIONS = pytest.mark.parametrize(
    ("query", "version"), [("", 2), ("&version=2", 2), ("&version=1", 1)]
)


@VERSIONS
def test_preview_leads_to_the_version_it_names_or_to_the_newest(
    draft: Study, researcher: Client, query: str, version: int
) -> None:
    participant = begin(researcher, f"/s/small/?preview{query}")
    assert (participant.source, participant.study.version) == ("preview", version)
    title = {1: b"A small study", 2: b"Anew"}[version]
    assert title in researcher.get("/s/small/page/1/").content


@VERSIONS
def test_simulated_rater_takes_the_version_it_names_or_the_newest(
    draft: Study, query: str, version: int
) -> None:
    participant = begin(simulated(), f"/s/small/?PROLIFIC_PID=SIM1{query}")
    assert (participant.source, participant.study.version) == ("simulated", version)
    simulated().get(f"/s/small/?PROLIFIC_PID=SIM1{query}")
    assert Participant.objects.filter(source="simulated").count() == 1


@pytest.mark.parametrize("query", [f"{arrival('new1')}&version=2", "?version=2", "?invite={}"])
def test_real_people_never_choose_a_version(study: Study, draft: Study, query: str) -> None:
    token = Invitation.objects.create(study=study).token
    Client().get(f"/s/small/{query.format(f'{token}&version=2')}")
    assert Participant.objects.count() == 2
    assert Participant.objects.latest("pk").study == study


@pytest.mark.parametrize("staff", [False, None], ids=["no researcher", "not logged in"])
def test_version_of_a_preview_is_for_researchers_alone(
    draft: Study, client: Client, staff: bool | None
) -> None:
    if staff is not None:
        client.force_login(User.objects.create_user("bob", is_staff=staff))
    reply = client.get("/s/small/?preview&version=2")
    assert reply.status_code == 400
    assert b"Previews are for researchers" in reply.content
    assert Participant.objects.count() == 1


@pytest.mark.parametrize("version", ["3", "0", "-1", "two", "", "2@2", "%00", "٢", "9" * 5000])
def test_version_that_there_is_not_gets_a_clear_page(
    draft: Study, researcher: Client, version: str
) -> None:
    for reply in (
        researcher.get(f"/s/small/?preview&version={version}"),
        simulated().get(f"/s/small/?PROLIFIC_PID=SIM1&version={version}"),
    ):
        assert reply.status_code == 400
        assert b"<h1>There is no such version</h1>" in reply.content
    assert Participant.objects.count() == 1


@pytest.mark.parametrize(("state", "title"), [("paused", b"paused"), ("closed", b"ended")])
def test_version_that_has_stopped_takes_no_test_people(
    draft: Study, researcher: Client, state: str, title: bytes
) -> None:
    Study.objects.filter(pk=draft.pk).update(state=state)
    for client, who in ((researcher, "preview"), (simulated(), "PROLIFIC_PID=SIM1")):
        reply = client.get(f"/s/small/?{who}&version=2")
        assert reply.status_code == 403
        assert title in reply.content
    assert Participant.objects.count() == 1


@pytest.mark.parametrize("state", ["draft", "open"])
def test_test_people_stay_in_their_version_whatever_is_offered_meanwhile(
    draft: Study, researcher: Client, state: str
) -> None:
    researcher.get(f"/s/small/?preview&version={1 if state == 'open' else 2}")
    before = Participant.objects.latest("pk").study
    Study.objects.filter(pk=draft.pk).update(state=state)
    assert researcher.get("/s/small/").headers["Location"] == "/s/small/consent/"
    assert Participant.objects.latest("pk").study == before != study_for_arrivals("small")
