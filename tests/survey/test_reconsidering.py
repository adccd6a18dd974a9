"""People who declined change their mind: nothing was answered, so they may still begin."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from survey.models import Invitation, Participant, Study
from tests.prolific import arrival
from tests.survey import small_study
from tests.survey.visiting import LAST_PAGE, LINK, begin, reopen, take

OFFER = "Have you changed your mind?"
AGAIN = f"/s/small/{arrival('abc123', study='st1', session='se2')}"


def decline(client: Client, link: str = LINK) -> str:
    """Arrive, decline, and read the page that comes."""
    client.get(link)
    reply = client.post("/s/small/consent/", {"decline": "yes"}, follow=True)
    return str(reply.content.decode())


def press(client: Client, html: str) -> str:
    """Press the button on the page of somebody who declined, as their browser would."""
    form = re.search(r'<form method="post" action="/s/small/consent/">.*?</form>', html, re.DOTALL)
    assert form, html
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form[0]))
    return str(client.post("/s/small/consent/", fields, follow=True).content.decode())


def state() -> tuple[str, str, bool]:
    person = Participant.objects.get()
    return person.status, person.ending, person.finished_at is None


@pytest.mark.parametrize("link", [LINK, "/s/small/", "/s/small/?invite={}"])
def test_person_who_declined_reads_the_information_again_and_takes_part(
    study: Study, client: Client, link: str
) -> None:
    link = link.format(Invitation.objects.create(study=study).token)
    html = decline(client, link)
    assert OFFER in html
    html = press(client, html)
    assert "You will read short replies." in html and "There is a problem" not in html
    assert state() == ("arrived", "", True)
    client.post("/s/small/consent/", {"agree": "yes"})
    take(client, range(1, LAST_PAGE))
    client.post(f"/s/small/page/{LAST_PAGE}/", {})
    person = Participant.objects.get()
    assert (person.status, person.slot) == ("completed", 0)
    assert OFFER not in client.get("/s/small/end/").content.decode()


def test_link_leads_back_to_the_offer(study: Study, client: Client) -> None:
    decline(client)
    html = client.get(LINK, follow=True).content.decode()
    assert "You have been here before." in html and OFFER in html
    press(client, html)
    assert state()[0] == "arrived"


def test_agreeing_on_a_page_that_was_left_open_counts(study: Study, client: Client) -> None:
    decline(client)
    reply = client.post("/s/small/consent/", {"agree": "yes"})
    assert reply.headers["Location"] == "/s/small/page/1/"
    assert state() == ("in_progress", "", True)


@pytest.mark.parametrize("sent", [{}, {"decline": "yes"}, {"decline": "yes", "agree": "yes"}])
def test_nothing_else_undoes_declining(study: Study, client: Client, sent: dict[str, str]) -> None:
    decline(client)
    reply = client.post("/s/small/consent/", sent)
    assert reply.headers["Location"] == "/s/small/end/"
    assert state() == ("declined", "declined", False)


@pytest.mark.parametrize("link", [LINK, AGAIN])
def test_agreeing_in_another_browser_counts_too(study: Study, client: Client, link: str) -> None:
    decline(client)
    assert b"Page 1 of 7" in reopen(Client(), link).content
    assert state() == ("in_progress", "", True)
    assert client.get("/s/small/end/").status_code == 403, "the record is the other browser's"


@pytest.mark.parametrize("doing", ["paused", "closed", "full"])
def test_study_that_takes_nobody_new_makes_no_offer(
    study: Study, client: Client, doing: str
) -> None:
    html = decline(client)
    if doing == "full":
        begin(Client(), f"/s/small/{arrival('other')}")
        places = study.settings["places"] | {"maximum": 1}
        Study.objects.update(settings=study.settings | {"places": places})
    else:
        Study.objects.update(state=doing)
    assert OFFER not in client.get("/s/small/end/").content.decode()
    refused = press(client, html)
    assert ("All places are taken" if doing == "full" else f"This study {doing}"[:10]) in refused
    assert Participant.objects.filter(status="declined").count() == 1


def test_person_gets_the_version_that_new_people_get(study: Study, client: Client) -> None:
    html = decline(client)
    newer = small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"))
    press(client, html)
    assert Participant.objects.get().study == newer


def test_person_who_returned_their_submission_could_not_be_paid(
    study: Study, client: Client
) -> None:
    html = decline(client)
    Participant.objects.update(returned_at=timezone.now())
    assert OFFER not in client.get("/s/small/end/").content.decode()
    assert "You chose not to take part" in press(client, html)
    assert "You chose not to take part" in reopen(Client()).content.decode()
    assert state()[0] == "declined"
    html = client.get(AGAIN, follow=True).content.decode()  # Prolific let them come again
    assert OFFER in html
    press(client, html)
    assert state()[0] == "arrived"


def test_offer_warns_of_a_code_that_was_used(study: Study, client: Client) -> None:
    assert "not used the code below" in decline(client)
    assert "Prolific" not in decline(Client(), "/s/small/")


def test_browser_that_declined_for_nobody_reads_the_information_again(
    study: Study, client: Client
) -> None:
    begin(client)
    other = Client()
    html = decline(other, AGAIN)
    assert "You will read short replies." in press(other, html)
    assert b"Page 1 of 7" in reopen(other, AGAIN).content


def test_test_people_reconsider_in_the_version_they_came_for(study: Study, client: Client) -> None:
    Study.objects.update(is_rehearsal=True)
    html = decline(client, "/s/small/")
    assert OFFER in html
    press(client, html)
    assert state()[0] == "arrived"
    assert Participant.objects.get().last_seen_at > timezone.now() - timedelta(minutes=1)
