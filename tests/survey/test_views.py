"""The participant's path over Django's test client; a real browser takes it in tests/e2e."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from survey.models import (
    AttentionCheck,
    DemographicAnswer,
    Identity,
    Invitation,
    Participant,
    Presentation,
    Rating,
    Response,
    Study,
)
from survey.simulated import clock
from tests.survey import small_study

LINK = "/s/small/?PROLIFIC_PID=abc123&STUDY_ID=st1&SESSION_ID=se1"
LAST_PAGE = 7  # instructions, four blocks, one attention check, demographics


def begin(client: Client, link: str = LINK) -> Participant:
    """Arrive and consent."""
    client.get(link)
    reply = client.post("/s/small/consent/", {"agree": "yes"})
    assert reply.status_code == 302, reply.content
    return Participant.objects.latest("pk")


def form_of(client: Client, number: int, value: int = 2) -> dict[str, str]:
    """What somebody sends who chooses `value` everywhere on page `number`."""
    html = client.get(f"/s/small/page/{number}/").content.decode()
    names = re.findall(r'type="radio" name="([^"]+)"', html)
    return dict.fromkeys(names, str(value))


def take(client: Client, pages: range, value: int = 2) -> None:
    for number in pages:
        reply = client.post(f"/s/small/page/{number}/", form_of(client, number, value))
        assert reply.status_code == 302, reply.content


def page_of_block(participant: Participant, position: int = 1) -> int:
    page = Presentation.objects.get(participant=participant, position=position).page
    assert page is not None
    return page


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
    assert "<blockquote>I " in html
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


def test_the_same_link_resumes_on_another_device(study: Study, client: Client) -> None:
    begin(client)
    take(client, range(1, 4))
    other_device = Client()
    reply = other_device.get(LINK)
    assert reply.headers["Location"] == "/s/small/page/4/"
    assert other_device.get("/s/small/page/4/").status_code == 200
    assert Participant.objects.count() == 1


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
    reply = Client().get(LINK, follow=True)
    assert b"DONE1" in reply.content


def test_every_demographic_question_may_be_skipped(study: Study, client: Client) -> None:
    participant = begin(client)
    take(client, range(1, LAST_PAGE))
    client.post(f"/s/small/page/{LAST_PAGE}/", {"age": "", "state": ""})
    participant.refresh_from_db()
    assert participant.status == "completed"
    assert not DemographicAnswer.objects.exists()


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
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


def test_consent_needs_its_box_ticked(study: Study, client: Client) -> None:
    client.get(LINK)
    reply = client.post("/s/small/consent/", {})
    assert reply.status_code == 422
    assert b"Tick the box" in reply.content
    assert Participant.objects.get().status == "arrived"


def test_declining_ends_with_its_own_code(study: Study, client: Client) -> None:
    client.get(LINK)
    reply = client.post("/s/small/consent/", {"decline": "yes"}, follow=True)
    assert b"NOPE1" in reply.content
    assert b"DONE1" not in reply.content
    assert Participant.objects.get().status == "declined"
    assert client.get("/s/small/page/1/").headers["Location"] == "/s/small/end/"


def test_first_real_consent_freezes_the_study(study: Study, client: Client) -> None:
    begin(client)
    study.refresh_from_db()
    assert study.frozen_at is not None


@pytest.mark.parametrize("state", ["draft", "paused", "closed"])
def test_nobody_new_enters_a_study_that_is_not_open(
    study: Study, client: Client, state: str
) -> None:
    Study.objects.update(state=state)
    reply = client.get(LINK)
    assert reply.status_code == 403
    assert not Participant.objects.exists()


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_started_people_finish_when_a_study_stops(study: Study, client: Client, state: str) -> None:
    begin(client)
    Study.objects.update(state=state)
    take(client, range(1, LAST_PAGE))
    reply = client.post(f"/s/small/page/{LAST_PAGE}/", {}, follow=True)
    assert b"DONE1" in reply.content


def test_somebody_who_only_read_the_information_does_not_begin_a_paused_study(
    study: Study, client: Client
) -> None:
    client.get(LINK)
    Study.objects.update(state="paused")
    reply = client.post("/s/small/consent/", {"agree": "yes"})
    assert reply.status_code == 403
    assert Participant.objects.get().status == "arrived"


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


def test_open_link_shows_no_prolific_code(study: Study, client: Client) -> None:
    begin(client, "/s/small/")
    take(client, range(1, LAST_PAGE))
    reply = client.post(f"/s/small/page/{LAST_PAGE}/", {}, follow=True)
    assert b"Thank you." in reply.content
    assert b"DONE1" not in reply.content


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


def test_page_without_a_cookie_explains_itself(study: Study, client: Client) -> None:
    for address in ("consent/", "page/3/", "end/"):
        reply = client.get(f"/s/small/{address}")
        assert reply.status_code == 403
        assert b"open your study link again" in reply.content


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


def test_orders_differ_between_participants_and_repeat_with_the_seed(
    study: Study,
) -> None:
    def orders(person: str, seed: int) -> list[object]:
        at = datetime(2026, 1, 5, tzinfo=UTC)
        headers = {clock.HEADER: clock.sign(person=person, at=at, order_seed=seed)}
        client = Client(headers=headers)
        client.get(f"/s/small/?PROLIFIC_PID={person}")
        client.post("/s/small/consent/", {"agree": "yes"})
        shown = Presentation.objects.filter(participant__identity__key=person)
        return list(shown.order_by("position").values_list("block_id", "response_order"))

    assert orders("SIM1", 1) == orders("SIM2", 1)
    assert orders("SIM3", 2) != orders("SIM1", 1)


def test_a_new_version_is_for_new_people_and_the_old_one_for_its_own(
    study: Study, client: Client
) -> None:
    begin(client)
    take(client, range(1, 3))
    newer = small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"))
    assert newer.version == 2
    assert Client().get(LINK).headers["Location"] == "/s/small/page/3/"
    Client().get("/s/small/?PROLIFIC_PID=new1")
    assert Participant.objects.latest("pk").study == newer


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


def test_somebody_who_only_arrived_takes_the_newest_version(study: Study, client: Client) -> None:
    client.get(LINK)
    Study.objects.update(state="closed")
    newer = small_study.load(yaml=small_study.YAML.replace("A small study", "Anew"))
    participant = begin(client)
    assert participant.study == newer
    assert Participant.objects.count() == 1
