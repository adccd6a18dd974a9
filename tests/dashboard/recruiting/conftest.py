"""A study that recruits on a local Prolific, and the page that does it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from dashboard.accounts.prolific import connect
from examples.local_prolific import TOKEN
from examples.local_prolific.server import LocalProlific, local_prolific
from survey.models import Study, StudyEvent
from tests.dashboard.reading import text_of
from tests.survey import small_study

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
    taken = StudyEvent.objects.filter(action__startswith="prolific ", study__isnull=False)
    return [(event.action.partition(" ")[2], event.detail.get("places")) for event in taken]


def requests(prolific: LocalProlific, what: str) -> int:
    return sum(one.startswith(what) for one in prolific.log)
