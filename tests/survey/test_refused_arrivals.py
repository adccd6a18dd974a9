"""Arrivals that are refused: who is, what they read, and that they are counted by reason."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from survey import arrival_counts
from survey.arrival_counts import forget_old_addresses
from survey.models import (
    AddressArrivals,
    Browser,
    Identity,
    Invitation,
    Participant,
    RefusedArrivals,
    Study,
)
from survey.simulated import clock
from survey.withdrawal import withdraw
from tests.prolific import arrival, prolific_id
from tests.survey.visiting import LAST_PAGE, LINK, begin, reopen, take

HEX = prolific_id("anna")
ELSEWHERE, OTHER = "192.0.2.1", "192.0.2.2"
OPEN = "/s/small/"


def counted() -> dict[str, int]:
    rows = RefusedArrivals.objects.values_list("reason", "n")
    total: dict[str, int] = {}
    for reason, n in rows:
        total[reason] = total.get(reason, 0) + n
    return total


# ── Links that lack their ID ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("query", "referer"),
    [
        ("", "https://app.prolific.com/"),
        ("", "https://app.prolific.com/studies/65f0"),
        ("", "https://prolific.co/"),
        (f"?pid={HEX}", ""),
        ("?pid=", ""),
        ("?PID=7", ""),
        ("?prolific-id=7", ""),
        ("?PROLIFICPID=7", ""),
        ("?participant_id=7", ""),
        ("?workerId=7", ""),
        (f"?x={HEX}", ""),
        (f"?x={HEX.upper()}", ""),
        (f"?{HEX}", ""),
        (f"?x=1&x={HEX}", ""),
        ("?x={{%PROLIFIC_PID%}}", ""),
        ("?x=%7B%7B%25PROLIFIC_PID%25%7D%7D", ""),
        ("?x=${e://Field/PROLIFIC_PID}", ""),
        ("?source=prolific", ""),
    ],
)
def test_link_that_seems_to_be_prolifics_is_refused_without_its_id(
    study: Study, client: Client, query: str, referer: str
) -> None:
    reply = client.get(OPEN + query, headers={"referer": referer})
    assert reply.status_code == 400
    html = reply.content.decode()
    for said in (
        "This link is not complete",
        "lacks your participant ID, so we could not pay you",
        "open the study again from its page on Prolific",
        "Please send the researchers a message on Prolific.",
        "choosing “Stop without completing”",
        "ask the person who sent you this link for the study&#x27;s public link",
    ):
        assert said in html, said
    assert not Participant.objects.exists()
    assert counted() == {"no_id": 1}


@pytest.mark.parametrize(
    ("query", "referer"),
    [
        ("", ""),
        ("?utm_source=newsletter&utm_id=12", "https://www.example.org/"),
        ("?fbclid=IwAR0abcdef0123456789abcdef0123456789", "https://l.facebook.com/"),
        ("?x=0123456789abcdef0123456789abcdef", ""),
        ("", "https://notprolific.com/"),
        ("", "https://prolific.com.example.org/"),
        ("", "https://[broken"),
    ],
)
def test_other_people_of_the_open_link_are_admitted(
    study: Study, client: Client, query: str, referer: str
) -> None:
    assert client.get(OPEN + query, headers={"referer": referer}).status_code == 302
    assert Participant.objects.get().source == "link"
    assert counted() == {}


def test_study_without_prolific_takes_any_addition_to_its_link(
    study: Study, client: Client
) -> None:
    Study.objects.update(settings=study.settings | {"ways_in": ["link"]})
    assert client.get(f"{OPEN}?pid={HEX}").status_code == 302


def test_person_who_has_begun_goes_on_by_any_link(study: Study, client: Client) -> None:
    begin(client, OPEN)
    reply = client.get(f"{OPEN}?pid=7", headers={"referer": "https://app.prolific.com/"})
    assert reply.headers["Location"] == "/s/small/page/1/"
    assert counted() == {}


def test_page_names_the_contact_of_the_study(study: Study, client: Client) -> None:
    sheet = study.settings["datasheet"] | {"contact": {"name": "Ada", "email": "ada@example.org"}}
    Study.objects.update(settings=study.settings | {"datasheet": sheet})
    for query in (f"?pid={HEX}", "?PROLIFIC_PID=anna"):
        html = client.get(OPEN + query).content.decode()
        assert "Please write to the researchers: Ada, ada@example.org." in html
        assert "message on Prolific" not in html


def test_page_of_another_recruiter_does_not_speak_of_prolific(study: Study, client: Client) -> None:
    prolific = study.settings["prolific"] | {"return_url": "https://panel.example.org/done"}
    Study.objects.update(settings=study.settings | {"prolific": prolific})
    reply = client.get(OPEN, headers={"referer": "https://panel.example.org/jobs"})
    assert reply.status_code == 400
    html = reply.content.decode()
    assert "Please tell the person or the site that recruited you." in html
    assert "Prolific" not in html


# ── Every reason is counted ──────────────────────────────────────────────────────────────────


def only(**settings: object) -> Callable[[Study], None]:
    def change(study: Study) -> None:
        Study.objects.update(settings=study.settings | settings)

    return change


def is_(state: str) -> Callable[[Study], None]:
    def change(study: Study) -> None:
        Study.objects.update(state=state)

    return change


def rehearses(study: Study) -> None:
    Study.objects.update(is_rehearsal=True)


def is_full(study: Study) -> None:
    begin(Client(), f"/s/small/{arrival('first')}")
    only(places=study.settings["places"] | {"maximum": 1})(study)


def nothing(study: Study) -> None:
    pass


@pytest.mark.parametrize(
    ("before", "link", "reason"),
    [
        (nothing, "/s/small/?PROLIFIC_PID=", "no_id"),
        (nothing, "/s/small/?PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D", "wrong_id"),
        (only(ways_in=["prolific"]), OPEN, "no_id"),
        (only(ways_in=["invitation"]), OPEN, "not_invited"),
        (nothing, "/s/small/?invite=unknown", "invitation"),
        (nothing, "/s/small/?resume=unknown", "personal_link"),
        (nothing, "/s/small/?preview", "preview"),
        (is_("draft"), LINK, "draft"),
        (is_("paused"), LINK, "paused"),
        (is_("closed"), OPEN, "closed"),
        (rehearses, LINK, "rehearsal"),
        (is_full, LINK, "full"),
    ],
)
def test_refused_arrival_is_counted_by_reason_and_nothing_else_is_stored(
    study: Study, client: Client, before: Callable[[Study], None], link: str, reason: str
) -> None:
    before(study)
    people = Participant.objects.count()
    for _ in range(2):
        assert client.get(link).status_code in (400, 403)
    assert counted() == {reason: 2}
    assert Participant.objects.count() == people
    assert set(RefusedArrivals.objects.values()[0]) == {"id", "study_id", "reason", "start", "n"}


def test_study_that_stops_while_somebody_reads_counts_them(study: Study, client: Client) -> None:
    client.get(LINK)
    Study.objects.update(state="paused")
    client.post("/s/small/consent/", {"agree": "yes"})
    assert counted() == {"paused": 1}
    Study.objects.update(state="open")
    is_full(study)
    client.post("/s/small/consent/", {"agree": "yes"})
    assert counted() == {"paused": 1, "full": 1}


def test_person_who_took_part_or_withdrew_is_counted_as_such(study: Study, client: Client) -> None:
    person = begin(client)
    take(client, range(1, LAST_PAGE))
    client.post(f"/s/small/page/{LAST_PAGE}/", {})
    assert counted() == {}
    client.get(LINK)
    reopen(Client(), f"/s/small/{arrival('abc123', session='made-up')}")
    assert counted() == {"took_part": 2}
    withdraw(participant=person, at=timezone.now())
    reopen(Client())
    assert counted() == {"took_part": 2, "withdrawn": 1}


def test_people_who_begin_go_on_or_decline_are_not_counted(study: Study, client: Client) -> None:
    begin(client)
    client.get(LINK)
    reopen(Client())
    other = Client()
    other.get(OPEN)
    other.post("/s/small/consent/", {"decline": "yes"})
    other.get(OPEN)
    assert counted() == {}


def test_test_people_are_not_counted(study: Study, client: Client) -> None:
    Study.objects.update(state="paused")
    headers = {clock.HEADER: clock.sign(person="SIM1", at=timezone.now(), order_seed=1)}
    assert Client(headers=headers).get("/s/small/?PROLIFIC_PID=SIM1").status_code == 403
    assert counted() == {}


def test_refusals_are_counted_in_intervals_of_ten_minutes(study: Study) -> None:
    noon = timezone.now().replace(hour=12, minute=0, second=0, microsecond=0)
    for minutes in (0, 9, 10, 29):
        arrival_counts.count_refusal(study, "no_id", at=noon + timedelta(minutes=minutes))
    rows = RefusedArrivals.objects.order_by("start").values_list("start", "n")
    assert [((start - noon).seconds // 60, n) for start, n in rows] == [(0, 2), (10, 1), (20, 1)]


# ── Many new participants from one address ───────────────────────────────────────────────────


@pytest.fixture
def two_an_hour(study: Study, settings: Settings) -> None:
    settings.NEW_PARTICIPANTS_PER_ADDRESS = 2
    settings.BEHIND_PROXY = False


def come(query: str = "", address: str = ELSEWHERE, client: Client | None = None) -> int:
    return int((client or Client()).get(OPEN + query, REMOTE_ADDR=address).status_code)


def nearly_an_hour_later() -> None:
    AddressArrivals.objects.update(start=timezone.now() - timedelta(minutes=59))


@pytest.mark.usefixtures("two_an_hour")
@pytest.mark.parametrize("queries", [["", "", ""], [arrival(name) for name in "abc"]])
def test_third_new_participant_of_an_address_has_to_wait(queries: list[str]) -> None:
    assert [come(query) for query in queries] == [302, 302, 429]
    assert Participant.objects.count() == 2
    assert counted() == {"too_many": 1}
    assert come(queries[2], OTHER) == 302
    nearly_an_hour_later()
    assert come(arrival("d")) == 429
    AddressArrivals.objects.update(start=timezone.now() - timedelta(minutes=60))
    assert come(arrival("d")) == 302


@pytest.mark.usefixtures("two_an_hour")
def test_person_who_has_to_wait_reads_how_long_and_what_else_to_do() -> None:
    for _ in range(2):
        come()
    nearly_an_hour_later()
    reply = Client().get(OPEN, REMOTE_ADDR=ELSEWHERE)
    assert 0 < int(reply.headers["Retry-After"]) <= 60
    html = reply.content.decode()
    for said in (
        "Please try again later",
        "This is not your fault",
        "open your link again in 1 minute, or use another connection",
        "open your link in the browser that you used",
        "Please send the researchers a message on Prolific.",
        "Call <strong>988</strong>",
    ):
        assert said in html, said


@pytest.mark.usefixtures("two_an_hour")
def test_people_who_have_begun_go_on_whatever_others_do() -> None:
    own, of_prolific = Client(), Client()
    for client, query in ((own, ""), (of_prolific, arrival("anna", session="theirs"))):
        assert come(query, client=client) == 302
        client.post("/s/small/consent/", {"agree": "yes"})
    assert come() == 429
    assert come(client=own) == 302
    assert come(arrival("anna", session="theirs"), client=of_prolific) == 302
    # in a new browser, with a submission of theirs
    assert come(arrival("anna", session="theirs")) == 302
    resume = f"?resume={Participant.objects.get(source='link').secret}"
    assert come(resume) == 302


@pytest.mark.usefixtures("two_an_hour")
def test_limit_does_not_tell_whose_id_is_known() -> None:
    come(arrival("anna", session="theirs"))
    come()
    known, unknown = (
        Client().get(OPEN + arrival(name, session="made-up"), REMOTE_ADDR=ELSEWHERE)
        for name in ("anna", "ben")
    )
    assert known.status_code == unknown.status_code == 429
    assert known.content == unknown.content
    assert not Browser.objects.exists()


@pytest.mark.usefixtures("two_an_hour")
def test_signed_links_simulated_raters_and_this_machine_have_no_limit(study: Study) -> None:
    for number in range(4):
        assert come(f"?invite={Invitation.objects.create(study=study).token}") == 302
        name = f"SIM{number}"
        headers = {clock.HEADER: clock.sign(person=name, at=timezone.now(), order_seed=1)}
        assert come(f"?PROLIFIC_PID={name}", client=Client(headers=headers)) == 302
        for here in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
            assert come(address=here) == 302
    assert not AddressArrivals.objects.exists()


@pytest.mark.usefixtures("two_an_hour")
def test_behind_a_proxy_the_clients_address_counts(settings: Settings) -> None:
    settings.BEHIND_PROXY = True
    codes = [
        Client().get(OPEN, REMOTE_ADDR="172.18.0.2", headers={"x-forwarded-for": sent}).status_code
        for sent in (ELSEWHERE, f"203.0.113.{1}, {ELSEWHERE}", ELSEWHERE, OTHER)
    ]
    assert codes == [302, 302, 429, 302]


@pytest.mark.usefixtures("two_an_hour")
def test_ipv6_addresses_of_one_connection_are_one() -> None:
    assert [come(address=f"2001:db8::{n}") for n in (1, 2, 3)] == [302, 302, 429]
    assert come(address="2001:db8:0:1::1") == 302


@pytest.mark.usefixtures("two_an_hour")
def test_limit_can_be_taken_away(settings: Settings) -> None:
    settings.NEW_PARTICIPANTS_PER_ADDRESS = 0
    assert {come() for _ in range(5)} == {302}


@pytest.mark.usefixtures("two_an_hour")
def test_address_is_stored_as_a_keyed_hash_of_each_study_for_an_hour(study: Study) -> None:
    come()
    row = AddressArrivals.objects.get()
    assert ELSEWHERE not in row.address and len(row.address) == 64
    other = Study(slug="other")
    assert arrival_counts.hash_of_address(study, ELSEWHERE) == row.address
    assert arrival_counts.hash_of_address(other, ELSEWHERE) != row.address
    forget_old_addresses(at=row.start + timedelta(minutes=59))
    assert AddressArrivals.objects.exists()
    forget_old_addresses(at=row.start + timedelta(minutes=60))
    assert not AddressArrivals.objects.exists()


def test_a_whole_class_starts_at_once_by_default(study: Study) -> None:
    assert {come(arrival(f"student {n}")) for n in range(60)} == {302}
    assert Identity.objects.count() == 60
