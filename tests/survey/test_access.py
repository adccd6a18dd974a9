"""Who may come in, and as whom: links, cookies, previews and simulated clocks."""

import re
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from survey.models import Identity, Invitation, Participant, Rating, Study
from survey.queries import study_for_arrivals
from survey.simulated import clock
from tests.survey import small_study
from tests.survey.visiting import LAST_PAGE, LINK, begin, form_of, take


def test_the_same_link_resumes_on_another_device(study: Study, client: Client) -> None:
    begin(client)
    take(client, range(1, 4))
    other_device = Client()
    reply = other_device.get(LINK)
    assert reply.headers["Location"] == "/s/small/page/4/"
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
    "query", ["?PROLIFIC_PID=&STUDY_ID=st1&SESSION_ID=se1", "?STUDY_ID=st1", "?SESSION_ID=se1"]
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
    begin(client, "/s/small/?PROLIFIC_PID=abc1")
    identity = Identity.objects.get()
    assert (identity.prolific_study_id, identity.prolific_session_id) == ("", "")


def test_parameters_have_the_names_that_the_study_gives_them(study: Study, client: Client) -> None:
    names = {"participant": "worker", "study": "hit", "session": "assignment"}
    study.settings["prolific"]["parameters"] = names
    study.save()
    participant = begin(client, "/s/small/?worker=W1&hit=H1&assignment=A1")
    identity = Identity.objects.get(participant=participant)
    assert (identity.key, identity.prolific_study_id, identity.prolific_session_id) == (
        ("W1", "H1", "A1")
    )
    assert participant.source == "prolific"
    begin(Client(), "/s/small/?PROLIFIC_PID=W1")  # a name like any other now
    assert Participant.objects.latest("pk").source == "link"


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
    second = begin(client, "/s/small/?PROLIFIC_PID=other1")
    assert first != second
    assert client.get(LINK).headers["Location"] == "/s/small/page/3/"
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
INVITED = "If you were sent a link of your own, open it again"
BY_OPEN_LINK = "Without it you can only begin again, as somebody new."


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
        assert text.count("you will continue where you were") == len(told)


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


# ── Languages ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def bilingual(db: None) -> Study:
    return small_study.load(translation=small_study.CHINESE)


def lang(html: bytes) -> str:
    return str(re.findall(r'<html lang="([^"]+)"', html.decode())[0])


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("zh-CN,zh;q=0.9,en;q=0.8", "zh-hans"), ("fr,en;q=0.5", "en"), ("fr", "en"), ("", "en")],
)
def test_first_page_is_in_the_language_that_the_browser_asks_for(
    bilingual: Study, client: Client, accepted: str, language: str
) -> None:
    html = client.get(LINK, follow=True, headers={"Accept-Language": accepted}).content
    assert lang(html) == language
    assert ("您将阅读简短的回复。" in html.decode()) == (language == "zh-hans")


def test_chosen_language_stays_on_every_page_and_in_any_browser(
    bilingual: Study, client: Client
) -> None:
    html = client.get(LINK, follow=True).content.decode()
    assert re.findall(r'name="language" value="([^"]+)"', html) == ["en", "zh-hans"]
    reply = client.post("/s/small/consent/", {"language": "zh-hans"}, follow=True)
    assert reply.redirect_chain == [("/s/small/consent/", 302)]
    participant = begin(client)
    assert participant.language == "zh-hans"
    take(client, range(1, 3))
    for browser in (client, Client(headers={"Accept-Language": "en"})):
        html = browser.get(LINK, follow=True).content.decode()
        assert lang(html.encode()) == "zh-hans"
        assert "这条回复有多温暖？" in html or "Please choose" in html
        assert "How warm is this response?" not in html


def test_agreeing_counts_for_the_language_that_was_read(bilingual: Study, client: Client) -> None:
    html = client.get(LINK, follow=True).content.decode()
    read = html.split('name="text" value="')[1].split('"')[0]
    client.post("/s/small/consent/", {"language": "zh-hans"})  # in another tab
    reply = client.post("/s/small/consent/", {"agree": "yes", "text": read})
    assert reply.status_code == 422
    assert lang(reply.content) == "zh-hans"
    assert Participant.objects.get().status == "arrived"
    shown = reply.content.decode().split('name="text" value="')[1].split('"')[0]
    client.post("/s/small/consent/", {"agree": "yes", "text": shown})
    participant = Participant.objects.get()
    assert (participant.language, participant.consent_hash) == ("zh-hans", shown)


def test_study_in_one_language_offers_none(study: Study, client: Client) -> None:
    html = client.get(LINK, follow=True, headers={"Accept-Language": "zh-CN"}).content
    assert lang(html) == "en"
    assert b'name="language"' not in html
    client.post("/s/small/consent/", {"language": "zh-hans", "agree": "yes"})
    assert Participant.objects.get().language == "en"


@pytest.mark.parametrize(
    "link",
    [
        "?resume=%00",
        "?invite=%00",
        "?PROLIFIC_PID=%00",
        "?PROLIFIC_PID=abc1&STUDY_ID=%00&SESSION_ID=%00",
        "?resume=" + "x" * 100_000,
    ],
)
def test_bytes_that_no_database_takes_are_no_identifier(
    study: Study, client: Client, link: str
) -> None:
    assert client.get(f"/s/small/{link}").status_code in (302, 400)
    client.cookies["fivefold-small"] = "\0"
    assert client.get("/s/small/consent/").status_code == 403
    assert not Identity.objects.exclude(prolific_study_id="", prolific_session_id="").exists()


def test_preview_is_for_researchers_and_admitted_in_draft(study: Study, client: Client) -> None:
    Study.objects.update(state="draft")
    assert client.get("/s/small/?preview").status_code == 400
    client.force_login(User.objects.create_user("ada", is_staff=True))
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
    assert client.get("/s/small/?PROLIFIC_PID=other", headers=headers).status_code == 403
    forged = {clock.HEADER: "x" + headers[clock.HEADER]}
    assert client.get("/s/small/?PROLIFIC_PID=abc123", headers=forged).status_code == 403


# ── Test people and versions ─────────────────────────────────────────────────────────────────


@pytest.fixture
def draft(study: Study) -> Study:
    """A second version in draft; the first is open, and people take it."""
    begin(Client())
    return small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"), state="draft")


@pytest.fixture
def researcher(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("ada", is_staff=True))
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


@pytest.mark.parametrize("query", ["?PROLIFIC_PID=new1&version=2", "?version=2", "?invite={}"])
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


@pytest.mark.parametrize(("state", "title"), [("paused", b"taking a break"), ("closed", b"ended")])
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
    begin(other, LINK.replace("abc123", "def456"))
    assert len(said) == 1
    assert carried(other, "/s/small/page/1/") not in said


def test_page_of_one_person_is_recorded_for_nobody_else(study: Study, client: Client) -> None:
    begin(client)
    take(client, range(1, 3))
    sent = form_of(client, 3) | {"whose": carried(client, "/s/small/page/3/")}
    begin(client, LINK.replace("abc123", "def456"))  # with the same browser
    take(client, range(1, 3))
    before = Rating.objects.count()
    reply = client.post("/s/small/page/3/", sent)
    assert reply.status_code == 409
    assert b"<h1>Somebody else has opened the study in this browser</h1>" in reply.content
    assert client.get(f"/s/small/stop/?whose={sent['whose']}").status_code == 409
    assert Rating.objects.count() == before
    assert list(Participant.objects.values_list("pages_done", flat=True)) == [2, 2]
    client.get(LINK)
    assert client.post("/s/small/page/3/", sent).status_code == 302
