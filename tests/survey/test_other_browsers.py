"""A Prolific id that is known from one browser comes in another one.

An id is no secret: other researchers and participants may know it. By itself it opens nothing.
"""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from survey.models import Browser, Participant, Study, Submission
from survey.participants import forget_old_browsers
from survey.withdrawal import withdraw
from tests.prolific import arrival, prolific_id
from tests.survey.visiting import LAST_PAGE, begin, reopen, take

# Cookies and links: the database changes nothing of it.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

OWN = f"/s/small/{arrival('anna', study='st', session='first')}"
#: The same id with another submission, which anybody can make up.
OTHER = f"/s/small/{arrival('anna', study='st', session='second')}"
BARE = f"/s/small/{arrival('anna')}"
UNKNOWN = f"/s/small/{arrival('bob', study='st', session='third')}"
NOT_HERE = "We cannot show you more in this browser"
CODE = "DONE1"


def finish(client: Client) -> None:
    """Send every page that is left."""
    person = Participant.objects.latest("pk")
    take(client, range(person.pages_done + 1, LAST_PAGE))
    assert client.post(f"/s/small/page/{LAST_PAGE}/", {}).status_code == 302


def agree(client: Client, link: str) -> str:
    """Arrive, agree, and read the page that comes."""
    return reopen(client, link).content.decode()


def sessions() -> list[tuple[str, bool]]:
    return list(Submission.objects.values_list("session_id", "is_theirs"))


@pytest.fixture
def anna(study: Study, client: Client) -> Participant:
    """Somebody under way, in `client`."""
    person = begin(client, OWN)
    take(client, range(1, 4))
    return person


def has_arrived(client: Client) -> None:
    client.get(OWN)


def is_under_way(client: Client) -> None:
    begin(client, OWN)
    take(client, range(1, 4))


def has_completed(client: Client) -> None:
    begin(client, OWN)
    finish(client)


def has_declined(client: Client) -> None:
    client.get(OWN)
    client.post("/s/small/consent/", {"decline": "yes"})


def has_withdrawn(client: Client) -> None:
    withdraw(participant=begin(client, OWN), at=timezone.now())


EVERY_STATE = pytest.mark.parametrize(
    "before", [has_arrived, is_under_way, has_completed, has_declined, has_withdrawn]
)


def first_pages(link: str) -> tuple[str, str, int, str]:
    """What a new browser is told before it has agreed to anything."""
    browser = Client()
    reply = browser.get(link)
    html = browser.get("/s/small/consent/").content.decode()
    cookie = browser.cookies["fivefold-small"].value
    random = r'(name="(whose|csrfmiddlewaretoken)" value=")[^"]+'
    return reply.headers["Location"], re.sub(random, r"\1", html), len(cookie), cookie[:0]


@EVERY_STATE
@pytest.mark.parametrize("link", [OWN, OTHER, BARE])
def test_new_browser_is_told_the_same_whatever_is_known_of_the_id(
    study: Study, client: Client, before: object, link: str
) -> None:
    assert callable(before)
    before(client)
    assert first_pages(link) == first_pages(UNKNOWN)


@pytest.mark.parametrize("link", [OTHER, BARE])
def test_other_browser_goes_on_with_the_next_unanswered_page_and_sees_none_before(
    anna: Participant, link: str
) -> None:
    other = Client()
    html = agree(other, link)
    assert "Page 4 of 7" in html and 'class="back"' not in html
    for number in (1, 2, 3):
        assert other.get(f"/s/small/page/{number}/").headers["Location"] == "/s/small/page/4/"
    take(other, range(4, 5))
    assert other.get("/s/small/page/4/").headers["Location"] == "/s/small/page/5/"
    assert 'class="back"' not in other.get("/s/small/page/5/").content.decode()
    assert other.get("/s/small/").headers["Location"] == "/s/small/page/5/"
    assert other.get(link).headers["Location"] == "/s/small/page/5/"
    stop = other.get("/s/small/stop/").content.decode()
    assert "withdraw/" not in stop and "where you started" in stop


def test_other_browser_changes_nothing_that_was_sent_before(anna: Participant) -> None:
    other = Client()
    agree(other, OTHER)
    ratings = list(anna.presentations.values_list("ratings__value", "ratings__revisions"))
    reply = other.post("/s/small/page/2/", {"paradata": ""})
    assert reply.headers["Location"] == "/s/small/page/4/"
    assert list(anna.presentations.values_list("ratings__value", "ratings__revisions")) == ratings


@pytest.mark.parametrize("link", [OTHER, BARE])
def test_finished_record_shows_neither_code_nor_link_to_another_browser(
    study: Study, client: Client, link: str
) -> None:
    has_completed(client)
    other = Client()
    for html in (agree(other, link), other.get("/s/small/end/", follow=True).content.decode()):
        assert CODE not in html and "withdraw/" not in html
    assert NOT_HERE in agree(Client(), link)
    assert CODE in client.get(OWN, follow=True).content.decode()


def test_submission_that_is_theirs_opens_everything_in_any_browser(
    study: Study, client: Client
) -> None:
    has_completed(client)
    html = agree(Client(), OWN)
    assert CODE in html and "withdraw/" in html
    assert not Browser.objects.exists()


def test_submission_that_is_theirs_goes_back_to_earlier_pages(anna: Participant) -> None:
    other = Client()
    assert 'class="back"' in agree(other, OWN)
    assert other.get("/s/small/page/2/").status_code == 200


def test_further_submission_is_stored_and_the_first_one_kept(anna: Participant) -> None:
    first, second = (prolific_id(name) for name in ("first", "second"))
    other = Client()
    other.get(OTHER)
    assert sessions() == [(first, True)]
    agree(other, OTHER)
    assert sessions() == [(first, True), (second, False)]


def test_made_up_submission_stays_made_up(anna: Participant, client: Client) -> None:
    for _ in range(2):
        assert 'class="back"' not in agree(Client(), OTHER)
    finish(client)
    assert NOT_HERE in agree(Client(), OTHER)
    assert [theirs for _, theirs in sessions()] == [True, False]


def test_submission_that_their_own_browser_brings_is_theirs(
    anna: Participant, client: Client
) -> None:
    assert client.get(OTHER).headers["Location"] == "/s/small/page/4/"
    finish(client)
    assert CODE in agree(Client(), OTHER)
    assert [theirs for _, theirs in sessions()] == [True, True]


def test_browser_that_sends_the_last_page_gets_the_code(anna: Participant, client: Client) -> None:
    other = Client()
    agree(other, OTHER)
    assert NOT_HERE not in other.get("/s/small/page/4/").content.decode()
    finish(other)
    for html in (
        other.get("/s/small/end/").content.decode(),
        other.get(OTHER, follow=True).content.decode(),
    ):
        assert CODE in html and "withdraw/" not in html and "where you started" in html
    third = Client()
    agree(third, OTHER)
    assert CODE not in third.get("/s/small/end/").content.decode()
    html = client.get("/s/small/end/").content.decode()
    assert CODE in html and "withdraw/" in html


def test_other_browser_gets_no_code_for_what_the_first_one_finished(
    anna: Participant, client: Client
) -> None:
    other = Client()
    agree(other, OTHER)
    take(other, range(4, 5))
    finish(client)
    html = other.get("/s/small/page/5/", follow=True).content.decode()
    assert NOT_HERE in html and CODE not in html


def test_record_that_nobody_has_agreed_to_belongs_to_the_browser_that_does(
    study: Study, client: Client
) -> None:
    client.get(OTHER)  # somebody who knows the id was here first
    own = Client()
    person = begin(own, OWN)
    take(own, range(1, 4))
    assert Participant.objects.count() == 1
    assert client.get("/s/small/page/2/").status_code == 403
    for known in (client, Client()):
        assert 'class="back"' not in agree(known, OTHER)
    assert own.get("/s/small/page/2/").status_code == 200
    assert 'class="back"' in agree(Client(), OWN)
    assert person.submissions.filter(is_theirs=True).get().session_id == prolific_id("first")


def test_record_that_nobody_has_agreed_to_can_be_declined_in_another_browser(
    study: Study, client: Client
) -> None:
    client.get(OTHER)
    own = Client()
    own.get(OWN)
    html = own.post("/s/small/consent/", {"decline": "yes"}, follow=True).content.decode()
    assert "NOPE1" in html and "withdraw/" in html
    assert Participant.objects.get().status == "declined"


def test_declining_in_another_browser_records_nothing_of_a_survey_under_way(
    anna: Participant, client: Client
) -> None:
    other = Client()
    other.get(OTHER)
    html = other.post("/s/small/consent/", {"decline": "yes"}, follow=True).content.decode()
    assert "You chose not to take part" in html and "withdraw/" not in html
    assert other.get("/s/small/page/4/").status_code == 403
    own = Client()
    own.get(OWN)
    reply = own.post("/s/small/consent/", {"decline": "yes"})
    assert reply.headers["Location"] == "/s/small/stop/"
    assert Participant.objects.get().status == "in_progress"


def test_page_without_its_box_ticked_is_shown_again(anna: Participant) -> None:
    other = Client()
    other.get(OTHER)
    reply = other.post("/s/small/consent/", {})
    assert reply.status_code == 422 and b"Tick the box" in reply.content


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_stopped_study_turns_another_browser_away_as_it_does_somebody_new(
    anna: Participant, state: str
) -> None:
    Study.objects.update(state=state)
    replies = [Client().get(link) for link in (OTHER, BARE, UNKNOWN)]
    assert [reply.status_code for reply in replies] == [403] * 3
    assert len({reply.content for reply in replies}) == 1
    own = Client()
    assert own.get(OWN).headers["Location"] == "/s/small/page/4/"
    assert own.get("/s/small/page/2/").status_code == 200


def test_other_browser_under_way_finishes_when_the_study_stops(anna: Participant) -> None:
    other = Client()
    agree(other, OTHER)
    Study.objects.update(state="paused")
    assert other.get(OTHER).headers["Location"] == "/s/small/page/4/"
    finish(other)
    assert CODE in other.get("/s/small/end/").content.decode()


def test_full_study_turns_another_browser_away_as_it_does_somebody_new(
    anna: Participant, study: Study
) -> None:
    places = study.settings["places"] | {"maximum": 1}
    Study.objects.update(settings=study.settings | {"places": places})
    other, unknown = Client().get(OTHER), Client().get(UNKNOWN)
    assert other.status_code == unknown.status_code == 403
    assert other.content == unknown.content
    assert Client().get(OWN).headers["Location"] == "/s/small/page/4/"


def test_of_those_who_withdrew_only_their_submission_shows_the_ending(
    study: Study, client: Client
) -> None:
    has_withdrawn(client)
    assert NOT_HERE in agree(Client(), OTHER)
    assert "Your data are deleted" in agree(Client(), OWN)
    assert not Participant.objects.exists()


def test_withdrawal_takes_other_browsers_along(anna: Participant) -> None:
    other = Client()
    agree(other, OTHER)
    withdraw(participant=anna, at=timezone.now())
    assert not Browser.objects.exists() and not Submission.objects.exists()
    assert other.get("/s/small/page/4/").status_code == 403


def test_browser_in_which_nobody_went_on_is_forgotten(anna: Participant) -> None:
    waiting, going_on = Client(), Client()
    waiting.get(OTHER)
    agree(going_on, OTHER)
    long_ago = timezone.now() - timedelta(days=61)
    Browser.objects.update(arrived_at=long_ago)
    forget_old_browsers(at=timezone.now())
    assert Browser.objects.get().goes_on


def test_reading_the_information_again_adds_no_further_browser(anna: Participant) -> None:
    other = Client()
    for _ in range(3):
        other.get(OTHER)
    assert Browser.objects.count() == 1


# ── What an id looks like ────────────────────────────────────────────────────────────────────


def test_names_of_parameters_and_ids_are_matched_without_case(anna: Participant) -> None:
    query = arrival("anna", study="st", session="first")
    shouted = (
        query.upper().replace("PROLIFIC_PID", "prolific_pid").replace("SESSION_ID", "Session_Id")
    )
    assert 'class="back"' in agree(Client(), f"/s/small/{shouted}")
    assert Participant.objects.count() == 1


@pytest.mark.parametrize(
    "query",
    [
        "?PROLIFIC_PID=anna",
        "?PROLIFIC_PID=SIM1",
        f"?PROLIFIC_PID={prolific_id('anna')}0",
        f"?PROLIFIC_PID={prolific_id('anna')[:-1]}g",
        f"?PROLIFIC_PID={prolific_id('anna')}&SESSION_ID=%7B%7B%25SESSION_ID%25%7D%7D",
        f"?PROLIFIC_PID={prolific_id('anna')}&STUDY_ID=st1",
    ],
)
def test_id_that_prolific_would_not_give_is_refused_in_plain_words(
    study: Study, client: Client, query: str
) -> None:
    reply = client.get(f"/s/small/{query}")
    assert reply.status_code == 400
    assert b"An ID in this link is not a Prolific ID." in reply.content
    assert not Participant.objects.exists()


def test_other_recruiters_have_ids_of_other_forms(study: Study, client: Client) -> None:
    study.settings["prolific"]["return_url"] = "https://panel.example.org/done"
    study.save()
    assert begin(client, "/s/small/?PROLIFIC_PID=W1&SESSION_ID=s-1").identity.key == "W1"
