"""A study on Prolific from the dashboard: drafted, published, paused, given places; once each."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from dashboard.accounts.prolific import client_of, connect
from dashboard.overview.events import events
from dashboard.prolific.drafts import against_publishing
from dashboard.prolific.models import Recruitment
from dashboard.prolific.polling import read_submissions_of, recruitments_to_read
from dashboard.prolific.steps import create_draft
from dashboard.raters.reconciliation import FINDINGS
from examples.local_prolific.people import send
from examples.local_prolific.server import TOKEN, LocalProlific, local_prolific
from survey.models import Participant, Study, StudyEvent
from survey.prolific.errors import ProlificError
from tests.dashboard.reading import text_of
from tests.prolific import arrival
from tests.survey import small_study

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]
ADDRESS = "/studies/small/prolific/"
PUBLIC = "https://ratings.lakeside.edu"
DRAFT = {
    "name": "How warm are these replies?",
    "description": "Rate replies.",
    "places": "4",
    "reward": "1.50",
    "minutes": "10",
    "devices": ["desktop", "mobile"],
    "review": "automatic",
}
#: What the API needs of a study.
AS_SENT = {
    "name": "A study",
    "description": "Rate replies.",
    "external_study_url": PUBLIC,
    "prolific_id_option": "url_parameters",
    "total_available_places": 4,
    "estimated_completion_time": 10,
    "reward": 150,
}
Post = Callable[..., str]


@pytest.fixture
def prolific(settings: Settings, db: None) -> Iterator[LocalProlific]:
    settings.SITE_URL = PUBLIC
    with local_prolific() as server:
        settings.PROLIFIC_URL = server.api_url
        yield server


@pytest.fixture
def study(db: None) -> Study:
    return small_study.load()


@pytest.fixture
def post(page: Client, researcher: User, prolific: LocalProlific, study: Study) -> Post:
    """Send the page's form: the action and its fields. The page that follows, as text."""
    connect(user=researcher, token=TOKEN)

    def send_form(action: str, **fields: Any) -> str:
        return text_of(page.post(ADDRESS, {"action": action, **fields}, follow=True))

    return send_form


@pytest.fixture
def drafted(post: Post, prolific: LocalProlific) -> str:
    """The id of a draft on Prolific."""
    post("create", **DRAFT)
    [there] = prolific.world.studies
    return there


def cost(prolific: LocalProlific, places: int = 4) -> int:
    return prolific.world.cost(150, places)


def steps() -> list[tuple[str, Any]]:
    taken = StudyEvent.objects.filter(action__startswith="prolific ")
    return [(event.action.partition(" ")[2], event.detail.get("places")) for event in taken]


def requests(prolific: LocalProlific, what: str) -> int:
    return sum(one.startswith(what) for one in prolific.log)


# ── A draft ──────────────────────────────────────────────────────────────────────────────────


def test_page_without_an_account_leads_to_connecting_one(page: Client, study: Study) -> None:
    shown = text_of(page.get(ADDRESS))
    assert "Your account is not connected to Prolific." in shown
    assert "Create a draft" not in shown


def test_form_begins_with_what_the_study_says(post: Post, page: Client) -> None:
    shown = page.get(ADDRESS).content.decode()
    assert 'value="A small study"' in shown
    assert 'name="minutes" value="5"' in shown
    assert 'name="reward" value' not in shown


def test_draft_has_the_studys_link_codes_and_money(
    post: Post, prolific: LocalProlific, page: Client, study: Study
) -> None:
    shown = post("create", **DRAFT | {"sensitive": "on", "warning": "Grief."})
    assert "The draft is on Prolific. Nothing is published or paid yet." in shown
    [theirs] = prolific.world.studies.values()
    assert theirs["external_study_url"].startswith(f"{PUBLIC}/s/small/?PROLIFIC_PID={{{{%PRO")
    assert [code["code"] for code in theirs["completion_codes"]] == ["DONE1", "NOPE1"]
    assert theirs["completion_codes"][0]["actions"] == [{"action": "AUTOMATICALLY_APPROVE"}]
    assert (theirs["reward"], theirs["total_available_places"]) == (150, 4)
    assert (theirs["content_warnings"], theirs["content_warning_details"]) == (
        ["sensitive"],
        "Grief.",
    )
    shown = text_of(page.get(ADDRESS))
    assert "Rewards GBP 6.00" in shown
    assert f"Total GBP {cost(prolific) / 100:.2f}" in shown
    assert "Available GBP 10,000.00 in Local workspace" in shown
    assert steps() == [("create", 4)]
    assert events([study])[0].what == "Draft created on Prolific: 4 places"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"places": "0"}, "greater than or equal to 1"),
        ({"places": "-3"}, "greater than or equal to 1"),
        ({"places": ""}, "This field is required."),
        ({"reward": "-1"}, "greater than or equal to 0"),
        ({"reward": "0.50"}, "£0.50 for 10 minutes is less than Prolific's minimum of £6 an hour"),
        ({"devices": []}, "Choose at least one device."),
        ({"sensitive": "on"}, "Describe the sensitive content."),
        ({"name": ""}, "This field is required."),
    ],
)
def test_draft_with_a_mistake_is_not_sent(
    post: Post, prolific: LocalProlific, change: dict[str, Any], said: str
) -> None:
    assert said in post("create", **DRAFT | change)
    assert prolific.world.studies == {}
    assert steps() == []


def test_reward_that_is_too_low_stands_beside_its_field_with_what_was_written(
    post: Post, page: Client
) -> None:
    sent = {"action": "create", **DRAFT, "reward": "0.50"}
    shown = page.post(ADDRESS, sent).content.decode()
    assert 'value="How warm are these replies?"' in shown
    assert "pay at least £1.00." in shown


def test_study_without_that_way_in_is_not_put_on_prolific(
    post: Post, prolific: LocalProlific, study: Study
) -> None:
    Study.objects.update(settings=study.settings | {"ways_in": ["link"]})
    assert "This study has no way in for people from Prolific." in post("create", **DRAFT)
    assert prolific.world.studies == {}


def test_second_click_creates_no_second_draft(post: Post, prolific: LocalProlific) -> None:
    post("create", **DRAFT)
    post("create", **DRAFT)
    assert requests(prolific, "POST studies/") == 1
    assert steps() == [("create", 4)]


def test_click_while_the_first_is_asked_for_is_refused(
    post: Post, prolific: LocalProlific, study: Study, researcher: User
) -> None:
    Recruitment.objects.create(
        study=study, address=prolific.api_url, step="create", step_at=timezone.now()
    )
    assert "A step is being taken already" in post("create", **DRAFT)
    assert prolific.world.studies == {}


@pytest.mark.parametrize("fault", ["500_after", "reset_after", "html"])
def test_draft_whose_answer_was_lost_is_found_again(
    post: Post, prolific: LocalProlific, fault: str
) -> None:
    prolific.faults.add(fault, on="POST studies/")
    shown = post("create", **DRAFT)
    assert "Whether it was done is not known" in shown
    assert "How warm are these replies?" in shown
    post("create", **DRAFT)
    assert len(prolific.world.studies) == 1
    assert steps() == [("create", 4)]


def test_draft_of_a_process_that_was_killed_is_found_again(
    post: Post, prolific: LocalProlific, page: Client, study: Study, researcher: User
) -> None:
    # as a kill leaves it between Prolific's answer and our record of it
    asked = Recruitment.objects.create(
        study=study,
        address=prolific.api_url,
        step="create",
        step_detail={"places": 4},
        step_author=researcher,
        step_at=timezone.now(),
    )
    with client_of(researcher) as client:
        client.create_study(AS_SENT | {"internal_name": asked.internal_name})
    assert steps() == []
    page.get(ADDRESS)
    post("create", **DRAFT)
    assert len(prolific.world.studies) == 1
    assert steps() == [("create", 4)]
    assert StudyEvent.objects.get(action="prolific create").author == researcher


def test_draft_that_never_came_about_can_be_asked_for_again(
    post: Post, prolific: LocalProlific, page: Client
) -> None:
    prolific.faults.add("reset", on="POST studies/")
    assert "Whether it was done is not known" in post("create", **DRAFT)
    assert "A step is being taken already" in post("create", **DRAFT)
    Recruitment.objects.update(step_at=timezone.now() - timedelta(minutes=1))
    post("create", **DRAFT)
    assert len(prolific.world.studies) == 1
    assert steps() == [("create", 4)]


def test_draft_is_changed_once(post: Post, prolific: LocalProlific, drafted: str) -> None:
    assert "The draft is saved" in post("change", **DRAFT | {"reward": "2", "review": "all"})
    assert "Nothing had to be changed" in post("change", **DRAFT | {"reward": "2", "review": "all"})
    theirs = prolific.world.study(drafted)
    assert theirs["reward"] == 200
    assert theirs["completion_codes"][0]["actions"] == [{"action": "MANUALLY_REVIEW"}]
    assert steps() == [("create", 4), ("change", None)]


def test_draft_that_was_deleted_on_prolific_is_forgotten_by_its_own_account(
    post: Post, page: Client, prolific: LocalProlific, drafted: str
) -> None:
    assert "The study is still on Prolific" in post("forget")
    del prolific.world.studies[drafted]
    assert "Forget this study" in text_of(page.get(ADDRESS))
    Recruitment.objects.update(account="somebody else")
    assert "Another account created it" in post("forget")
    Recruitment.objects.update(account=prolific.world.tokens[TOKEN]["id"])
    assert "Forgotten." in post("forget")
    assert "Create a draft" in text_of(page.get(ADDRESS))


# ── Publishing ───────────────────────────────────────────────────────────────────────────────


def test_study_is_published_paused_resumed_and_given_places_once_each(
    post: Post, page: Client, prolific: LocalProlific, drafted: str
) -> None:
    assert "The study is published on Prolific." in post("publish", cost=cost(prolific))
    assert "Nothing had to be changed" in post("publish", cost=cost(prolific))
    assert "The study is paused" in post("pause")
    assert "Nothing had to be changed" in post("pause")
    assert "The study goes on" in post("start")
    assert "more places" in post("places", places=6)
    assert "Nothing had to be changed" in post("places", places=6)
    send(prolific.world, drafted, 2, lambda _: "DONE1")
    shown = text_of(page.get(ADDRESS))
    assert "Places taken 2 of 6 Approved 2" in shown
    assert steps() == [
        ("create", 4),
        ("publish", None),
        ("pause", None),
        ("start", None),
        ("places", 6),
    ]
    assert requests(prolific, f"POST studies/{drafted}/transition/") == 3


@pytest.mark.parametrize("places", ["3", "0", "-1", "", "many"])
def test_places_that_are_no_more_are_refused(
    post: Post, prolific: LocalProlific, drafted: str, places: str
) -> None:
    post("publish", cost=cost(prolific))
    assert "Nothing was changed." in post("places", places=places)
    assert prolific.world.study(drafted)["total_available_places"] == 4


@pytest.mark.parametrize("state", ["draft", "paused", "closed"])
def test_study_that_admits_nobody_is_not_published(
    post: Post, prolific: LocalProlific, drafted: str, state: str
) -> None:
    Study.objects.update(state=state)
    shown = post("publish", cost=cost(prolific))
    assert f"This study is {state}, and admits nobody: open it on Overview first." in shown
    assert prolific.world.study(drafted)["status"] == "UNPUBLISHED"


def test_study_on_this_machine_is_published_on_the_stand_in_alone(
    post: Post, prolific: LocalProlific, drafted: str, settings: Settings, study: Study
) -> None:
    settings.SITE_URL = "http://localhost:8000"
    post("change", **DRAFT)
    with client_of(User.objects.get()) as client:
        theirs = client.study(drafted)
    assert list(against_publishing(study, theirs)) == []
    settings.PROLIFIC_URL = "https://api.prolific.com/api/v1"
    [reason] = against_publishing(study, theirs)
    assert "http://localhost:8000, which no one outside your network can open" in reason
    Study.objects.update(is_rehearsal=True)
    study.refresh_from_db()
    assert "a rehearsal, which admits nobody" in next(iter(against_publishing(study, theirs)))


def test_link_that_changed_since_the_draft_has_to_be_saved_first(
    post: Post, prolific: LocalProlific, drafted: str, settings: Settings
) -> None:
    settings.SITE_URL = "https://other.lakeside.edu"
    assert "save the draft again" in post("publish", cost=cost(prolific))
    post("change", **DRAFT)
    assert "published" in post("publish", cost=cost(prolific))


@pytest.mark.parametrize("shown", ["", "1", "-5"])
def test_cost_that_was_not_shown_is_not_spent(
    post: Post, prolific: LocalProlific, drafted: str, shown: str
) -> None:
    said = post("publish", cost=shown)
    assert "The cost has changed" in said or "Nothing was changed." in said
    assert prolific.world.study(drafted)["status"] == "UNPUBLISHED"


def test_balance_that_is_too_low_is_named(
    post: Post, page: Client, prolific: LocalProlific, drafted: str
) -> None:
    prolific.world.balance = 100
    assert "The balance does not cover the total" in text_of(page.get(ADDRESS))
    assert "Not enough funds" in post("publish", cost=cost(prolific))
    assert steps() == [("create", 4)]


@pytest.mark.parametrize("fault", ["500_after", "reset_after", "429", "503"])
def test_publishing_whose_answer_was_lost_is_recorded_once(
    post: Post, prolific: LocalProlific, drafted: str, fault: str
) -> None:
    prolific.faults.add(fault, on="POST studies/*/transition/")
    post("publish", cost=cost(prolific))
    post("publish", cost=cost(prolific))
    assert prolific.world.study(drafted)["status"] == "ACTIVE"
    assert steps() == [("create", 4), ("publish", None)]


def test_step_of_a_killed_process_is_settled_by_the_next_look(
    post: Post, page: Client, prolific: LocalProlific, drafted: str, researcher: User
) -> None:
    asked: dict[str, Any] = {"step": "publish", "step_detail": {}, "step_author": researcher}
    asked["step_at"] = timezone.now() - timedelta(minutes=1)
    Recruitment.objects.update(**asked)
    page.get(ADDRESS)  # not done: forgotten
    assert (Recruitment.objects.get().step, steps()) == ("", [("create", 4)])
    Recruitment.objects.update(**asked)
    prolific.world.move_study(drafted, "PUBLISH")
    page.get(ADDRESS)
    page.get(ADDRESS)
    assert steps() == [("create", 4), ("publish", None)]


# ── Whatever else ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("action", ["", "approve-all", "forget", "publish"])
def test_step_without_a_study_or_a_name_changes_nothing(
    post: Post, prolific: LocalProlific, action: str
) -> None:
    said = post(action)
    assert "Nothing was changed." in said or "There is no study on Prolific yet." in said
    assert not Recruitment.objects.exists()


def test_page_stays_when_prolific_does_not_answer(
    post: Post, page: Client, prolific: LocalProlific, drafted: str
) -> None:
    prolific.faults.retry_after = "60"
    prolific.faults.add(*["429"] * 3)
    assert "Prolific is too busy" in text_of(page.get(ADDRESS))


def test_study_of_another_account_is_said_to_be_out_of_sight(
    page: Client, prolific: LocalProlific, researcher: User, study: Study
) -> None:
    connect(user=researcher, token=TOKEN)
    Recruitment.objects.create(study=study, address=prolific.api_url, prolific_study_id="5f")
    assert "Prolific has no study 5f, or this account may not see it." in text_of(page.get(ADDRESS))


def test_refused_draft_leaves_nothing_behind(
    researcher: User, prolific: LocalProlific, study: Study
) -> None:
    connect(user=researcher, token=TOKEN)
    with client_of(researcher) as client, pytest.raises(ProlificError, match="Validation error"):
        create_draft(
            study=study,
            address=prolific.api_url,
            author=researcher,
            account="x",
            draft={"total_available_places": 4},
            client=client,
        )
    assert Recruitment.objects.get().step == ""
    assert steps() == []


# ── Submissions ──────────────────────────────────────────────────────────────────────────────


def arrives_by(study: Study, link: str) -> Participant:
    """Somebody who comes by the link that Prolific opens for them."""
    Client().get(link.removeprefix(PUBLIC))
    return Participant.objects.filter(study=study).latest("pk")


def test_submissions_are_read_and_compared_with_who_came(
    post: Post, page: Client, prolific: LocalProlific, drafted: str, study: Study
) -> None:
    post("publish", cost=cost(prolific))
    came: list[Participant] = []

    def take(link: str) -> str | None:
        came.append(arrives_by(study, link))
        return None if len(came) == 1 else "WRONG9"

    send(prolific.world, drafted, 2, take)
    send(prolific.world, drafted, 1, lambda _: "DONE1")  # never comes
    Client().get(f"/s/small/{arrival('forged', session='none')}")
    forged = Participant.objects.latest("pk")
    shown = text_of(page.post(f"{ADDRESS}submissions/"))
    assert f"Marked as returned: {came[0].pseudonym}." in shown
    assert f"Not in the lists {FINDINGS['not_listed'][1]}" in shown
    assert f"{forged.pseudonym} arrived" in shown
    assert "Entered the completion code of another ending" in shown
    assert f"{came[1].pseudonym} arrived" in shown
    assert "Prolific (oldest submission first), line 3" in shown
    for one in prolific.world.submissions.values():
        assert one.participant not in shown
    assert [event.detail["returned"] for event in study.events.filter(action="submissions")] == [1]


def test_submissions_that_can_not_be_read_change_nothing(
    post: Post, page: Client, prolific: LocalProlific, drafted: str, study: Study
) -> None:
    prolific.faults.retry_after = "60"
    prolific.faults.add("429", on="GET submissions/*")
    shown = text_of(page.post(f"{ADDRESS}submissions/", follow=True))
    assert "Prolific is too busy" in shown
    assert "Nothing was changed." in shown
    Recruitment.objects.all().delete()
    shown = text_of(page.post(f"{ADDRESS}submissions/", follow=True))
    assert "There is no study on Prolific yet." in shown


def test_worker_frees_slots_every_ten_minutes_and_asks_once_a_turn(
    post: Post, prolific: LocalProlific, drafted: str, study: Study, researcher: User
) -> None:
    post("publish", cost=cost(prolific))
    came: list[Participant] = []

    def take(link: str) -> None:
        came.append(arrives_by(study, link))

    send(prolific.world, drafted, 1, take)
    now = timezone.now()
    [mine] = recruitments_to_read(at=now)
    applied = read_submissions_of(mine, at=now)
    assert applied is not None
    assert applied.returned == [came[0].pseudonym]
    assert (recruitments_to_read(at=now), read_submissions_of(mine, at=now)) == ([], None)
    assert recruitments_to_read(at=now + timedelta(minutes=11)) == [mine]
    Study.objects.update(state="closed")
    assert recruitments_to_read(at=now + timedelta(minutes=11)) == []


def test_worker_that_can_not_read_says_why_and_waits_for_its_next_turn(
    post: Post, prolific: LocalProlific, drafted: str, caplog: pytest.LogCaptureFixture
) -> None:
    now = timezone.now()
    [mine] = recruitments_to_read(at=now)
    prolific.world.tokens.clear()
    assert read_submissions_of(mine, at=now) is None
    assert "small@1: submissions were not read: Prolific does not accept this token." in caplog.text
    assert recruitments_to_read(at=now) == []
    User.objects.update(is_active=False)
    asked = len(prolific.log)
    assert read_submissions_of(mine, at=now + timedelta(minutes=11)) is None
    assert len(prolific.log) == asked
