"""How a survey ends: each ending has its text, its code where there is one, and help."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from survey.models import Identity, Participant, Slot, Study
from tests.prolific import arrival, prolific_id
from tests.survey import small_study
from tests.survey.test_screening import SCREENING, WRONG
from tests.survey.visiting import LINK, begin, form_of, reopen, take

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]  # what pages ask and say

CODES = {
    "completed": "DONE1",
    "failed_attention": "FAIL1",
    "failed_comprehension": "RETURN1",
    "screened_out": "SCREEN1",
    "declined": "NOPE1",
    "full": "FULL1",
    "withdrawn": "GONE1",
}
LAST_PAGE = 8  # screening, instructions, four blocks, one attention check, demographics
ENDINGS = pytest.mark.parametrize("ending", list(CODES))


@pytest.fixture
def study(db: None) -> Study:
    study = small_study.load(yaml=small_study.YAML + SCREENING)
    codes = {("completion_code" if e == "completed" else f"{e}_code"): c for e, c in CODES.items()}
    study.settings["prolific"] |= codes | {"failed_attention_from": 1}
    study.save()
    return study


def reach(study: Study, ending: str, link: str = LINK) -> tuple[int, str]:
    """Take the survey to this ending. Returns the status and the text of its page."""
    client = Client()
    if ending == "full":
        study.settings["places"]["maximum"] = 1
        study.save()
        begin(Client(), f"/s/small/{arrival('first')}")
        reply = client.get(link)
        return reply.status_code, reply.content.decode()
    if ending == "declined":
        client.get(link)
        reply = client.post("/s/small/consent/", {"decline": "yes"}, follow=True)
        return reply.status_code, reply.content.decode()
    if ending == "failed_comprehension":
        checked = small_study.definition(small_study.YAML + small_study.COMPREHENSION)
        study.definition["comprehension"] = checked.model_dump(mode="json")["comprehension"]
        study.loaded_at = timezone.now()
        study.save()
    begin(client, link)
    if ending == "withdrawn":
        html = client.get("/s/small/stop/").content.decode()
        address = re.findall(r'href="(/s/small/withdraw/[^"]+)"', html)[0]
        reply = client.post(address, {"delete": "yes"}, follow=True)
        return reply.status_code, reply.content.decode()
    if ending == "screened_out":
        reply = client.post("/s/small/page/1/", WRONG, follow=True)
        return reply.status_code, reply.content.decode()
    client.post("/s/small/page/1/", {"first_language": "English", "country": "Canada"})
    if ending == "failed_comprehension":
        client.post("/s/small/page/2/")
        wrong = {"task": "The best reply only", "purpose": "Nobody"}
        for attempt in ("1", "2"):
            sent = wrong | {"attempt-number": attempt}
            reply = client.post("/s/small/page/3/", sent, follow=True)
        return reply.status_code, reply.content.decode()
    take(client, range(2, LAST_PAGE), value=2 if ending == "completed" else 3)
    reply = client.post(f"/s/small/page/{LAST_PAGE}/", {}, follow=True)
    return reply.status_code, reply.content.decode()


@ENDINGS
def test_ending_shows_its_own_code_to_copy_and_to_follow(study: Study, ending: str) -> None:
    status, html = reach(study, ending)
    code = CODES[ending]
    assert status == (403 if ending == "full" else 200)
    assert f'<output id="completion-code">{code}</output>' in html
    assert 'data-copy="completion-code"' in html
    assert f'href="https://app.prolific.com/submissions/complete?cc={code}"' in html
    assert [other for other in CODES.values() if other != code and other in html] == []


@ENDINGS
def test_ending_shows_the_text_of_the_study(study: Study, ending: str) -> None:
    name = "thanks" if ending == "completed" else ending
    study.definition["texts"][name] = f"Our words when *{ending}*."
    study.loaded_at = timezone.now()
    study.save()
    assert f"<p>Our words when <em>{ending}</em>.</p>" in reach(study, ending)[1]


@ENDINGS
def test_ending_has_one_heading_and_offers_help_without_asking(study: Study, ending: str) -> None:
    _, html = reach(study, ending)
    assert html.count("<h1") == 1
    assert "<details open><summary>Help and support</summary>" in html
    assert "Call <strong>988</strong>" in html


@ENDINGS
def test_ending_without_a_code_says_how_to_leave_prolific(study: Study, ending: str) -> None:
    if ending in ("completed", "failed_attention"):
        return  # the first must have one, the second exists only with one
    study.settings["prolific"][f"{ending}_code"] = None
    study.save()
    _, html = reach(study, ending)
    assert "choosing “Stop without completing”" in html
    assert "completion-code" not in html


@ENDINGS
def test_people_of_the_open_link_see_nothing_of_prolific(study: Study, ending: str) -> None:
    _, html = reach(study, ending, "/s/small/")
    assert "completion-code" not in html
    assert "Prolific" not in html
    assert [code for code in CODES.values() if code in html] == []


@ENDINGS
def test_coming_back_shows_the_same_ending_again(study: Study, ending: str) -> None:
    reach(study, ending)
    if ending == "declined":
        return  # to agree in another browser undoes it: test_reconsidering.py
    reply = Client().get(LINK) if ending == "full" else reopen(Client())
    html = reply.content.decode()
    assert f'<output id="completion-code">{CODES[ending]}</output>' in html
    said = {
        "completed": "each person can take part only once",
        "failed_attention": "each person can take part only once",
        "failed_comprehension": "You have been here before.",
        "screened_out": "You have been here before.",
    }
    assert {text for text in said.values() if text in html} == {said.get(ending)} - {None}


def test_data_are_stored_before_the_code_is_shown(study: Study, client: Client) -> None:
    participant = begin(client)
    client.post("/s/small/page/1/", {"first_language": "English", "country": "Canada"})
    take(client, range(2, LAST_PAGE))
    reply = client.post(f"/s/small/page/{LAST_PAGE}/", {"age": "41"})
    assert (reply.status_code, reply.content) == (302, b"")
    participant.refresh_from_db()
    assert (participant.status, participant.ending) == ("completed", "completed")
    assert participant.demographic_answers.get(name="age").value == 41


def test_code_with_signs_reaches_prolific_as_it_is(study: Study) -> None:
    study.settings["prolific"] |= {
        "completion_code": "A&B #1",
        "return_url": "https://panel.example/back?study=7",
    }
    study.save()
    _, html = reach(study, "completed")
    assert ">A&amp;B #1</output>" in html
    assert 'href="https://panel.example/back?study=7&amp;cc=A%26B+%231"' in html


def test_who_completed_keeps_a_code_when_the_study_takes_one_back(study: Study) -> None:
    study.settings["prolific"]["failed_attention_code"] = None
    study.save()
    _, html = reach(study, "failed_attention")
    assert f'<output id="completion-code">{CODES["completed"]}</output>' in html


@pytest.mark.parametrize("failed", [0, 1])
def test_failed_checks_count_only_from_the_number_the_study_says(study: Study, failed: int) -> None:
    study.settings["prolific"]["failed_attention_from"] = failed + 1
    study.save()
    assert CODES["completed"] in reach(study, "failed_attention" if failed else "completed")[1]
    assert Participant.objects.get().ending == "completed"


def test_every_page_on_the_way_offers_to_stop_and_help(study: Study, client: Client) -> None:
    begin(client)
    for number in range(1, LAST_PAGE + 1):
        html = client.get(f"/s/small/page/{number}/").content.decode()
        assert '<a href="/s/small/stop/?whose=' in html
        assert "<details><summary>Help and support</summary>" in html
        if number == 1:
            client.post("/s/small/page/1/", {"first_language": "English", "country": "Canada"})
        elif number < LAST_PAGE:
            client.post(f"/s/small/page/{number}/", form_of(client, number))


def test_stopping_keeps_what_was_sent_and_says_how_to_go_on_or_delete(
    study: Study, client: Client
) -> None:
    participant = begin(client)
    html = client.get("/s/small/stop/").content.decode()
    assert '<a class="button" href="/s/small/page/1/">Continue the survey</a>' in html
    assert "Stop and delete my answers</a>" in html
    assert "Call <strong>988</strong>" in html
    participant.refresh_from_db()
    assert participant.status == "in_progress"


@pytest.mark.parametrize(("link", "offered"), [("/s/small/", True), (LINK, False)])
def test_stopping_shows_the_personal_link_to_whom_a_cookie_alone_remembers(
    study: Study, client: Client, link: str, offered: bool
) -> None:
    participant = begin(client, link)
    html = client.get("/s/small/stop/").content.decode()
    address = f'href="http://testserver/s/small/?resume={participant.secret}"'
    assert (address in html) == offered


@pytest.mark.parametrize(
    ("written", "shown"),
    [(None, "988lifeline.org"), ("Call Ana.", "<p>Call Ana.</p>"), (False, "")],
    ids=["the interface's own", "the study's", "none"],
)
def test_help_is_the_studys_own_or_for_the_united_states_or_none(
    study: Study, client: Client, written: str | bool | None, shown: str
) -> None:
    study.definition["texts"]["help"] = written
    study.loaded_at = timezone.now()
    study.save()
    html = client.get(f"/s/small/{arrival('abc1')}", follow=True).content.decode()
    assert ("Help and support" in html) == bool(shown)
    assert shown in html


# ── Full ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def one_place(study: Study) -> Study:
    study.settings["places"]["maximum"] = 1
    study.save()
    return study


def test_full_study_says_so_at_arrival_and_stores_nothing(one_place: Study) -> None:
    begin(Client(), f"/s/small/{arrival('first')}")
    reply = Client().get(f"/s/small/{arrival('late')}")
    assert reply.status_code == 403
    assert b"All places are taken" in reply.content
    assert list(Identity.objects.values_list("key", flat=True)) == [prolific_id("first")]


def test_last_place_taken_while_somebody_reads_is_told_at_consent(one_place: Study) -> None:
    reader = Client()
    reader.get(f"/s/small/{arrival('reader')}")
    begin(Client(), f"/s/small/{arrival('quicker')}")
    reply = reader.post("/s/small/consent/", {"agree": "yes"})
    assert reply.status_code == 403
    assert b">FULL1</output>" in reply.content
    person = Participant.objects.get(identity__key=prolific_id("reader"))
    assert (person.status, person.ending, person.consented_at) == ("arrived", "full", None)
    assert not person.presentations.exists()
    assert Slot.objects.count() == 1


def test_somebody_turned_away_is_told_at_once_when_they_come_back(one_place: Study) -> None:
    reader = Client()
    reader.get(f"/s/small/{arrival('reader')}")
    begin(Client(), f"/s/small/{arrival('quicker')}")
    assert b"All places are taken" in reader.get(f"/s/small/{arrival('reader')}").content


def test_somebody_turned_away_begins_when_a_place_is_free_again(one_place: Study) -> None:
    reader, quicker = Client(), Client()
    reader.get(f"/s/small/{arrival('reader')}")
    begin(quicker, f"/s/small/{arrival('quicker')}")
    reader.post("/s/small/consent/", {"agree": "yes"})
    quicker.post("/s/small/page/1/", WRONG)
    begin(reader, f"/s/small/{arrival('reader')}")
    person = Participant.objects.get(identity__key=prolific_id("reader"))
    assert (person.status, person.ending) == ("in_progress", "")


def test_stale_person_whose_place_was_taken_still_finishes_and_gets_the_code(
    one_place: Study,
) -> None:
    slow = Client()
    person = begin(slow, f"/s/small/{arrival('slow')}")
    slow.post("/s/small/page/1/", {"first_language": "English", "country": "Canada"})
    Participant.objects.update(last_seen_at=timezone.now() - timedelta(hours=3))
    begin(Client(), f"/s/small/{arrival('next')}")
    assert Slot.objects.get().participant != person
    take(slow, range(2, LAST_PAGE))
    reply = slow.post(f"/s/small/page/{LAST_PAGE}/", {}, follow=True)
    assert b">DONE1</output>" in reply.content
    person.refresh_from_db()
    assert person.status == "completed"
    assert Slot.objects.count() == 1
