"""The participant's pages over Django's test client; a real browser takes them in tests/e2e."""

import re

import pytest
from django.test import Client

from survey.models import (
    AttentionCheck,
    DemographicAnswer,
    Presentation,
    Rating,
    Response,
    Study,
)
from tests.survey import small_study
from tests.survey.visiting import LAST_PAGE, LINK, begin, form_of, page_of_block, reopen, take

pytestmark = pytest.mark.django_db


def test_whole_path_stores_every_answer_and_gives_the_code(study: Study, client: Client) -> None:
    participant = begin(client)
    take(client, range(1, LAST_PAGE), value=3)
    reply = client.post(
        f"/s/small/page/{LAST_PAGE}/",
        {"age": "41", "sex": "Female", "race": ["White", "Asian"], "state": "Ohio"},
        follow=True,
    )
    html = reply.content.decode()
    assert 'id="completion-code">DONE1<' in html
    assert "https://app.prolific.com/submissions/complete?cc=DONE1" in html
    participant.refresh_from_db()
    assert participant.status == "completed"
    assert participant.finished_at is not None
    assert Rating.objects.filter(presentation__participant=participant, value=3).count() == 12
    check = AttentionCheck.objects.get(participant=participant)
    assert (check.answer, check.passed) == (3, False)
    answers = DemographicAnswer.objects.filter(participant=participant)
    assert {answer.name: answer.value for answer in answers} == {
        "age": 41,
        "sex": "Female",
        "race": ["Asian", "White"],
        "state": "Ohio",
    }


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (25, "<span>This takes about 25 minutes.</span>"),
        (1, "<span>This takes about 1 minute.</span>"),
    ],
)
def test_information_says_how_long_it_takes(
    db: None, client: Client, minutes: int, said: str
) -> None:
    yaml = small_study.YAML.replace("estimated_minutes: 5", f"estimated_minutes: {minutes}")
    small_study.load(yaml=yaml)
    assert said in client.get(LINK, follow=True).content.decode()


def test_reference_is_one_response_rated_once_in_each_set(study: Study, client: Client) -> None:
    begin(client)
    take(client, range(1, LAST_PAGE))
    reference = Response.objects.get(scenario__name="S1", system__condition="reference")
    assert Rating.objects.filter(response=reference).count() == 2


def test_page_shows_responses_in_the_stored_order(study: Study, client: Client) -> None:
    participant = begin(client)
    take(client, range(1, 2))
    html = client.get("/s/small/page/2/").content.decode()
    stored = Presentation.objects.get(participant=participant, page=2).response_order
    assert stored is not None
    public_ids = [Response.objects.get(pk=pk).public_id for pk in stored]
    shown = list(dict.fromkeys(re.findall(r'name="r-([0-9a-f]+)-warmth"', html)))
    assert shown == public_ids
    assert '<blockquote dir="auto">I ' in html
    assert "checked" not in html


def test_pages_name_no_model_and_no_condition(study: Study, client: Client) -> None:
    begin(client)
    for number in range(1, LAST_PAGE + 1):
        html = client.get(f"/s/small/page/{number}/").content.decode()
        for name in ("Ant", "Bee", "Oracle", "plain", "tuned", "reference"):
            found = re.search(rf"(?<![\w-]){name}(?![\w-])", html)
            assert not found, html[found.start() - 60 : found.end() + 60]
        if number < LAST_PAGE:
            client.post(f"/s/small/page/{number}/", form_of(client, number))


def test_missing_answers_are_named_and_the_given_ones_kept(study: Study, client: Client) -> None:
    participant = begin(client)
    take(client, range(1, 2))
    number = page_of_block(participant)
    form = form_of(client, number)
    missing = list(form)[1]
    del form[missing]
    reply = client.post(f"/s/small/page/{number}/", form)
    html = reply.content.decode()
    assert reply.status_code == 422
    assert "<title>Error: " in html
    assert f'<a href="#{missing}-1">Choose a rating for response 2</a>' in html
    assert html.count(" checked") == 2
    assert Rating.objects.count() == 0


@pytest.mark.parametrize("value", ["0", "4", "2.5", "two", "", "٢"])
def test_a_value_off_the_scale_is_refused(study: Study, client: Client, value: str) -> None:
    participant = begin(client)
    take(client, range(1, 2))
    number = page_of_block(participant)
    form = form_of(client, number) | {next(iter(form_of(client, number))): value}
    assert client.post(f"/s/small/page/{number}/", form).status_code == 422
    assert Rating.objects.count() == 0


def test_sending_a_page_again_changes_nothing(study: Study, client: Client) -> None:
    participant = begin(client)
    take(client, range(1, 2))
    number = page_of_block(participant)
    form = form_of(client, number)
    for _ in range(3):
        client.post(f"/s/small/page/{number}/", form)
    assert list(Rating.objects.values_list("value", "revisions")) == [(2, 0)] * 3


def test_a_changed_answer_replaces_the_old_and_is_counted(study: Study, client: Client) -> None:
    participant = begin(client)
    take(client, range(1, 2))
    number = page_of_block(participant)
    form = form_of(client, number)
    changed = next(iter(form))
    for value in ("1", "3", "1"):
        client.post(f"/s/small/page/{number}/", form | {changed: value})
    public_id = changed.split("-")[1]
    rating = Rating.objects.get(response__public_id=public_id)
    assert (rating.value, rating.revisions) == (1, 2)
    assert set(Rating.objects.exclude(pk=rating.pk).values_list("revisions", flat=True)) == {0}


def test_going_back_shows_what_was_chosen(study: Study, client: Client) -> None:
    participant = begin(client)
    take(client, range(1, 3))
    number = page_of_block(participant)
    html = client.get(f"/s/small/page/{number}/").content.decode()
    assert re.findall(r'value="(\d)" checked', html) == ["2", "2", "2"]


def test_pages_ahead_lead_back_to_the_open_one(study: Study, client: Client) -> None:
    begin(client)
    for number in (0, 2, 5, LAST_PAGE, 99):
        reply = client.get(f"/s/small/page/{number}/")
        assert reply.headers["Location"] == "/s/small/page/1/"
    reply = client.post(f"/s/small/page/{LAST_PAGE}/", {"age": "30"})
    assert reply.headers["Location"] == "/s/small/page/1/"
    assert not DemographicAnswer.objects.exists()


def test_the_completed_survey_shows_its_code_again_and_takes_nothing_more(
    study: Study, client: Client
) -> None:
    participant = begin(client)
    take(client, range(1, LAST_PAGE))
    form = form_of(client, page_of_block(participant), value=1)
    client.post(f"/s/small/page/{LAST_PAGE}/", {})
    reply = client.post(f"/s/small/page/{page_of_block(participant)}/", form)
    assert reply.headers["Location"] == "/s/small/end/"
    assert set(Rating.objects.values_list("value", flat=True)) == {2}
    assert b"DONE1" in reopen(Client()).content


def test_every_demographic_question_may_be_skipped(study: Study, client: Client) -> None:
    participant = begin(client)
    take(client, range(1, LAST_PAGE))
    client.post(f"/s/small/page/{LAST_PAGE}/", {"age": "", "state": ""})
    participant.refresh_from_db()
    assert participant.status == "completed"
    assert not DemographicAnswer.objects.exists()


@pytest.mark.parametrize("typed", ["34", "３４", "٣٤", " ３４ "])
def test_a_number_is_stored_alike_from_every_keyboard(
    study: Study, client: Client, typed: str
) -> None:
    begin(client)
    take(client, range(1, LAST_PAGE))
    client.post(f"/s/small/page/{LAST_PAGE}/", {"age": typed})
    assert DemographicAnswer.objects.get(name="age").value == 34


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({"age": "１７"}, "Enter a whole number from 18 to 99"),
        ({"age": "17"}, "Enter a whole number from 18 to 99"),
        ({"age": "forty"}, "Enter a whole number from 18 to 99"),
        ({"age": "9" * 40}, "Enter a whole number from 18 to 99"),
        ({"sex": "Neither"}, "Choose from the list"),
        ({"race": ["White", "Green"]}, "Choose from the list"),
        ({"state": "Atlantis"}, "Choose from the list"),
    ],
)
def test_wrong_demographic_answers_are_named_and_nothing_is_stored(
    study: Study, client: Client, sent: dict[str, str], problem: str
) -> None:
    participant = begin(client)
    take(client, range(1, LAST_PAGE))
    reply = client.post(f"/s/small/page/{LAST_PAGE}/", sent)
    assert reply.status_code == 422
    assert problem in reply.content.decode()
    participant.refresh_from_db()
    assert participant.status == "in_progress"
    assert not DemographicAnswer.objects.exists()


def test_what_several_options_count_as_is_not_offered(db: None, client: Client) -> None:
    options = "options: [Asian, Black, Two or more, White]"
    small_study.load(yaml=small_study.YAML.replace("options: [Asian, Black, White]", options))
    begin(client)
    take(client, range(1, LAST_PAGE))
    page = f"/s/small/page/{LAST_PAGE}/"
    boxes = re.findall(r'name="race" value="(.*?)"', client.get(page).content.decode())
    assert boxes == ["Asian", "Black", "White"]
    assert client.post(page, {"race": ["Two or more"]}).status_code == 422


def test_open_link_shows_no_prolific_code(study: Study, client: Client) -> None:
    begin(client, "/s/small/")
    take(client, range(1, LAST_PAGE))
    reply = client.post(f"/s/small/page/{LAST_PAGE}/", {}, follow=True)
    assert b"Thank you." in reply.content
    assert b"DONE1" not in reply.content
