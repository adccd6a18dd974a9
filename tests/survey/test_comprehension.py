"""The comprehension check: questions about the instructions, two attempts, an ending of its own."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from survey.answers import LastPage, OutOfOrder
from survey.attempts import record_comprehension
from survey.models import (
    ComprehensionAttempt,
    Invitation,
    PageTime,
    Participant,
    Rating,
    Slot,
    Study,
)
from survey.tidy import (
    ComprehensionOutcomes,
    comprehension_outcomes,
    comprehension_rows,
    page_time_rows,
    reading,
)
from survey.withdrawal import withdraw
from tests.prolific import arrival, prolific_id
from tests.survey import small_study
from tests.survey.visiting import begin, reopen

pytestmark = pytest.mark.django_db

PAGE = "/s/small/page/2/"
RIGHT = {"task": "Each reply on its own", "purpose": "A person in need"}
WRONG = RIGHT | {"purpose": "Nobody"}


def sent(answers: dict[str, str], attempt: int) -> dict[str, str]:
    return answers | {"attempt-number": str(attempt)}


@pytest.fixture
def study(db: None) -> Study:
    study = small_study.load(yaml=small_study.YAML + small_study.COMPREHENSION)
    study.settings["prolific"]["failed_comprehension_code"] = "RETURN1"
    study.save()
    return study


@pytest.fixture
def participant(study: Study, client: Client) -> Participant:
    """Somebody who has just read the instructions."""
    participant = begin(client)
    assert client.post("/s/small/page/1/").headers["Location"] == PAGE
    return participant


def attempts(participant: Participant) -> list[tuple[int, dict[str, str], bool]]:
    rows = ComprehensionAttempt.objects.filter(participant=participant)
    return list(rows.values_list("number", "answers", "passed"))


def status(participant: Participant) -> str:
    participant.refresh_from_db()
    return participant.status


def test_questions_follow_the_instructions_and_nothing_is_chosen_beforehand(
    participant: Participant, client: Client
) -> None:
    html = client.get(PAGE).content.decode()
    assert "Page 2 of 8" in html
    assert "Questions about the instructions" in html
    assert "What do you rate?" in html
    assert "try once more" in html
    assert "checked" not in html
    assert 'href="/s/small/page/1/"' in html  # back to the instructions


def test_whoever_answers_all_right_goes_on_and_can_not_come_back(
    participant: Participant, client: Client
) -> None:
    assert client.post(PAGE, sent(RIGHT, 1)).headers["Location"] == "/s/small/page/3/"
    assert attempts(participant) == [(1, RIGHT, True)]
    assert client.get(PAGE).headers["Location"] == "/s/small/page/3/"
    assert b"/page/2/" not in client.get("/s/small/page/3/").content
    assert PageTime.objects.get(kind="comprehension").answered_at is not None


def test_after_a_first_failure_the_instructions_come_again_with_the_wrong_question_marked(
    participant: Participant, client: Client
) -> None:
    reply = client.post(PAGE, sent(WRONG, 1), follow=True)
    assert reply.redirect_chain == [(PAGE, 302)]
    html = reply.content.decode()
    assert "Not all of your answers were right" in html
    assert "Rate each reply on its own." in html  # the instructions
    assert "This is your last attempt" in html
    assert '<a href="#q-purpose">Who reads the replies?</a>' in html
    assert '<a href="#q-task">' not in html
    assert html.count("Your answer was not right.") == 1
    # What was right is chosen again. Nothing tells the answer to the other.
    assert html.count(" checked") == 1
    assert 'value="Each reply on its own" checked' in html
    assert status(participant) == "in_progress"


def test_second_attempt_can_pass(participant: Participant, client: Client) -> None:
    client.post(PAGE, sent(WRONG, 1))
    assert client.post(PAGE, sent(RIGHT, 2)).headers["Location"] == "/s/small/page/3/"
    assert attempts(participant) == [(1, WRONG, False), (2, RIGHT, True)]
    assert status(participant) == "in_progress"


def test_second_failure_ends_with_a_text_and_a_code_of_its_own_and_frees_the_place(
    participant: Participant, client: Client
) -> None:
    client.post(PAGE, sent(WRONG, 1))
    reply = client.post(PAGE, sent(WRONG, 2), follow=True)
    html = reply.content.decode()
    assert reply.redirect_chain == [("/s/small/end/", 302)]
    assert "The study ends here" in html
    assert "not held against you" in html
    assert 'id="completion-code">RETURN1<' in html
    assert "DONE1" not in html
    assert status(participant) == participant.ending == "failed_comprehension"
    assert participant.finished_at is not None
    assert participant.held_pool == ""
    assert Slot.objects.get().participant is None
    assert not Rating.objects.exists()
    begin(Client(), f"/s/small/{arrival('next')}")
    assert Participant.objects.get(identity__key=prolific_id("next")).slot == 0


def test_study_may_allow_one_attempt_and_says_the_ending_in_its_own_words(
    db: None, client: Client
) -> None:
    own = small_study.YAML.replace("  thanks:", "  failed_comprehension: So long.\n  thanks:")
    once = small_study.COMPREHENSION.replace("comprehension:", "comprehension:\n  attempts: 1")
    small_study.load(yaml=own + once)
    begin(client)
    client.post("/s/small/page/1/")
    assert b"try once more" not in client.get(PAGE).content
    assert b"So long." in client.post(PAGE, sent(WRONG, 1), follow=True).content


# ── No attempt is lost, and there is no third one ────────────────────────────────────────────


def test_form_that_is_sent_twice_is_one_attempt(participant: Participant, client: Client) -> None:
    for _ in range(3):
        assert client.post(PAGE, sent(WRONG, 1)).headers["Location"] == PAGE
    assert attempts(participant) == [(1, WRONG, False)]
    assert b"This is your last attempt" in client.get(PAGE).content


def test_other_answers_on_a_page_that_was_sent_are_no_second_first_attempt(
    participant: Participant, client: Client
) -> None:
    client.post(PAGE, sent(WRONG, 1))
    client.post(PAGE, sent(RIGHT, 1))  # by the browser's button, from the page in its memory
    assert attempts(participant) == [(1, WRONG, False)]
    assert status(participant) == "in_progress"


@pytest.mark.parametrize("number", ["", "0", "2", "3", "x", "-1", "99999999999"])
def test_attempt_that_is_not_the_next_one_is_not_recorded(
    participant: Participant, client: Client, number: str
) -> None:
    assert client.post(PAGE, RIGHT | {"attempt-number": number}).headers["Location"] == PAGE
    assert attempts(participant) == []


@pytest.mark.parametrize("answers", [{}, {"task": RIGHT["task"]}, RIGHT | {"purpose": "Mars"}])
def test_attempt_with_an_open_question_is_no_attempt(
    participant: Participant, client: Client, answers: dict[str, str]
) -> None:
    reply = client.post(PAGE, sent(answers, 1))
    assert reply.status_code == 422
    assert "Choose an answer: Who reads the replies?" in reply.content.decode()
    assert attempts(participant) == []


@pytest.mark.parametrize("address", [PAGE, "/s/small/page/3/", "/s/small/consent/"])
def test_whoever_failed_stays_so_whatever_page_they_open_or_send(
    participant: Participant, client: Client, address: str
) -> None:
    client.post(PAGE, sent(WRONG, 1))
    client.post(PAGE, sent(WRONG, 2))
    assert client.get(address).headers["Location"] == "/s/small/end/"
    assert client.post(address, sent(RIGHT, 3) | {"agree": "yes"}).headers["Location"] == (
        "/s/small/end/"
    )
    assert status(participant) == "failed_comprehension"
    assert len(attempts(participant)) == 2


def test_second_device_continues_with_the_second_attempt_and_shows_no_earlier_answer(
    participant: Participant, client: Client
) -> None:
    client.post(PAGE, sent(WRONG, 1))
    other = Client()
    html = reopen(other, f"/s/small/{arrival('abc123', session='another')}").content.decode()
    assert "This is your last attempt" in html
    assert " checked" not in html
    assert "Your answer was not right." not in html
    reply = other.post(PAGE, sent(WRONG, 2), follow=True)
    assert b"RETURN1" in reply.content
    assert client.post(PAGE, sent(RIGHT, 2)).headers["Location"] == "/s/small/end/"
    assert [number for number, *_ in attempts(participant)] == [1, 2]


def test_same_invitation_meets_the_same_ending(study: Study, client: Client) -> None:
    link = f"/s/small/?invite={Invitation.objects.create(study=study).token}"
    begin(client, link)
    client.post("/s/small/page/1/")
    client.post(PAGE, sent(WRONG, 1))
    client.post(PAGE, sent(WRONG, 2))
    html = Client().get(link, follow=True).content.decode()
    assert "You have been here before" in html
    assert "The study ends here" in html
    assert Participant.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_second_attempts_at_the_same_moment_one_counts(
    participant: Participant, client: Client
) -> None:
    client.post(PAGE, sent(WRONG, 1))

    def attempt(answers: dict[str, str]) -> bool:
        try:
            record_comprehension(
                participant=participant,
                attempt=2,
                answers=answers,
                passed=answers == RIGHT,
                attempts=2,
                page=2,
                last=LastPage(8),
                at=timezone.now(),
            )
        except OutOfOrder:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(attempt, [RIGHT, WRONG]))
    assert sorted(outcomes) == [False, True]
    assert [number for number, *_ in attempts(participant)] == [1, 2]
    assert (status(participant) == "in_progress") == outcomes[0]


def test_database_itself_refuses_a_third_attempt_and_one_twice(participant: Participant) -> None:
    for number in (1, 2):
        ComprehensionAttempt.objects.create(
            participant=participant,
            number=number,
            answers=WRONG,
            passed=False,
            answered_at=timezone.now(),
        )
    for number in (2, 3):
        with pytest.raises(IntegrityError), transaction.atomic():
            ComprehensionAttempt.objects.create(
                participant=participant,
                number=number,
                answers=RIGHT,
                passed=True,
                answered_at=timezone.now(),
            )


# ── What is known of it afterwards ───────────────────────────────────────────────────────────


def test_every_attempt_is_exported_with_its_time(
    study: Study, participant: Participant, client: Client
) -> None:
    client.get(PAGE)
    client.post(PAGE, sent(WRONG, 1))
    client.post(PAGE, sent(RIGHT, 2))
    with reading():
        rows = list(comprehension_rows(study, ["prolific"]))
        pages = [row for row in page_time_rows(study, ["prolific"]) if row[2] == "comprehension"]
    assert [row[1:5] for row in rows] == [
        (1, "task", "Each reply on its own", True),
        (1, "purpose", "Nobody", False),
        (2, "task", "Each reply on its own", True),
        (2, "purpose", "A person in need", True),
    ]
    assert all(row[-1] >= 0 for row in rows)  # seconds, also of the second attempt
    assert [row[1] for row in pages] == [2]
    assert pages[0][6] == pytest.approx(sum(row[-1] for row in rows) / 2, abs=0.01)


def test_outcomes_are_counted(study: Study, client: Client) -> None:
    for answers in ([RIGHT], [RIGHT], [WRONG, RIGHT], [WRONG, WRONG], [WRONG]):
        browser = Client()
        begin(browser, f"/s/small/{arrival(str(len(answers)) + str(Participant.objects.count()))}")
        browser.post("/s/small/page/1/")
        for number, each in enumerate(answers, start=1):
            browser.post(PAGE, sent(each, number))
    assert comprehension_outcomes(study, ["prolific"]) == ComprehensionOutcomes(2, 1, 1)
    assert comprehension_outcomes(study, ["link"]) == ComprehensionOutcomes(0, 0, 0)


def test_withdrawal_deletes_the_attempts(participant: Participant, client: Client) -> None:
    client.post(PAGE, sent(WRONG, 1))
    withdraw(participant=participant, at=timezone.now())
    assert not ComprehensionAttempt.objects.exists()
