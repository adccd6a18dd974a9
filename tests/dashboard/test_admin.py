"""Raw records can be read, but what participants saw and said can't be changed."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from survey.models import (
    AttentionCheck,
    DemographicAnswer,
    FreeAnswer,
    Identity,
    Invitation,
    Participant,
    Presentation,
    Rating,
    Response,
    Scenario,
    Study,
    StudyEvent,
    Withdrawal,
)

pytestmark = pytest.mark.embedded  # raw records, read by Django's own pages

RECORDS = [
    Study, StudyEvent, Scenario, Response, Participant, Presentation, Rating, AttentionCheck,
    DemographicAnswer, FreeAnswer, Identity, Invitation, Withdrawal,
]  # fmt: skip


@pytest.fixture
def root(client: Client, study: Study) -> Client:
    """A browser of a superuser; there is a record of every kind."""
    client.force_login(User.objects.create_superuser("root"))
    StudyEvent.objects.create(study=study, action="state", detail={"from": "draft", "to": "open"})
    Invitation.objects.create(study=study, label="pilot")
    ann = study.participants.get(pseudonym="ann")
    Identity.objects.create(participant=ann, slug="small", kind="prolific", key="5f0c0ffee")
    FreeAnswer.objects.create(participant=ann, name="why", text="because")
    Withdrawal.objects.create(
        study=study, slug="small", kind="prolific", key="5f0gone", key_kept_until=timezone.now()
    )
    return client


def address(model: type, action: str, *args: object) -> str:
    return reverse(f"admin:survey_{model.__name__.lower()}_{action}", args=args)


@pytest.mark.parametrize("model", RECORDS)
def test_record_can_be_listed_and_read(root: Client, model: type) -> None:
    record = model._default_manager.first()  # type: ignore[attr-defined]  # each is a table
    assert root.get(address(model, "changelist")).status_code == 200
    assert root.get(address(model, "change", record.pk)).status_code == 200


@pytest.mark.parametrize("model", RECORDS)
def test_record_is_neither_changed_nor_deleted(root: Client, model: type) -> None:
    record = model._default_manager.first()  # type: ignore[attr-defined]  # each is a table
    assert root.post(address(model, "change", record.pk), {}).status_code == 403
    assert root.post(address(model, "delete", record.pk), {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": record.pk, "post": "yes"}
    root.post(address(model, "changelist"), chosen)
    assert model._default_manager.filter(pk=record.pk).exists()  # type: ignore[attr-defined]  # as above


@pytest.mark.parametrize("model", [model for model in RECORDS if model is not Invitation])
def test_record_is_not_added(root: Client, model: type) -> None:
    assert root.get(address(model, "add")).status_code == 403


def test_filter_by_a_number_that_no_database_can_hold_finds_nothing(root: Client) -> None:
    filtered = f"{address(Participant, 'changelist')}?study__exact={'9' * 25}"
    found = root.get(filtered)
    assert found.status_code == 404 or "0 participants" in found.content.decode()


def test_filter_by_a_nul_finds_nothing(root: Client) -> None:
    reply = root.get("/admin/survey/participant/?pseudonym=%00")
    # PostgreSQL takes none and SQLite looks for it.
    assert reply.status_code == (404 if connection.vendor == "postgresql" else 200)


def test_every_table_about_people_is_read_only() -> None:
    ours = {"survey", "judge", "analysis"}
    request = type("Request", (), {"user": User(is_superuser=True, is_active=True)})()
    editable = {
        model.__name__
        for model, options in admin.site._registry.items()
        if model._meta.app_label in ours
        and any(options.get_model_perms(request)[can] for can in ("add", "change", "delete"))
    }
    assert editable == {"Invitation"}


def test_invitation_is_written_and_its_link_shown(root: Client, study: Study) -> None:
    root.post(address(Invitation, "add"), {"study": study.pk, "label": "expert 1"})
    invitation = Invitation.objects.get(label="expert 1")
    shown = root.get(address(Invitation, "changelist")).content.decode()
    assert f"http://localhost:8000/s/small/?invite={invitation.token}" in shown


def test_who_participants_are_elsewhere_is_for_superusers(root: Client, client: Client) -> None:
    staff = User.objects.create_user("ada", is_staff=True)
    staff.user_permissions.set(Permission.objects.filter(content_type__app_label="survey"))
    client.force_login(staff)
    assert client.get(address(Participant, "changelist")).status_code == 200
    for model in (Identity, Withdrawal):
        assert client.get(address(model, "changelist")).status_code == 403
        record = model._default_manager.get()
        assert client.get(address(model, "change", record.pk)).status_code == 403


def test_secret_of_a_participant_is_shown_to_nobody(root: Client) -> None:
    person = Participant.objects.get(pseudonym="ann")
    for where in (address(Participant, "changelist"), address(Participant, "change", person.pk)):
        assert person.secret not in root.get(where).content.decode()
