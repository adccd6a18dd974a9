"""Training items: rated like real responses, with feedback, and never counted as ratings."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from survey.models import PageTime, Participant, Presentation, Rating, Study, TrainingAttempt
from survey.tidy import page_time_rows, rating_rows, reading, training_rows
from survey.withdrawal import withdraw
from tests.prolific import arrival
from tests.survey import small_study
from tests.survey.visiting import begin, reopen, take

pytestmark = pytest.mark.django_db

#: Two responses: the first is expected at 1, the second at 2 or 3.
PAGE, NEXT = "/s/small/page/2/", "/s/small/page/3/"
WITHIN, OUTSIDE = (1, 2), (3, 2)
TWICE = small_study.TRAINING.replace("training:", "training:\n  attempts: 2")


def load(training: str = small_study.TRAINING, **texts: str) -> Study:
    return small_study.load(yaml=small_study.YAML + training, **texts)


@pytest.fixture
def study(db: None) -> Study:
    return load()


@pytest.fixture
def participant(study: Study, client: Client) -> Participant:
    return ready(client)


def ready(client: Client) -> Participant:
    """Somebody who has just read the instructions."""
    participant = begin(client)
    assert client.post("/s/small/page/1/").headers["Location"] == PAGE
    return participant


def rated(values: tuple[int, ...], attempt: int = 1) -> dict[str, str]:
    given = {f"r-training{n}-warmth": str(value) for n, value in enumerate(values, start=1)}
    return given | {"attempt-number": str(attempt)}


def page_after(client: Client, values: tuple[int, ...], attempt: int = 1) -> str:
    reply = client.post(PAGE, rated(values, attempt), follow=True)
    assert reply.redirect_chain == [(PAGE, 302)]
    return reply.content.decode()


def tries(participant: Participant) -> list[tuple[str, int, list[dict[str, float]], bool]]:
    rows = TrainingAttempt.objects.filter(participant=participant)
    return list(rows.values_list("name", "number", "ratings", "within"))


def test_items_follow_the_instructions_and_are_rated_on_the_scale_of_the_study(
    participant: Participant, client: Client
) -> None:
    html = client.get(PAGE).content.decode()
    assert "Page 2 of 9" in html
    assert "Practice 1 of 2" in html
    assert "do not count" in html
    assert "My cat died." in html
    assert "You can buy a new one." in html
    assert re.findall(r'type="radio" name="([^"]+)"', html) == (
        ["r-training1-warmth"] * 3 + ["r-training2-warmth"] * 3
    )
    assert "It passes over the grief." not in html
    assert "Experts" not in html


def test_feedback_says_what_experts_gave_and_why(participant: Participant, client: Client) -> None:
    html = page_after(client, OUTSIDE)
    assert "Not all of your ratings are within the expected range" in html
    assert 'role="status" tabindex="-1" autofocus' in html
    assert re.findall(r"<dd>([^<]+)</dd>", html) == (
        ["Very", "Not at all", "Somewhat", "Somewhat to Very"]
    )
    assert re.findall(r'class="verdict">([^<]+)<', html) == (
        ["Outside the expected range", "Within the expected range"]
    )
    assert "It passes over the grief." in html


def test_feedback_stays_until_it_is_read(participant: Participant, client: Client) -> None:
    page_after(client, WITHIN)
    for _ in range(2):
        assert b"All your ratings are within" in client.get(PAGE).content
    assert client.get(NEXT).headers["Location"] == PAGE
    assert client.post(PAGE, {"read": "yes"}).headers["Location"] == NEXT
    assert b"Practice 2 of 2" in client.get(NEXT).content
    assert PageTime.objects.get(page=2).answered_at is not None


def test_feedback_can_be_read_again_and_not_changed(
    participant: Participant, client: Client
) -> None:
    page_after(client, WITHIN)
    client.post(PAGE, {"read": "yes"})
    assert b"All your ratings are within" in client.get(PAGE).content
    client.post(PAGE, rated(OUTSIDE, 2))
    assert client.post(PAGE, {"read": "yes"}).headers["Location"] == NEXT
    assert [number for _, number, *_ in tries(participant)] == [1]


def test_item_is_rated_again_until_it_is_within_the_range(db: None, client: Client) -> None:
    load(TWICE)
    participant = ready(client)
    html = page_after(client, OUTSIDE)
    assert "Not all of your ratings are within the expected range" in html
    assert "Response 1: How warm is this response?" in html
    assert "You chose “Very”. This is outside the expected range." in html
    assert "It passes over the grief." in html
    assert "Response 2: How warm" not in html
    assert "Experts" not in html  # what they gave is told after the last try
    assert html.count(" checked") == 1  # the rating that was within its range
    html = page_after(client, WITHIN, 2)
    assert "All your ratings are within the expected range" in html
    assert client.post(PAGE, {"read": "yes"}).headers["Location"] == NEXT
    assert [row[1:] for row in tries(participant)] == [
        (1, [{"warmth": 3}, {"warmth": 2}], False),
        (2, [{"warmth": 1}, {"warmth": 2}], True),
    ]


def test_last_try_ends_the_item_whatever_it_was(db: None, client: Client) -> None:
    load(TWICE)
    participant = ready(client)
    page_after(client, OUTSIDE)
    assert "Experts" in page_after(client, OUTSIDE, 2)
    assert "Experts" in page_after(client, WITHIN, 3)  # no third try
    assert [within for *_, within in tries(participant)] == [False, False]
    participant.refresh_from_db()
    assert participant.status == "in_progress"


def test_form_that_is_sent_twice_is_one_try(db: None, client: Client) -> None:
    load(TWICE)
    participant = ready(client)
    for _ in range(3):
        page_after(client, OUTSIDE)
    assert len(tries(participant)) == 1


@pytest.mark.parametrize("values", [(), (1,), (1, 9)])
def test_every_response_needs_a_rating(
    participant: Participant, client: Client, values: tuple[int, ...]
) -> None:
    reply = client.post(PAGE, rated(values))
    assert reply.status_code == 422
    assert "Choose a rating for response 2" in reply.content.decode()
    assert tries(participant) == []


def test_reading_feedback_that_there_is_none_of_skips_nothing(
    participant: Participant, client: Client
) -> None:
    assert client.post(PAGE, {"read": "yes"}).headers["Location"] == PAGE
    assert client.get(NEXT).headers["Location"] == PAGE


def test_second_device_gets_the_feedback_without_the_ratings(
    participant: Participant, client: Client
) -> None:
    page_after(client, OUTSIDE)
    other = Client()
    link = f"/s/small/{arrival('abc123', session='another')}"
    html = reopen(other, link).content.decode()
    assert re.findall(r"<dd>([^<]+)</dd>", html) == ["Not at all", "Somewhat to Very"]
    assert other.post(PAGE, {"read": "yes"}).headers["Location"] == NEXT


def test_items_of_a_study_in_two_languages_come_in_that_of_the_participant(
    db: None, client: Client
) -> None:
    training = """
training:
  items:
    - name: one
      prompt: {en: My cat died., zh-hans: 我的猫死了。}
      responses:
        - text: {en: Oh no., zh-hans: 哎呀。}
          why: {en: It is short., zh-hans: 太短了。}
          expected: {warmth: [1, 2]}
"""
    small_study.load(yaml=small_study.EVERYTHING_YAML + training)
    begin(client)
    client.post("/s/small/page/1/", {"home": "Here"})
    client.post("/s/small/page/2/")
    Participant.objects.update(language="zh-hans")
    page = "/s/small/page/3/"
    html = client.get(page).content.decode()
    assert "我的猫死了。" in html
    assert "练习" in html
    assert "rank-" not in html  # only ratings are trained
    assert "Remarks" not in html
    html = client.post(page, rated((3,)), follow=True).content.decode()
    assert "太短了。" in html
    assert "超出" in html


def test_tries_are_exported_apart_and_count_nowhere_as_ratings(
    study: Study, participant: Participant, client: Client
) -> None:
    client.get(PAGE)
    client.post(PAGE, rated(OUTSIDE))
    client.post(PAGE, {"read": "yes"})
    client.post(NEXT, rated((2,)))
    client.post(NEXT, {"read": "yes"})
    take(client, range(4, 9))
    with reading():
        rows = list(training_rows(study, ["prolific"]))
        ratings = list(rating_rows(study, ["prolific"]))
        pages = [row for row in page_time_rows(study, ["prolific"]) if row[2] == "training"]
    assert [row[1:9] for row in rows] == [
        ("listening", 1, 1, "warmth", 3, 1, 1, False),
        ("listening", 1, 2, "warmth", 2, 2, 3, True),
        ("advice", 1, 1, "warmth", 2, 1, 2, True),
    ]
    assert rows[0][-1] >= 0
    assert rows[2][-1] is None  # its page was never shown
    assert [row[1:4] for row in pages] == [(2, "training", "listening"), (3, "training", "advice")]
    assert len(ratings) == 12 == Rating.objects.count()
    assert Presentation.objects.count() == 4


def test_withdrawal_deletes_the_tries(participant: Participant, client: Client) -> None:
    client.post(PAGE, rated(WITHIN))
    withdraw(participant=participant, at=timezone.now())
    assert not TrainingAttempt.objects.exists()
