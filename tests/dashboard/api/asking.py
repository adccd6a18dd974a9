"""Asking the API, and what there is in the database before and after."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client

from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from survey.models import Study

ROOT = "/api/studies/small/"
#: What a refused request may not change: everything that is no cache and no session.
APPS = ("survey", "judge", "analysis", "dashboard")


class Change(NamedTuple):
    """A request that changes something: the least role that may, and what is true afterwards."""

    path: str
    sent: dict[str, Any]
    status: int
    least: Role
    #: Of the study and the answer: whether it was done.
    effect: Callable[[Study, dict[str, Any]], bool]


class Bad(NamedTuple):
    """A request that is refused, and what is said."""

    method: str
    path: str
    sent: dict[str, Any]
    said: dict[str, Any]


def member(study: Study, role: Role) -> Client:
    """A browser of a researcher with this role."""
    user = User.objects.create_user(f"the {role}", is_staff=True)
    Membership.objects.create(slug=study.slug, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def ask(client: Client, method: str, path: str, sent: dict[str, Any] | None = None) -> Any:
    """The answer to a request about the study `small`; what is sent goes as JSON."""
    if method == "get":
        return client.get(ROOT + path)
    return getattr(client, method)(ROOT + path, sent or {}, content_type="application/json")


def read(client: Client, path: str) -> Any:
    """What a route gives."""
    answer = client.get(ROOT + path)
    assert answer.status_code == 200, (path, answer.content)
    return answer.json()


def everything() -> dict[str, list[Any]]:
    """Every row of our tables."""
    return {
        model.__name__: sorted(map(repr, model._default_manager.values_list()))
        for app in APPS
        for model in apps.get_app_config(app).get_models()
    }


def check_change(study: Study, change: Change) -> None:
    """A role below may not and changes nothing; the least role may, and it is done."""
    below = [role for role in Role if change.least.includes(role) and role != change.least]
    may_not, may = member(study, below[0]), member(study, change.least)
    before = everything()
    refused = ask(may_not, "post", change.path, change.sent)
    assert refused.status_code == 403, refused.content
    assert f"{change.least.label.lower()}s" in refused.json()["detail"]
    assert everything() == before
    answer = ask(may, "post", change.path, change.sent)
    assert answer.status_code == change.status, answer.content
    study.refresh_from_db()
    assert change.effect(study, answer.json())


def check_bad(client: Client, bad: Bad) -> None:
    """It is refused in clear words, and nothing has changed."""
    before = everything()
    answer = ask(client, bad.method, bad.path, bad.sent)
    assert (answer.status_code, answer.json()) == (400, bad.said)
    assert everything() == before
