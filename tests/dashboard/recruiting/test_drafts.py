"""A draft on Prolific: from what the study says, created and changed once."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dashboard.accounts.prolific import client_of
from dashboard.overview.events import events
from dashboard.prolific.models import Recruitment
from examples.local_prolific import TOKEN
from examples.local_prolific.server import LocalProlific
from survey.models import Study, StudyEvent
from tests.dashboard.reading import text_of
from tests.dashboard.recruiting.conftest import (
    ADDRESS,
    AS_SENT,
    DRAFT,
    PUBLIC,
    Post,
    cost,
    requests,
    steps,
)

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]


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
    assert [event.what for event in events([study])[:2]] == [
        "Pay terms changed (in cents): reward: none → 150",
        "Draft created on Prolific: 4 places",
    ]


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
