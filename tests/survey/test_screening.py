"""Questions at the start that decide who may take part, and can be answered once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client

from survey.answers import LastPage, OutOfOrder, record_screening
from survey.models import DemographicAnswer, Invitation, Participant, Slot, Study
from tests.prolific import arrival, prolific_id
from tests.survey import small_study
from tests.survey.visiting import begin, reopen

pytestmark = pytest.mark.django_db

SCREENING = """
screening:
  - name: first_language
    question: Which language did you learn first?
    options: [English, Another]
    eligible: [English]
  - name: country
    question: Where do you live?
    options: [United States, Canada, Elsewhere]
    eligible: [United States, Canada]
"""
PAGE = "/s/small/page/1/"
RIGHT = {"first_language": "English", "country": "Canada"}
WRONG = {"first_language": "Another", "country": "Canada"}


@pytest.fixture
def study(db: None) -> Study:
    study = small_study.load(yaml=small_study.YAML + SCREENING)
    study.settings["prolific"]["screened_out_code"] = "SCREEN1"
    study.save()
    return study


def test_questions_come_first_and_nothing_is_chosen_beforehand(
    study: Study, client: Client
) -> None:
    begin(client)
    html = client.get(PAGE).content.decode()
    assert "Page 1 of 8" in html
    assert "Which language did you learn first?" in html
    assert "checked" not in html


def test_who_is_eligible_goes_on(study: Study, client: Client) -> None:
    participant = begin(client)
    assert client.post(PAGE, RIGHT).headers["Location"] == "/s/small/page/2/"
    participant.refresh_from_db()
    assert participant.status == "in_progress"
    assert dict(DemographicAnswer.objects.values_list("name", "value")) == RIGHT


def test_who_is_not_eligible_ends_with_a_text_and_a_code_of_their_own(
    study: Study, client: Client
) -> None:
    participant = begin(client)
    reply = client.post(PAGE, WRONG, follow=True)
    html = reply.content.decode()
    assert reply.redirect_chain == [("/s/small/end/", 302)]
    assert "You are not eligible for this study" in html
    assert 'id="completion-code">SCREEN1<' in html
    assert "https://app.prolific.com/submissions/complete?cc=SCREEN1" in html
    assert "DONE1" not in html
    participant.refresh_from_db()
    assert (participant.status, participant.ending) == ("screened_out", "screened_out")
    assert participant.finished_at is not None


def test_ending_does_not_tell_which_answer_it_was(study: Study, client: Client) -> None:
    begin(client)
    html = client.post(PAGE, WRONG, follow=True).content.decode()
    assert "language" not in html.replace("<html lang", "")
    assert "English" not in html


def test_place_of_somebody_screened_out_is_free_again(study: Study, client: Client) -> None:
    study.settings["places"]["maximum"] = 1
    study.save()
    begin(client)
    other = Client()
    assert other.get(f"/s/small/{arrival('other')}").status_code == 403
    client.post(PAGE, WRONG)
    assert Slot.objects.get().participant is None
    begin(other, f"/s/small/{arrival('other')}")
    assert Participant.objects.get(identity__key=prolific_id("other")).slot == 0


@pytest.mark.parametrize("sent", [{}, {"first_language": "English"}, RIGHT | {"country": "Mars"}])
def test_every_question_needs_an_answer_from_the_list(
    study: Study, client: Client, sent: dict[str, str]
) -> None:
    participant = begin(client)
    reply = client.post(PAGE, sent)
    assert reply.status_code == 422
    assert "Choose an answer: Where do you live?" in reply.content.decode()
    assert 'aria-describedby="q-country-error"' in reply.content.decode()
    participant.refresh_from_db()
    assert participant.status == "in_progress"
    assert not DemographicAnswer.objects.exists()


# ── It can't be found out what to answer ─────────────────────────────────────────────────────


@pytest.mark.parametrize("address", [PAGE, "/s/small/page/2/", "/s/small/consent/"])
def test_screened_out_people_stay_so_whatever_page_they_open_or_send(
    study: Study, client: Client, address: str
) -> None:
    participant = begin(client)
    client.post(PAGE, WRONG)
    assert client.get(address).headers["Location"] == "/s/small/end/"
    sent = RIGHT | {"agree": "yes"}
    assert client.post(address, sent).headers["Location"] == "/s/small/end/"
    participant.refresh_from_db()
    assert participant.status == "screened_out"
    assert dict(DemographicAnswer.objects.values_list("name", "value")) == WRONG


def test_same_prolific_id_in_another_browser_meets_the_same_ending(
    study: Study, client: Client
) -> None:
    begin(client)
    client.post(PAGE, WRONG)
    reply = reopen(Client())
    assert b"SCREEN1" in reply.content
    assert b"You have been here before" in reply.content
    assert Participant.objects.count() == 1


def test_same_invitation_meets_the_same_ending(study: Study, client: Client) -> None:
    link = f"/s/small/?invite={Invitation.objects.create(study=study).token}"
    begin(client, link)
    client.post(PAGE, WRONG)
    assert b"You are not eligible for this study" in Client().get(link, follow=True).content
    assert Participant.objects.count() == 1


def test_open_link_meets_the_same_ending_in_the_same_browser(study: Study, client: Client) -> None:
    begin(client, "/s/small/")
    client.post(PAGE, WRONG)
    assert b"You are not eligible for this study" in client.get("/s/small/", follow=True).content
    assert Participant.objects.count() == 1


def test_answers_that_were_right_can_not_be_changed_either(study: Study, client: Client) -> None:
    participant = begin(client)
    client.post(PAGE, RIGHT)
    assert client.get(PAGE).headers["Location"] == "/s/small/page/2/"
    assert client.post(PAGE, WRONG).headers["Location"] == "/s/small/page/2/"
    participant.refresh_from_db()
    assert participant.status == "in_progress"
    assert b"/page/1/" not in client.get("/s/small/page/2/").content  # no way back


@pytest.mark.django_db(transaction=True)
def test_of_two_answers_at_the_same_moment_one_counts(study: Study, client: Client) -> None:
    participant = begin(client)

    def answer(values: dict[str, str]) -> bool:
        try:
            record_screening(
                participant=participant,
                values=dict(values),
                eligible=values == RIGHT,
                page=1,
                last=LastPage(8),
                at=participant.last_seen_at,
            )
        except OutOfOrder:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(answer, [RIGHT, WRONG]))
    assert sorted(outcomes) == [False, True]
    participant.refresh_from_db()
    assert (participant.status == "in_progress") == outcomes[0]
    assert dict(DemographicAnswer.objects.values_list("name", "value")) == (
        RIGHT if outcomes[0] else WRONG
    )
