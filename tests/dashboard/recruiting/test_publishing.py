"""A study on Prolific is published, paused, resumed and given places; each step once."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from dashboard.accounts.prolific import client_of, connect
from dashboard.prolific.drafts import against_publishing
from dashboard.prolific.models import Recruitment
from dashboard.prolific.steps import create_draft
from examples.local_prolific import TOKEN
from examples.local_prolific.people import send
from examples.local_prolific.server import LocalProlific
from survey.models import Study
from survey.prolific.errors import ProlificError
from tests.dashboard.reading import text_of
from tests.dashboard.recruiting.conftest import (
    ADDRESS,
    DRAFT,
    Post,
    cost,
    requests,
    steps,
)

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]


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
    recruitment = Recruitment.objects.get()
    assert list(against_publishing(recruitment, theirs)) == []
    settings.PROLIFIC_URL = "https://api.prolific.com/api/v1"
    [reason] = against_publishing(recruitment, theirs)
    assert "http://localhost:8000, which no one outside your network can open" in reason
    Study.objects.update(is_rehearsal=True)
    recruitment.refresh_from_db()
    first = next(iter(against_publishing(recruitment, theirs)))
    assert "a rehearsal, which admits nobody" in first


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
