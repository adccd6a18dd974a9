"""Completion codes are for those who recruit and analyse: viewers see none, wherever they look."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Permission as DjangoPermission
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from dashboard.shared.roles import Role
from survey.definition.settings import ENDINGS
from survey.models import Study
from tests.dashboard.addresses import ADDRESSES, RULES
from tests.dashboard.reading import text_of
from tests.dashboard.test_roles import browser, member
from tests.survey import small_study

# What a role sees; other tests open the pages on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

KEYS = ["completion_code", *(f"{ending}_code" for ending in ENDINGS[1:])]
NOW = {key: f"NOW{number}X" for number, key in enumerate(KEYS)}
BEFORE = {key: f"WAS{number}X" for number, key in enumerate(KEYS)}
CODES = [*NOW.values(), *BEFORE.values(), "RANDOM1"]


@pytest.fixture
def study(db: None) -> Study:
    """A study with a code at every ending, which had others before."""
    study = small_study.load(yaml=small_study.YAML + small_study.COMPREHENSION)
    before = study.settings
    prolific = before["prolific"]
    study.settings = before | {"prolific": prolific | NOW}
    study.random_codes = {"completed": "RANDOM1"}
    study.save()
    study.events.create(
        action="settings",
        detail={"from": before | {"prolific": prolific | BEFORE}, "to": study.settings},
    )
    return study


def answers(role: Role, client: Client) -> Iterator[tuple[str, str]]:
    """All that a role may read of the study, by path."""
    endings = [reverse("preview", args=["small", name]) for name in (*ENDINGS, "stop")]
    of_study = [each.path for each in ADDRESSES if each.name in RULES and _may(role, each.name)]
    for path in [*of_study, *endings]:
        answer = client.get(path)
        if answer.status_code == 200:
            yield path, b"".join(answer).decode(errors="replace")  # streamed or not


def _may(role: Role, name: str) -> bool:
    needed = RULES[name].get
    return needed is not None and role.may(needed)


def seen(role: Role, study: Study) -> dict[str, list[str]]:
    """Where a role finds which codes."""
    pages = dict(answers(role, browser(member(role, study))))
    assert len(pages) > 40
    found = {path: [code for code in CODES if code in text] for path, text in pages.items()}
    return {path: codes for path, codes in found.items() if codes}


def test_viewer_finds_no_code_anywhere(study: Study) -> None:
    assert seen(Role.VIEWER, study) == {}


def test_analyst_finds_the_codes_where_they_are_needed(study: Study) -> None:
    found = seen(Role.ANALYST, study)
    for path in (
        "/studies/small/",
        "/api/studies/small/live/",
        "/api/studies/small/prolific/codes/",
        reverse("preview", args=["small", "completed"]),
    ):
        assert NOW["completion_code"] in found[path], path
    assert not any(code in codes for code in BEFORE.values() for codes in found.values())


def test_viewer_is_told_so_and_sees_the_rest(study: Study) -> None:
    client = browser(member(Role.VIEWER, study))
    html = text_of(client.get("/studies/small/"))
    assert "Viewers do not see the codes." in html and "NO_CONSENT" in html
    assert "••••••••" in text_of(client.get(reverse("preview", args=["small", "completed"])))
    live = client.get("/api/studies/small/live/").json()
    assert {row["code"] for row in live["endings"]} == {None}
    answer = client.get("/api/studies/small/prolific/codes/")
    assert answer.status_code == 403
    assert "may see the completion codes for Prolific" in text_of(answer)


def test_log_says_that_a_code_changed_and_not_to_which(study: Study) -> None:
    what = "prolific.completion_code: another code"
    for role, path in ((Role.OWNER, "/studies/small/log/"), (Role.VIEWER, "/studies/small/")):
        text = text_of(browser(member(role, study, name=role)).get(path))
        assert what in text
        assert not any(code in text for code in BEFORE.values())


def test_records_show_codes_to_superusers_alone(study: Study, client: Client) -> None:
    user = User.objects.create_user("ben", password="pw", is_staff=True)
    user.user_permissions.set(
        DjangoPermission.objects.filter(codename__in=["view_study", "view_studyevent"])
    )
    event = study.events.get(action="settings")
    paths = (
        f"/admin/survey/study/{study.pk}/change/",
        "/admin/survey/studyevent/",
        f"/admin/survey/studyevent/{event.pk}/change/",
    )
    client.force_login(user)
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200
        assert not any(code in text_of(answer) for code in CODES), path
    client.force_login(User.objects.create_superuser("ada"))
    for path in paths:
        assert NOW["completion_code"] in text_of(client.get(path)), path
