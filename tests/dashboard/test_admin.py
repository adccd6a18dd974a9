"""Raw records can be read, but what participants saw and said can't be changed."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from survey import bounded_lists
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


# ── Long tables ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def answers(root: Client, study: Study, monkeypatch: pytest.MonkeyPatch) -> str:
    """The list of 230 answers, where tables of more than 5 are long."""
    monkeypatch.setattr(bounded_lists, "MOST", 5)
    ann = study.participants.get(pseudonym="ann")
    DemographicAnswer.objects.all().delete()
    DemographicAnswer.objects.bulk_create(
        DemographicAnswer(participant=ann, name=f"n{number:03}", value="x") for number in range(230)
    )
    return address(DemographicAnswer, "changelist")


def test_long_table_is_counted_as_far_as_needed_and_read_to_its_end(
    root: Client, answers: str
) -> None:
    assert "more than 105 demographic answers" in root.get(answers).content.decode()
    assert "more than 205 demographic answers" in root.get(f"{answers}?p=2").content.decode()
    last = root.get(f"{answers}?p=3").content.decode()
    assert "230 demographic answers" in last
    assert "more than" not in last


def test_long_table_is_neither_sorted_by_any_column_nor_searched_for_all_its_values(
    root: Client, answers: str
) -> None:
    page = root.get(f"{answers}?o=3")
    names = [record.name for record in page.context["cl"].result_list]
    assert names == [f"n{number:03}" for number in range(229, 129, -1)]
    assert "sortable" not in page.content.decode()
    html = page.content.decode()
    assert "name, of the first and last 5" in html
    assert "?name__exact=n004" in html.replace("?name=", "?name__exact=")
    assert "n005" not in html


def test_no_list_of_records_counts_or_lists_a_whole_long_table(root: Client, answers: str) -> None:
    with CaptureQueriesContext(connection) as asked:
        root.get(answers)
    of_answers = [q["sql"] for q in asked if 'FROM "survey_demographicanswer"' in q["sql"]]
    assert of_answers
    by_ids = re.compile(r'LIMIT|"id" (IN|<=|>=) ')
    assert [sql for sql in of_answers if not by_ids.search(sql)] == []


def test_page_of_a_list_is_cut_before_other_tables_are_joined(root: Client, answers: str) -> None:
    with CaptureQueriesContext(connection) as asked:
        root.get(answers)
    joined = [q["sql"] for q in asked if "JOIN" in q["sql"]]
    assert len(joined) == 1  # the records of the page, with their people
    assert "LIMIT" not in joined[0]


def test_short_table_is_sorted_and_listed_as_ever(root: Client, study: Study) -> None:
    html = root.get(address(DemographicAnswer, "changelist")).content.decode()
    assert "sortable" in html
    assert "more than" not in html
    assert "of the first" not in html
