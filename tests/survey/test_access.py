"""Who may come in, and as whom: links, cookies, and whose page a form is."""

import re
from io import BytesIO
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from survey.models import Identity, Invitation, Participant, Rating, Study, Submission
from tests.prolific import arrival, prolific_id
from tests.survey.visiting import LAST_PAGE, LINK, begin, form_of, reopen, take

# Who may open what; test_pages.py opens the pages on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


def test_the_same_link_resumes_on_another_device(study: Study, client: Client) -> None:
    begin(client)
    take(client, range(1, 4))
    other_device = Client()
    assert b"Page 4 of 7" in reopen(other_device).content
    assert other_device.get("/s/small/page/4/").status_code == 200
    assert Participant.objects.count() == 1


def test_open_link_keeps_its_browser_and_offers_a_personal_link(
    study: Study, client: Client
) -> None:
    begin(client, "/s/small/")
    take(client, range(1, 3))
    assert client.get("/s/small/").headers["Location"] == "/s/small/page/3/"
    html = client.get("/s/small/page/1/").content.decode()
    match = re.search(r'href="http://testserver(/s/small/\?resume=[^"]+)"', html)
    assert match
    other_device = Client()
    assert other_device.get(match[1]).headers["Location"] == "/s/small/page/3/"
    assert Participant.objects.get().source == "link"


def test_cookie_is_random_of_this_study_alone_and_closed_to_scripts(study: Study) -> None:
    secrets = []
    for person in ("anna", "ben"):
        browser = Client()
        begin(browser, f"/s/small/{arrival(person)}")
        cookie = browser.cookies["fivefold-small"]
        assert (cookie["path"], cookie["samesite"]) == ("/s/small/", "Lax")
        assert cookie["httponly"]
        secrets.append(cookie.value)
    assert secrets[0] != secrets[1]
    assert all(re.fullmatch(r"[\w-]{32}", secret) for secret in secrets)  # 192 bits


def test_invitation_is_one_person_on_any_device(study: Study, client: Client) -> None:
    token = Invitation.objects.create(study=study).token
    begin(client, f"/s/small/?invite={token}")
    take(client, range(1, 2))
    assert Client().get(f"/s/small/?invite={token}").headers["Location"] == "/s/small/page/2/"
    assert Identity.objects.get().kind == "invitation"


@pytest.mark.parametrize(
    "link", ["?invite=wrong", "?resume=wrong", "?PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D"]
)
def test_a_link_that_leads_nowhere_gets_a_clear_page(
    study: Study, client: Client, link: str
) -> None:
    reply = client.get(f"/s/small/{link}")
    assert reply.status_code == 400
    assert b"<h1>" in reply.content
    assert not Participant.objects.exists()


def test_without_an_id_a_study_for_prolific_alone_explains_itself(
    study: Study, client: Client
) -> None:
    Study.objects.update(settings=study.settings | {"ways_in": ["prolific"]})
    reply = client.get("/s/small/")
    assert reply.status_code == 400
    assert b"lacks your participant ID" in reply.content


@pytest.mark.parametrize(
    "query",
    [
        f"?PROLIFIC_PID=&STUDY_ID={prolific_id('st1')}&SESSION_ID={prolific_id('se1')}",
        "?STUDY_ID=st1",
        "?SESSION_ID=se1",
    ],
)
def test_somebody_from_prolific_whose_id_got_lost_does_not_slip_in_by_the_open_link(
    study: Study, client: Client, query: str
) -> None:
    reply = client.get(f"/s/small/{query}")
    assert reply.status_code == 400
    assert b"lacks your participant ID" in reply.content
    assert not Participant.objects.exists()


def test_person_is_enough_where_the_other_parameters_are_missing(
    study: Study, client: Client
) -> None:
    begin(client, f"/s/small/{arrival('abc1')}")
    assert not Submission.objects.exists()


def test_parameters_have_the_names_that_the_study_gives_them(study: Study, client: Client) -> None:
    names = {"participant": "worker", "study": "hit", "session": "assignment"}
    study.settings["prolific"]["parameters"] = names
    study.save()
    ids = {name: prolific_id(name) for name in names.values()}
    participant = begin(client, f"/s/small/?{urlencode(ids)}")
    submission = participant.submissions.get()
    assert (submission.prolific_study_id, submission.session_id) == (ids["hit"], ids["assignment"])
    assert (participant.identity.key, participant.source) == (ids["worker"], "prolific")
    reply = Client().get(f"/s/small/{arrival('W1')}")  # the usual name is a wrong one now
    assert b"lacks your participant ID" in reply.content


@pytest.mark.parametrize(
    ("link", "source", "way"),
    [
        (LINK, "prolific", "prolific"),
        ("/s/small/", "link", "link"),
        ("/s/small/?invite={}", "link", "invitation"),
    ],
)
def test_way_in_leaves_its_source_in_the_data(
    study: Study, client: Client, link: str, source: str, way: str
) -> None:
    token = Invitation.objects.create(study=study).token
    person = begin(client, link.format(token))
    assert (person.source, person.way_in) == (source, way)


@pytest.mark.parametrize("way", ["link", "invitation"])
def test_way_in_that_the_study_does_not_offer_is_closed(
    study: Study, client: Client, way: str
) -> None:
    Study.objects.update(settings=study.settings | {"ways_in": ["prolific"]})
    token = Invitation.objects.create(study=study).token
    query = "" if way == "link" else f"?invite={token}"
    assert client.get(f"/s/small/{query}").status_code == 400
    assert not Participant.objects.exists()


def test_two_people_at_one_computer_are_two(study: Study, client: Client) -> None:
    first = begin(client)
    take(client, range(1, 3))
    second = begin(client, f"/s/small/{arrival('other1')}")
    assert first != second
    assert b"Page 3 of 7" in reopen(client).content
    assert client.get("/s/small/page/1/").status_code == 200
    assert second.pages_done == 0


def test_page_that_turns_somebody_away_offers_the_help_of_its_study(
    study: Study, client: Client
) -> None:
    for address in ("?invite=wrong", "?STUDY_ID=st1", "page/3/", "withdraw/wrong/"):
        html = client.get(f"/s/small/{address}").content.decode()
        assert "Call <strong>988</strong>" in html
        assert "A small study" in html


def test_page_without_a_cookie_explains_itself(study: Study, client: Client) -> None:
    for address in ("consent/", "page/3/", "end/"):
        reply = client.get(f"/s/small/{address}")
        assert reply.status_code == 403
        assert b"open your study link again" in reply.content


FROM_PROLIFIC = "If you came from Prolific, open the study there again"
INVITED = "If you were sent a personal link, open it again"
BY_OPEN_LINK = "Without it you can only start again as a new participant."


@pytest.mark.parametrize(
    ("ways_in", "told"),
    [
        (["prolific"], [FROM_PROLIFIC]),
        (["invitation"], [INVITED]),
        (["link"], [BY_OPEN_LINK]),
        (["prolific", "link", "invitation"], [FROM_PROLIFIC, INVITED, BY_OPEN_LINK]),
    ],
)
def test_somebody_unknown_is_promised_only_what_the_ways_in_can_keep(
    study: Study, ways_in: list[str], told: list[str]
) -> None:
    Study.objects.update(settings=study.settings | {"ways_in": ways_in})
    checking = Client(enforce_csrf_checks=True)
    for reply in (checking.get("/s/small/page/3/"), checking.post("/s/small/consent/", {})):
        assert reply.status_code == 403
        text = " ".join(reply.content.decode().split())
        assert [one for one in (FROM_PROLIFIC, INVITED, BY_OPEN_LINK) if one in text] == told
        assert text.count("You will continue where you left off") == len(told)


def test_open_link_without_its_cookie_is_somebody_new_and_the_personal_link_is_not(
    study: Study, client: Client
) -> None:
    person = begin(client, "/s/small/")
    client.cookies.clear()
    assert begin(client, "/s/small/") != person
    client.cookies.clear()
    reply = client.get(f"/s/small/?resume={person.secret}")
    assert reply.headers["Location"] == "/s/small/page/1/"
    assert Participant.objects.count() == 2


def test_study_for_invited_people_asks_for_the_personal_link(study: Study, client: Client) -> None:
    Study.objects.update(settings=study.settings | {"ways_in": ["invitation"]})
    reply = client.get("/s/small/")
    assert reply.status_code == 400
    html = reply.content.decode()
    assert "<h1>This study is for people who were invited</h1>" in html
    assert "open the personal link that you were sent" in html and "Prolific" not in html


def test_unknown_study_is_a_clear_page(db: None, client: Client) -> None:
    reply = client.get("/s/nowhere/")
    assert reply.status_code == 404
    assert b"There is no such study" in reply.content


def test_form_without_its_token_is_refused_kindly(study: Study) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.get(LINK)
    reply = strict.post("/s/small/consent/", {"agree": "yes"})
    assert reply.status_code == 403
    assert b"did not send its cookie" in reply.content


@pytest.mark.parametrize("missing", [1, 20])
def test_form_that_the_network_cut_off_is_not_taken_for_a_whole_one(
    study: Study, client: Client, missing: int
) -> None:
    participant = begin(client)
    take(client, range(1, LAST_PAGE))
    whole = b"age=41&sex=Female&state=Ohio"
    cut_off: dict[str, Any] = {"wsgi.input": BytesIO(whole[:-missing])}
    reply = client.generic(
        "POST",
        f"/s/small/page/{LAST_PAGE}/",
        whole,
        "application/x-www-form-urlencoded",
        **cut_off,
    )
    assert reply.status_code == 400
    assert b"Your answers did not arrive" in reply.content
    participant.refresh_from_db()
    assert participant.status == "in_progress"
    assert not participant.demographic_answers.exists()


@pytest.mark.parametrize(
    "link",
    [
        "?resume=%00",
        "?invite=%00",
        "?PROLIFIC_PID=%00",
        f"{arrival('abc1')}&STUDY_ID=%00&SESSION_ID=%00",
        "?resume=" + "x" * 100_000,
    ],
)
def test_bytes_that_no_database_takes_are_no_identifier(
    study: Study, client: Client, link: str
) -> None:
    assert client.get(f"/s/small/{link}").status_code in (302, 400)
    # As a browser may send it: newer releases of Python refuse to write such a cookie.
    nothing = {"cookie": 'fivefold-small="\\000"'}
    assert client.get("/s/small/consent/", headers=nothing).status_code == 403
    assert not Submission.objects.exists()


def carried(client: Client, address: str) -> str:
    """What the form of a page says about whose page it is."""
    match = re.search(r'name="whose" value="([0-9a-f]{16})"', client.get(address).content.decode())
    assert match
    return match[1]


def test_every_form_says_whose_page_it_is_the_same_on_any_device(
    study: Study, client: Client
) -> None:
    client.get(LINK)
    said = {carried(client, "/s/small/consent/")}
    begin(client)
    take(client, range(1, LAST_PAGE))
    said |= {carried(client, f"/s/small/page/{number}/") for number in range(1, LAST_PAGE + 1)}
    other = Client()
    begin(other, LINK.replace(prolific_id("abc123"), prolific_id("def456")))
    assert len(said) == 1
    assert carried(other, "/s/small/page/1/") not in said


def test_page_of_one_person_is_recorded_for_nobody_else(study: Study, client: Client) -> None:
    begin(client)
    take(client, range(1, 3))
    sent = form_of(client, 3) | {"whose": carried(client, "/s/small/page/3/")}
    begin(
        client, LINK.replace(prolific_id("abc123"), prolific_id("def456"))
    )  # with the same browser
    take(client, range(1, 3))
    before = Rating.objects.count()
    reply = client.post("/s/small/page/3/", sent)
    assert reply.status_code == 409
    assert b"<h1>Another person has opened the study in this browser</h1>" in reply.content
    assert client.get(f"/s/small/stop/?whose={sent['whose']}").status_code == 409
    assert Rating.objects.count() == before
    assert list(Participant.objects.values_list("pages_done", flat=True)) == [2, 2]
    reopen(client)
    assert client.post("/s/small/page/3/", sent).status_code == 302
